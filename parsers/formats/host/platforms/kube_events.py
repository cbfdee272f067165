"""Events of Kubernetes: the table below ``kubectl describe``, and ``kubectl get events``; ``oc`` likewise.

    Type     Reason       Age               From                 Message
    Warning  FailedMount  27s (x8 over 1m)  kubelet, pike4       MountVolume.SetUp failed for volume "pvc-71" : rc 32
    LAST SEEN   TYPE      REASON        OBJECT         MESSAGE
    3m11s       Warning   FailedMount   pod/mailq-0    Unable to attach or mount volumes: unmounted volumes=[data]
    12h   9s   4543   {kubelet pike4}   FailedMount   Unable to mount volumes for pod "mailq-0_post": exit status 32

Yields ``Event`` for what its reason and its message mean (``parsers/messages/kubernetes.toml``). A container that
starts below a failed volume ends the failure. Ages are no moments. The node of a kubelet is that to
which the pod was assigned, where its row does not tell. Source: kubectl(1), as recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import EVERYDAY
from parsers.messages.catalogue import Found, find, weighed
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.text import Line

_AGE: Final = r"(?:(?:\d{1,5}[smhdy]){1,3}|<unknown>|<invalid>)"
_DESCRIBED: Final = (
    rf"(?:Normal|Warning)\s{{1,20}}[A-Z]\w{{3,60}}\s{{1,40}}{_AGE}(?: \(x\d{{1,9}} over {_AGE}\))?\s{{1,40}}\S"
)
_LISTED: Final = (
    rf"(?:[a-z][\w.-]{{0,62}}\s{{1,40}})?{_AGE}(?: \(x\d{{1,9}} over {_AGE}\))?\s{{1,40}}(?:Normal|Warning)\s{{1,40}}"
    r"[A-Z]\w{3,60}\s{1,60}[a-z]{2,40}/\S"
)
_COUNTED: Final = rf"{_AGE}\s{{1,40}}{_AGE}\s{{1,40}}\d{{1,9}}\s{{1,60}}(?:\{{[a-z]|[a-z][\w-]{{2,60}}[,\s])"
_HEADING: Final = (
    r"Type\s{1,40}Reason\s{1,60}Age\s{1,60}From\s{1,160}Message"
    r"|(?:NAMESPACE\s{1,40})?LAST SEEN\s{1,40}TYPE\s{1,40}REASON\b"
    r"|(?:FirstSeen|FIRSTSEEN)\s{1,40}(?:LastSeen|LASTSEEN)\s|[-\u2500]{9}\s{1,40}[-\u2500]{8}\s{1,40}[-\u2500]{5}\s"
    r"|-{4}\s{1,40}-{6}\s{1,60}-{3,4}\s{1,60}-{4}\s{1,160}-{7}"
)
_CLAIMS: Final = rf"{_DESCRIBED}|{_LISTED}|{_COUNTED}|{_HEADING}|Events:\s{{0,20}}(?:<none>)?$"
_ROW = re.compile(
    rf"(?P<type>Normal|Warning)\s{{1,20}}(?P<reason>[A-Z]\w{{3,60}})\s{{1,40}}{_AGE}(?: \(x\d{{1,9}} over {_AGE}\))?"
    r"\s{1,40}(?P<from>[\w./-]{1,120}(?:, (?P<node>[A-Za-z0-9][\w.-]{0,252}))?)\s{1,160}(?P<text>\S.{0,4000})"
)
_ROW_LISTED = re.compile(
    rf"(?:[a-z][\w.-]{{0,62}}\s{{1,40}})?{_AGE}(?: \(x\d{{1,9}} over {_AGE}\))?\s{{1,40}}(?P<type>Normal|Warning)"
    r"\s{1,40}(?P<reason>[A-Z]\w{3,60})\s{1,60}(?P<from>[a-z]{2,40}/(?P<node>\S{1,252}))\s{1,60}(?P<text>\S.{0,4000})"
)
_ROW_COUNTED = re.compile(
    rf"{_AGE}\s{{1,40}}{_AGE}\s{{1,40}}\d{{1,9}}\s{{1,60}}"
    r"(?P<from>\{?[\w-]{2,60}(?:(?:, ?| )(?P<node>[A-Za-z0-9][\w.-]{0,252}))?\s?\}?)\s{1,80}"
    r"(?:spec\.\S{1,120}\s{1,60})?"
    r"(?:(?P<type>Normal|Warning)\s{1,40})?(?P<reason>[A-Z][a-z]\w{2,60})\s{1,60}(?P<text>\S.{0,4000})"
)
_FRAME = re.compile(rf"{_HEADING}|Events:")
_ASSIGNED = re.compile(r"Successfully assigned \S{1,400} to ([A-Za-z0-9][\w.-]{0,252})$")
_VOLUMES: Final = frozenset(
    "kube-volume-failed kube-pod-without-volumes kube-volume-not-made kube-not-gpfs kube-fileset-unlinked".split()
)
_READY: Final = "kube-volume-ready"
_RUNS: Final = frozenset(("Started", "Pulled", "SuccessfulMountVolume"))


@parser("kube_events", version=4, product="", claims=_CLAIMS, owns=_CLAIMS, commands=("kubectl", "oc"))
def kube_events(section: OpenSection, out: Output) -> None:
    """What went wrong with pods, volumes and nodes."""
    failed = set[tuple[str | None, str | None]]()
    for line in section:
        text = line.text.strip()
        if (row := _ROW.match(text) or _ROW_LISTED.match(text) or _ROW_COUNTED.match(text)) is not None:
            _event(section, out, line, row, failed)
        elif _FRAME.match(text):
            out.frame()
        else:
            out.skip(line, "no event with its reason")


def _event(
    section: OpenSection, out: Output, line: Line, row: re.Match[str], failed: set[tuple[str | None, str | None]]
) -> None:
    if (assigned := _ASSIGNED.search(row["text"])) is not None:
        section.state["assigned"] = assigned[1]
    is_of_node = row["from"].startswith(("kubelet", "{kubelet", "node/", "systemd", "kernel"))
    own = section.state.get("assigned") if is_of_node else None
    node = row["node"] if is_of_node and row["node"] else own or section.node
    message = f"{row['reason']}: {row['text']}"
    found = find("kube", message, level="info" if row["type"] == "Normal" else "warning")
    if row["reason"] in _RUNS and failed:
        for where, about in sorted(failed, key=str):
            _put(section, line, Found(_READY, about), where, message)
        failed.clear()
    elif found is None or found.kind == EVERYDAY or (row["type"] == "Normal" and found.kind in _VOLUMES):
        out.everyday(1)
    else:
        if found.kind in _VOLUMES:
            failed.add((node, found.about))
        _put(section, line, weighed(found, ""), node, message)


def _put(section: OpenSection, line: Line, found: Found, node: str | None, message: str) -> None:
    add_message(section, line.number, found, source="kubectl", text=message, node=node)
