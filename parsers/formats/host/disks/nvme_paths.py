r"""Paths of NVMe over fabrics: ``nvme list-subsys``, and the path rows of ``nvme show-topology``.

    nvme-subsys1 - NQN=nqn.2030-01.lab.cellar:jars
                   hostnqn=nqn.2030-01.lab.cellar:wren
    \
     +- nvme1 tcp traddr=10.9.0.5,trsvcid=4420,src_addr=10.9.0.21 live optimized
     +- nvme2 rdma traddr=10.9.0.6 trsvcid=4420 connecting

Yields ``DiskPath`` with the subsystem as map; the state of the controller makes it up or down, an access without
optimization, or through another controller only, makes it standby. Source: nvme-list-subsys(1) of nvme-cli 1 and 2,
recalled; states of the kernel's drivers/nvme/host.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import DiskPath, PathStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_DOWN: Final = frozenset(("connecting", "resetting", "deleting", "dead", "new"))
_STATES: Final = r"live|connecting|resetting|deleting|deleting \(no IO\)|dead|new"
_ACCESS: Final = r"optimized|non-optimized|inaccessible|persistent-loss|change"


def _subsystem(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["map"] = match["name"]


def _path(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, access = match["state"], match["access"] or ""
    section.add(
        DiskPath,
        line.number,
        source="nvme list-subsys",
        map=section.state.get("map"),
        device=match["device"],
        address=match["address"],
        state=f"{state} {access}".strip(),
        standing=path_standing(state, access),
        layer="unknown",
    )


def path_standing(state: str, access: str) -> PathStanding:
    """By the state of the controller, and by the access of the namespaces over it."""
    if state.split(" ")[0] in _DOWN or access == "persistent-loss":
        return "down"
    return "standby" if access in ("non-optimized", "inaccessible", "change") else "up"


_ROWS: Final = Rows(
    Row("subsystem", r"(?P<name>nvme-subsys\d{1,5}) - NQN=\S{1,230}\s{0,8}$", _subsystem, fate=Fate.FRAME),
    Row("of subsystem", r"(?:hostnqn|iopolicy|model|serial|firmware|type) {0,4}[=:] ?\S", fate=Fate.FRAME, opens=False),
    Row("tree", r"\\\s{0,4}$", fate=Fate.FRAME, opens=False),
    Row(
        "path",
        r"(?:[+|`]- ?)?(?P<device>nvme\d{1,5}) (?:tcp|rdma|fc|pcie|loop) (?P<address>(?:traddr=)?\S{1,300}"
        rf"(?: (?:trsvcid|host_traddr|host_iface|src_addr)=\S{{1,100}}){{0,4}}) (?P<state>{_STATES})"
        rf"(?: (?P<access>{_ACCESS}))?\s{{0,8}}$",
        _path,
    ),
)


@parser("nvme_paths", version=1, product="storage", rows=_ROWS, commands=("nvme",))
def nvme_paths(section: OpenSection, out: Output) -> None:
    """``nvme list-subsys``: subsystems and the controllers that are their paths."""
    _ROWS.read(section, out, "no subsystem of NVMe and no path of it")
