"""State of a Pacemaker cluster: ``pcs status``, ``crm_mon -1``, ``crm status``, ``crm_node -l``, and what it knows of
fencing (``stonith_admin --history``).

    Cluster Summary:                                       Stack: corosync
      * Current DC: kite1 (version 2.1.7-5.el9) - partition with quorum
      * Last updated: Mon Feb 16 00:36:40 2026 on kite2    Last updated: Mon Feb 16 00:36:40 2026
    Node List:
      * Node kite3: UNCLEAN (offline)                      Node kite3: UNCLEAN (offline)
      * Online: [ kite1 kite2 ]                            Online: [ kite1 kite2 ]
      * pool_fs  (ocf:heartbeat:Filesystem):  Started kite1
    Failed Fencing Actions:
      * reboot of kite3 failed: delegate=kite1, client=pacemaker-controld.2211, origin=kite1, last-failed='2026-02-16
        00:35:02Z'
    kite1 was able to reboot node kite3 on behalf of pacemaker-controld.2211 from kite1 at Mon Feb 16 00:36:02 2026

Yields ``ClusterMember``, ``Quorum`` of the partition, ``ServiceState`` of resources and daemons; ``Event`` for fencing
(a result of 0 is a success), for failed actions of resources, and where the cluster does not run; ``NodeAlias`` where
ids are shown; ``Version``. The time of capture is that of "Last updated", without a zone where none is printed.
Tolerated: parts left out, lists without bullets. Source: crm_mon(8), pcs(8), releases 1.1 to 2.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from parsers.output import Output
from parsers.records import Event, NodeAlias, Setting, Version
from parsers.records.states import ClusterMember, NodeStanding, Quorum, ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line
from parsers.times.clock import Instant, find_instant

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,126}"
_STATES: Final = r"UNCLEAN|[Oo]nline|OFFLINE|offline|pending|standby|maintenance|dc"
_NODE: Final = rf"(?:Remote|Guest)?Node:? {_NAME}(?: \(\d{{1,10}}\))?: (?:{_STATES})"
_LISTS: Final = r"(?:Online|OFFLINE|Offline|Standby|(?:Remote|Guest)(?:Online|OFFLINE|Offline)):\s{1,4}\[ "
_ACTION: Final = r"(?:reboot|off|on|poweroff|unfencing) of"
_TRIED: Final = r"(?:(?:was|were) able to|(?:was|were) not able to|failed to|wishes to)"
_ABLE: Final = rf"(?:This node|{_NAME}) {_TRIED} (?:reboot|turn off|turn on|fence) node "
_RESOURCE: Final = r"(?:\* )?[\w.:-]{1,120}\s{1,40}\((?:ocf|stonith|systemd|lsb|service|upstart|nagios):.{1,120}\):\s"
_NOT_RUNNING: Final = (
    r"(?:Error: cluster is not currently running on this node"
    r"|(?:crm_mon: )?(?:Error: )?(?:Connection to (?:the )?cluster failed|Could not connect to (?:the )?(?:CIB"
    r"|cluster))"
    r"|Cluster is not (?:currently )?(?:available|running) on this node"
    r"|Signon to CIB failed: (?:Transport endpoint is not connected|Connection refused)"
    r"|ERROR: cluster\.(?:init|join|start): Time ?out waiting for cluster\.?\s{0,8}$)"
)
# Of "crm_node -l"; other tools and prose count what was lost.
_COUNTED: Final = r"(?:[a-z]{1,80}s|data|was|node|disk|packet|frame|path|link|member|message|host|of|new|a) "
_NODES_OF: Final = r"Pacemaker (?:Remote )?Nodes:$"
"""The heading of ``pcs status nodes``, whose lists have no brackets."""
_PLAIN_LISTS: Final = (
    r"(?:Online|Offline|Standby(?: with resource\(s\) running)?|Maintenance):(?: {1,4}(?![\[\s])[\w.-]{1,253}){0,64}$"
)
_LISTED: Final = rf"\d{{1,10}} (?!{_COUNTED}){_NAME} (?:member|lost)$"
_NO_DEVICES: Final = r"(?:WARNING: )?[Nn]o stonith devices and stonith-enabled is(?: not(?: false)?)?\s{0,8}$"
_CLAIM: Final = (
    rf"(?:{_RESOURCE})|{_NO_DEVICES}|{_LISTED}|{_NODES_OF}|"
    rf"(?:\* )?(?:Current DC: \S|{_NODE}|{_LISTS}|{_ACTION} {_NAME} "
    rf"(?:failed|successful|pending)\b|{_ABLE}|Stack: (?:corosync|cman|openais|unknown)\b|Last updated: [A-Z]\w\w "
    rf"|{_NAME}(?: \S{{1,80}})? on {_NAME} '.{{1,60}}' \(\d{{1,4}}\): call=)|Cluster (?:Summary|Status):$|Cluster "
    r"name: \S|Current cluster status:$|Node List:$|Full [Ll]ist of [Rr]esources:$|(?:Active|Inactive) [Rr]esources:$"
    r"|Failed (?:(?:Fencing |Resource )?Actions|actions):$|Node Attributes:$|Migration Summary:$"
    r"|(?:Pending Fencing Actions|Fencing History):$"
    rf"|[\w.:-]{{1,120}}_[a-z]{{3,12}}_\d{{1,9}} \(node={_NAME}, call="
    rf"|{_NOT_RUNNING}|(?:corosync|pacemaker|pcsd): (?:active|inactive)/\w|(?:Clone Set|Master/Slave Set"
    rf"|Promotable clone set): \S{{1,80}} \["
)
_OWNS: Final = (
    rf"{_CLAIM}|{_PLAIN_LISTS}|\* \S|{_RESOURCE}|(?:Clone Set|Resource Group|Master/Slave Set|Promotable clone set): "
    r"\S|(?:Started|Stopped|Masters|Slaves|Promoted|Unpromoted): \[|\d{1,6} "
    r"(?:[Nn]odes?|[Rr]esources?|resource instances?) configured|\*{3} Resource management is DISABLED|The cluster "
    rf"will (?:not attempt|keep all) |={{6,80}}$|Version: \d\.\d|{_NAME}: (?:Online|Offline)$"
    rf"|{_NAME}: migration-threshold=|[\w.:-]{{1,120}}\s{{1,40}}prevents [\w.:-]{{1,120}} from running on "
    r"|(?:Last (?:updated|change)|Daemon Status|PCSD "
    r"Status|Migration Summary|Active resources|No (?:in)?active "
    r"resources|Tickets|WARNINGS|Operations|Node Attributes|Negative Location Constraints|Inactive "
    r"resources)\b|\d{1,4} events? found|last-(?:rc-change|failed)='|\+ [\w.-]{1,80}\s{1,40}: \S"
    r"|[\w.:-]{1,120}: (?:migration-threshold=|fail-count=)\S"
    r"|(?:corosync|pacemaker|pcsd|sbd|cman): (?:active|inactive)/|No resources$"
)
_CONFIGURED = re.compile(r"(\d{1,5}) [Nn]odes? configured\b")
_BELOW_NODES = re.compile(
    r"(?:Full [Ll]ist of [Rr]esources|(?:Active|Inactive) [Rr]esources|No (?:in)?active resources):?$"
)
_NO_MANAGEMENT: Final = "Resource management is DISABLED"
_DAEMON = re.compile(r"(corosync|pacemaker|pcsd|sbd|cman): (active|inactive)/(\w{1,20})$")
_DC = re.compile(
    r"Current DC: (\S{1,127})(?: \((\d{1,10})\))?(?: \(version ([\w.+-]{1,200})\))?(?: - partition "
    r"(with|WITHOUT) quorum)?"
)
_STATE_OF_NODE = re.compile(rf"(?:Remote|Guest)?Node:? ({_NAME})(?: \((\d{{1,10}})\))?: (.{{1,100}}?):?$")
_NODE_LISTED = re.compile(rf"(\d{{1,10}}) ({_NAME}) (member|lost)$")
_LIST = re.compile(r"(\w{5,14}):\s{1,4}\[ ([\w. ()-]{0,8000})\]?")
_NUMBER = re.compile(r"\((\d{1,10})\)")
_PLAIN_LIST = re.compile(_PLAIN_LISTS)
_IS_OF_NODES = re.compile(_NODES_OF)
_FENCED = re.compile(rf"(reboot|off|on|poweroff) of ({_NAME}) (failed|successful|pending)\b(.{{0,400}})$")
_FENCED_BY = re.compile(
    rf"(?:reboot|off|on|poweroff|unfencing) of ({_NAME})(?: by {_NAME})? for \S{{1,200}}"
    r"(?P<rest>(?: (?:last )?(?P<result>failed|successful|pending|succeeded)\b.{0,400})?)$"
)
"""Newer releases say behind it for whom, and last the result; a row that was cut has that of its heading."""
_FENCING_LISTS: Final = {"Failed Fencing Actions:": "failed", "Pending Fencing Actions:": "pending"}
_HEADING = re.compile(r"[A-Z][a-z]{2,12}(?: [A-Z][a-z]{2,12}){0,3}:$")
_DONE = re.compile(rf"(?:This node|{_NAME}) ({_TRIED}) [a-z ]{{3,20}} node ({_NAME})(?:.{{0,400}})$")
_FAILED = re.compile(
    r"(?P<resource>[\w.:-]{1,120}?)(?:_[a-z]{3,12}_\d{1,9}| \S{1,80}) "
    rf"on (?P<node>{_NAME}) '(?:.{{1,60}})' \(\d{{1,4}}\): call=(?P<rest>.{{0,800}})$"
)
_PASSED: Final = re.compile(rf"[\w.:-]{{1,120}}_[a-z]{{3,12}}_\d{{1,9}} on {_NAME} '?ok'? \(0\): call=")
_FAILED_OLD = re.compile(
    rf"(?P<resource>[\w.:-]{{1,120}}?)_[a-z]{{3,12}}_\d{{1,9}} \(node=(?P<node>{_NAME}), call=(?P<rest>.{{0,800}})$"
)
_RETURNED = re.compile(
    rf"(?P<resource>[\w.:-]{{1,120}}) (?:\d{{1,9}}[a-z]{{1,3}}-interval )?(?P<action>[a-z_]{{2,20}}) "
    rf"on (?P<node>{_NAME}) "
    r"(?:returned|could not be executed)"
    r"(?P<rest> .{1,800})$"
)
_SUMMED_NODE = re.compile(rf"Node:? ({_NAME})(?: \(\d{{1,10}}\))?:$")
_SUMMED = re.compile(
    r"(?P<resource>[\w.:-]{1,120}): migration-threshold=(?P<most>\d{1,9}|INFINITY)"
    r" fail-count=(?P<fails>\d{1,9}|INFINITY)(?P<rest>.{0,200})$"
)
_OF_RESOURCE = re.compile(r"([\w.:-]{1,120})\s{1,40}\(([a-z]{3,8}:.{1,120}?)\):\s{1,40}(\S.{0,200})$")
_ROLES: Final = (
    "ORPHANED|FAILED|Started|Stopped|Starting|Stopping|Master|Slave|Promoted|Unpromoted|Promoting|Demoting|Migrating"
    "|Monitoring"
)
_FLAGS: Final = r"(?:\s{1,8}\([^()]{1,120}\))*+"
_RUNS = re.compile(
    rf"(?P<roles>(?:{_ROLES})(?: (?:{_ROLES}))*)(?P<before>{_FLAGS})"
    rf"(?:\s{{1,8}}(?:\[ (?P<several>[\w. -]{{1,4000}})\]|(?P<one>{_NAME})))?(?P<flags>{_FLAGS})\s*$"
)
_ASIDE = re.compile(r"\b(?:standby|maintenance)\b")
_CLONE = re.compile(r"(?:Clone Set|Master/Slave Set|Promotable clone set): ([\w.:-]{1,120})\b")
_PUT_ASIDE: Final = ("disabled", "unmanaged", "maintenance", "target-role:Stopped")
SOURCE: Final = "pcs status"
MILLION: Final = 1_000_000
"""What counts as endless."""


_ROLE_LISTS: Final = frozenset(("Started", "Masters", "Slaves", "Promoted", "Unpromoted"))
_NODE_STANDINGS: Final[dict[str, NodeStanding]] = {
    "online": "up", "standby": "up", "maintenance": "up", "offline": "down", "pending": "joining", "unclean": "unclean",
    "member": "up", "lost": "down",
}  # fmt: skip
_RESOURCE_STANDINGS: Final[dict[str, ServiceStanding]] = {
    "Started": "online", "Master": "online", "Slave": "online", "Promoted": "online", "Unpromoted": "online",
    "Stopped": "offline",
    "FAILED": "faulted", "Starting": "changing", "Stopping": "changing", "Promoting": "changing",
    "Demoting": "changing", "Migrating": "changing", "Monitoring": "online",
}  # fmt: skip


@parser(
    "pacemaker_status",
    version=12,
    product="gfs2",
    claims=_CLAIM,
    owns=_OWNS,
    commands=("pcs", "crm_mon", "crm", "stonith_admin", "crm_node"),
)
def pacemaker_status(section: OpenSection, out: Output) -> None:
    """``pcs status`` and its kin: nodes, quorum, resources, fencing."""
    for line in section:
        text = line.text.strip().removeprefix("* ")
        if _IS_OF_NODES.match(text):
            section.state["plain lists"] = True
        _count_nodes(section, line, text)
        if _HEADING.match(text) is not None:
            section.state["fencing"] = _FENCING_LISTS.get(text, "")
        if text.startswith("Last updated:"):
            _taken(section, text)
        elif text.startswith("Current DC:"):
            _partition(section, out, line, text)
        elif re.match(_NO_DEVICES, text):
            _event(section, out, line, "stonith-off", None, None, None)
        elif re.match(_NOT_RUNNING, text):
            _event(section, out, line, "cluster-not-running", None, None, None)
        elif _NO_MANAGEMENT in text:
            _event(section, out, line, "cluster-unmanaged", None, None, None)
        elif (daemon := _DAEMON.match(text)) is not None:
            _daemon(section, line, daemon)
        elif section.state.get("plain lists") and _PLAIN_LIST.match(text):
            _listed_plainly(section, out, line, text)
        elif not (
            _node(section, out, line, text) or _fencing(section, out, line, text) or _resource(section, out, line, text)
        ):
            out.ignore()


def _count_nodes(section: OpenSection, line: Line, text: str) -> None:
    """How many nodes are configured, and below their list whether it names as many: one without an entry is none."""
    if (match := _CONFIGURED.match(text)) is not None:
        section.state.update(configured=(line.number, int(match[1])), listed=set())
    elif _BELOW_NODES.match(text) is not None:
        number, count = section.state.pop("configured", (0, 0))
        listed = len(section.state.pop("listed", ()))
        if 0 < listed < count:
            section.add(
                Event,
                number,
                source=SOURCE,
                kind="nodes-not-listed",
                about=f"{count - listed} of {count}",
                text=f"{count} nodes configured, {listed} listed",
            )


def _daemon(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A daemon of the cluster, whether it runs and whether it starts with the system."""
    section.add(Setting, line.number, source=SOURCE, name=f"start of unit {match[1]}", value=match[3])
    standing: ServiceStanding = "online"
    if match[2] == "inactive":
        standing = "missing" if match[3] == "enabled" and match[1] != "pcsd" else "disabled"
    section.add(
        ServiceState,
        line.number,
        source=SOURCE,
        sort="unit",
        resource=match[1],
        state=f"{match[2]}/{match[3]}",
        standing=standing,
    )


