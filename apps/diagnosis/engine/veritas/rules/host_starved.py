"""Rule on nodes that lack memory or processor time (R35)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.veritas.cluster import STARVED_KINDS, Capture, ClusterFacts, Logged
from parsers.dataclass import dataclass

SAMPLES: Final = metric("host-samples")
LOAD: Final = ("st", "%steal", "%soft")
Lack = Literal["memory", "time", "both"]


def _times(rows: Iterable[Logged]) -> list[int | None]:
    return [row.at for row in rows]


@dataclass(frozen=True, slots=True)
class KernelWords:
    """messages of the kernel; often: there are several; changed: the membership changed soon after."""

    node: str | None
    lack: Lack
    messages: int
    often: bool
    changed: bool


@dataclass(frozen=True, slots=True)
class SampleWords:
    """samples that show it, and what they show."""

    node: str | None
    lack: Lack
    samples: int
    sign: Literal["steal", "interrupts"]


@rule("R35", needs=(ClusterFacts,), words=(KernelWords, SampleWords))
def host_starved(cluster: ClusterFacts, limits: Limits) -> Iterator[Seen]:
    """Symptom: the locks of healthy nodes are slow because one node does not get to answer.

    Reasoning: messages on memory or stuck processors; stolen time or one processor busy with interrupts over several
    samples. Paging is judged by ST-12. Source: messages as printed; proposed limits.
    """
    if not cluster.applies:
        return
    by_node: dict[str | None, list[Logged]] = defaultdict(list)
    for row in cluster.logged(*STARVED_KINDS):
        by_node[row.node].append(row)
    for node, rows in by_node.items():
        yield _messages(cluster, node, rows, limits)
    for (node, _), captures in cluster.captures(SAMPLES, names=LOAD, per_scope=False).items():
        yield from _samples(node, captures, harmed=cluster.harm.measured, limits=limits)


def _messages(cluster: ClusterFacts, node: str | None, rows: Sequence[Logged], limits: Limits) -> Seen:
    hard = [row for row in rows if row.kind != "page-allocation-failure"]
    change = _change_after(cluster, hard, limits)
    memory = any(row.kind != "soft-lockup" for row in rows)
    lockup = any(row.kind == "soft-lockup" for row in rows)
    lack: Lack = "both" if memory and lockup else "memory" if memory else "time"
    level = "changed" if change else "killed" if hard else "refused_slow" if cluster.harm.measured else "refused"
    return Seen(
        level=level,
        words=KernelWords(node, lack, len(rows), len(rows) > 1, change is not None),
        lines=[*(row.ref for row in rows[:5]), *([change.ref] if change else [])],
        nodes=(node,),
        times=_times(rows),
    )


def _change_after(cluster: ClusterFacts, rows: Sequence[Logged], limits: Limits) -> Logged | None:
    """A change of the membership within minutes after one of the messages."""
    for change in cluster.logged("port-membership", "port-jeopardy", "vcs-membership"):
        for row in rows:
            if row.at is not None and change.at is not None and 0 <= change.at - row.at <= limits.before_s * 1e6:
                return change
    return None


def _samples(node: str | None, captures: Sequence[Capture], *, harmed: bool, limits: Limits) -> Iterator[Seen]:
    """What is short in vmstat and mpstat: several processors of one sample count once."""
    kinds: tuple[tuple[Lack, Literal["steal", "interrupts"], tuple[str, ...], float], ...] = (
        ("time", "steal", ("st", "%steal"), limits.steal_percent),
        ("time", "interrupts", ("%soft",), limits.soft_percent),
    )
    for lack, sign, names, least in kinds:
        found: dict[tuple[int, int, int | None], Capture] = {}
        for capture in captures:
            if max((capture.get(name) or 0.0) for name in names) > least:
                found.setdefault((capture.artifact, capture.sample, capture.at), capture)
        if len(found) >= limits.samples:
            shown = list(found.values())
            yield Seen(
                level="samples_slow" if harmed else "samples",
                words=SampleWords(node, lack, len(shown), sign),
                lines=[ref for capture in shown[:4] for ref in capture.refs(*names)],
                nodes=(node,),
                times=[capture.at for capture in shown],
            )
