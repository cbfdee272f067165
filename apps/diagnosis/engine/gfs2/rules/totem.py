"""Rules on corosync and totem: messages sent again, tokens lost, no CPU, defaults, MTU.

Totem carries membership and POSIX locks. Glocks go over the lock manager's own connections: no setting of totem makes them faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed, plural
from apps.diagnosis.engine.gfs2.presence import Presence
from apps.diagnosis.engine.gfs2.totem_settings import Totem, Value, at_default
from apps.diagnosis.engine.storage.rules.paths import events_of
from parsers.records import Counter

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

SECOND: Final = 1_000_000
FENCED: Final = ("fence-request", "fence-result", "fence-status", "fence-pending")


def _shown(node: object) -> str:
    return str(node) if node else "a node whose name is not shown"


def _span(rows: pl.DataFrame) -> dict[str, Any]:
    times = rows["at"].drop_nulls()
    return {"start": times.min(), "end": times.max(), "zone_min": rows["zone_min"].drop_nulls().first() if rows.height else None}


def _lines(rows: pl.DataFrame, most: int = 6) -> tuple[Ref, ...]:
    return tuple(Ref(a, line) for a, line in rows.select("artifact", "line").head(most).iter_rows())


def _by_node(rows: pl.DataFrame) -> Iterator[tuple[str | None, pl.DataFrame]]:
    if rows.height:
        for (node,), some in rows.group_by(["node"], maintain_order=True):
            yield (None if node is None else str(node)), some


@rule("NW-03")
def totem_retransmit(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: corosync lists messages that it has to send again.

    Reasoning: lines within five minutes; compressed lines of syslog count as often as they say.
    Source: corosync.conf(5); limits proposed.
    """
    for node, rows in _by_node(events_of(facts, ("totem-retransmit",))):
        timed = rows.filter(pl.col("at").is_not_null()).sort("at")
        most, lasting = _busiest(timed["at"].to_list(), timed["value"].fill_null(1.0).to_list(), limits.window_s)
        if most < limits.low:
            continue
        severity: Severity = "high" if lasting > limits.window_s and most >= limits.medium else "medium" if most >= limits.medium else "low"
        window, mtu = facts.get(Totem).value("window_size", node), facts.get(Totem).value("netmtu", node)
        yield Draft(
            severity=severity,
            evidence=(*_lines(rows, 4), *(value.ref for value in (window, mtu) if value is not None)),
            words={
                "node": _shown(node),
                "most": count(most),
                "total": count(float(rows["value"].fill_null(1.0).sum())),
                "window": _window(window, mtu, limits),
            },
            nodes=(node,) if node else (),
            figures=(
                Figure("Lines within five minutes", most, "", limits.words("low")),
                Figure("Without a pause for", round(lasting), "s"),
            ),
            parts=(
                evidence_part(rows.height, 1),
                Part("completeness", 0.9 if window else 0.75, "window_size is here" if window else "window_size is not here"),
            ),
            tunings=("totem-window-size",) if _too_large(window, mtu, limits) else (),
            weight=most / 100,
            **_span(rows),
        )


def _busiest(times: list[int], weights: list[float], window_s: float) -> tuple[float, float]:
    """Most lines inside the window, and the longest stretch without a pause of a minute."""
    best = total = lasting = 0.0
    start = begun = 0
    for index, at in enumerate(times):
        total += weights[index]
        while at - times[start] > window_s * SECOND:
            total -= weights[start]
            start += 1
        best = max(best, total)
        if index and at - times[index - 1] > 60 * SECOND:
            begun = index
        lasting = max(lasting, (at - times[begun]) / SECOND)
    return best, lasting


def _too_large(window: Value | None, mtu: Value | None, limits: Limits) -> bool:
    size = mtu.number if mtu is not None and mtu.number else 1500.0
    return window is not None and (window.number or 0.0) * size > limits.window_bytes


