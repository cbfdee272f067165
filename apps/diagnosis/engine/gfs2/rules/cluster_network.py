"""Rules on the network between the nodes: replies of the lock manager that do not come, its connections, errors of cards, round trips."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, moment
from apps.diagnosis.engine.storage.rules.paths import events_of
from parsers.records import Counter, DlmLock, Stack

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

SECOND: Final = 1_000_000
_ERRORS: Final = re.compile(r"(?i)(?:err|drop|overrun|missed|discard|crc|no_buffer|fifo)")
_PACKETS: Final = ("RX packets", "TX packets", "rx_packets", "tx_packets")
_SENDING: Final = ("dlm_lowcomms_get_buffer", "send_to_sock", "process_send_sockets", "dlm_send")


def _shown(node: object) -> str:
    return str(node) if node else "a node whose name is not shown"


@rule("NW-01")
def dlm_no_reply(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a lock request hangs, and nobody holds the lock.

    Reasoning: the same request of the lock manager waits for another node's reply in two captures or more.
    Source: debugfs of the DLM, file ``_waiters``.
    """
    if not facts.facts.has(DlmLock):
        return
    rows = facts.named(facts.facts.scan(DlmLock).filter(pl.col("source").is_in(["waiters", "expecting reply"])).collect())
    rows = rows.filter(pl.col("lkb").is_not_null()).sort("artifact", "line")
    capture = pl.struct("artifact", pl.col("at").fill_null(-1)).n_unique()
    held = rows.group_by("node", "lockspace", "lkb", "resource", "master", maintain_order=True).agg(
        captures=capture, first=pl.col("at").min(), last=pl.col("at").max(), artifact="artifact", line="line"
    )
    for row in held.filter(pl.col("captures") >= limits.captures).head(20).iter_rows(named=True):
        seconds = (row["last"] - row["first"]) / SECOND if row["first"] is not None and row["last"] is not None else None
        yield Draft(
            severity="critical" if seconds is not None and seconds > limits.critical_s else "high",
            evidence=tuple(Ref(a, line) for a, line in list(zip(row["artifact"], row["line"], strict=True))[:6]),
            words={
                "node": _shown(row["node"]), "peer": row["master"], "resource": row["resource"] or "a resource that is not named",
                "for": f" for at least {seconds:.0f} s" if seconds else "", "captures": row["captures"], "lkb": f"{row['lkb']:x}",
            },
            nodes=(row["node"],) if row["node"] else (),
            start=row["first"],
            end=row["last"],
            figures=(Figure("Captures", row["captures"], "", limits.words("captures")),),
            parts=(evidence_part(row["captures"], 1), Part("completeness", 0.7, "the other node's view is not compared")),
            weight=seconds or 1.0,
        )  # fmt: skip


