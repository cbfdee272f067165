"""Network cards, links between hosts, and clocks that hosts keep over them."""
