"""Profiles of the kernel: which module a report is about, CPU seconds of its rows; equal reports count once.

One symbol name may stand for functions of two modules (``search_bucket`` of the lock manager and of GFS2): a row has a
module only where the report names the image, its title does, or other symbols of the same report settle it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Ref
from parsers.dataclass import dataclass
from parsers.records import Measurement

MODULES: Final = ("dlm", "gfs2")
_TOOLS: Final = ("opreport", "perf")
# Functions that stand in one module only.
_OWN: Final[dict[str, frozenset[str]]] = {
    "dlm": frozenset(
        (
            "search_rsb_list",
            "search_rsb_tree",
            "dlm_search_rsb_tree",
            "create_lkb",
            "find_lkb",
            "__find_lkb",
            "dlm_scan_rsbs",
            "find_rsb",
            "put_rsb",
            "_request_lock",
            "dlm_lock",
            "dlm_hash2nodeid",
            "dlm_astd",
            "dlm_find_lockspace_global",
            "dlm_find_lockspace_local",
            "process_send_sockets",
            "receive_from_sock",
            "_receive_message",
            "_create_message",
            "dlm_lowcomms_get_buffer",
            "dlm_allocate_rsb",
        )
    ),
    "gfs2": frozenset(
        (
            "do_promote",
            "run_queue",
            "gfs2_glock_nq",
            "gfs2_glock_put",
            "gfs2_glock_hold",
            "gfs2_holder_wake",
            "gfs2_glock_schedule_for_reclaim",
            "gfs2_glock_dq",
            "gfs2_glock_wait",
            "gfs2_glock_get",
        )
    ),
}
HASH_WALKS: Final = frozenset(
    (
        "search_rsb_list",
        "search_rsb_tree",
        "dlm_search_rsb_tree",
        "create_lkb",
        "find_lkb",
        "__find_lkb",
        "search_bucket",
    )
)
"""Functions that walk a chain of a hash table; ``search_bucket`` in either module."""


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A function in a report."""

    symbol: str
    module: str | None
    percent: float
    samples: float | None
    seconds: float | None
    ref: Ref


@dataclass(frozen=True, slots=True)
class Profile:
    """A report. ``module`` is set where all its rows are of one; ``total`` is the number of samples that its shares
    refer to.
    """

    artifact: int
    tool: str
    title: str | None
    node: str | None
    module: str | None
    total: float | None
    seconds: float | None
    rows: tuple[ProfileRow, ...]

    def share(self, symbols: Iterable[str], module: str) -> float:
        """Per cent of the rows with these names in a module."""
        wanted = frozenset(symbols)
        return sum(row.percent for row in self.rows if row.symbol in wanted and row.module == module)


class Profiles:
    """Reports of one case."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def all(self) -> tuple[Profile, ...]:
        """Reports in the order of the text; a report whose rows all stand in an earlier one is left out."""
        if not self._records.has_any(Measurement, "tool", _TOOLS):
            return ()
        rows = self._records.of(Measurement, pl.col("tool").is_in(_TOOLS))
        found = [_profile(block) for block in _blocks(rows) if any(row.unit == "%" for row in block)]
        return tuple(profile for index, profile in enumerate(found) if not _again(profile, found[:index]))


def _blocks(rows: Sequence[Measurement]) -> list[list[Measurement]]:
    """Rows of each report: a heading, another title or another text begins one."""
    blocks: list[list[Measurement]] = []
    for row in rows:
        before = blocks[-1][-1] if blocks else None
        fresh = before is None or (before.artifact, before.tool) != (row.artifact, row.tool)
        heading = row.what == "CPU speed" or (
            row.what == "events per sample" and before is not None and before.unit != "MHz"
        )
        if fresh or heading or (before is not None and before.command != row.command):
            blocks.append([])
        blocks[-1].append(row)
    return blocks


def _profile(block: Sequence[Measurement]) -> Profile:
    speed = next((row.value for row in block if row.unit == "MHz"), None)
    per_sample = next((row.value for row in block if row.unit == "events"), None)
    samples = {row.line: row.value or 0.0 for row in block if row.unit == "samples"}
    shares = [row for row in block if row.unit == "%"]
    title = block[0].command
    module = _module_of(title, shares)
    second = speed * 1e6 / per_sample if speed and per_sample else None
    total = _total(samples, shares)

    def took(line: int) -> float | None:
        return samples[line] / second if second and line in samples else None

    rows = tuple(
        ProfileRow(
            row.what,
            _row_module(row, module),
            row.value or 0.0,
            samples.get(row.line),
            took(row.line),
            row.ref,
        )
        for row in shares
    )
    seconds = total / second if total is not None and second else None
    return Profile(block[0].artifact, block[0].tool, title, block[0].node, module, total, seconds, rows)


def _total(samples: Mapping[int, float], shares: Iterable[Measurement]) -> float | None:
    """Samples of all, by the first row that has both its number and its share."""
    both = ((samples[row.line], row.value) for row in shares if row.line in samples and row.value)
    return next((number / (share / 100) for number, share in both), None)


def _row_module(row: Measurement, module: str | None) -> str | None:
    image = (row.scope or "").removesuffix(".ko").rsplit("/", 1)[-1]
    if image in MODULES:
        return image
    return module if not image else None


def _module_of(title: str | None, shares: Sequence[Measurement]) -> str | None:
    """By the title, or by rows whose names belong to one module and none that belong to another."""
    named = [module for module in MODULES if title and f"/{module}" in title]
    if len(named) == 1:
        return named[0]
    if any(row.scope for row in shares):
        return None
    known: dict[str, int] = defaultdict(int)
    for row in shares:
        for module, symbols in _OWN.items():
            known[module] += row.what in symbols
    present = [module for module, count in known.items() if count]
    return present[0] if len(present) == 1 and known[present[0]] >= 3 else None


def _again(profile: Profile, earlier: Sequence[Profile]) -> bool:
    """Whether the report repeats rows of an earlier one of the same text: samples count once."""
    mine = {(row.symbol, row.percent, row.samples) for row in profile.rows}
    return any(
        other.artifact == profile.artifact and mine <= {(row.symbol, row.percent, row.samples) for row in other.rows}
        for other in earlier
    )
