"""SHA-256 whose state can be written down, so that any process goes on where another one stopped.

``hashlib`` keeps its state to itself. The library below it has held SHA-256 in a plain structure for twenty years, and its functions
for it are public, so they are called here directly; they are as fast.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib import import_module
from typing import Any, Self

STATE_BYTES = 112
"""``SHA256_CTX``: eight words of state, two of length, sixteen of data, the number of bytes in them, the length of the digest."""
DIGEST_BYTES = 32
BLOCK_BYTES = 64
MISSING = "This Python's hashlib does not use OpenSSL's library, which uploads to an object store need."


class Sha256:
    """As of ``hashlib``, and ``state()`` goes on as ``Sha256(state)``."""

    def __init__(self, state: bytes = b"") -> None:
        self._state = ctypes.create_string_buffer(STATE_BYTES)
        if state:
            _refuse_other(state)
            ctypes.memmove(self._state, state, STATE_BYTES)
        else:
            _library().SHA256_Init(self._state)

    def update(self, data: bytes) -> None:
        _library().SHA256_Update(self._state, data, len(data))

    def copy(self) -> Self:
        return type(self)(self.state())

    def state(self) -> bytes:
        return self._state.raw

    def hexdigest(self) -> str:
        """Of what came so far; more may follow."""
        digest = ctypes.create_string_buffer(DIGEST_BYTES)
        _library().SHA256_Final(digest, self.copy()._state)
        return digest.raw.hex()


def is_available() -> bool:
    try:
        _library()
    except (AttributeError, ImportError, OSError):
        return False
    return True


def _refuse_other(state: bytes) -> None:
    """The library writes where the numbers in it say."""
    waiting, digest_bytes = (int.from_bytes(state[at : at + 4], sys.byteorder) for at in (104, 108))
    if len(state) != STATE_BYTES or waiting >= BLOCK_BYTES or digest_bytes != DIGEST_BYTES:
        raise ValueError("not a state of SHA-256")


@cache
def _library() -> Any:
    """The one that ``hashlib`` has loaded."""
    library = ctypes.CDLL(import_module("_hashlib").__file__)
    for name in ("SHA256_Init", "SHA256_Update", "SHA256_Final"):
        getattr(library, name).restype = ctypes.c_int
    library.SHA256_Init.argtypes = [ctypes.c_void_p]
    library.SHA256_Update.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    library.SHA256_Final.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return library
