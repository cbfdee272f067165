"""State of a Pacemaker cluster as XML: ``crm_mon --output-as=xml``, ``crm_mon --as-xml``, ``pcs status xml``, and the
information base itself (``cibadmin -Q``, ``cib.xml``).

    <current_dc present="true" version="2.1.7-5.el9" name="kite1" id="1" with_quorum="true"/>
    <node name="kite3" id="3" online="false" pending="false" unclean="true" type="member"/>
    <resource id="pool_fs" resource_agent="ocf:heartbeat:Filesystem" role="Started" failed="false">
      <node name="kite1" id="1" cached="true"/>
    </resource>
    <failure op_key="pool_fs_monitor_20000" node="kite1" exitstatus="error" last-rc-change="2026-02-16 00:35:02Z"/>
    <fence_event action="reboot" target="kite3" status="failed" completed="2026-02-16 00:35:02Z"/>
    <node_state id="3" uname="kite3" in_ccm="false" crmd="offline" join="down" expected="member">
    <lrm_rsc_op id="pool_fs_last_failure_0" operation_key="pool_fs_start_0" on_node="kite1" rc-code="1" op-status="0"/>

Yields what the text of these tools yields: ``ClusterMember``, ``Quorum``, ``ServiceState``, ``NodeAlias``, ``Version``,
``FencingSwitch``, and ``Event`` for failures and for fencing. An operation of the base is a failure where its result is
not the one that the transition asked for; of the base also ``Event`` for nodes in standby, for failures that are
counted, and for operations of a lock manager or a file system whose failure is ignored. A copy of a clone that runs
nowhere is not judged: there may be more copies than nodes. Tolerated: elements left out, several on a line. Source:
crm_mon(8), the schema of its output.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records import Event, NodeAlias, Version
from parsers.records.states import ClusterMember, FencingSwitch, NodeStanding, Quorum, ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.times.clock import find_instant

SOURCE: Final = "crm_mon xml"
TEXT_KEPT: Final = 400
_VALUE: Final = r'"[^"\n]{0,800}"'
_ELEMENT = re.compile(
    rf"<(?P<close>/?)(?P<tag>[a-z][a-z_-]{{1,40}})(?P<attrs>(?:\s{{1,8}}[A-Za-z][\w:-]{{0,60}}={_VALUE}){{0,60}})"
    r"\s{0,8}(?P<end>/?)>"
)
_ATTR = re.compile(rf"([A-Za-z][\w:-]{{0,60}})=({_VALUE})")
_OPERATION = re.compile(r"_[a-z-]{3,20}_\d{1,9}$")
_LINE = re.compile(r"</?[a-z][a-z_-]{1,40}(?:[\s/>]|$)|<\?xml ")
_ENDS: Final = ("</pacemaker-result>", "</crm_mon>", "</cib>")
_COPIES: Final = ("clone", "bundle", "replica")


@dataclass(slots=True)
class _Resource:
    line: int
    attrs: Mapping[str, str]
    is_copy: bool
    shown: bool = False


def _owns(text: str, before: str) -> bool:
    """Whether a line is an element, up to the end of the whole."""
    return _LINE.match(text.lstrip()) is not None and not before.strip().startswith(_ENDS)


@parser(
    "pacemaker_xml",
    version=4,
    product="gfs2",
    claims=(
        rf"(?:<(?:pacemaker-result|crm_mon) [^<>\n]{{1,800}}>|<current_dc present=|<fence_event |<failure op_key="
        rf"|<node name={_VALUE} id={_VALUE} online=|<resource id={_VALUE} resource_agent=|<node name={_VALUE}>"
        rf"|<cib (?:[\w-]{{3,30}}={_VALUE} ){{0,12}}(?:crm_feature_set|validate-with|epoch)=|<node_state (?:id|uname)="
        rf"|<lrm_rsc_op id=|<nvpair id={_VALUE} name=\"(?:stonith-enabled|maintenance-mode|no-quorum-policy)\" )"
    ),
    owns=_owns,
    commands=("crm_mon", "pcs", "cibadmin"),
)
def pacemaker_xml(section: OpenSection, out: Output) -> None:
    """Elements of the status, one after the other."""
    for line in section:
        text = line.raw if line.raw.lstrip()[:1] == "<" else line.text
        elements = list(_ELEMENT.finditer(text))
        if not elements and not line.text.lstrip().startswith("<?xml"):
            out.skip(line, "no element")
            continue
        tells = False
        for match in elements:
            tells |= _element(section, out, line.number, match)
        if not tells:
            out.frame()


def _element(section: OpenSection, out: Output, line: int, match: re.Match[str]) -> bool:
    """Whether the element tells something."""
    tag, state = match["tag"], section.state
    if tag in _COPIES:
        depth = state.get("copies", 0)
        state["copies"] = max(0, depth - 1) if match["close"] else depth + (not match["end"])
    held: _Resource | None = state.get("resource")
    if match["close"]:
        if tag == "resource" and held is not None:
            _end(section, held)
        return False
    attrs = {name: text.strip('"') for name, text in _ATTR.findall(match["attrs"])}
    if tag == "resource" and attrs.get("id") and attrs.get("role"):
        held = _Resource(line, attrs, bool(state.get("copies")))
        state["resource"] = held
        if match["end"]:
            _end(section, held)
        return True
    if tag == "node" and attrs.get("name"):
        if held is not None:
            _put(section, held, attrs["name"])
        elif "online" in attrs:
            _node(section, out, line, attrs)
        return held is not None or "online" in attrs
    if tag in _READ:
        _READ[tag](section, out, line, attrs)
    return tag in _READ


def _node(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    if attrs.get("id", "").isdigit():
        out.add(NodeAlias(line=line, node=attrs["name"], alias=attrs["id"], kind="id"))
    is_up = attrs["online"] == "true"
    standing: NodeStanding = "up" if is_up else "down"
    words = [name for name in ("standby", "maintenance", "pending") if attrs.get(name) == "true"]
    if attrs.get("unclean") == "true":
        standing, words = "unclean", [f"UNCLEAN ({'online' if is_up else 'offline'})"]
    elif attrs.get("pending") == "true":
        standing = "joining"
    elif not is_up and attrs.get("type") == "remote" and attrs.get("expected_up") == "false":
        standing = "unknown"  # a guest whose container nobody started
    if "standby" in words or "maintenance" in words:
        _event(section, line, "node-standby", attrs["name"], "", f"{attrs['name']}: {', '.join(words)}")
    section.state["up"] = section.state.get("up", 0) + is_up
    section.add(
        ClusterMember,
        line,
        source=SOURCE,
        member=attrs["name"],
        layer="membership",
        state=", ".join(words) or ("online" if is_up else "offline"),
        standing=standing,
    )


def _end(section: OpenSection, held: _Resource) -> None:
    if _is_unmanaged(held.attrs):
        _event(section, held.line, "resource-unmanaged", held.attrs["id"], "", f"{held.attrs['id']}: unmanaged")
    if not held.shown:
        _put(section, held, None)
    section.state["resource"] = None


def _put(section: OpenSection, held: _Resource, node: str | None) -> None:
    held.shown = True
    attrs = held.attrs
    flags = [name for name in ("failed", "blocked") if attrs.get(name) == "true"]
    section.add(
        ServiceState,
        held.line,
        source=SOURCE,
        sort="resource",
        resource=attrs["id"],
        resource_type=attrs.get("resource_agent"),
        on=node,
        state=" ".join([attrs["role"], *(f"({flag})" for flag in flags)]),
        standing=_standing(section, held),
    )


def _is_unmanaged(attrs: Mapping[str, str]) -> bool:
    return attrs.get("managed") == "false" or attrs.get("maintenance") == "true"


def _standing(section: OpenSection, held: _Resource) -> ServiceStanding:
    attrs = held.attrs
    if "true" in (attrs.get("failed"), attrs.get("blocked")) and attrs.get("failure_ignored") != "true":
        return "faulted"
    if _is_unmanaged(attrs) or attrs.get("target_role", "").lower() == "stopped":
        return "disabled"
    if attrs["role"] != "Stopped":
        return "changing" if attrs["role"].endswith("ing") else "online"
    if held.is_copy:
        return "unknown"
    if attrs.get("resource_agent", "").startswith("stonith:"):
        return "faulted"
    return "missing" if section.state.get("up") else "offline"


def _dc(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    name = attrs.get("name")
    if name and attrs.get("version"):
        out.add(Version(line=line, node=name, product="pacemaker", version=attrs["version"][:60]))
    if "with_quorum" in attrs:
        is_held = attrs["with_quorum"] == "true"
        section.add(Quorum, line, source=SOURCE, group="cluster", state=f"quorate {int(is_held)}", quorate=is_held)


_SWITCH: Final[dict[str, Literal["on", "off"]]] = {"true": "on", "false": "off"}


def _options(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    if (stonith := attrs.get("stonith-enabled")) is not None:
        section.add(
            FencingSwitch,
            line,
            source=SOURCE,
            state=f"stonith-enabled={stonith}",
            standing=_SWITCH.get(stonith.lower(), "unknown"),
        )
    if attrs.get("maintenance-mode") == "true":
        _event(section, line, "cluster-unmanaged", None, "", "maintenance-mode: true")
    if attrs.get("no-quorum-policy") == "ignore":
        _event(section, line, "quorum-ignored", None, "", "no-quorum-policy: ignore")


def _base(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    if "have-quorum" in attrs:
        is_held = attrs["have-quorum"] in ("1", "true")
        section.add(Quorum, line, source=SOURCE, group="cluster", state=f"quorate {int(is_held)}", quorate=is_held)
    if found := find_instant(attrs.get("cib-last-written", "")):
        section.stamp(found[0])


_FAIL_COUNT: Final = re.compile(r"fail-count-(?P<about>[\w.:-]{1,120}?)(?:#[\w-]{2,40})?$")
_ON: Final = ("on", "true", "yes", "1")
_ENDLESS: Final = "INFINITY"
OF_LOCKS: Final = frozenset(("Filesystem", "controld", "lvmlockd", "LVM-activate", "clvm", "o2cb"))
"""Agents of what a cluster file system stands on."""


def _node_entry(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    """An entry of the list of nodes: what follows is set on it."""
    section.state["entry"] = attrs.get("uname")


def _primitive(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    section.state.update(primitive=attrs, entry=None)


def _planned(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    """An operation as it is configured: what is done when it fails."""
    resource: Mapping[str, str] = section.state.get("primitive", {})
    if attrs.get("on-fail") == "ignore" and resource.get("type") in OF_LOCKS and resource.get("id"):
        text = f"{attrs.get('name', 'operation')} of {resource['id']}: on-fail ignore"
        _event(section, line, "failure-ignored", resource["id"], "", text)


def _option(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    """An option of the cluster as the base keeps it, of a node, or of what is known of a node."""
    name, value = attrs.get("name", ""), attrs.get("value", "")
    entry: str | None = section.state.get("entry")
    if name in ("standby", "maintenance") and value.lower() in _ON and (entry or section.state.get("on")):
        _event(section, line, "node-standby", entry or section.state["on"], "", f"{name}: {value}")
    elif (failed := _FAIL_COUNT.match(name)) is not None and value not in ("", "0"):
        kind = "resource-failed" if value == _ENDLESS else "resource-failures-kept"
        _event(section, line, kind, failed["about"], "", f"{name}: {value}", section.state.get("on"))
    if name in ("stonith-enabled", "maintenance-mode", "no-quorum-policy"):
        _options(section, out, line, {name: attrs.get("value", "")})


_AWAY: Final = frozenset(("false", "offline", "0", "down", ""))


def _node_state(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    """A node as the base knows it: whether it is a member, and whether its controller talks."""
    name = attrs.get("uname") or attrs.get("id")
    section.state.update(on=name, entry=None)
    if not name or "in_ccm" not in attrs:
        return
    if attrs.get("id", "").isdigit():
        out.add(NodeAlias(line=line, node=name, alias=attrs["id"], kind="id"))
    is_member = attrs["in_ccm"] not in _AWAY
    is_up = is_member and attrs.get("crmd", "online") not in _AWAY and attrs.get("join", "member") == "member"
    is_planned = not is_member and attrs.get("expected") == "down"
    standing: NodeStanding = "up" if is_up else "unknown" if is_planned else "joining" if is_member else "down"
    section.state["up"] = section.state.get("up", 0) + is_up
    state = "online" if is_up else "pending" if is_member else "offline, as meant" if is_planned else "offline"
    section.add(ClusterMember, line, source=SOURCE, member=name, layer="membership", state=state, standing=standing)


_REQUESTED: Final = re.compile(r"\d{1,9}:\d{1,9}:(?P<result>\d{1,3}):")
_NO_FAILURES: Final = ("0", "7", "8")
"""Results of an operation that are none of failure where nobody says which one was asked for."""


def _operation(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    requested, result = _REQUESTED.match(attrs.get("transition-key", "")), attrs.get("rc-code", "")
    is_as_requested = result in _NO_FAILURES if requested is None else result in (requested["result"], "0")
    if attrs.get("op-status") == "-1" or not result.isdigit() or is_as_requested:
        return
    about = _OPERATION.sub("", attrs.get("operation_key", "") or attrs.get("id", "").removesuffix("_last_failure_0"))
    text = ", ".join(attrs[name] for name in ("operation_key", "exit-reason") if attrs.get(name))
    node = attrs.get("on_node") or section.state.get("on")
    _event(section, line, "resource-failed", about, attrs.get("last-rc-change", ""), f"{text}, result {result}", node)


def _time(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    if found := find_instant(attrs.get("time", "")):
        section.stamp(found[0])


def _event(
    section: OpenSection,
    line: int,
    kind: str,
    about: str | None,
    when: str,
    text: str,
    node: str | None = None,
    value: float | None = None,
) -> None:
    found = find_instant(when)
    at = found[0] if found else None
    section.add(
        Event,
        line,
        node=node or section.node,
        at=at.us if at else None,
        zone_min=at.zone_min if at else None,
        source="pacemaker",
        kind=kind,
        weight="notice" if kind == "fence-result" else "",  # of the past
        about=about,
        value=value,
        text=text[:TEXT_KEPT],
    )


def _failure(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    about = _OPERATION.sub("", attrs.get("op_key", "") or attrs.get("id", ""))
    if about:
        text = ", ".join(attrs[name] for name in ("op_key", "exitstatus", "exitreason") if attrs.get(name))
        _event(section, line, "resource-failed", about, attrs.get("last-rc-change", ""), text, attrs.get("node"))


def _fenced(section: OpenSection, out: Output, line: int, attrs: Mapping[str, str]) -> None:
    target, status = attrs.get("target"), attrs.get("status")
    kinds = {"failed": "fence-failed", "success": "fence-result", "pending": "fence-pending"}
    if target and status in kinds:
        text = f"{attrs.get('action', 'fencing')} of {target}: {status}, {attrs.get('exit-reason', '')}".rstrip(", ")
        value = 0.0 if status == "success" else None
        _event(section, line, kinds[status], target, attrs.get("completed", ""), text, value=value)


_READ: Final = {
    "cib": _base,
    "cluster_options": _options,
    "nvpair": _option,
    "node": _node_entry,
    "primitive": _primitive,
    "op": _planned,
    "node_state": _node_state,
    "lrm_rsc_op": _operation,
    "current_dc": _dc,
    "last_update": _time,
    "failure": _failure,
    "fence_event": _fenced,
}
