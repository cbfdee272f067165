"""The order of many rows by several keys, several times as fast as ``np.lexsort``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

BITS: Final = 63


def in_order(*keys: npt.NDArray[Any]) -> Ints:
    """Rows by the first key, those of one value by the second, and so on; what is equal stays as it stood, and NaN
    stands last.
    """
    *more, least = keys
    order = _stable(least)
    for key in reversed(more):
        order = order[_stable(key[order])]
    return order


def _stable(key: npt.NDArray[Any]) -> Ints:
    """Key and row in one number: its plain sort is several times as fast as a stable one, and stable too."""
    if not len(key):
        return np.zeros(0, np.int64)
    if key.min() == key.max():  # as the node of a part of one node
        return np.arange(len(key))
    if key.dtype.kind == "f":
        key = np.unique(key, return_inverse=True)[1]
    lowest, row_bits = int(key.min()), (len(key) - 1).bit_length()
    if (int(key.max()) - lowest).bit_length() + row_bits > BITS:
        return np.argsort(key, kind="stable")
    packed = (key.astype(np.int64) - lowest) << row_bits
    packed |= np.arange(len(key))
    packed.sort()
    packed &= (1 << row_bits) - 1
    return packed
