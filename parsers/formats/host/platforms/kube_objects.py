"""Objects of Kubernetes in JSON or YAML: conditions, states of containers, phases. No parser of its own.

    kubectl get pod mailq-0 -o yaml
    metadata:                               status:
      name: mailq-0                           conditions:
    spec:                                     - lastTransitionTime: "2031-04-03T04:11:20Z"
      nodeName: pike4                           status: "False"
    status:                                     type: Ready
      containerStatuses:                      phase: Running
      - name: post
        ready: false
        restartCount: 41
        state:
          waiting:
            reason: CrashLoopBackOff

Yields ``ListedState``. An object is known by keys that only those of Kubernetes have;
the name above it says whose it is.
Source: the reference of the API of Kubernetes, v1: Pod, Node, PersistentVolumeClaim.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from parsers.grammars.json_walk import Opened, Scalar
from parsers.records import NodeAlias
from parsers.records.states import ListedStanding, ListedState
from parsers.sections.open_section import OpenSection

Values = Mapping[str, Scalar]
ROW_KEPT: Final = 400
_GOOD_CONDITIONS: Final = re.compile(r"\w{0,40}(?:Ready|Available|Healthy|Reachable|Initialized|Synced|Scheduled)$")
_BAD_CONDITIONS: Final = re.compile(
    r"\w{0,40}(?:Pressure|Unavailable|Problem|Failure|Failed|Degraded|Paused|Deadlock|Corruption|ReadonlyFilesystem|Offline)$"
)
_OF_BAD: Final[dict[str, ListedStanding]] = {"false": "good", "unknown": "hint", "true": "wrong"}
"""Nobody knows of a node that gives no sign of life whether its disks are full: that it is not ready says more."""
_ENDED: Final = re.compile(r"\w{0,20}(?:Completed|Succeeded|Terminating|Deleting|Stopped)\w{0,20}$")
_STARTS: Final = ("ContainerCreating", "PodInitializing")
_PHASES: Final[dict[str, ListedStanding]] = {
    **dict.fromkeys(("Running", "Succeeded", "Bound", "Available", "Active"), "good"),
    **dict.fromkeys(("Pending", "Released"), "hint"),
    **dict.fromkeys(("Failed", "Unknown", "Lost"), "wrong"),
}
_STATES: Final = ("waiting", "terminated", "running")
_WHOSE: Final = "kubernetes"
_NODE: Final = "kubernetes node"
_LABEL: Final = "kubernetes host"
_CONTAINER: Final = "kubernetes container"


def put_kube(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool | None:
    """Put what an object of Kubernetes says: whether there was something to say, or None where it is no such object."""
    if found.key == "labels" and isinstance(label := values.get("kubernetes.io/hostname"), str):
        section.state[_LABEL] = label
        return False
    if found.key == "metadata" and isinstance(named := values.get("name"), str):
        label = section.state.pop(_LABEL, None)
        if not around or _is_thing(around[-1]):
            section.state[_WHOSE] = named
            section.state.pop(_NODE, None)
            if label is not None and named.startswith(f"{label}."):  # a node and the name of its host
                section.add(NodeAlias, found.line, node=label, alias=named, kind="name")
        return False
    if isinstance(named := values.get("nodename"), str) and "containers" not in values:
        section.state[_NODE] = named
    if found.key in _STATES and around and around[-1].key in ("state", "lastState"):
        section.state.setdefault(_CONTAINER, {})[around[-1].key] = (found.key, values)
        return False
    if "restartcount" in values and isinstance(values.get("ready"), bool):
        return _put_container(section, found, values)
    if (condition := _condition(values)) is not None:
        _put_condition(section, found, condition, values)
        return True
    if found.key == "status" and (standing := _PHASES.get(str(values.get("phase")))) is not None:
        _put_phase(section, found, values, standing)
        return True
    return None


def _is_thing(opened: Opened) -> bool:
    return opened.is_list or "kind" in opened.values or "apiVersion" in opened.values


def _whose(section: OpenSection) -> str:
    return section.state.get(_WHOSE) or "an object"


def _put(section: OpenSection, number: int, name: str, state: str, standing: ListedStanding, row: str) -> None:
    section.add(
        ListedState,
        number,
        source="",
        name=name[:200],
        state=state[:100],
        standing=standing,
        row=row[:ROW_KEPT],
        on=section.state.get(_NODE),
    )


def _row(values: Mapping[str, Scalar]) -> str:
    return ", ".join(f"{one}: {value}" for one, value in values.items() if value is not None)


def _put_container(section: OpenSection, found: Opened, values: Values) -> bool:
    """A container, with how it stands and how it ended the last time; the states closed before the container does."""
    states = section.state.pop(_CONTAINER, {})
    now, why = states.get("state", ("running" if values["ready"] else "", {}))
    if not now:
        return False
    reason = str(why.get("reason") or now)
    standing: ListedStanding = "wrong"
    if now == "running":
        standing = "good" if values["ready"] else "hint"
        reason = "Running" if values["ready"] else "Running, not ready"
    elif reason == "Completed":
        standing = "good"
    elif reason in _STARTS:
        standing = "hint"
    if standing != "good" and (before := states.get("lastState")) is not None and before[0] == "terminated":
        code = before[1].get("exitcode")
        ended = f"{before[1].get('reason')}{'' if code is None else f', exit code {_whole(code)}'}"
        reason = f"{reason} (before: {ended})"
    name = f"container {values.get('name')} of {_whose(section)}"
    _put(section, found.line, name, reason, standing, f"{name}, restarts {_whole(values['restartcount'])}")
    return True


def _whole(figure: Scalar) -> str:
    """A number without its fraction; whatever else stands in its place as it is."""
    return f"{figure:.0f}" if isinstance(figure, float | int) else f"{figure}"


def _condition(values: Values) -> tuple[str, ListedStanding] | None:
    """A condition by its type and whether it holds; None for any other object."""
    sort, holds = values.get("type"), str(values.get("status")).lower()
    if not isinstance(sort, str) or holds not in ("true", "false", "unknown") or "lasttransitiontime" not in values:
        return None
    is_ended = _ENDED.match(str(values.get("reason") or "")) is not None
    if _GOOD_CONDITIONS.match(sort) is not None and not is_ended:
        return sort, "good" if holds == "true" else "wrong"
    if _BAD_CONDITIONS.match(sort) is not None:
        return sort, _OF_BAD[holds]
    return None


def _put_condition(section: OpenSection, found: Opened, condition: tuple[str, ListedStanding], values: Values) -> None:
    sort, standing = condition
    why = values.get("message") or values.get("reason")
    name = f"condition {sort} of {_whose(section)}"
    state = f"{values.get('status')}{f': {why}'.rstrip(' .') if why and standing == 'wrong' else ''}"
    _put(section, found.line, name, state, standing, _row(found.values))


def _put_phase(section: OpenSection, found: Opened, values: Values, standing: ListedStanding) -> None:
    phase, why = values["phase"], values.get("message") or values.get("reason")
    state = f"{phase}{f': {why}' if why and standing != 'good' else ''}"
    _put(section, found.line, _whose(section), state, standing, f"phase: {phase}")
