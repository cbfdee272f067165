"""Rule on what the tools of the cluster say is not running: systems, groups, nodes of CVM, mounts (VX-02)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.model import Figure
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import listed, plural
from apps.diagnosis.engine.veritas.cluster import ClusterFacts, Row, ref_of

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

SOURCES: Final = ("hastatus", "vxclustadm nidmap", "cfscluster status")
SHOWN: Final = 3
_RESOURCE = re.compile(r"RESOURCES FAILED: (\S{1,64}) (\S{1,128}) (\S{1,128})")


@rule("VX-02")
def cluster_state(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a node, a service or a mount is gone.

    Reasoning: the last status shows a system or a group as FAULTED, a node out of the CVM cluster, a cluster mount that is not mounted.
    Source: hastatus(1M), vxclustadm(1M), cfscluster(1M): their own words.
    """
    last: dict[tuple[object, ...], Row] = {}
    for row in facts.get(ClusterFacts).members:
        if row["source"] in SOURCES:
            sort = (row["state"] or "").split(":")[0] if ":" in (row["state"] or "") else ""
            last[row["source"], row["node"], row["group"], row["members"], sort] = row
    rows = list(last.values())
    systems = [row for row in rows if not row["members"] and _is_out(row)]
    groups = [row for row in rows if row["source"] == "hastatus" and row["members"] and "FAULTED" in (row["state"] or "").upper()]
    mounts = [row for row in rows if row["state"] == "NOT MOUNTED"]
    failed = [row for row in rows if _RESOURCE.match(row["state"] or "")]
    if systems or groups or failed:
        yield _told(facts, systems, groups, mounts, failed)


def _is_out(row: Row) -> bool:
    state = row["state"] or ""
    return (row["source"] == "hastatus" and state.startswith("FAULTED")) or (
        row["source"] == "vxclustadm nidmap" and "Out of Cluster" in state
    )


def _told(facts: CaseFacts, systems: list[Row], groups: list[Row], mounts: list[Row], failed: list[Row]) -> Draft:
    names = sorted({facts.nodes.name(row["group"] or "a system") for row in systems})
    said = [f"{listed(names[:SHOWN])} {'is' if len(names) == 1 else 'are'} out of the cluster"] if names else []
    said += [f"group {row['group']} is faulted on {row['members'].split()[0]}" for row in groups[:SHOWN]]
    said += [f"{row['group']} is not mounted on {row['members'].split()[0]}" for row in mounts[:SHOWN] if row["members"]]
    resources = [match for row in failed if (match := _RESOURCE.match(row["state"] or ""))]
    if not said:
        said = [f"resource {match[2]} failed on {match[3]}" for match in resources[:SHOWN]]
    told = listed([f"{match[2]} ({match[1]}) on {match[3]}" for match in resources[:SHOWN]])
    rows = [*systems, *groups, *mounts, *failed]
    nodes = {facts.nodes.name(name) for row in (*groups, *mounts) for name in row["members"].split()[:1]} | set(names)
    return draft(
        "high",
        map(ref_of, rows),
        {
            "what": listed(said),
            "resources": f" Failed resources: {told}." if told else "",
            "rows": plural(len(rows), "row"),
        },
        nodes=nodes,
        times=[row["at"] for row in rows],
        figures=[Figure("Systems out of the cluster", len(names)), Figure("Groups that are faulted", len(groups))],
        weight=1.0,
    )
