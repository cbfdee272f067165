"""A rule on nodes that name different managers (SC-43)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.facts.looks import Looks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records.states import Manager

# Looks further apart are of two moments, between which a manager moves by itself.
ROLES: Final = ("cluster manager", "file system manager")


@dataclass(frozen=True, slots=True)
class ManagersWords:
    """of: the file system, or None for the cluster; first, second: nodes; theirs, other: whom each of them names."""

    of: str | None
    first: str
    theirs: str
    second: str
    other: str


@rule("SC-43", needs=(Records, Nodes), words=ManagersWords)
def two_managers(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: parts of a cluster go on without each other.

    Reasoning: nodes name different managers of one thing, in looks of one time, or each names itself.
    Source: mmlsmgr, mmdiag: a cluster has one manager, and so has a file system.
    """
    last: dict[tuple[str, str | None], dict[str, Manager]] = defaultdict(dict)
    for one in records.of(Manager):
        if one.role in ROLES and one.node and one.manager:
            last[one.role, one.of][names.name(one.node)] = one
    for (role, of), listed in last.items():
        by_manager = {names.name(str(one.manager)): node for node, one in sorted(listed.items())}
        own = {node: node for node, one in listed.items() if names.name(str(one.manager)) == node}
        pair = dict(sorted({**by_manager, **own}.items())[:2]) if len(own) < 2 else dict(sorted(own.items())[:2])
        if len(pair) < 2:
            continue
        (theirs, first), (other, second) = pair.items()
        looks = Looks(listed[name] for name in (first, second))
        if looks.are_of_two_times:
            continue
        is_of_cluster = role == "cluster manager"
        yield Seen(
            level=looks.level if is_of_cluster or len(own) > 1 else "moved",
            words=ManagersWords(None if is_of_cluster else of, first, theirs, second, other),
            lines=looks.refs,
            nodes=(first, second),
            times=looks.times,
            borne_by=(2, 2),
            parts=looks.parts,
            weight=1e6,
        )
