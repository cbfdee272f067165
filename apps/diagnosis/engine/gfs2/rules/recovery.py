"""Rules on a cluster that stands still: recovery (RC-01), fencing and quorum (RC-02), a file system that withdrew (RC-03)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.events import LogLine
from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, moment, plural, seconds
from apps.diagnosis.engine.gfs2.cluster import events, lock_spaces, short_fs, values
from apps.diagnosis.engine.gfs2.fencing import Victims, fence_victims
from parsers.records import Quorum

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

SHOWN: Final = 3
LOCK_FINDINGS: Final = ("GL-01", "GL-02", "GL-03", "GL-06", "GL-07", "GL-08", "GL-11", "RC-01", "RC-04")
BEFORE_US: Final = 600_000_000
BEGINS: Final = {"gfs2-journal-recovery": "gfs2-journal-replayed", "dlm-recovery": "dlm-recovery-done"}


@rule("RC-01")
def recovery_running(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: all locks of a file system wait after a node has gone.

    Reasoning: the kernel log shows recovery begin and not end, or most glocks of a dump are frozen (flag F).
    Source: kernel log of GFS2 and DLM.
    """
    for one in _recoveries(events(facts, *BEGINS, *BEGINS.values())):
        if not one.ended or one.lasted_s > limits.medium_s:
            yield _recovery(one, limits)
    frozen = _frozen(facts, limits)
    if frozen is not None:
        yield frozen


@dataclass(frozen=True, slots=True)
class _Recovery:
    """A recovery from its first line to its end, or to the last line of it."""

    first: LogLine
    last: LogLine
    ended: bool

    @property
    def lasted_s(self) -> float:
        return (self.last.at - self.first.at) / 1e6 if self.first.at is not None and self.last.at is not None else 0.0


def _recoveries(lines: Sequence[LogLine]) -> Iterator[_Recovery]:
    """Recoveries by node and what they are about."""
    begun: dict[tuple[str | None, str | None, str], list[LogLine]] = {}
    for line in lines:
        if line.kind in BEGINS:
            begun.setdefault((line.node, line.about, line.kind), []).append(line)
            continue
        for kind, end in BEGINS.items():
            if line.kind == end and (own := begun.pop((line.node, line.about, kind), None)):
                yield _Recovery(own[0], line, ended=True)
    for own in begun.values():
        yield _Recovery(own[0], own[-1], ended=False)


def _recovery(one: _Recovery, limits: Limits) -> Draft:
    age = one.lasted_s
    severity: Severity = "high" if age > limits.high_s else "medium" if age > limits.medium_s else "info"
    lasted = f"lasted {seconds(age)}" if one.ended else f"has not ended{f' after {seconds(age)}' if age else ''}"
    refs = tuple(dict.fromkeys((one.first.ref, one.last.ref)))
    return Draft(
        severity=severity,
        evidence=refs,
        words={
            "what": one.first.about or "a lock space",
            "on": f" on {one.first.node}" if one.first.node else "",
            "lasted": lasted,
            "evidence": f"It begins with \u201c{one.first.text[:120]}\u201d" + (f" at {moment(one.first.at)}." if one.first.at else "."),
        },
        nodes=(one.first.node,) if one.first.node else (),
        start=one.first.at,
        end=one.last.at if one.ended else None,
        zone_min=one.first.zone_min,
        figures=(Figure("Lasted, at least", round(age, 1), "s", limits.words("medium_s")),),
        parts=(
            evidence_part(len(refs), 1),
            Part("completeness", 1.0 if one.ended else 0.75, "its end is seen" if one.ended else "no line says that it ended"),
        ),
        causes=LOCK_FINDINGS[:7] if not one.ended else (),
        weight=age,
    )


