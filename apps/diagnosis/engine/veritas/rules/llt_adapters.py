"""Rule on adapters that lose packets (R14): it weighs more where LLT runs over them and loses packets too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from apps.diagnosis.engine.core.drafts import draft, share_words
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import count, percent
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.veritas.cluster import Capture, ClusterFacts, steps
from apps.diagnosis.engine.veritas.llt_facts import link_names, resent


@rule("R14")
def nic_errors(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: retransmits, late heartbeats, slow locks.

    Reasoning: errors of an adapter as a share of its packets; overruns as many as errors are a full ring or a starved processor.
    Source: Veritas InfoScale article 100031805 (netstat -i); proposed limits.
    """
    cluster = facts.get(ClusterFacts)
    if not cluster.applies:
        return
    private = link_names(cluster)
    for (node, interface), captures in cluster.captures("netstat -i", "ip -s link").items():
        if interface is None or interface == "lo" or (private and not _is_private(interface, private)):
            continue
        for way in ("RX", "TX"):
            if (found := _lost(captures, way, limits)) is not None:
                yield _adapter(facts, node, interface, way, found, limits, known=bool(private))


def _is_private(interface: str, private: Iterable[str]) -> bool:
    return any(interface == name or interface in re.split(r"[/:.]", name) for name in private)


def _lost(captures: Sequence[Capture], way: str, limits: Limits) -> Capture | None:
    last = captures[-1]
    good, errors = last.get(f"{way} packets"), last.get(f"{way} errors")
    if good is None or not errors or good + errors < limits.packets or errors / (good + errors) <= limits.medium:
        return None
    return last


def _adapter(facts: CaseFacts, node: str | None, interface: str, way: str, last: Capture, limits: Limits, *, known: bool) -> Draft:
    good, errors = last.get(f"{way} packets") or 0.0, last.get(f"{way} errors") or 0.0
    share = errors / (good + errors)
    overrun = last.get(f"{way} overrun")
    suffers = _llt_suffers(facts, node)
    same = overrun is not None and overrun >= 0.99 * errors
    return draft(
        "high" if suffers and known and share > limits.high else "medium",
        last.refs(f"{way} errors", f"{way} packets"),
        {
            "node": node or "a node",
            "interface": interface,
            "share": percent(share),
            "way": "received" if way == "RX" else "sent",
            "errors": count(errors),
            "packets": count(good),
            "overrun": " As many overruns as errors: a full receive ring, or interrupts that are not served in time." if same else "",
            "role": "" if known else " Which interfaces LLT uses is not shown (llttab, lltstat -nvv).",
            "llt": " LLT loses packets on this node too." if suffers else " LLT itself shows no losses on this node." if known else "",
        },
        nodes=[node],
        times=[last.at],
        zone_min=last.zone_min,
        figures=[Figure(f"{way} errors of {interface}", round(100 * share, 4), "%", share_words(limits, "medium"))],
        lacks="" if known else "whether LLT runs over this interface is not shown",
        weight=share,
        harm="LLT sends packets again or loses them on this node" if suffers else "",
    )


def _llt_suffers(facts: CaseFacts, node: str | None) -> bool:
    """Retransmits, or packets out of window or sequence, grow between two readings of lltstat on that node."""
    cluster = facts.get(ClusterFacts)
    if any(found.is_difference and found.share >= 0.001 for found in resent(cluster) if found.node == node):
        return True
    names = ("Rcv out of window", "Rcv out of sequence")
    readings = [pair for (where, _), captures in cluster.captures("lltstat").items() if where == node for pair in steps(captures)]
    return any((later.since(earlier, name) or 0) > 0 for earlier, later in readings for name in names)
