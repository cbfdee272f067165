"""What stands above lines: prompts, banners, dates, captions and names of nodes."""
