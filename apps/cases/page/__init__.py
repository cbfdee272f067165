"""What every page of a case shows around its content: head, banners, names, times."""
