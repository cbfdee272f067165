"""Rules on the log of mmfsd: long waiters (SC-15), membership (SC-22), name service (SC-35)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, Part, Severity
from apps.diagnosis.engine.core.readings import plain
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.nsds import ScaleNsds
from apps.diagnosis.engine.scale.settings import ScaleSettings
from apps.diagnosis.engine.scale.signs import (
    BREAKS,
    EXPELS,
    LINKS,
    LONG,
    LOOKUPS,
    LOSSES,
    RDMA,
    STARVED,
    TAKEOVERS,
    Sign,
    Signs,
    refs_of,
    when,
)
from apps.diagnosis.engine.scale.waits import ScaleWaits

BREAKS_TUNING: Final = "minmissedpingtimeout"
DETECTION_TIME: Final = "failureDetectionTime"
RECOVERY_WAIT: Final = "leaseRecoveryWait"
_WORDS: Final = {
    "expel": "expel", "expelled-itself": "own expel", "membership-lost": "loss of membership", "quorum-lost": "loss of quorum",
    "lease-lost": "loss of the lease", "lease-expired": "lease that ran out", "manager-takeover": "takeover of a file system manager",
    "cluster-manager-takeover": "takeover of the cluster manager", "manager-lost": "loss of a file system manager",
    "connection-closed": "closed connection", "reconnect": "reconnect", "lease-overdue": "overdue lease", "node-failed": "failed node",
}  # fmt: skip


@rule("SC-15")
def long_waiter_logged(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the log of mmfsd tells of unexpected long waiters.

    Reasoning: the detector itself saw them; a later line tells which of them went away and after how long.
    Source: IBM Storage Scale documentation, automated deadlock detection.
    """
    seen: dict[tuple[int, str | None], list[Sign]] = defaultdict(list)
    ended: dict[tuple[int, str | None], list[Sign]] = defaultdict(list)
    for sign in facts.get(Signs).events(LONG):
        (seen if sign.kind == "long-waiter" else ended)[sign.ref.artifact, sign.about].append(sign)
    if not seen:
        return
    waiters = [
        (rows[-1], _end_of(rows[-1], ended.get(key, ()))) for key, rows in sorted(seen.items(), key=lambda item: item[1][0].ref.line)
    ]
    still = [sign for sign, end in waiters if end is None]
    gone = [end for _, end in waiters if end is not None]
    longest = max([sign.value or 0.0 for sign, _ in waiters] + [end.value or 0.0 for end in gone])
    signs = still or [sign for sign, _ in waiters]
    nodes = tuple(sorted({sign.node for sign, _ in waiters if sign.node}))
    start, end_at = when([sign for sign, _ in waiters] + gone)
    yield Draft(
        severity="medium" if still else "info",
        variant="" if still else "ended",
        evidence=(*refs_of(signs, 5), *refs_of(gone, 2)),
        words={
            "count": plural(len(waiters), "unexpected long waiter"),
            "still": plural(len(still), "of them is", "of them are"),
            "longest": seconds(longest),
            "nodes": listed(nodes) or "nodes not named",
        },
        nodes=nodes,
        start=start,
        end=end_at,
        figures=(
            Figure("Long waiters logged", len(waiters)),
            Figure("Without an end in the log", len(still)),
            Figure("Longest", round(longest, 4), "s"),
        ),
        parts=(evidence_part(len(waiters), len(nodes)), Part("completeness", 0.9, "a log that ends early lacks the ends")),
        weight=longest if still else 0.0,
    )


def _end_of(sign: Sign, ends: Sequence[Sign]) -> Sign | None:
    return next((end for end in ends if end.ref.line > sign.ref.line), None)


