"""One pod or node of Kubernetes: ``kubectl describe pod``, ``kubectl describe node``; ``oc`` likewise.

    Name:             mailq-0                        Conditions:
    Node:             pike4/10.9.8.7                   Type              Status
    Containers:                                        Ready             False
      post:                                          Conditions:
        State:          Waiting                        Type            Status  LastHeartbeatTime   Reason
          Reason:       CrashLoopBackOff               Ready           Unknown Tue, 03 Jun 2031..  NodeStatusUnknown
        Last State:     Terminated                     DiskPressure    False   Tue, 03 Jun 2031..  KubeletHasNoDisk..
          Reason:       OOMKilled
        Ready:          False
        Restart Count:  41

Yields ``ListedState`` per container, with how it ended last, and per condition that is not as it should be. Events
below have a reader of their own; further properties are everyday. Tolerated: left-out parts, which is why an
indented line counts as one of them. Source: kubectl(1), as recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records.states import ListedStanding, ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_NAME: Final = r"[a-z0-9][\w.-]{0,252}"
_TOP: Final = (
    r"(?:Name|Namespace|Priority(?: Class Name)?|Service Account|Node|Start Time|Labels|Annotations|Status|IPs?"
    r"|Controlled By|(?:Init )?Containers|Conditions|Volumes|QoS Class|Node-Selectors|Tolerations|Roles"
    r"|CreationTimestamp|Taints|Unschedulable|Lease|Addresses|Capacity|Allocatable|System Info|PodCIDRs?|ProviderID"
    r"|Non-terminated Pods|Allocated resources|Reason|Message|SeccompProfile|Security Context)"
)
_CLAIMS: Final = (
    r"(?:Node-Selectors|QoS Class|Controlled By|Priority Class Name|Service Account|Restart Count|Last State|Start Time"
    r"|(?:Init )?Containers|Unschedulable|CreationTimestamp|Tolerations|Namespace):(?:\s{1,60}\S.{0,400})?$"
    r"|State:\s{1,40}(?:Running|Waiting|Terminated)$"
    r"|(?:Initialized|Ready|ContainersReady|PodScheduled|PodReadyToStartContainers)\s{1,40}(?:True|False)\s{0,8}$"
    r"|(?:Ready|MemoryPressure|DiskPressure|PIDPressure|NetworkUnavailable)\s{1,20}(?:True|False|Unknown)\s{1,20}[A-Z][a-z]{2},"
)
_KNOWN = re.compile(rf"{_TOP}:(?:\s|$)|{_CLAIMS}")
_EVENTS = re.compile(r"Events:")
_CONTAINER = re.compile(rf"({_NAME}):$")
_PAIR = re.compile(r"(?P<name>[A-Z][A-Za-z -]{1,40}?):(?:\s{1,60}(?P<value>\S.{0,400}))?$")
_CONDITION = re.compile(
    r"(?P<name>[A-Z][A-Za-z]{3,60})\s{1,40}(?P<value>True|False|Unknown)(?:\s{1,20}(?P<rest>\S.{0,600}))?$"
)
_REASON = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]{1,20}){1,8}\b")
_HELD_BACK: Final = ("ContainerCreating", "PodInitializing", "Completed")
_PRESSED: Final = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
_WANTED: Final = ("Ready", "Initialized", "ContainersReady", "PodScheduled")


@dataclass(slots=True)
class _Container:
    """What was told of one container so far."""

    name: str
    number: int
    state: str = ""
    last: str = ""
    why: str = ""
    ready: str = ""
    restarts: str = "0"
    below: str = ""


def _owns(text: str, before: str) -> bool:
    body = text.strip()
    if _EVENTS.match(body) is not None:
        return False
    return _KNOWN.match(body) is not None or (text[:2] == "  " and bool(before.strip()))


@parser(
    "kube_described",
    version=1,
    product="",
    claims=_CLAIMS,
    owns=_owns,
    commands=("kubectl", "oc"),
    places=r"\b(?:kubectl|oc)\b.{0,80}\bdescribe\b",
)
def kube_described(section: OpenSection, out: Output) -> None:
    """States of containers, and conditions that are not met."""
    shown: _Container | None = None
    part = ""
    for line in section:
        text = line.text.strip()
        is_top = not line.text[:1].isspace()
        pair = _PAIR.match(text)
        if is_top and pair is not None:
            _settle(section, shown)
            shown, part = None, pair["name"]
            if pair["name"] == "Name":
                section.state["pod"] = pair["value"]
        elif (
            part.endswith("Containers")
            and (begun := _CONTAINER.match(text)) is not None
            and len(_margin(line.text)) < 4
        ):
            _settle(section, shown)
            shown = _Container(begun[1], line.number)
        elif shown is not None and pair is not None:
            _take(shown, pair["name"], (pair["value"] or "").strip(), line.number)
        elif part == "Conditions" and (condition := _CONDITION.match(text)) is not None:
            _condition(section, line.number, condition)
        out.everyday()
    _settle(section, shown)


def _described(section: OpenSection) -> str | None:
    """The pod or node by its own name, else as the command names it."""
    named: str | None = section.state.get("pod")
    if named is None and section.command is not None and "describe" in section.command.args:
        at = section.command.args.index("describe")
        named = next((word for word in section.command.args[at + 2 :] if not word.startswith("-")), None)
    return named


def _margin(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _take(shown: _Container, name: str, value: str, number: int) -> None:
    """One property of a container."""
    if name == "State":
        shown.state, shown.below, shown.number = value, "state", number
    elif name == "Last State":
        shown.last, shown.below = value, "last"
    elif name == "Reason" and shown.below == "state":
        shown.state = value
    elif name in ("Reason", "Exit Code") and shown.below == "last":
        shown.why = f"{shown.why}, {name.lower()} {value}" if shown.why else value
    elif name == "Ready":
        shown.ready = value
    elif name == "Restart Count":
        shown.restarts = value


def _settle(section: OpenSection, shown: _Container | None) -> None:
    """All of a container was shown."""
    if shown is None or not shown.state:
        return
    is_up = shown.state == "Running"
    standing: ListedStanding = "good" if is_up or shown.state == "Completed" else "wrong"
    if (shown.state in _HELD_BACK and standing == "wrong") or (is_up and shown.ready == "False"):
        standing = "hint"
    state = f"{shown.state}, not ready" if is_up and shown.ready == "False" else shown.state
    if shown.why:
        state = f"{state} (before: {shown.why})"
    pod = _described(section)
    section.add(
        ListedState,
        shown.number,
        source="kubectl describe",
        name=f"container {shown.name} of {pod}" if pod else f"container {shown.name}",
        state=state,
        standing=standing,
        row=f"container {shown.name}, restarts {shown.restarts}",
    )


def _condition(section: OpenSection, number: int, found: re.Match[str]) -> None:
    name, value = found["name"], found["value"]
    is_harm = (name in _PRESSED and value == "True") or (name in _WANTED and value != "True")
    if not is_harm and name not in _PRESSED + _WANTED:
        return
    reason = _REASON.search(found["rest"] or "")
    pod = _described(section)
    standing: ListedStanding = "good" if not is_harm else "wrong" if reason is not None or name in _PRESSED else "hint"
    shown = f"{name} {value}"
    section.add(
        ListedState,
        number,
        source="kubectl describe",
        name=pod,
        state=f"{shown} ({reason[0]})" if reason is not None and is_harm else shown,
        standing=standing,
        row=shown,
    )
