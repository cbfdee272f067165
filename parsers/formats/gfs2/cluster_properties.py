"""``pcs property``, ``crm configure show`` and ``crm_attribute``: options of a Pacemaker cluster; what
``pcs constraint``, ``pcs stonith level``, ``pcs config`` and ``crm configure show`` print beside them.

    Cluster Properties: cib-bootstrap-options            property cib-bootstrap-options: \\
      no-quorum-policy=freeze                                    no-quorum-policy=freeze \\
      stonith-enabled: false                                     stonith-enabled=false

Yields ``Setting`` for each option, and ``FencingSwitch`` for ``stonith-enabled``. No times. Tolerated: any order, any
option in lower case; of the rows of ``pcs config`` those of attributes and operations are values of the resource above
them. Source: pacemaker-schedulerd(7), pcs(8).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from parsers.formats.gfs2.pacemaker_xml import OF_LOCKS
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Event, Setting
from parsers.records.states import FencingSwitch
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.text import Line

_KNOWN: Final = (
    r"(?:stonith-[a-z-]{4,24}|no-quorum-policy|cluster-infrastructure|cluster-name|dc-version|have-watchdog"
    r"|maintenance-mode|symmetric-cluster|cluster-recheck-interval|concurrent-fencing|start-failure-is-fatal"
    r"|cluster-delay|priority-fencing-delay|fence-reaction|last-lrm-refresh|enable-acl|shutdown-lock"
    r"|batch-limit|migration-limit|node-health-strategy|placement-strategy|startup-fencing|default-resource-stickiness)"
)
_TITLE: Final = (
    r"(?:Cluster Properties:|(?:property|rsc_defaults|op_defaults) (?:\$id=\S{1,60}|[\w.-]{1,60}:)\s{0,8}\\?$)"
)
_PAIR = re.compile(
    r"(?P<name>[a-z][a-z0-9-]{2,60})\s{0,4}[=:]\s{0,4}\"?(?P<value>[^\"\\\s][^\"\\]{0,200}?)\"?\s{0,4}\\?$"
)
_TEXT_KEPT: Final = 400
_SWITCH: Final[dict[str, Literal["on", "off"]]] = {
    "false": "off", "no": "off", "off": "off", "0": "off", "true": "on", "yes": "on", "on": "on", "1": "on",
}  # fmt: skip


@parser(
    "cluster_properties",
    version=2,
    product="gfs2",
    claims=rf"(?:{_TITLE}|{_KNOWN}\s{{0,4}}[=:]\s{{0,4}}\S)",
    owns=rf"(?:{_TITLE}|[a-z][a-z0-9-]{{2,60}}\s{{0,4}}[=:]\s{{0,4}}\S)",
    commands=("pcs", "crm", "crm_attribute"),
)
def cluster_properties(section: OpenSection, out: Output) -> None:
    """``pcs property``: options of the cluster."""
    for line in section:
        text = line.text.strip()
        pair = _PAIR.match(text)
        if re.match(_TITLE, text):
            out.frame()
        elif pair is None:
            out.skip(line, "no option with its value")
        else:
            section.add(Setting, line.number, source="pcs property", name=pair["name"], value=pair["value"])
            if pair["name"] == "maintenance-mode" and _SWITCH.get(pair["value"].lower()) == "on":
                section.add(Event, line.number, source="pacemaker", kind="cluster-unmanaged", text=text[:_TEXT_KEPT])
            if pair["name"] == "no-quorum-policy" and pair["value"].lower() == "ignore":
                section.add(Event, line.number, source="pacemaker", kind="quorum-ignored", text=text[:_TEXT_KEPT])
            if pair["name"] == "stonith-enabled":
                section.add(
                    FencingSwitch,
                    line.number,
                    source="pcs property",
                    state=f"{pair['name']}={pair['value']}",
                    standing=_SWITCH.get(pair["value"].lower(), "unknown"),
                )


def _constraint(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(Setting, line.number, source="pcs constraint", name="constraint", value=found["value"].strip())


def _levelled(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.state["of"] = found["of"]


def _level(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    of = section.state.get("of")
    name = f"fence {found['name'].lower()}{f' of {of}' if of else ''}"
    section.add(Setting, line.number, source="pcs stonith level", name=name, value=found["value"].strip())


def _device(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.state.update(of=found["of"], is_of_locks=_OF_LOCKS.search(found["value"]) is not None)
    section.add(
        Setting, line.number, source="pcs config", scope=found["of"], name="resource type", value=found["value"]
    )


def _of_device(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put_part(section, line, found, "pcs config")


_OF_LOCKS: Final = re.compile(rf"\b(?:{'|'.join(sorted(OF_LOCKS))})\b")
_IGNORES: Final = re.compile(r"\bon-fail=\"?ignore\b")


def _ignored(section: OpenSection, line: Line, text: str) -> None:
    """An operation of what a cluster file system stands on, whose failure is to be ignored."""
    if _IGNORES.search(text) is not None and section.state.get("of"):
        about = section.state["of"]
        section.add(Event, line.number, source="pacemaker", kind="failure-ignored", about=about, text=text[:_TEXT_KEPT])


def _put_part(section: OpenSection, line: Line, found: re.Match[str], source: str) -> None:
    """A property of the thing that was named above it."""
    if section.state.get("is_of_locks"):
        _ignored(section, line, found[0])
    section.add(
        Setting,
        line.number,
        source=source,
        scope=section.state.get("of"),
        name=found["name"],
        value=found["value"].strip(),
    )


_ID: Final = r"[A-Za-z0-9][\w.:-]{0,80}"
_NAMES = re.compile(r"[A-Za-z0-9][\w.-]{0,80}(?: [A-Za-z0-9][\w.-]{0,80}){0,63}$")
_CONFIGURED: Final = Rows(
    Row(
        "order",
        rf"(?P<value>(?:start|promote|stop|set|resource) '?{_ID}'? .{{0,200}}\b(?:then|set)\b .{{1,200}})$",
        _constraint,
    ),
    Row("colocation", rf"(?P<value>{_ID} with {_ID} \(.{{1,120}})$", _constraint),
    Row("place", r"(?P<value>(?:Enabled on|Disabled on|Prefers|Avoids|resource '\S{1,80}' ).{1,200})$", _constraint),
    Row("fence level", r"(?P<name>Level \d{1,3}) - (?P<value>\S.{0,200})$", _level),
    Row("device", rf"(?:Resource|Fence device): (?P<of>{_ID}) \((?P<value>class=.{{1,160}})\)$", _device),
    Row(
        "values of a device",
        r"(?P<name>Attributes|Meta Attrs|Meta Attributes|Operations): (?P<value>\S{1,200}(?:=| interval="
        r"|-interval-).{0,1000})$",
        _of_device,
        opens=False,
    ),
    Row(
        "operation",
        r"(?P<name>(?:monitor|start|stop|promote|demote|notify|validate-all|reload|meta-data)): "
        r"(?P<value>[\w.:-]{1,160}-interval-\w{1,20})$",
        _of_device,
        opens=False,
    ),
    Row("title", r"(?:Location|Order(?:ing)?|Colocation|Ticket) Constraints:|Fencing Levels:", fate=Fate.FRAME),
    Row(
        "title of a part",
        r"(?:Cluster (?:Status|Nodes|Name):|Corosync Nodes:|Pacemaker Nodes:|Resources:|Stonith Devices:|Fence Devices:"
        r"|Alerts:|Tags?:|Quorum:|Resources Defaults:|Operations Defaults:|Node Utilization:|Options:"
        r"|No (?:defaults|alerts|tags|resources) .{1,40}|(?:Clone|Group|Resource): [\w.:-]{1,80}"
        r"|(?:Attributes|Meta Attrs|Meta Attributes|Operations|Options):)\s{0,8}[\w.:-]{0,120}$",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("value", r"(?P<name>[a-z][\w-]{1,60})=(?P<value>\S.{0,400})$", _of_device, opens=False),
    Row("target of levels", rf"(?:Node|Target):? (?P<of>{_ID})$", _levelled, fate=Fate.FRAME, opens=False),
    Row("names of nodes", _NAMES.pattern, fate=Fate.FRAME, opens=False),
)  # fmt: skip


def _owns_configured(text: str, before: str) -> bool:
    """A line of names belongs to it below the title that announces nodes."""
    is_names = _NAMES.match(text.strip()) is not None and not text.lstrip().startswith(("Node ", "Target ", "No "))
    return before.rstrip().endswith("Nodes:") if is_names else _CONFIGURED.owns(text, before)


@parser(
    "cluster_constraints",
    version=2,
    product="gfs2",
    claims=_CONFIGURED.claims,
    owns=_owns_configured,
    commands=("pcs",),
    places=(
        r"\bpcs (?:constraint|config|stonith (?:level|config|show)|resource (?:config|show)|cluster (?:config"
        r"|status))\b"
    ),
)
def cluster_constraints(section: OpenSection, out: Output) -> None:
    """Rules on places and order, levels of fencing, and how resources are set up."""
    _CONFIGURED.read(section, out, "no rule, level or value of a resource")


def _crm_resource(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    is_of_locks = found["what"] == "primitive" and _OF_LOCKS.search(found["value"]) is not None
    section.state.update(of=found["of"], is_of_locks=is_of_locks)
    if is_of_locks:
        _ignored(section, line, found["value"])
    section.add(
        Setting,
        line.number,
        source="crm configure",
        scope=found["of"],
        name="resource type" if found["what"] in ("primitive", "rsc_template") else found["what"],
        value=found["value"].strip(),
    )


def _crm_rule(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(Setting, line.number, source="crm configure", name="constraint", value=found["value"].strip())


def _crm_part(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _put_part(section, line, found, "crm configure")


_ON: Final = r"\s{0,4}\\?$"
_CRM: Final = Rows(
    Row(
        "resource",
        rf"(?P<what>primitive|rsc_template) (?P<of>{_ID}) "
        rf"(?P<value>(?:@|[a-z]{{2,10}}:)?[A-Za-z][\w:/.-]{{1,80}}"
        rf"(?: (?:params|op|meta|operations) [^\\]{{1,1000}})?){_ON}",
        _crm_resource,
    ),
    Row(
        "group of resources",
        rf"(?P<what>group|clone|ms|master|tag|bundle) (?P<of>{_ID}) (?P<value>{_ID}[^\\]{{0,400}}?){_ON}",
        _crm_resource,
        opens=False,
    ),
    Row(
        "rule",
        rf"(?P<value>(?:(?:location|colocation|order|rsc_ticket) {_ID} \S|fencing_topology\b)[^\\]{{0,400}}?){_ON}",
        _crm_rule,
        opens=False,
    ),
    Row(
        "part",
        rf"(?P<name>params|op|meta|operations|utilization|attributes) (?P<value>\S[^\\]{{0,600}}?){_ON}",
        _crm_part,
        opens=False,
    ),
    Row("node", rf"node (?:\d{{1,10}}: ?)?{_ID}{_ON}", fate=Fate.FRAME, opens=False),
    Row("values", rf"[a-z][\w-]{{1,60}}=\S[^\\]{{0,400}}{_ON}", fate=Fate.EVERYDAY, opens=False),
)


@parser(
    "crm_configuration",
    version=2,
    product="gfs2",
    claims=_CRM.claims,
    owns=_CRM.owns,
    commands=("crm",),
    places=r"\bcrm configure(?: show)?\b|\bcrm_report\b|(?:^|/)crm\.txt$",
)
def crm_configuration(section: OpenSection, out: Output) -> None:
    """``crm configure show``: nodes, resources and rules as crmsh writes them."""
    _CRM.read(section, out, "no node, resource or rule")
