"""Rule on adapters that lose packets (R14): it weighs more where LLT runs over them and loses packets too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, Literal

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.veritas.cluster import Capture, ClusterFacts, steps
from apps.diagnosis.engine.veritas.llt_facts import COUNTERS, INTERFACES, OUT_OF_PLACE, link_names, loses, resent_of
from parsers.dataclass import dataclass

Way = Literal["RX", "TX"]
WAYS: Final[tuple[Way, ...]] = ("RX", "TX")


@dataclass(frozen=True, slots=True)
class AdapterWords:
    """overrun: as many overruns as errors. known: which interfaces LLT uses is shown."""

    node: str | None
    interface: str
    way: Way
    share: float
    errors: float
    packets: float
    overrun: bool
    known: bool
    llt: Literal["suffers", "well", "unknown"]


@rule("R14", needs=(ClusterFacts,), words=AdapterWords)
def nic_errors(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: retransmits, late heartbeats, slow locks.

    Reasoning: errors of an adapter as a share of its packets; overruns as many as errors are a full ring or a starved
    processor. Source: Veritas InfoScale article 100031805 (netstat -i); proposed limits.
    """
    if not cluster.applies:
        return
    private = _parts_of(link_names(cluster))
    for (node, interface), captures in cluster.captures(INTERFACES).items():
        if interface is None or interface == "lo":
            continue
        is_public = bool(private) and interface not in private
        for way in WAYS:
            if _loses(captures[-1], way, limits):
                suffers = not is_public and _llt_suffers(cluster, node)
                seen = _adapter(node, interface, way, captures[-1], limits, known=bool(private), suffers=suffers)
                yield replace(seen, level="public") if is_public else seen


def _parts_of(names: Iterable[str]) -> set[str]:
    """Names of links, and the interface that each holds, such as that of ``/dev/net/eth1:0``."""
    return {part for name in names for part in (name, *re.split(r"[/:.]", name))}


def _loses(last: Capture, way: Way, limits: Limits) -> bool:
    good, errors = last.get(f"{way} packets"), last.get(f"{way} errors")
    if good is None or not errors:
        return False
    return good + errors >= limits.packets and errors / (good + errors) > limits.medium


def _adapter(
    node: str | None, interface: str, way: Way, last: Capture, limits: Limits, *, known: bool, suffers: bool
) -> Seen:
    good, errors = last.get(f"{way} packets") or 0.0, last.get(f"{way} errors") or 0.0
    share = errors / (good + errors)
    overrun = last.get(f"{way} overrun")
    words = AdapterWords(
        node=node,
        interface=interface,
        way=way,
        share=share,
        errors=errors,
        packets=good,
        overrun=overrun is not None and overrun >= limits.overruns * errors,
        known=known,
        llt="suffers" if suffers else "well" if known else "unknown",
    )
    return Seen(
        level="high" if suffers and known and share > limits.high else "medium",
        words=words,
        lines=last.refs(f"{way} errors", f"{way} packets"),
        nodes=(node,),
        times=(last.at,),
        zone_min=last.zone_min,
        parts=() if known else ("unknown",),
        harm="llt" if suffers else "",
        weight=share,
    )


def _llt_suffers(cluster: ClusterFacts, node: str | None) -> bool:
    """Retransmits, or packets out of window or sequence, grow between two readings of lltstat on that node."""
    if any(loses(found) for found in resent_of(cluster, node) if found.is_difference):
        return True
    samples = [
        pair for (where, _), captures in cluster.captures(COUNTERS).items() if where == node for pair in steps(captures)
    ]
    return any((later.since(earlier, name) or 0) > 0 for earlier, later in samples for name in OUT_OF_PLACE)
