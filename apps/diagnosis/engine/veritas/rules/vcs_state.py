"""Rule on what the tools of the cluster say is not running: systems, groups, nodes of CVM, mounts (VX-02)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.model import Figure
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import listed, plural
from apps.diagnosis.engine.veritas.files import VeritasFiles
from parsers.records import ClusterMember, ServiceState

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

SHOWN: Final = 3


@rule("VX-02")
def cluster_state(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a node, a service or a mount is gone.

    Reasoning: the last status shows a system or a group as FAULTED, a node out of the CVM cluster, a cluster mount that is not mounted.
    Source: hastatus(1M), vxclustadm(1M), cfscluster(1M): their own words.
    """
    if not facts.get(VeritasFiles).are_read:
        return
    members = {(one.layer, one.node, one.member): one for one in facts.records.of(ClusterMember) if one.layer in ("services", "volumes")}
    services = {(one.sort, one.node, one.group, one.resource, one.on): one for one in facts.records.of(ServiceState)}
    systems = [one for one in members.values() if one.standing == "down"]
    faulted = [one for one in services.values() if one.standing == "faulted"]
    groups, failed = ([one for one in faulted if one.sort == sort] for sort in ("group", "resource"))
    mounts = [one for one in services.values() if one.sort == "mount" and one.standing == "offline"]
    if systems or faulted:
        yield _told(systems, groups, mounts, failed)


def _told(systems: list[ClusterMember], groups: list[ServiceState], mounts: list[ServiceState], failed: list[ServiceState]) -> Draft:
    names = sorted({one.member or "a system" for one in systems})
    said = [f"{listed(names[:SHOWN])} {'is' if len(names) == 1 else 'are'} out of the cluster"] if names else []
    said += [f"group {one.group} is faulted on {one.on}" for one in groups[:SHOWN]]
    said += [f"{one.group} is not mounted on {one.on}" for one in mounts[:SHOWN] if one.on]
    if not said:
        said = [f"resource {one.resource} failed on {one.on}" for one in failed[:SHOWN]]
    told = listed([f"{one.resource} ({one.resource_type}) on {one.on}" for one in failed[:SHOWN]])
    rows = [*systems, *groups, *mounts, *failed]
    nodes = {one.on for one in (*groups, *mounts) if one.on} | set(names)
    return draft(
        "high",
        [one.ref for one in rows],
        {
            "what": listed(said),
            "resources": f" Failed resources: {told}." if told else "",
            "rows": plural(len(rows), "row"),
        },
        nodes=nodes,
        times=[one.at for one in rows],
        figures=[Figure("Systems out of the cluster", len(names)), Figure("Groups that are faulted", len(groups))],
        weight=1.0,
    )
