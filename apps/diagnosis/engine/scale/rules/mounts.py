"""A rule on nodes whose daemon is active and that do not mount what most of them mount (SC-44)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records.states import ClusterMember, ServiceState

SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class UnmountedWords:
    """lacking: nodes that do not mount it; having: how many do."""

    fs: str
    lacking: tuple[str, ...]
    having: int


@rule("SC-44", needs=(Records, Nodes), words=UnmountedWords)
def active_without_mount(records: Records, names: Nodes, limits: Limits) -> Iterator[Seen]:
    """Symptom: programs on one node do not find their files, though its daemon is active.

    Reasoning: mmlsmount lists a file system on most of the active nodes, and not on all. A node that only manages or
    has a vote mounts none on purpose.
    Source: mmlsmount, mmgetstate.
    """
    active = _active(records, names)
    for fs, having in sorted(_mounts(records, names).items()):
        lacking = sorted(set(active) - set(having))
        if lacking and set(having) <= set(active) and len(having) >= limits.others * len(lacking):
            shown = lacking[:SHOWN]
            yield Seen(
                level="lacking",
                words=UnmountedWords(fs, tuple(shown), len(having)),
                lines=[*(active[node] for node in shown), *list(having.values())[:3]],
                nodes=shown,
                borne_by=(len(having), len(having) + len(lacking)),
                weight=float(len(having)),
            )


def _active(records: Records, names: Nodes) -> dict[str, Ref]:
    last = {names.name(one.member): one for one in records.of(ClusterMember) if one.layer == "daemon" and one.member}
    return {node: one.ref for node, one in last.items() if one.standing == "up"}


def _mounts(records: Records, names: Nodes) -> dict[str, dict[str, Ref]]:
    found: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(ServiceState):
        if one.sort == "mount" and one.standing == "online" and one.group and one.on:
            found[one.group][names.name(one.on)] = one.ref
    return found