def _window(window: Value | None, mtu: Value | None, limits: Limits) -> str:
    """Whether the window fits what a slow receiver can take."""
    if window is None or window.number is None:
        return " window_size is not shown; with slow receivers window_size times netmtu should not exceed 256 000."
    size = mtu.number if mtu is not None and mtu.number else 1500.0
    product = window.number * size
    if _too_large(window, mtu, limits):
        most = int(limits.window_bytes // size)
        return f" window_size {window.number:g} times netmtu {size:g} is {count(product)}, above 256 000: at most {most} fits."
    return f" window_size {window.number:g} times netmtu {size:g} is {count(product)}, within 256 000."


@rule("NW-04")
def token_loss(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the cluster forms a new membership without anybody asking for it.

    Reasoning: the token was late or lost; twice within an hour is high, fencing behind it critical.
    Source: corosync.conf(5); limits proposed.
    """
    events = events_of(facts, ("totem-token-late", "totem-token-lost", "totem-membership"))
    fenced = events_of(facts, FENCED)
    for node, rows in _by_node(events):
        lost = rows.filter(pl.col("kind") == "totem-token-lost")
        late = rows.filter(pl.col("kind") == "totem-token-late")
        if lost.is_empty() and late.is_empty():
            continue  # memberships alone may be a planned stop
        shown = lost if lost.height else late
        after = _followed(lost["at"].drop_nulls().to_list(), fenced["at"].drop_nulls().to_list() if fenced.height else [], limits.fence_s)
        severity: Severity = (
            "critical"
            if after
            else "high"
            if _twice(lost["at"].drop_nulls().to_list(), limits.twice_s)
            else "medium"
            if lost.height
            else "low"
        )
        token, starved = facts.get(Totem).value("token", node), _starved(facts, node)
        yield Draft(
            severity=severity,
            variant="" if lost.height else "late",
            evidence=(*_lines(shown, 5), *((token.ref,) if token else ())),
            words={
                "node": _shown(node), "lost": plural(lost.height, "time"), "late": plural(late.height, "warning"),
                "token": f"The token timeout is {token.value} ms" if token else "The token timeout is not shown",
                "fenced": " A node was fenced behind it." if after else "", "starved": starved,
            },
            tunings=("totem-token",) if lost.height and not starved else (),
            nodes=(node,) if node else (),
            figures=(Figure("Tokens lost", lost.height), Figure("Tokens late", late.height)),
            parts=(evidence_part(shown.height, 1), Part("completeness", 0.7, "the log shows the loss, not its cause")),
            weight=float(lost.height),
            **_span(shown),
        )  # fmt: skip


def _twice(times: list[int], within_s: float) -> bool:
    known = sorted(times)
    return any(0 <= b - a <= within_s * SECOND for a, b in pairwise(known))


def _followed(times: list[int], fences: list[int], within_s: float) -> bool:
    return any(0 <= fence - at <= within_s * SECOND for at in times[:1000] for fence in fences[:1000])


def _starved(facts: CaseFacts, node: str | None) -> str:
    """Whether corosync got no CPU on that node: then a longer token only hides it."""
    rows = events_of(facts, ("corosync-not-scheduled", "corosync-paused")).filter(pl.col("node").eq_missing(pl.lit(node)))
    return " Corosync got no CPU on this node: look there first." if rows.height else ""


@rule("NW-05")
def not_scheduled(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: corosync says that it was not scheduled, or that a pause was detected.

    Reasoning: longer than the token is high; twice in an hour medium.
    Source: messages of corosync; cmap_keys(8); limits proposed.
    """
    for node, rows in _by_node(_pauses(facts)):
        worst = rows.sort("value", descending=True)
        delay = worst["value"][0] or 0.0
        token = facts.get(Totem).value("token", node)
        beyond = token is not None and token.number is not None and delay >= token.number
        repeated = _twice(rows["at"].drop_nulls().to_list(), limits.twice_s)
        severity: Severity = "high" if beyond else "medium" if repeated else "low"
        yield Draft(
            severity=severity,
            evidence=(*_lines(worst, 4), *((token.ref,) if token else ())),
            words={
                "node": _shown(node), "delay": f"{delay:.0f}", "times": plural(rows.height, "time"),
                "token": f" The token timeout is {token.value} ms{': the pause is longer' if beyond else ''}." if token else "",
            },
            nodes=(node,) if node else (),
            figures=(Figure("Longest pause", round(delay, 1), "ms"), *_timeout(token)),
            parts=(evidence_part(rows.height, 1), _token_part(token)),
            weight=delay / 1000,
            **_span(rows),
        )  # fmt: skip


def _timeout(token: Value | None) -> tuple[Figure, ...]:
    return (Figure("Token timeout", token.number, "ms"),) if token is not None and token.number else ()


def _token_part(token: Value | None) -> Part:
    return Part("completeness", 0.9, "the token timeout is here") if token else Part("completeness", 0.75, "the token timeout is not here")


def _pauses(facts: CaseFacts) -> pl.DataFrame:
    """Pauses from the log, and from the counters of cmap."""
    columns = ("artifact", "line", "node", "at", "zone_min", "value")
    events = events_of(facts, ("corosync-not-scheduled", "corosync-paused"))
    logged = events.select(columns) if events.height else pl.DataFrame()
    if not facts.facts.has(Counter):
        return logged
    missed = facts.facts.scan(Counter).filter((pl.col("source") == "cmap") & pl.col("name").str.contains(r"schedmiss.*\.delay$")).collect()
    missed = facts.named(missed).select(columns)
    return pl.concat([frame for frame in (logged, missed) if frame.height]) if logged.height or missed.height else pl.DataFrame()


@rule("NW-06")
def totem_defaults(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: somebody suspects the defaults of totem.

    Reasoning: they bound POSIX locks and membership only; max_messages counts per processor and token visit, not per second.
    Source: corosync.conf(5).
    """
    set_values = [value for name in ("window_size", "max_messages", "netmtu") if (value := facts.get(Totem).value(name)) is not None]
    quoted = facts.get(Totem).quoted if facts.get(Presence).shown else []
    values = at_default(set_values) or at_default(quoted)
    if len(values) < limits.least:
        return
    told = values[0].quoted
    yield Draft(
        severity="info",
        variant="quoted" if told else "",
        evidence=tuple(value.ref for value in values),
        words={"values": listed([f"{value.name} {value.value}" for value in values])},
        figures=tuple(Figure(value.name, value.number or 0.0) for value in values),
        parts=(
            evidence_part(len(values), 1),
            Part("completeness", 0.5 if told else 0.95, "quoted by a person" if told else "from a configuration"),
        ),
        tunings=(),
        weight=0.5,
    )


@rule("NW-07")
def mtu_mismatch(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the membership forms again and again, or large messages get lost.

    Reasoning: netmtu of totem against the MTU of the interfaces; 18 bytes of a frame are not available. Not with knet.
    Source: corosync.conf(5).
    """
    netmtu, transport = facts.get(Totem).value("netmtu"), facts.get(Totem).value("transport")
    if netmtu is None or netmtu.number is None or (transport is not None and transport.value == "knet"):
        return
    mtus = [value for value in facts.get(Totem).mtus if value.number]
    small = [value for value in mtus if (value.number or 0) - limits.frame < netmtu.number]
    if not mtus or len(small) < len(mtus):
        return  # which interface carries totem is not shown: only where none is large enough
    worst = max(small, key=lambda value: value.number or 0.0)
    over = netmtu.number > (worst.number or 0.0)
    yield Draft(
        severity="high" if over else "info",
        evidence=(netmtu.ref, *(value.ref for value in small[:4])),
        words={"netmtu": netmtu.value, "mtu": worst.value, "interface": worst.name, "node": _shown(worst.node)},
        nodes=tuple(sorted({value.node for value in small if value.node})),
        figures=(Figure("netmtu", netmtu.number), Figure("Largest MTU", worst.number or 0.0)),
        parts=(evidence_part(1 + len(small), 1), Part("completeness", 0.85, "both files are here")),
        tunings=("totem-netmtu",) if over else (),
        weight=1.0,
    )
