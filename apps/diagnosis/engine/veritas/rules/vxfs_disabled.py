"""Rule on what VxFS itself logs of a file system that it disabled, that gets I/O errors or that is full (VX-01)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass

LEVELS: Final = {"vxfs-disabled": "disabled", "vxfs-io-error": "errors", "vxfs-full": "full"}
BELOW: Final = ("vxvm-io-error", "io-error", "buffer-error", "path-failed", "scsi-error", "paths-remaining")
# Errors of its own structures, behind which VxFS disables a file system.
DAMAGE: Final = (
    "vxfs-log-failed", "vxfs-log-overflow", "vxfs-summary-bad", "vxfs-map-bad", "vxfs-directory-error",
    "vxfs-bad-inode", "vxfs-usage-table", "vxfs-super-block",
)  # fmt: skip
TEXT_SHOWN: Final = 160


@dataclass(frozen=True, slots=True)
class LoggedWords:
    """lines: messages of this kind; errors: those of the file system's data and structures beside them; after: I/O
    errors are among what came with them; disks: what the disks below logged.
    """

    fs: str | None
    node: str | None
    at: int | None
    after: bool
    lines: int
    errors: int
    disks: str


@rule("VX-01", needs=(Events,), words=LoggedWords)
def vxfs_disabled(events: Events, limits: Limits) -> Iterator[Seen]:
    """Symptom: every access to a VxFS file system of one node fails, or writes do.

    Reasoning: VxFS logs that it disabled the file system, that metadata or data could not be written or read, or that
    it is full. Source: messages of VxFS as printed (V-2-31, V-2-37 to V-2-39, V-2-1).
    """
    found: dict[tuple[str | None, str | None], dict[str, list[LogLine]]] = defaultdict(lambda: defaultdict(list))
    for line in events.lines(*LEVELS):
        found[line.node, line.about][LEVELS[line.kind]].append(line)
    below, damaged = events.lines(*BELOW), events.lines(*DAMAGE)
    for (node, about), kinds in found.items():
        level = next(level for level in LEVELS.values() if kinds.get(level))
        lines, errors = kinds[level], kinds["errors"] if level == "disabled" else []
        disks = _near(below, node, lines, limits)
        own = [line for line in damaged if level == "disabled" and (line.node, line.about) == (node, about)]
        of_kinds = {line.kind: line.ref for line in reversed(own)}
        times = [line.at for line in lines if line.at is not None]
        yield Seen(
            level=level,
            words=LoggedWords(
                fs=about.removeprefix("/dev/vx/dsk/") if about else None,
                node=node,
                at=min(times, default=None),
                after=bool(errors or disks),
                lines=len(lines),
                errors=len(errors) + len(own),
                disks=disks[0].text.strip().rstrip(".")[:TEXT_SHOWN] if disks else "",
            ),
            lines=[*(line.ref for line in (*lines[:3], *errors[:2])), *of_kinds.values(), *(d.ref for d in disks[:2])],
            nodes=(node,),
            times=times,
            parts=() if times else ("no_time",),
            weight=100.0,
        )


def _near(below: Sequence[LogLine], node: str | None, lines: Sequence[LogLine], limits: Limits) -> list[LogLine]:
    """What the disks below logged on the same node in the minutes before."""
    first = min((line.at for line in lines if line.at is not None), default=None)
    if first is None:
        return []
    same = (line for line in below if line.node == node and line.at is not None)
    near = [line for line in same if -limits.before_s * 1e6 <= (line.at or 0) - first <= limits.after_s * 1e6]
    # A request that failed says more than a path, and a whole message more than its first line.
    return sorted(near, key=lambda line: (line.kind != "vxvm-io-error", line.text.rstrip().endswith(":")))
