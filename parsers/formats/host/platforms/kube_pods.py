"""Pods of Kubernetes: ``kubectl get pods``, also of all namespaces and wide; ``oc`` likewise.

    NAMESPACE   NAME      READY   STATUS             RESTARTS        AGE   IP          NODE
    post        mailq-0   1/1     Running            0               3d    10.1.1.2    pike3
    post        mailq-1   0/2     CrashLoopBackOff   41 (3m15s ago)  3d    10.1.1.3    pike4

Yields ``ListedState`` per pod. One that starts or ends, and one that runs and is not ready, is a hint; one that
starts for more than ten minutes is wrong. Ages are no moments. Tolerated: any gaps, columns left out behind the age.
Source: kubectl(1), as recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records.states import ListedStanding, ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_WRONG: Final = re.compile(
    r"Error|Err[A-Z]|BackOff|OOMKilled|Evicted|Failed|Unknown|NodeLost|Invalid|ContainerCannotRun|DeadlineExceeded|Lost"
)
_STATES: Final = (
    r"(?:Init:)?(?:Running|Pending|Completed|Succeeded|Terminating|Error|CrashLoopBackOff|ImagePullBackOff|ErrImagePull"
    r"|ErrImageNeverPull|OOMKilled|Evicted|Failed|Unknown|NodeLost|ContainerCreating|PodInitializing|NotReady|Unschedulable"
    r"|CreateContainerConfigError|CreateContainerError|RunContainerError|InvalidImageName|ContainerCannotRun|SchedulingGated"
    r"|DeadlineExceeded|ContainerStatusUnknown|Terminated|StartError|\d{1,3}/\d{1,3})"
)
_BEGINNING: Final = re.compile(r"(?:Init:.*|ContainerCreating|PodInitializing|Pending)$")
_LONGEST_START: Final = 600
"""Seconds in which a pod has its volumes and its image; beyond that something keeps it from them."""
_PARTS: Final = re.compile(r"(\d{1,5})([smhdy])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "y": 31_536_000}
_AGE: Final = r"(?:(?:\d{1,5}[smhdy]){1,3}|<\w{4,12}>)"


def _seconds(age: str) -> int:
    return sum(int(count) * _SECONDS[unit] for count, unit in _PARTS.findall(age))


def _pod(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    ready, of = found["ready"].split("/")
    state = found["state"]
    standing: ListedStanding = "good" if state in ("Completed", "Succeeded") else "hint"
    if state == "Running" and int(ready) >= int(of):
        standing = "good"
    elif _WRONG.search(state) is not None:
        standing = "wrong"
    elif _BEGINNING.match(state) and _seconds(found["age"]) >= _LONGEST_START:
        state, standing = f"{state} for {found['age']}", "wrong"
    section.add(
        ListedState,
        line.number,
        source="kubectl get pods",
        name=found["name"],
        state=state,
        standing=standing,
        row=f"NAME {found['name']}, READY {found['ready']}, STATUS {found['state']}, RESTARTS {found['restarts']}",
    )


_ROWS: Final = Rows(
    heading("headings", r"(?:NAMESPACE\s{1,60})?NAME\s{1,120}READY\s{1,12}STATUS\s{1,40}RESTARTS\s{1,30}AGE\b"),
    Row(
        "pod",
        rf"(?:(?!pods?/)[a-z0-9][\w.-]{{0,62}}\s{{1,60}})?(?P<name>(?:pods?/)?[a-z0-9][\w.-]{{0,252}})\s{{1,120}}"
        rf"(?P<ready>\d{{1,3}}/\d{{1,3}})\s{{1,20}}(?P<state>{_STATES})\s{{1,40}}"
        rf"(?P<restarts>\d{{1,7}})(?: \({_AGE} ago\))?\s{{1,30}}(?P<age>{_AGE})(?:\s.{{0,400}})?$",
        _pod,
    ),
    everyday("no pods", r"No resources found(?: in \S{1,80} namespace)\.?$"),
)


@parser("kube_pods", version=2, product="", rows=_ROWS, commands=("kubectl", "oc"))
def kube_pods(section: OpenSection, out: Output) -> None:
    """``kubectl get pods``: which of them run."""
    _ROWS.read(section, out, "no pod with its state")
