"""Rule on the registration keys that I/O fencing keeps on its disks (VX-05)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.veritas.files import VeritasFiles
from parsers.dataclass import dataclass
from parsers.records.states import ClusterMember, FencingKeys

_OF_DATA: Final = re.compile(r"[A-Z](?:VCS|PGR|PGR\w{1,6})_*$")  # keys of data disks: of one disk group each


@dataclass(frozen=True, slots=True)
class KeyWords:
    """of: whose key is missing, or the clusters whose keys stand side by side; disks: those that lack it or hold it;
    every: disks that were listed.
    """

    sort: Literal["missing", "foreign", "none", "absent"]
    of: tuple[str, ...]
    disks: tuple[str, ...]
    every: int


@rule("VX-05", needs=(VeritasFiles, Records), words=KeyWords)
def fencing_keys_differ(files: VeritasFiles, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node does not join, loses the race for no reason, or is put out with both links up.

    Reasoning: the coordination disks of one listing do not hold the same keys, hold keys of two clusters or none, or a
    node that runs has its key on none of them. Source: vxfenadm(1M); the layout of the keys.
    """
    if not files.are_read:
        return
    listings = defaultdict[tuple[int, str | None, int | None], list[FencingKeys]](list)
    for one in records.of(FencingKeys):
        if not any(_OF_DATA.match(holder) for holder in one.holders.split()):
            listings[one.artifact, one.node, one.at].append(one)
    for disks in listings.values():
        if (found := _judged(disks, _members(records, disks[0].node))) is not None:
            yield found
            return


def _members(records: Records, node: str | None) -> set[str]:
    """Names of the nodes that fence by the listing of the same node."""
    rows = (one for one in records.of(ClusterMember) if one.layer == "fencing" and one.node == node)
    return {one.member for one in rows if one.member is not None and one.standing == "up" and not one.member.isdigit()}


def _judged(disks: Sequence[FencingKeys], members: set[str]) -> Seen | None:
    held = [set(one.holders.split()) for one in disks]
    every = set[str]().union(*held)
    clusters = set[str]().union(*(one.clusters.split() for one in disks))
    named = {name for name in every if name in members}
    if len(clusters) > 1:
        return _seen("high", "foreign", sorted(clusters), disks, len(disks))
    if not every:
        return _seen("high", "none", (), disks, len(disks)) if any(one.count == 0 for one in disks) else None
    lacking = [one for one, keys in zip(disks, held, strict=True) if keys != every]
    if lacking:
        missing = sorted(every.difference(*(set(one.holders.split()) for one in lacking)) or every)
        return _seen("high" if 2 * len(lacking) > len(disks) else "medium", "missing", missing, lacking, len(disks))
    if named and (absent := sorted(members - every)):
        return _seen("high", "absent", absent, disks, len(disks))
    return None


def _seen(
    level: str, sort: Literal["missing", "foreign", "none", "absent"], of: Sequence[str], disks: Sequence[FencingKeys],
    every: int,
) -> Seen:  # fmt: skip
    return Seen(
        level=level,
        words=KeyWords(sort, tuple(of), tuple(one.device or "" for one in disks), every),
        shown=disks,
    )
