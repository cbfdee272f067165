"""Words that all texts of the distributed lock manager share: modes, queues, lock spaces in paths, names of resources.
No parser.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

MODES: Final = {-1: None, 0: "NL", 1: "CR", 2: "CW", 3: "PR", 4: "PW", 5: "EX"}
QUEUES: Final = {1: "waiting", 2: "granted", 3: "converting"}
MESSAGES: Final = {
    0: "none", 1: "request", 2: "convert", 3: "unlock", 4: "cancel", 5: "request reply", 6: "convert reply",
    7: "unlock reply",
    8: "cancel reply", 9: "grant", 10: "bast", 11: "lookup", 12: "remove", 13: "lookup reply", 14: "purge",
}  # fmt: skip

_SUFFIX: Final = r"_(?:locks|all|toss|waiters|queued_asts|lockdebug)"
_IN_PATH = re.compile(
    rf"(?<!config/)dlm/(?:[\w.:-]{{1,64}}/)?(?P<space>[\w.:-]{{1,64}}?)(?:{_SUFFIX})?"
    r"(?:\.(?:txt|log|gz))?(?:[\s'\";|]|$)"
)
_IN_SOS = re.compile(r"dlm_locks_(?P<space>[\w.:-]{1,64}?)(?:\.txt)?$")
_TOOL = re.compile(
    r"(?:dlm_tool|group_tool)(?:[ _]-[a-zA-Z]{1,4}){0,6}[ _](?:lockdebug|lockdump|plocks|log_plock|dump[ _]plocks)"
    r"(?:[ _]-[a-zA-Z]{1,4}){0,6}[ _](?P<space>[\w.:-]{1,64})"
)
_NOT_SPACES: Final = frozenset(("cluster", "comms", "dlm", "debug"))
_PADDED = re.compile(r"([0-9a-f]{1,8}) {1,16}([0-9a-f]{1,16})$")


def lockspace_in(text: str) -> str | None:
    """The lock space that a path or a command names (``.../dlm/<space>_locks``, ``dlm_tool lockdebug <space>``)."""
    for pattern in (_TOOL, _IN_SOS, _IN_PATH):
        if (match := pattern.search(text)) and match["space"] not in _NOT_SPACES:
            return match["space"]
    return None


def resource_name(text: str) -> str:
    """A name without its padding: ``       2           102ab`` becomes ``2           102ab``."""
    return text.strip()


def decoded(text: str) -> str:
    """A name printed as hexadecimal bytes, where these are printable."""
    try:
        name = bytes.fromhex(text.replace(" ", "")).decode("ascii").rstrip("\x00")
    except ValueError:
        return text
    return name.strip() if name.isprintable() else text


def glock_resource(glock: str) -> str:
    """The resource name of a glock: ``2/102ab`` becomes ``2           102ab``."""
    kind, _, number = glock.partition("/")
    return f"{kind}{number:>16}"


@lru_cache(maxsize=4096)
def glock_of(resource: str) -> str | None:
    """The glock of a resource name, or None where it has another form."""
    match = _PADDED.match(resource.strip())
    if match is None:
        return None
    return f"{int(match[1], 16)}/{match[2].lstrip('0') or '0'}"
