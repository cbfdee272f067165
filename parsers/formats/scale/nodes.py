"""Tables of Spectrum Scale that tell which address is which node: ``mmlscluster`` and ``mmlsmgr``.

    GPFS cluster information                                      file system      manager node
    ========================                                      ---------------- ------------------
      GPFS cluster name:         tarn.lab                         projects         10.44.1.21 (tarn-m1)
     Node  Daemon node name  IP address  Admin node name          Cluster manager node: 10.44.1.11 (tarn-s1)
       1   tarn-s1.tarn.lab  10.44.1.11  tarn-s1.adm  quorum

Yields ``NodeAlias`` (name of the node, its other spelling), ``Manager`` (who manages what), and ``Setting`` for what
names the cluster. Tolerated: rows alone, cut rows, missing columns. No times. Source: IBM Storage Scale documentation,
the commands named.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import NodeAlias, Setting
from parsers.records.states import Manager
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_ADDRESS: Final = r"(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,44}"
_RULE: Final = r"[=-]{2}[=\- ]{2,240}$"

_CLUSTER_TABLE: Final = r"Node {1,4}Daemon node name {1,80}IP address"
_CLUSTER_CLAIM: Final = rf"GPFS cluster information\s{{0,8}}$|{_CLUSTER_TABLE}"
_CLUSTER_KEYS: Final = (
    r"(?:GPFS (?:cluster (?:name|id)|UID domain|cluster configuration servers)|Remote (?:shell|file copy) "
    r"command|Repository type|Primary server|Secondary server):"
)
_CLUSTER_ROW: Final = rf"\d{{1,6}} {{1,12}}{_NAME}"
_CLUSTER_OWNS: Final = rf"{_CLUSTER_CLAIM}|{_RULE}|{_CLUSTER_KEYS}|{_CLUSTER_ROW}"
_KEY_VALUE = re.compile(r"([A-Z][A-Za-z ]{2,40}):\s{0,40}(\S.{0,200})?$")
_MEMBER = re.compile(rf"\d{{1,6}} {{1,12}}({_NAME}) {{1,200}}({_ADDRESS})(?: {{1,200}}({_NAME}))?(?: |$)")
_CLUSTER_NAME: Final = "GPFS cluster name"

_MANAGERS_CLAIM: Final = r"file system {2,80}manager node|Cluster manager node:"
_MANAGERS_HEAD: Final = rf"file system {{2,80}}manager node|{_RULE}"
_MANAGER_ROW: Final = rf"[A-Za-z0-9][\w.-]{{0,80}} {{1,80}}(?:{_ADDRESS}) \("
_MANAGERS_OWNS: Final = rf"{_MANAGERS_CLAIM}|{_RULE}|{_MANAGER_ROW}"
_MANAGER = re.compile(rf"({_ADDRESS}) \(({_NAME})\)")


@parser(
    "scale_cluster",
    version=3,
    product="spectrum-scale",
    claims=_CLUSTER_CLAIM,
    owns=_CLUSTER_OWNS,
    commands=("mmlscluster",),
    places=r"\bmmlscluster\b",
)
def scale_cluster(section: OpenSection, out: Output) -> None:
    """``mmlscluster``: daemon name, address and admin name of every node."""
    for line in section:
        text = line.text.strip()
        if member := _MEMBER.match(text):
            _add_member(line.number, member, out)
        elif text[0].isdigit():
            out.skip(line, "no node with its address")
        elif (pair := _KEY_VALUE.match(text)) and pair[2]:
            if pair[1] == _CLUSTER_NAME:
                section.speaks_of(scope=pair[2].strip())
            out.add(
                Setting(
                    line=line.number,
                    node=section.node,
                    scope=section.scope,
                    source="mmlscluster",
                    name=pair[1],
                    value=pair[2].strip(),
                )
            )
        else:
            out.ignore()


_CLUSTER_MANAGER: Final = "Cluster manager"


def _add_member(line: int, member: re.Match[str], out: Output) -> None:
    daemon, address, admin = member[1], member[2], member[3]
    out.add(NodeAlias(line=line, node=daemon, alias=address, kind="address"))
    if admin and admin != daemon and "." in admin and not re.fullmatch(_ADDRESS, admin):
        out.add(NodeAlias(line=line, node=daemon, alias=admin, kind="name"))


@parser(
    "scale_managers",
    version=4,
    product="spectrum-scale",
    claims=_MANAGERS_CLAIM,
    owns=_MANAGERS_OWNS,
    commands=("mmlsmgr",),
    places=r"\bmmlsmgr\b",
)
def scale_managers(section: OpenSection, out: Output) -> None:
    """``mmlsmgr``: address and name of the managers, and what they manage."""
    for line in section:
        found = _MANAGER.search(line.text)
        if found:
            of = line.text[: found.start()].strip().rstrip(":").removesuffix(" node")
            out.add(NodeAlias(line=line.number, node=found[2], alias=found[1], kind="address"))
            section.add(
                Manager,
                line.number,
                source="mmlsmgr",
                manager=found[2],
                role="cluster manager" if of == _CLUSTER_MANAGER else "file system manager",
                of=None if of == _CLUSTER_MANAGER else of,
            )
        elif re.match(_MANAGERS_HEAD, line.text.lstrip()):
            out.ignore()
        else:
            out.skip(line, "no manager with address and name")
