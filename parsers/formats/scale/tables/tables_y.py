"""Tables of Spectrum Scale for programs: every ``mm... -Y`` output that is no list of waiters, read by its HEADER row.

    mmgetstate::HEADER:version:reserved:reserved:nodeName:nodeNumber:state:quorum:nodesUp:totalNodes:remarks:cnfsState:
    mmgetstate::0:1:::lund01:1:active:2:3:4:quorum node:(undefined):
    mmlsnsd:nsd:HEADER:version:reserved:reserved:fileSystem:diskName:volumeId:serverList:deviceType:localDiskName:remarks:
    mmlsnsd:nsd:0:1:::fs1:lund_nsd07:0A14030B5E4C4BB8:lund03:dmm:%2Fdev%2Fdm-17:server node:

Yields what fits: ``Setting`` (mmdiag config, mmlsconfig, mmlsfs, mmlsqos), ``DiskName`` (mmlsnsd, mmlsdisk),
``ClusterMember`` (mmgetstate, mmlsmgr, mmhealth states), ``Event`` (mmhealth events, with their own time and zone),
``Counter`` (mmdf, mmlsfileset, mmlsqos statistics; KB and inodes), ``NodeAlias`` (mmlscluster), ``Version`` (level of a
file system), ``DiskIo`` (I/O history), ``Room`` (quotas), ``ServiceState`` (mounts). Rows of other tables are kept
whole as a ``Setting``, with a ``HealthState`` for each word of health. Cells are percent-encoded; later releases append
columns; a cell may hold a line break; decimal commas occur. Source: IBM Storage Scale documentation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from parsers.formats.scale.tables.table import CLAIM, TableReader, TableRow, owns, plain_head
from parsers.formats.scale.tables.tables_disks import disk, file_system, fileset, free_space, inodes, nsd, request
from parsers.formats.scale.tables.tables_rest import anything, mount, pdisk, quota, repository_check
from parsers.formats.scale.tables.tables_state import (
    cluster_node,
    config,
    health_event,
    health_state,
    manager,
    node_state,
    qos_limits,
    qos_stats,
    qos_status,
)
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import PlainRun
from parsers.text import Line

Handler = Callable[[TableRow, OpenSection, Output], None]
_HANDLERS: Final[dict[tuple[str, str], Handler]] = {
    ("mmgetstate", ""): node_state,
    ("mmlsmgr", "clusterManager"): manager,
    ("mmlsmgr", "filesystemManager"): manager,
    ("mmlscluster", "clusterNode"): cluster_node,
    ("mmdiag", "config"): config,
    ("mmlsconfig", ""): config,
    ("mmhealth", "State"): health_state,
    ("mmhealth", "Event"): health_event,
    ("mmlsqos", "status"): qos_status,
    ("mmlsqos", "config"): qos_limits,
    ("mmlsqos", "values"): qos_limits,
    ("mmlsqos", "stats"): qos_stats,
    ("mmlsnsd", "nsd"): nsd,
    ("mmlsdisk", ""): disk,
    ("mmlsfs", ""): file_system,
    ("mmdf", "nsd"): free_space,
    ("mmdf", "poolTotal"): free_space,
    ("mmdf", "data"): free_space,
    ("mmdf", "metadata"): free_space,
    ("mmdf", "fsTotal"): free_space,
    ("mmdf", "inode"): inodes,
    ("mmlsfileset", ""): fileset,
    ("mmdiag", "iohist"): request,
    ("mmccr", ""): repository_check,
    ("mmlsquota", ""): quota,
    ("mmrepquota", ""): quota,
    ("mmlsmount", ""): mount,
    ("mmvdisk", "pdiskList"): pdisk,
    ("mmvdisk", "pdisk"): pdisk,
    ("mmlspdisk", "pdisk"): pdisk,
    ("mmlspdisk", ""): pdisk,
}


@parser(
    "scale_tables_y",
    version=3,
    product="spectrum-scale",
    claims=CLAIM,
    owns=owns,
    priority=1,
    commands=(
        "mmgetstate",
        "mmlsmgr",
        "mmlscluster",
        "mmlsconfig",
        "mmhealth",
        "mmlsqos",
        "mmlsnsd",
        "mmlsdisk",
        "mmlsfs",
        "mmdf",
        "mmlsfileset",
        "mmlspool",
        "mmlsmount",
        "mmlsnode",
        "mmlsquota",
        "mmrepquota",
        "mmlssnapshot",
        "mmces",
        "mmlslicense",
        "mmlspolicy",
        "mmvdisk",
        "mmlspdisk",
        "mmafmctl",
        "mmlsnodeclass",
        "mmccr",
    ),
)
def scale_tables_y(section: OpenSection, out: Output) -> None:
    """``mm... -Y``: tables for programs."""
    reader = TableReader(section)
    heads: dict[str, bool] = {}

    def fits(text: str) -> bool:
        head = plain_head(text)
        if head not in heads:
            heads[head] = bool(head) and section.owns(Line(0, text, text), section.previous)
        return heads[head]

    run = PlainRun(fits, lambda number, text: _put(reader.take(Line(number, text, text)), section, out))
    for line in section:
        _put(reader.take(line), section, out)
        run.take(section)
    _put(reader.finish(), section, out)


def _put(done: object, section: OpenSection, out: Output) -> None:
    if not isinstance(done, tuple):
        return
    lines, row = done
    if row is False:
        for line in lines:
            out.skip(line, "not a row of a table for programs")
    elif isinstance(row, TableRow):
        if not row.fields:
            out.skip(lines[0], "no HEADER above this row")
        else:
            before = out.rows
            _HANDLERS.get((row.command, row.record), anything)(row, section, out)
            if out.rows == before:
                anything(row, section, out)