def _frozen(facts: CaseFacts, limits: Limits) -> Draft | None:
    """Most glocks of a capture frozen: replies are held back until recovery ends."""
    tally: dict[tuple[str, str | None, int], list[int]] = defaultdict(lambda: [0, 0])
    for lock in facts.glocks.locks:
        own = tally[lock.node, lock.fs, lock.capture]
        own[0] += "F" in lock.flags
        own[1] += 1
    hits = [key for key, (frozen, total) in tally.items() if frozen > 1 and frozen >= limits.frozen_share * total]
    if not hits:
        return None
    node, fs, _ = hits[0]
    places = {capture for n, f, capture in hits if (n, f) == (node, fs)}
    locks = [lock for lock in facts.glocks.locks if (lock.node, lock.fs) == (node, fs) and lock.capture in places and "F" in lock.flags]
    times = [lock.at for lock in locks if lock.at is not None]
    age = (max(times) - min(times)) / 1e6 if times else 0.0
    return Draft(
        severity="high" if age > limits.high_s else "medium" if age > limits.medium_s else "info",
        evidence=tuple(Ref(lock.artifact, lock.line) for lock in locks[:4]),
        words={
            "what": short_fs(fs),
            "on": f" on {node}" if node else "",
            "lasted": f"holds replies back in {plural(len(places), 'capture')}" + (f" over {seconds(age)}" if age else ""),
            "evidence": "Most of its glocks carry the flag F: replies are frozen until recovery ends.",
        },
        nodes=(node,) if node else (),
        start=min(times, default=None),
        end=max(times, default=None),
        figures=(Figure("Frozen glocks", len(locks)), Figure("Lasted, at least", round(age, 1), "s", limits.words("medium_s"))),
        parts=(evidence_part(len(locks), 1), Part("completeness", 0.85, "flags of the dump")),
        causes=LOCK_FINDINGS[:7],
        weight=age,
    )