@rule("NW-02")
def lowcomms_backpressure(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the lock manager's messages to a node pile up.

    Reasoning: its send queue is not empty in two captures, or several tasks stand in the functions that send.
    Source: debugfs of the DLM; limits proposed.
    """
    if facts.facts.has(Counter):
        rows = facts.named(facts.facts.scan(Counter).filter(pl.col("name") == "send_queue_cnt").collect()).sort("artifact", "line")
        for (node, scope), some in rows.group_by(["node", "scope"], maintain_order=True) if rows.height else ():
            full = some.filter(pl.col("value") > 0)
            if full.height >= limits.captures and full.height == some.height:
                yield _pressure(node, f"{scope}: {' -> '.join(f'{v:g}' for v in full['value'].to_list()[:6])}", full, limits)
    if facts.facts.has(Stack):
        stacks = facts.named(facts.facts.frame(Stack)).filter(pl.col("frames").str.contains("|".join(_SENDING)))
        for (node,), some in stacks.group_by(["node"], maintain_order=True) if stacks.height else ():
            if some.height >= limits.stacks:
                yield _pressure(node, f"{some.height} tasks stand in functions that send", some, limits)


def _pressure(node: object, what: str, rows: pl.DataFrame, limits: Limits) -> Draft:
    return Draft(
        severity="medium",
        evidence=tuple(Ref(a, line) for a, line in rows.select("artifact", "line").head(6).iter_rows()),
        words={"node": _shown(node), "what": what},
        nodes=(str(node),) if node else (),
        basis="proposed",
        figures=(Figure("Captures or tasks", rows.height),),
        parts=(evidence_part(rows.height, 1), Part("completeness", 0.6, "whether it drains again is not shown")),
        weight=1.0,
    )


@rule("NW-08")
def nic_errors(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: packets get lost at a card.

    Reasoning: errors, drops and overruns that grow between two captures, against the packets of the same time. One capture counts since
    boot.
    Source: ip-link(8), netstat(8), ethtool(8); limits proposed.
    """
    if not facts.facts.has(Counter):
        return
    sources = ["netstat -i", "ip -s link", "ethtool -S"]
    rows = (
        facts.facts.scan(Counter)
        .filter(pl.col("source").is_in(sources) & pl.col("scope").is_not_null() & (pl.col("scope") != "lo"))
        .collect()
    )
    rows = facts.named(rows).sort("artifact", "line")
    for (node, scope, source), some in rows.group_by(["node", "scope", "source"], maintain_order=True) if rows.height else ():
        draft = _card(node, str(scope), str(source), some, limits)
        if draft is not None:
            yield draft


def _card(node: object, scope: str, source: str, rows: pl.DataFrame, limits: Limits) -> Draft | None:
    """First against last reading of one card by one tool; a counter that fell was reset."""
    grown: dict[str, tuple[float, Ref, Ref]] = {}
    for (name,), some in rows.group_by(["name"], maintain_order=True):
        first, last = some.row(0, named=True), some.row(-1, named=True)
        if some.height < 2 or last["value"] is None or first["value"] is None or last["value"] < first["value"]:
            continue
        refs = Ref(first["artifact"], first["line"]), Ref(last["artifact"], last["line"])
        grown[str(name)] = (last["value"] - first["value"], *refs)
    packets = sum(grown[name][0] for name in _PACKETS if name in grown)
    wrong = {name: entry for name, entry in grown.items() if _ERRORS.search(name) and entry[0] > 0 and name not in _PACKETS}
    # an overrun is counted among the errors too: the largest one stands for the card
    if not wrong or packets <= 0:
        return None
    worst = max(wrong, key=lambda name: wrong[name][0])
    share = 100 * wrong[worst][0] / packets
    if share <= limits.medium_pct:
        return None
    severity: Severity = "high" if share > limits.high_pct else "medium"
    return Draft(
        severity=severity,
        evidence=tuple(dict.fromkeys((wrong[worst][1], wrong[worst][2]))),
        words={
            "node": _shown(node),
            "interface": scope,
            "name": worst,
            "errors": count(wrong[worst][0]),
            "share": f"{share:.3g}",
            "source": source,
        },
        nodes=(str(node),) if node else (),
        figures=(Figure("Share of the packets", round(share, 4), "%", limits.words("medium_pct")), Figure(worst, wrong[worst][0])),
        parts=(evidence_part(2, 1), Part("completeness", 0.7, "whether the cluster uses this interface is not shown")),
        tunings=("nic-ring",) if "overrun" in worst.lower() or "drop" in worst.lower() else (),
        weight=share,
    )


@rule("NW-09")
def lock_round_trip(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: every request to the lock manager takes long.

    Reasoning: round trips of requests that can't block (srtt) show the network or a busy peer; those that may block (srttb) include the
    wait for other nodes. Both are means weighted by the number of requests.
    Source: kernel documentation of GFS2 glocks; limits proposed.
    """
    if not facts.facts.has(Counter):
        return
    rows = (
        facts.facts.scan(Counter).filter((pl.col("source") == "sbstats") & pl.col("name").str.contains(r" (?:srtt|srttb|dlm)$")).collect()
    )
    rows = facts.named(rows).sort("artifact", "line")
    for (node, scope), some in rows.group_by(["node", "scope"], maintain_order=True) if rows.height else ():
        for kind in ("inode", "rgrp", "iopen", "flock", "quota"):
            draft = _round_trip(node, scope, kind, some, limits)
            if draft is not None:
                yield draft


def _round_trip(node: object, scope: object, kind: str, rows: pl.DataFrame, limits: Limits) -> Draft | None:
    last = {
        row["name"]: row
        for row in rows.filter(pl.col("name").str.starts_with(f"{kind} ")).iter_rows(named=True)
        if row["value"] is not None
    }
    requests = rows.filter(pl.col("name") == f"{kind} dlm")["value"].drop_nulls()
    free, blocking = last.get(f"{kind} srtt"), last.get(f"{kind} srttb")
    if not requests.len() or requests.max() == 0 or (requests.len() > 1 and requests.max() == requests.min()):
        return None
    free_ms = free["value"] / 1e6 if free else 0.0
    blocking_ms = blocking["value"] / 1e6 if blocking else 0.0
    if free_ms > limits.srtt_low_ms:
        return _trip(node, scope, kind, "network", free or {}, free_ms, "medium" if free_ms > limits.srtt_medium_ms else "low", limits)
    if requests.len() > 1 and blocking_ms > limits.srttb_low_ms:  # the request counter must grow
        severity: Severity = "high" if blocking_ms > limits.srttb_high_ms else "medium" if blocking_ms > limits.srttb_medium_ms else "low"
        return _trip(node, scope, kind, "contention", blocking or {}, blocking_ms, severity, limits)
    return None


def _trip(
    node: object, scope: object, kind: str, variant: str, row: dict[str, Any], ms: float, severity: Severity, limits: Limits
) -> Draft:
    return Draft(
        severity=severity,
        variant="" if variant == "network" else "blocking",
        evidence=(Ref(row["artifact"], row["line"]),),
        words={"node": _shown(node), "kind": kind, "ms": f"{ms:.2f}", "fs": str(scope) if scope else "a file system that is not named"},
        nodes=(str(node),) if node else (),
        start=row["at"],
        end=row["at"],
        figures=(Figure("Mean round trip", round(ms, 3), "ms", limits.words("srtt_low_ms" if variant == "network" else "srttb_low_ms")),),
        parts=(evidence_part(1, 1), Part("completeness", 0.7, "a mean that moves by an eighth with each request")),
        basis="proposed",
        weight=ms / 1000,
    )


@rule("NW-10")
def dlm_connection_blocked(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the membership is fine, and the lock manager can't reach a member.

    Reasoning: it connects to or closes the connection with the same node again and again, without a change of the membership at that time.
    Source: messages of the DLM; counts proposed.
    """
    events = events_of(facts, ("dlm-connecting", "dlm-connection-closed", "dlm-connection-error"))
    changes = events_of(facts, ("totem-membership", "totem-token-lost"))
    for (node, peer), rows in events.group_by(["node", "about"], maintain_order=True) if events.height else ():
        times = sorted(rows["at"].drop_nulls().to_list())
        burst = _burst(times, int(limits.messages), limits.within_s)
        if burst is None or peer is None or _changed(changes, burst, limits.within_s):
            continue
        yield Draft(
            severity="high",
            evidence=tuple(Ref(a, line) for a, line in rows.select("artifact", "line").head(6).iter_rows()),
            words={"node": _shown(node), "peer": peer, "messages": rows.height, "since": moment(burst)},
            nodes=(str(node),) if node else (),
            start=times[0],
            end=times[-1],
            figures=(Figure("Messages", rows.height, "", limits.words("messages")),),
            parts=(evidence_part(rows.height, 1), Part("completeness", 0.6, "the log of the other end is not compared")),
            weight=1.0,
        )


def _burst(times: list[int], least: int, within_s: float) -> int | None:
    """When so many messages began to stand within the window."""
    return next((a for a, b in zip(times, times[least - 1 :], strict=False) if b - a <= within_s * SECOND), None)


def _changed(changes: pl.DataFrame, at: int, within_s: float) -> bool:
    known = changes["at"].drop_nulls().to_list() if changes.height else []
    return any(abs(other - at) <= 2 * within_s * SECOND for other in known)
