"""How the program is set up. Every process of it imports this package before NumPy."""

from __future__ import annotations

import os

# The library of linear algebra below NumPy starts a thread for each core, and these turn while they wait for work: a
# sixth of the processor time of a small text. They get none, as nothing here multiplies matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
