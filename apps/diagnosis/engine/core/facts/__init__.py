"""The records of a case by what they mean: store, nodes, clocks, and what several products ask of them."""