def _taken(section: OpenSection, text: str) -> None:
    """When it was taken, and where the release prints it."""
    if found := find_instant(text):
        section.stamp(found[0])
        if match := re.match(rf" on ({_NAME})$", text[found[2] :]):
            section.is_on(match[1], renames=True)


def _partition(section: OpenSection, out: Output, line: Line, text: str) -> None:
    match = _DC.match(text)
    if match is None:
        return
    if match[2]:
        out.add(NodeAlias(line=line.number, node=match[1], alias=match[2], kind="id"))
    if match[3]:
        out.add(Version(line=line.number, node=match[1], product="pacemaker", version=match[3]))
    if match[4]:
        quorate = match[4] == "with"
        section.add(
            Quorum,
            line.number,
            source=SOURCE,
            group="cluster",
            state=f"quorate {int(quorate)}",
            quorate=quorate,
        )


def _node(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    if match := _STATE_OF_NODE.match(text):
        if match[2]:
            out.add(NodeAlias(line=line.number, node=match[1], alias=match[2], kind="id"))
        state = match[3].split(",")[0].strip()
        _member(section, out, line, match[1], state)
        if text.startswith("Node") and state.lower() == "online":
            section.state.setdefault("online", set()).add(match[1])
        return True
    if match := _NODE_LISTED.match(text):
        out.add(NodeAlias(line=line.number, node=match[2], alias=match[1], kind="id"))
        _member(section, out, line, match[2], match[3])
        return True
    match = _LIST.match(text)
    if match is None:
        return False
    names: list[str] = []
    for word in match[2].split():
        if (number := _NUMBER.fullmatch(word)) is None:
            names.append(word)
        elif names:
            out.add(NodeAlias(line=line.number, node=names[-1], alias=number[1], kind="id"))
    if "]" not in text:
        out.skip(line, "the list of nodes is cut")
    whole = names if "]" in text else names[:-1]  # the last name of a list that is cut may be cut itself
    if match[1] == "Stopped":
        _stopped_clone(section, line, whole)
    elif match[1] not in _ROLE_LISTS:
        if match[1] == "Online":  # no remote ones, to which few clones are meant to come
            section.state.setdefault("online", set()).update(whole)
        for name in whole:
            _member(section, out, line, name, re.sub("^(?:remote|guest)", "", match[1].lower()))
    return True


def _listed_plainly(section: OpenSection, out: Output, line: Line, text: str) -> None:
    """Nodes of ``pcs status nodes`` in one state; a state that none is in has an empty list."""
    state, _, names = text.partition(":")
    for name in names.split():
        _member(section, out, line, name, state.split()[0].lower())
    if not names.strip():
        out.ignore()


def _stopped_clone(section: OpenSection, line: Line, nodes: Sequence[str]) -> None:
    """Nodes on which a clone does not run: on one that is in the cluster it ought to."""
    clone = section.state.get("clone")
    for node in nodes if clone else ():
        section.add(
            ServiceState,
            line.number,
            source=SOURCE,
            sort="resource",
            resource=clone,
            on=node,
            state="Stopped",
            standing="missing" if node in section.state.get("online", ()) else "offline",
        )


def _member(section: OpenSection, out: Output, line: Line, name: str, state: str) -> None:
    word = state.lower().split(" ")[0]
    if _ASIDE.search(state.lower()) is not None:
        _event(section, out, line, "node-standby", name, None, None)
    section.state.setdefault("listed", set()).add(name)
    section.add(
        ClusterMember,
        line.number,
        source=SOURCE,
        member=name,
        layer="membership",
        state=state,
        standing=_NODE_STANDINGS.get(word, "unknown"),
    )


def _fencing(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    if match := _FENCED.match(text):
        about, good, pending = match[2], match[3] == "successful", match[3] == "pending"
        if not good and "a later attempt" in match[4] and "succeeded" in match[4]:
            return False  # the tool itself says that it is over
    elif match := _DONE.match(text):
        about, good, pending = match[2], match[1] in ("was able to", "were able to"), match[1] == "wishes to"
    elif (match := _FENCED_BY.match(text)) and (result := match["result"] or section.state.get("fencing")):
        about, good, pending = match[1], result in ("successful", "succeeded"), result == "pending"
    else:
        return False
    found = find_instant(text)
    kind = "fence-pending" if pending else "fence-result" if good else "fence-failed"
    _event(section, out, line, kind, about, found[0] if found else None, 0.0 if good else None)
    return True


def _resource(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    if _PASSED.match(text) is not None:
        out.everyday()
        return True
    if match := _FAILED.match(text) or _RETURNED.match(text) or _FAILED_OLD.match(text):
        found = find_instant(match["rest"])
        _event(
            section,
            out,
            line,
            "resource-failed",
            match["resource"],
            found[0] if found else None,
            None,
            on=match["node"],
        )
        return True
    if _summed(section, out, line, text):
        return True
    if (clone := _CLONE.match(text)) is not None:
        section.state["clone"] = clone[1]
        if "(unmanaged" in text and section.state.get("aside") != clone[1]:
            section.state["aside"] = clone[1]
            _event(section, out, line, "resource-unmanaged", clone[1], None, None)
        out.frame()
        return True
    match = _OF_RESOURCE.match(text)
    if match is None:
        return False
    runs = _RUNS.match(match[3])
    state = match[3].strip()
    if runs is None and any(role.startswith(state) for role in _ROLES.split("|")):
        out.skip(line, "the row of a resource is cut before its state")
    nodes: list[str] | list[None] = [None]
    if runs is not None:
        state = f"{runs['roles']} {' '.join((runs['before'] + runs['flags']).split())}".strip()
        nodes = (runs["several"] or runs["one"] or "").split() or [None]
    if "unmanaged" in state:
        _event(section, out, line, "resource-unmanaged", match[1], None, None)
    for node in nodes:
        section.add(
            ServiceState,
            line.number,
            source=SOURCE,
            sort="resource",
            resource=match[1],
            resource_type=match[2],
            on=node,
            state=state,
            standing=_standing(section, match[2], state) if runs is not None else "unknown",
        )
    return True


def _summed(section: OpenSection, out: Output, line: Line, text: str) -> bool:
    """A row of the failures that are counted, below the node on which they happened: as many as are allowed keep the
    resource away from it.
    """
    if (node := _SUMMED_NODE.match(text)) is not None:
        section.state["summed"] = node[1]
        out.frame()
        return True
    match = _SUMMED.match(text)
    if match is None or match["fails"] == "0":
        return False
    found = find_instant(match["rest"])
    at = found[0] if found else None
    is_away = match["fails"] == "INFINITY" or _number(match["fails"]) >= _number(match["most"])
    kind = "resource-failed" if is_away else "resource-failures-kept"
    _event(section, out, line, kind, match["resource"], at, None, on=section.state.get("summed"))
    return True


def _number(text: str) -> int:
    return MILLION if text == "INFINITY" else int(text)


def _standing(section: OpenSection, resource_type: str, state: str) -> ServiceStanding:
    """A fencing device that is stopped and not put aside fences nobody; what is blocked the cluster touches no more."""
    words = re.findall(r"[\w:-]+", state)
    if "FAILED" in words or "blocked" in words:
        return "faulted"
    if any(word in words for word in _PUT_ASIDE):
        return "disabled"
    role = next((word for word in words if word != "ORPHANED"), "")
    if role == "Stopped" and resource_type.startswith("stonith:"):
        return "faulted"
    if role == "Stopped" and section.state.get("online"):
        return "missing"
    return _RESOURCE_STANDINGS.get(role, "unknown")


def _event(
    section: OpenSection,
    out: Output,
    line: Line,
    kind: str,
    about: str | None,
    when: Instant | None,
    value: float | None,
    on: str | None = None,
) -> None:
    section.add(
        Event,
        line.number,
        node=on or section.node,
        at=when.us if when else None,
        zone_min=when.zone_min if when else None,
        source="pacemaker",
        kind=kind,
        about=about,
        value=value,
        weight="notice" if kind == "fence-result" else "",  # a list of the past: what succeeded is no news
        text=line.text.strip()[:400],
    )
