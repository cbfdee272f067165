"""Memory of large arrays that are gone."""

from __future__ import annotations

import ctypes


def give_back() -> None:
    """Hand the room of freed arrays back to the system. The C library keeps what threads have freed, each thread's
    apart: of parts of some hundred megabytes in turn a process would keep several at once. It takes milliseconds; a
    library without such a call (musl, macOS) is left alone.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