@rule("SC-22")
def membership(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: everything stops for seconds to minutes, and mounts go away on some nodes.

    Reasoning: the log tells of expels, lost leases or quorum, takeovers of managers, or connections that break again and again.
    Source: IBM Storage Scale documentation, failures due to a network failure; the wording of some lines is recalled.
    """
    yield from _not_active(facts)
    signs = facts.get(Signs)
    expels, losses, takeovers = (signs.events(kinds) for kinds in (EXPELS, LOSSES, TAKEOVERS))
    breaks = signs.events(BREAKS)
    broken = [s for s in breaks if s.kind in ("connection-closed", "lease-overdue", "node-failed")]
    decisive = expels + losses
    if not decisive and not takeovers and len(broken) < limits.breaks:
        return
    some = decisive or takeovers or broken
    tcp = [s for s in breaks if s.kind == "tcp-trouble" and s.about in {one.about for one in some}]
    everyone = sorted({*decisive, *takeovers, *broken}, key=lambda s: (s.ref.artifact, s.ref.line))
    about = sorted({s.about or s.node or "" for s in some} - {""})
    start, end = when(everyone)
    severity: Severity = "high" if decisive else "medium" if takeovers else "low"
    advice = _limits_of_life(facts, expels, broken, limits)
    nodes = tuple(sorted({name for s in some for name in (s.node, s.about) if name and facts.nodes.known(name)}))
    yield Draft(
        severity=severity,
        variant="" if decisive else "takeover" if takeovers else "breaks",
        evidence=(*refs_of(some, 5), *refs_of(tcp, 1), *refs_of([s for s in broken if s not in some], 2)),
        words={
            "tcp": f" {plural(len(tcp), 'line')} before it tell of TCP that retransmits: look at the network first." if tcp else "",
            "after": f", after trouble of TCP with {listed(sorted({s.about or '' for s in tcp}))}" if tcp else "",
            "events": listed(_counted(some)),
            "about": listed(about) or "nodes not named",
            "breaks": plural(len(broken), "line"),
        },
        nodes=nodes,
        start=start,
        end=end,
        figures=(
            Figure("Expels", len(expels)),
            Figure("Leases, quorum or membership lost", len(losses)),
            Figure("Takeovers", len(takeovers)),
            Figure("Breaks of connections", len(broken), "", limits.words("breaks")),
        ),
        parts=(evidence_part(len(some), len(nodes)), Part("completeness", 0.9, "only logs that were sent are judged")),
        tunings=tuple(one.tuning for one in advice),
        advice=advice,
        weight=float(10 * len(decisive) + len(takeovers)),
    )


def _not_active(facts: CaseFacts) -> Iterator[Draft]:
    """Nodes that mmgetstate shows last in another state than active. Down may be on purpose; one that arbitrates waits for quorum."""
    found = {node: one for node, one in facts.get(ScaleNsds).node_states.items() if one.standing != "up"}
    if not found:
        return
    words = [f"{node} is {one.state}" for node, one in sorted(found.items())]
    no_quorum = any(one.standing == "joining" for one in found.values())
    yield Draft(
        severity="high" if no_quorum else "medium",
        variant="state",
        evidence=tuple(one.ref for one in found.values())[:6],
        words={
            "states": listed(words, 4),
            "meaning": " A node that arbitrates has no quorum: no file system is mounted there until it has." if no_quorum else "",
        },
        nodes=tuple(sorted(found)),
        figures=(Figure("Nodes that are not active", len(found)),),
        parts=(evidence_part(len(found), 1), Part("completeness", 0.7, "whether it was stopped on purpose is not shown")),
        tunings=(),
    )


def _counted(signs: Sequence[Sign]) -> list[str]:
    tally: dict[str, int] = defaultdict(int)
    for sign in signs:
        tally[_WORDS.get(sign.kind, sign.kind)] += 1
    return [f"{number} \u00d7 {words}" for words, number in sorted(tally.items(), key=lambda item: (-item[1], item[0]))]


def _limits_of_life(facts: CaseFacts, expels: Sequence[Sign], broken: Sequence[Sign], limits: Limits) -> tuple[Advice, ...]:
    """What decides when a node is taken for dead: offered behind its gate; else why not, where somebody could think of it."""
    found: list[Advice] = []
    if len(expels) >= limits.repeats and len(broken) >= limits.breaks:
        found.append(Advice(BREAKS_TUNING, unfit=_why_not_wait_longer(facts)))
    settings = facts.get(ScaleSettings)
    if settings.held(DETECTION_TIME):
        found.append(Advice("failuredetectiontime", unfit="it is shown because it is set; see what breaks the connections first"))
    if held := settings.held(RECOVERY_WAIT):
        low = [one for one in held if plain(one.value).isdigit() and int(plain(one.value)) < limits.recovery_wait_s]
        unfit = "it is shown because it is set; never lower it"
        if low:
            unfit = (
                f"it is set to {low[0].value}, below the default: late writes of an expelled node may reach the disks after its recovery"
            )
        found.append(Advice("leaserecoverywait", unfit=unfit))
    return tuple(found)


def _why_not_wait_longer(facts: CaseFacts) -> str:
    """A longer limit of missed pings is for short glitches only: the kernel's log must be here and show no other cause. Empty: it may."""
    signs = facts.get(Signs)
    if not signs.has_kernel_log:
        return "the kernel's logs are not in these files, so that hardware and a starved host are not excluded"
    if signs.events(STARVED) or signs.strained:
        return "a host starves: that is to be mended first"
    if signs.events((*LINKS, *RDMA)) or signs.flow_control:
        return "a link or an adapter shows errors: they are to be mended first"
    return ""


@rule("SC-35")
def name_service_slow(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: NFS or SMB clients find the file system slow while mmfsd has hardly anything to wait for.

    Reasoning: log lines tell of lookups of names, users or groups that fail or time out, and no wait of mmfsd is long.
    Source: recalled; the lines themselves say what fails.
    """
    lookups = facts.get(Signs).events(LOOKUPS)
    if not lookups or (facts.get(ScaleWaits).any and facts.get(ScaleWaits).chains.groups):
        return
    nodes = tuple(sorted({s.node for s in lookups if s.node}))
    start, end = when(lookups)
    is_shown = len(lookups) >= limits.lookups and facts.get(ScaleWaits).any
    yield Draft(
        severity="medium" if is_shown else "low",
        variant="" if is_shown else "hint",
        evidence=refs_of(lookups, 6),
        words={"count": plural(len(lookups), "lookup"), "nodes": listed(nodes) or "nodes not named"},
        nodes=nodes,
        start=start,
        end=end,
        figures=(Figure("Lookups that failed or timed out", len(lookups), "", limits.words("lookups")),),
        parts=(
            evidence_part(len(lookups), len(nodes)),
            Part(
                "completeness",
                0.8 if facts.get(ScaleWaits).any else 0.5,
                "the waiters are short" if facts.get(ScaleWaits).any else "no waiters were sent",
            ),
        ),
        basis="inferred" if is_shown else "recalled",
        weight=float(len(lookups)),
    )
