"""Rule on what VxFS itself logs of a file system that it disabled, that gets I/O errors or that is full (VX-01)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.events import LogLine
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import moment, plural
from apps.diagnosis.engine.gfs2.cluster import events

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

DISABLED: Final = "vxfs-disabled"
FAILED: Final = "vxfs-io-error"
FULL: Final = "vxfs-full"
BELOW: Final = ("vxvm-io-error", "io-error", "path-failed", "scsi-error", "paths-remaining")
NEAR_US: Final = 600_000_000
_SEVERITIES: Final = {DISABLED: "critical", FAILED: "high", FULL: "medium"}
_VARIANTS: Final = {DISABLED: "", FAILED: "errors", FULL: "full"}


@rule("VX-01")
def vxfs_disabled(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: every access to a VxFS file system of one node fails, or writes do.

    Reasoning: VxFS logs that it disabled the file system, that metadata or data could not be written or read, or that it is full.
    Source: messages of VxFS as printed (V-2-31, V-2-37 to V-2-39, V-2-1).
    """
    found: dict[tuple[str | None, str | None], dict[str, list[LogLine]]] = defaultdict(lambda: defaultdict(list))
    for line in events(facts, DISABLED, FAILED, FULL):
        found[line.node, line.about][line.kind].append(line)
    below = events(facts, *BELOW)
    for (node, about), kinds in found.items():
        kind = next(kind for kind in _VARIANTS if kinds.get(kind))
        lines, errors = kinds[kind], kinds[FAILED] if kind == DISABLED else []
        yield _told(kind, node, about, lines, errors, _near(below, node, lines))


def _near(below: Sequence[LogLine], node: str | None, lines: Sequence[LogLine]) -> list[LogLine]:
    """What the disks below told on the same node in the minutes before."""
    first = min((line.at for line in lines if line.at is not None), default=None)
    if first is None:
        return []
    return [line for line in below if line.node == node and line.at is not None and -NEAR_US <= line.at - first <= NEAR_US // 10]


def _told(
    kind: str, node: str | None, about: str | None, lines: Sequence[LogLine], errors: Sequence[LogLine], below: Sequence[LogLine]
) -> Draft:
    times = [line.at for line in lines if line.at is not None]
    why = f" {plural(len(errors), 'I/O error')} of the file system itself stand beside it." if errors else ""
    disks = f" The disks below told of trouble at the time: {below[0].text.strip().rstrip('.')[:160]}." if below else ""
    return draft(
        _SEVERITIES[kind],  # type: ignore[arg-type]
        [*(line.ref for line in (*lines[:3], *errors[:2], *below[:2]))],
        {
            "fs": (about or "a file system").removeprefix("/dev/vx/dsk/"),
            "node": node or "a node",
            "when": f" at {moment(min(times))}" if times else "",
            "after": ", after I/O errors" if errors or below else "",
            "times": plural(len(lines), "message"),
            "why": why + disks,
        },
        variant=_VARIANTS[kind],
        nodes=[node],
        times=times,
        lacks="" if times else "no line tells when",
        weight=100.0,
    )