@rule("RC-02")
def fencing_or_quorum(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: everything on the cluster file systems hangs on all nodes.

    Reasoning: a lock space waits for fencing or quorum, a node is unclean, or a fence request has not ended well.
    Source: dlm_tool, dlm_controld, Pacemaker.
    """
    victims = fence_victims(facts)
    yield from _waiting_spaces(facts, victims)
    yield from _no_quorum(facts)
    if victims is not None:
        yield _unfenced(victims)


def _waiting_spaces(facts: CaseFacts, victims: Victims | None) -> Iterator[Draft]:
    """Lock spaces whose last table, or whose log, says that they wait."""
    last = {(space.node, space.name): space for space in lock_spaces(facts)}
    said: dict[str, list[Ref]] = defaultdict(list)
    spaces: dict[str, set[str]] = defaultdict(set)
    nodes: dict[str, set[str]] = defaultdict(set)
    since: dict[str, list[int]] = defaultdict(list)
    for space in last.values():
        if (what := space.waits_for) in ("fencing", "quorum"):
            said[what].append(space.ref)
            spaces[what].add(space.name)
            nodes[what] |= {space.node} - {None}  # type: ignore[arg-type]
    for what in ("fencing", "quorum"):
        for line in events(facts, f"lockspace-wait-{what}"):
            if _ended_later(facts, line):
                continue
            said[what].append(line.ref)
            spaces[what].add(line.about or "a lock space")
            nodes[what] |= {line.node} - {None}  # type: ignore[arg-type]
            since[what] += [line.at] if line.at is not None else []
    for what, refs in said.items():
        who = victims if what == "fencing" else None
        failed = ", which failed" if who and who.of and who.failed else ""
        yield _waits_for(f"{what}{who.of if who else ''}{failed}", refs, spaces[what], nodes[what], min(since[what], default=None))


def _no_quorum(facts: CaseFacts) -> Iterator[Draft]:
    """Nodes whose last table says that the cluster has no quorum."""
    last = {one.node: one for one in facts.records.of(Quorum) if one.quorate is not None}
    lost = [one for one in last.values() if not one.quorate]
    if lost:
        nodes = tuple(sorted({one.node for one in lost if one.node}))
        yield Draft(
            severity="critical",
            evidence=tuple(one.ref for one in lost[:6]),
            words={"what": f"The cluster has no quorum on {listed(nodes) or 'a node'}", "evidence": "The cluster's own status says so."},
            nodes=nodes,
            parts=(evidence_part(len(lost), max(1, len(nodes))), Part("completeness", 0.95, "the cluster's own tools say so")),
            causes=LOCK_FINDINGS,
            weight=1e9,
        )


def _ended_later(facts: CaseFacts, line: LogLine) -> bool:
    """Whether a fence succeeded, or quorum came back, after a line that a lock space waits for it."""
    kinds = ("quorum-regained",) if line.kind.endswith("quorum") else ("fence-result",)
    later = [e for e in events(facts, *kinds) if line.at is not None and e.at is not None and e.at >= line.at]
    return any(e.kind == "quorum-regained" or e.value == 0 for e in later)


def _waits_for(what: str, refs: Sequence[Ref], spaces: set[str], nodes: set[str], since: int | None) -> Draft:
    names = sorted(spaces)
    which = f"Lock space {names[0]} waits" if len(names) == 1 else f"Lock spaces {listed(names)} wait"
    return Draft(
        severity="critical",
        evidence=tuple(refs[:6]),
        words={
            "what": f"{which} for {what}{f' since {moment(since)}' if since is not None else ''}",
            "evidence": f"Told by {plural(len(refs), 'line')} on {listed(sorted(nodes)) or 'a node'}.",
        },
        nodes=tuple(sorted(nodes)),
        start=since,
        figures=(Figure("Lock spaces", len(names)),),
        parts=(evidence_part(len(refs), max(1, len(nodes))), Part("completeness", 0.95, "the cluster's own tools say so")),
        causes=LOCK_FINDINGS,
        weight=1e9,
    )


def _unfenced(victims: Victims) -> Draft:
    lines = victims.lines
    times = [one.at for one in lines if one.at is not None]
    when = f", the {'last' if victims.failed else 'first'} at {moment(max(times) if victims.failed else min(times))}" if times else ""
    nobody = " Nobody is there to fence it (no actor)." if victims.has_no_actor else ""
    told = (
        f"{plural(len(lines), 'attempt')} without success{when}." if lines else "Pacemaker calls it unclean: its fencing has not succeeded."
    )
    return Draft(
        severity="critical",
        evidence=victims.refs[:6],
        words={
            "what": f"Fencing{victims.of} {'failed' if victims.failed else 'has not ended'}",
            "evidence": f"{told}{nobody}{victims.why}",
        },
        nodes=victims.told_by,
        start=min(times, default=None),
        zone_min=lines[0].zone_min if lines else None,
        figures=(Figure("Attempts without success", len(lines)),) if lines else (),
        parts=(evidence_part(len(victims.refs), 1), Part("completeness", 0.8, "a later success may be outside the log")),
        causes=LOCK_FINDINGS,
        weight=1e9,
    )


@rule("RC-03")
def withdraw(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one node answers every access with an error.

    Reasoning: the kernel log says that the file system withdrew, or its withdraw file holds 1.
    Source: kernel log, sysfs.
    """
    found: dict[tuple[str | None, str], tuple[list[Ref], int | None]] = {}
    for line in events(facts, "gfs2-withdraw"):
        key = (line.node, _fs_of(line.about))
        refs, at = found.get(key, ([], None))
        found[key] = ([*refs, line.ref], at if at is not None else line.at)
    for value in values(facts, ("withdraw",), ("gfs2 sysfs",)):
        if value.value.strip() == "1":
            key = (value.node, short_fs(value.scope))
            refs, at = found.get(key, ([], None))
            found[key] = ([*refs, value.ref], at)
    for (node, fs), (refs, at) in list(found.items())[:SHOWN]:
        before, cause = _before_withdraw(facts, node, at)
        yield Draft(
            severity="critical",
            evidence=(*refs[:4], *before[:2]),
            words={
                "fs": fs,
                "node": node or "a node",
                "when": f" at {moment(at)}{cause}" if at is not None else "",
                "evidence": "Its own log says so." if at is not None else "Its withdraw file holds 1, or its log says so without a time.",
            },
            nodes=(node,) if node else (),
            start=at,
            figures=(),
            parts=(evidence_part(len(refs), 1), Part("completeness", 1.0, "the kernel says so")),
            causes=LOCK_FINDINGS[:7],
            weight=1e9,
        )


def _before_withdraw(facts: CaseFacts, node: str | None, at: int | None) -> tuple[list[Ref], str]:
    """What the same node told in the minutes before: the end of all paths before an I/O error, which is their consequence."""
    if at is None:
        return [], ""
    lines = [
        line
        for line in events(facts, "paths-remaining", "io-error", "gfs2-io-error")
        if line.node == node and line.at is not None and 0 <= at - line.at <= BEFORE_US
    ]
    none = [line for line in lines if line.kind == "paths-remaining" and line.value == 0]
    if none:
        return [none[-1].ref], f", after the last path of {none[-1].about or 'its disk'} was lost"
    failed = [line for line in lines if line.kind != "paths-remaining"]
    disks = sorted({line.about for line in failed if line.kind == "io-error" and line.about})
    on = f" on {listed(disks[:SHOWN])}" if disks else ""
    return [line.ref for line in failed], f", after I/O errors{on}" if failed else ""


def _fs_of(about: str | None) -> str:
    """``pond:projects.1`` of a log line is projects."""
    return short_fs(re.sub(r"\.(?:\d{1,4}|[a-z])$", "", about or "")) if about else "the file system"
