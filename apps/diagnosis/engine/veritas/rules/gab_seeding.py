"""Rule on the number of systems that GAB waits for before a cluster forms (VX-06)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records import NodeAlias, Section, Setting


@dataclass(frozen=True, slots=True)
class SeedWords:
    """seed: systems that have to be there; hosts: those that are configured."""

    node: str | None
    seed: int
    hosts: int


class _Hosts(NamedTuple):
    """Ids that one list of the systems of LLT holds."""

    node: str | None
    ids: frozenset[str]
    ref: Ref


@rule("VX-06", needs=(Records,), words=SeedWords)
def gab_seed(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: after an outage a part of the cluster starts alone, or none of it starts.

    Reasoning: gabtab asks for fewer or for more systems than LLT is configured with on that node.
    Source: gabconfig(1M): the number of systems that have to be there.
    """
    if not records.has(NodeAlias):
        return
    lists = list(_lists(records))
    seeds = records.frame(Setting, pl.col("name") == "gabconfig -n")
    rows = seeds.select("artifact", "line", "node", "value").iter_rows()
    nodes = {node: (value, Ref(artifact, line)) for artifact, line, node, value in rows}
    for node, (value, ref) in nodes.items():
        hosts = next((one for one in reversed(lists) if one.node == node or None in (one.node, node)), None)
        if hosts is None or not value.isdigit() or int(value) == len(hosts.ids):
            continue
        yield Seen(
            level="few" if int(value) < len(hosts.ids) else "many",
            words=SeedWords(node, int(value), len(hosts.ids)),
            lines=(ref, hosts.ref),
            nodes=(node,),
        )


def _lists(records: Records) -> Iterator[_Hosts]:
    """Each file that names the systems of LLT."""
    aliases = records.frame(NodeAlias, pl.col("kind") == "id")
    files = records.frame(Section, pl.col("format") == "llthosts")
    for artifact, first, last, node in files.select("artifact", "line", "last_line", "node").iter_rows():
        own = aliases.filter((pl.col("artifact") == artifact) & pl.col("line").is_between(first, last))
        if not own.is_empty():
            yield _Hosts(node, frozenset(own["alias"]), Ref(artifact, own["line"][0]))
