"""What to do now about waits of Spectrum Scale: where a chain ends decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.model import Finding, NextStep, Ref
from apps.diagnosis.engine.core.words.steps import merged, step
from apps.diagnosis.engine.scale.awaited import LOG, UNGIVEN, UNNAMED_DISK, is_reply, is_transfer
from apps.diagnosis.engine.scale.groups import Behind, End
from apps.diagnosis.engine.scale.symptoms import EXPELS, Symptoms
from apps.diagnosis.engine.scale.waits import ScaleWaits

ENDS_SHOWN: Final = 3
AFTER: Final = {
    "SC-01": "scale-slow-disk",
    "SC-06": "scale-load",
    "SC-08": "scale-rdma",
    "SC-15": "scale-unexpected",
    "SC-22": "scale-members",
    "SC-25": "scale-room",
    "SC-27": "scale-nsds",
    "SC-31": "scale-room",
    "SC-35": "scale-lookups",
    "SC-38": "scale-both-ends",
    "SC-39": "scale-unexpected",
    "SC-40": "scale-both-ends",
    "SC-41": "scale-unexpected",
    "SC-42": "scale-late",
    "SC-43": "scale-managers",
}
"""Steps by the ref of a finding."""
OF_NODES: Final = (
    "scale-quorum",
    "scale-load",
    "scale-rdma",
    "scale-lookups",
    "scale-unexpected",
    "scale-slow-disk",
    "scale-late",
    "scale-both-ends",
)
PATHS: Final = ("dm-", "mpath")


def next_steps(case: Case, findings: Sequence[Finding]) -> tuple[NextStep, ...]:
    """Nearest to the cause first: ends that the gravest findings speak of. Nothing where no wait is long."""
    waits = case.get(ScaleWaits)
    place_of = _first_places(findings)
    lost = [_after(one) for one in findings if one.ref == "SC-22" and one.severity == "critical"]
    behind = sorted(waits.behind, key=lambda one: _first_about(one, place_of, len(findings)))[:ENDS_SHOWN]
    # a restart of one member would free the others, and destroy what shows why
    circles = waits.deadlocks[:ENDS_SHOWN]
    found = lost + [step("scale-before-restart", about=("SC-10",), members=one.members) for one in circles]
    found += [_for_end(one, _refs_about(one, findings, place_of)) for one in behind if not one.end.is_deadlock]
    if behind:
        is_once = max(group.dumps for b in behind for group in b.groups) < 2
        found.append(step("scale-again" if is_once else "scale-verify", about=()))
    has_disk = any(b.end.kind == "disk" for b in behind)
    found += [_after(one) for one in findings if one.ref in AFTER and not (one.ref == "SC-01" and has_disk)]
    found += _of_expelled(case) if any(one.ref == "SC-22" for one in findings) else ()
    return merged(found)


def _of_expelled(case: Case) -> Iterator[NextStep]:
    """Nodes that answered pings while they were expelled are looked at themselves; those that answered none, for
    whether their host is up at all.
    """
    expels = [one for one in case.get(Symptoms).events(EXPELS) if one.about and one.value is not None]
    for name, is_alive in (("scale-host-alive", True), ("scale-host-silent", False)):
        nodes = dict.fromkeys(one.about for one in expels if one.about and bool(one.value) == is_alive)
        yield from (step(name, about=("SC-22",), node=node) for node in list(nodes)[:ENDS_SHOWN])


def _after(finding: Finding) -> NextStep:
    """What follows from a finding that no end of a chain stands for. Without quorum nothing else is worth a look."""
    name = "scale-quorum" if finding.ref == "SC-22" and finding.severity == "critical" else AFTER[finding.ref]
    about = (finding.ref,)
    return step(name, about=about, nodes=finding.nodes) if name in OF_NODES else step(name, about=about)


def _first_places(findings: Sequence[Finding]) -> dict[Ref, int]:
    """The place of the first finding that rests on a line; findings are in the order of their severity."""
    found: dict[Ref, int] = {}
    for place, finding in enumerate(findings):
        for ref in finding.evidence:
            found.setdefault(ref, place)
    return found


def _first_about(behind: Behind, place_of: Mapping[Ref, int], none: int) -> int:
    """The place of the first finding that rests on waits behind an end, else ``none``."""
    return min((place_of[group.ref] for group in behind.groups if group.ref in place_of), default=none)


def _refs_about(behind: Behind, findings: Sequence[Finding], place_of: Mapping[Ref, int]) -> list[str]:
    """The first finding that rests on waits behind an end, if any does."""
    place = _first_about(behind, place_of, len(findings))
    return [one.ref for one in findings[place : place + 1]]


def _for_end(behind: Behind, about: Sequence[str]) -> NextStep:
    """about: the rule of the gravest finding that rests on these waits."""
    if behind.end.kind == "lock" and is_transfer(behind.end.what):
        return step("scale-rdma", about=about, nodes=(behind.end.node,))
    name, values = _step_of_end(behind.end)
    return step(name, about=about, waits=behind.waiters, **values)


def _step_of_end(end: End) -> tuple[str, dict[str, object]]:
    if end.kind == "disk":
        device = end.what.removeprefix("/dev/")
        if end.what == UNNAMED_DISK:
            return "scale-disk-unnamed", {"node": end.node}
        if device.startswith(PATHS):
            return "scale-disk-paths", {"disk": end.what, "node": end.node, "device": device}
        return "scale-disk", {"disk": end.what, "node": end.node}
    if end.leaves_data:
        return "scale-beyond", {"what": end.what}
    if end.in_circle:
        return "scale-circle", {"what": end.what}
    if end.kind == "node":
        return "scale-node", {"what": end.what}
    if end.what == UNGIVEN:
        return "scale-token", {"node": end.node}
    if is_reply(end.what):
        return "scale-reply", {"node": end.node}
    if end.what == LOG:
        return "scale-log", {"node": end.node}
    return "scale-lock" if end.kind == "lock" else "scale-thread", {"node": end.node, "what": end.what}
