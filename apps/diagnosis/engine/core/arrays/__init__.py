"""Large columns: their order, their memory, graphs and spans made of them."""
