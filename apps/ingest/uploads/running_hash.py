"""The hash of a file that grows from request to request, in whichever process they arrive.

The state of a hash cannot be stored, so each process remembers it for the uploads it saw last. What another process received
meanwhile, or this one before it was started anew, is read from the file: each byte at most once per process.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash

REMEMBERED = 256
BLOCK = 1 << 20

_states: OrderedDict[str, tuple[int, _Hash]] = OrderedDict()
_lock = threading.Lock()


def resumed(path: Path, upto: int) -> _Hash:
    """SHA-256 of the first bytes of the file. Its state is no longer remembered: what is added to it may have to be dropped."""
    with _lock:
        at, digest = _states.pop(path.name, (0, hashlib.sha256()))
    if at > upto:
        at, digest = 0, hashlib.sha256()
    with path.open("rb") as file:
        file.seek(at)
        while at < upto and (block := file.read(min(BLOCK, upto - at))):
            digest.update(block)
            at += len(block)
    return digest


def remember(path: Path, at: int, digest: _Hash) -> None:
    with _lock:
        _states[path.name] = (at, digest)
        while len(_states) > REMEMBERED:
            _states.popitem(last=False)
