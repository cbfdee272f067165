"""Rule on tasks that the kernel reports as blocked inside VxFS: what they wait for, by their stack (VX-03)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import stack
from parsers.dataclass import dataclass
from parsers.records.waits import Stack

Place = Literal["spin", "leftover", "lock", "io", "replay", "log", "freeze", "inode", "inside"]
DUMPED: Final = stack("dumped-threads")
LISTED: Final = stack("processes-asleep")
# Beginnings of functions, the most telling place first: who waits for a lock may have I/O of its own pending.
_PLACES: Final[tuple[tuple[Place, tuple[str, ...]], ...]] = (
    (
        "freeze",
        (
            "vx_active_freeze",
            "vx_active_level",
            "vx_freeze",
            "vx_thaw",
            "vx_recv_freeze",
            "vx_frz",
            "vx_active_common_flush",
        ),
    ),
    (
        "lock",
        ("vx_glm", "vx_cfs_iglock", "vx_cfs_grab", "vx_grab_lock", "vx_msg_send", "vx_get_glm", "vxg_", "vx_hlock"),
    ),
    ("replay", ("vx_log_replay", "vx_logreplay", "vx_replay", "vx_recon")),
    (
        "log",
        ("vx_log_wait", "vx_logwait", "vx_logbuf", "vx_logflush", "vx_log_flush", "vx_logged_", "vx_tran", "vx_log_"),
    ),
    ("inode", ("vx_irwlock", "vx_recsmp_rangelock", "vx_rwsleep_", "vx_ilock", "vx_dirlock", "vx_iplock")),
    (
        "io",
        ("vx_bc_biowait", "vx_biowait", "vx_iowait", "vx_io_wait", "vx_dio_", "vx_wait_io", "vol_", "vxvm_", "volkio"),
    ),
)


_OF_VXFS: Final = ("vx_", "vxg_")
_OF_VXVM: Final = ("vol_", "voliod_", "volrp_", "volrv_", "volkmsg_", "dmp_")
_SPINS: Final = ("native_queued_spin_lock_slowpath", "queued_spin_lock_slowpath", "pv_queued_spin_lock_slowpath")
_LEFT_OVER: Final = ("vx_doextop_", "vx_local_doextop_", "vx_doextop")
_GETS_INODE: Final = "vx_iget"
_SLEEPS: Final = ("vx_svar_sleep", "vx_delay", "vx_rwsleep", "vx_sleep")
"""How VxFS sleeps, wherever it does."""


@dataclass(frozen=True, slots=True)
class BlockedWords:
    """Blocked tasks in one place of VxFS; longest: seconds as the kernel says, None for stacks of a dump."""

    node: str | None
    place: Place
    tasks: int
    names: tuple[str, ...]
    longest: float | None


@rule("VX-03", needs=(Records,), words=BlockedWords)
def blocked_in_vxfs(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: processes hang in a VxFS file system.

    Reasoning: stacks of blocked tasks, by the kernel's word or in a dump that somebody took, in functions of VxFS that
    wait for a lock, for I/O, for the log or for a thaw; or that turn on a spin lock of VxFS or VxVM. A thread that
    works off what a crash left of removed and truncated files and gets no inode for it waits for room in the cache.
    Source: Veritas knowledge base, TECH186855 and 100075427; kernel messages on blocked tasks, crash(8), kdb; names
    of functions as printed.
    """
    found: dict[tuple[str | None, Place], list[dict[str, Any]]] = defaultdict(list)
    aged = records.frame(Stack, pl.col("seconds").is_not_null())
    dumped = records.frame(DUMPED, pl.col("seconds").is_null())
    asleep = pl.col("seconds").is_null() & pl.col("state").str.starts_with("D") & pl.col("frames").str.starts_with("vx")
    listed = records.frame(LISTED, asleep)
    for row in (row for rows in (aged, dumped, listed) for row in rows.iter_rows(named=True)):
        if (place := _place(row["frames"].split())) is not None:
            found[row["node"], place].append(row)
    for (node, place), rows in found.items():
        longest = max((row["seconds"] for row in rows if row["seconds"] is not None), default=None)
        yield Seen(
            level="seen" if longest is None else "long" if longest > limits.high_s else "short",
            words=BlockedWords(node, place, len(rows), tuple(sorted(set(_names(rows)))), longest),
            lines=[Ref(row["artifact"], row["line"]) for row in rows],
            most_lines=6,
            borne_by=(len(rows), 1),
            nodes=(node,),
            times=[row["at"] for row in rows],
            zone_min=rows[0]["zone_min"],
            weight=float(len(rows)),
        )


def _place(frames: Iterable[str]) -> Place | None:
    """Where a stack waits; None for one that is not inside VxFS, or in none of these places."""
    names = tuple(frames)
    if any(name.startswith(_SPINS) for name in names):
        return "spin" if any(name.startswith(_OF_VXFS + _OF_VXVM) for name in names) else None
    if not any(name.startswith(_OF_VXFS) for name in names):
        return None
    if _GETS_INODE in names and any(name.startswith(_LEFT_OVER) for name in names):
        return "leftover"
    found = next((place for place, starts in _PLACES if any(name.startswith(starts) for name in names)), None)
    return found or ("inside" if any(name.startswith(_SLEEPS) for name in names) else None)


def _names(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"{row['task']}:{row['pid']}" if row["pid"] is not None else str(row["task"])
