"""What the names of ``vxi_`` counters tell: level or counter, unit, and which report prints them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_GAUGE_ENDINGS: Final = ("curino", "inuseino", "maxino", "peakino", "recycleage", "timelag")
_NODE_WIDE: Final = ("vxi_icache_", "vxi_bcache_", "vxi_ifree_", "vxi_iaccess")
_NEVER_FALL: Final = ("vxi_icache_maxino", "vxi_icache_peakino")
_OF_A_MOUNT: Final = frozenset((
    "vxi_masterless_locks", "vxi_normalize_locks", "vxi_hlock_init", "vxi_hlock_deinit", "vxi_hlockgrant",
    "vxi_hlockrevoke",
    "vxi_glockgrant", "vxi_glockgrant_pbhit", "vxi_glockrevoke", "vxi_rwlockgrant", "vxi_rwlockrevoke",
    "vxi_rwlock_iupdat",
    "vxi_strong_pullowner", "vxi_staleowner", "vxi_recv_open_mbr", "vxi_inode_btranidflush",
))  # fmt: skip


@lru_cache(maxsize=4096)
def is_gauge(name: str) -> bool:
    """Whether a value is a level or an age, not a count of events."""
    return name.endswith(_GAUGE_ENDINGS)


@lru_cache(maxsize=4096)
def unit_of(name: str) -> str:
    """Unit of a value; empty for a count of events."""
    if name.endswith(("recycleage", "timelag")):
        return "s"
    return "inodes" if is_gauge(name) else ""


@lru_cache(maxsize=4096)
def row_source(name: str) -> str:
    """The report that prints a name, where the command does not tell."""
    if name.startswith(_NODE_WIDE):
        return "vxfsstat -v"
    return "vxfsstat -s" if name in _OF_A_MOUNT or "lock" in name or "owner" in name else "vxfsstat"


def differenced(pairs: Iterable[tuple[str, float | None]], levels: dict[str, float]) -> bool:
    """Whether the levels of a delta sample are differences: one that can't fall is far below the last absolute one, or
    one is negative.
    """
    for name, value in pairs:
        if (
            value is not None
            and is_gauge(name)
            and (value < 0 or (name in _NEVER_FALL and value < levels.get(name, 0.0) / 2))
        ):
            return True
    return False
