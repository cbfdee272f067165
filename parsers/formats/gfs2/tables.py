"""Small tables about a GFS2 file system: ``tunegfs2 -l``, ``glockfd``, slabs of the kernel, ``filefrag``,
``dmsetup info``.

::

    File system volume name: pond:projects            4471 7 6/2c1f0            (process, descriptor, glock)
    Lock table: pond:projects
    Root inode: 6970                                  gfs2_glock  812004 812100  424  38  4 : tunables ...

    /srv/projects/big.dat: 1281 extents found         Name:              pond-projects
                                                      State:             SUSPENDED

Yields ``Setting`` (``tunegfs2``, ``dmsetup info``), ``StorageState`` for a map that is suspended or not, ``Event`` for
a descriptor that keeps a glock, ``Counter`` for objects of a slab, ``Measurement`` for extents and size of a file. No
times. Tolerated: missing rows. Source: tunegfs2(8), fs/gfs2/glock.c, slabinfo(5), filefrag(8), dmsetup(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Counter, Event, Measurement, Setting
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.key_values import KeyValues
from parsers.tables.rows import lines_of
from parsers.text import Line

_TUNE: Final = KeyValues(
    r"File system (?:volume name|UUID|magic number|format version|multihost format)",
    r"Block (?:size|shift)",
    "Root inode",
    "Master inode",
    r"Lock (?:protocol|table)",
    sign=r":\s{0,20}",
    caption=r"tunegfs2 \(",
)
_DESCRIPTOR = re.compile(r"(?P<pid>\d{1,10}) (?P<fd>\d{1,9}) (?P<glock>[56]/[0-9a-f]{1,16})$")
_SLAB_NAMES: Final = r"(?:gfs2_[a-z]{1,30}(?:\(aspace\))?|dlm_[a-z]{1,30}|glock_workqueue)"
_SLAB = re.compile(
    r"(?P<name>[\w().:-]{1,60}) {1,40}(?P<active>\d{1,15}) {1,20}(?P<all>\d{1,15}) {1,20}\d{1,12} {1,20}\d"
)
_SLABS_KEPT: Final = re.compile(r"(?:gfs2_|dlm_|dentry$|inode_cache$|buffer_head$|radix_tree_node$)")


@parser("tunegfs2", version=2, product="gfs2", rows=_TUNE, commands=("tunegfs2",))
def tunegfs2(section: OpenSection, out: Output) -> None:
    """``tunegfs2 -l``: name, block size, root inode and lock table of a file system."""
    for pair in _TUNE.pairs(section, out, "no value of a file system"):
        if pair.name in ("Lock table", "File system volume name") and section.scope is None:
            section.speaks_of(scope=pair.value)
        section.add(Setting, pair.line, scope=section.scope, source="tunegfs2", name=pair.name, value=pair.value)


@parser("gfs2_glockfd", version=1, product="gfs2", claims=r"\d{1,10} \d{1,9} [56]/[0-9a-f]{1,16}$")
def gfs2_glockfd(section: OpenSection, out: Output) -> None:
    """``glockfd`` of debugfs: which process keeps an iopen or flock glock through an open descriptor."""
    for line, match in lines_of(section, out, _DESCRIPTOR, "no process, descriptor and glock"):
        section.add(
            Event,
            line.number,
            source="glockfd",
            kind="open-descriptor",
            about=match["glock"],
            value=float(match["pid"]),
            unit="pid",
            text=line.text.strip(),
        )


_SLAB_CLAIM: Final = (
    rf"(?:slabinfo - version: \d|# name {{1,40}}<active_objs>|{_SLAB_NAMES} {{1,40}}\d{{1,15}} {{1,20}}\d)"
)


@parser(
    "slabinfo",
    version=1,
    product="",
    claims=_SLAB_CLAIM,
    owns=r"(?:slabinfo - version|# name|[\w().:-]{1,60} {1,40}\d{1,15} {1,20}\d{1,15} {1,20}\d)",
    commands=("slabtop",),
)
def slabinfo(section: OpenSection, out: Output) -> None:
    """``/proc/slabinfo``: objects in use; for GFS2 the fastest count of glocks."""
    for line in section:
        match = _SLAB.match(line.text.strip())
        if match is None:
            out.ignore()
        elif _SLABS_KEPT.match(match["name"]):
            section.add(
                Counter,
                line.number,
                source="slabinfo",
                name=match["name"],
                unit="objects",
                value=float(match["active"]),
                sample=line.number,
            )


_FRAG: Final = r"/?\S{1,400}: \d{1,12} extents? found"
_FRAG_SIZE: Final = r"File size of \S{1,400} is \d{1,18} \("
_FRAGS = re.compile(r"(?P<file>\S{1,400}): (?P<count>\d{1,12}) extents? found")
_SIZE = re.compile(r"File size of (?P<file>\S{1,400}) is (?P<bytes>\d{1,18}) \(")


@parser(
    "filefrag",
    version=1,
    product="",
    claims=rf"(?:{_FRAG}|{_FRAG_SIZE}|Filesystem type is: [0-9a-f]{{4,8}}$)",
    owns=(
        rf"(?:{_FRAG}|{_FRAG_SIZE}|Filesystem type is:|ext(?: logical|: {{1,20}}logical_offset)|\d{{1,9}}(?::| "
        r"{1,12}\d))"
    ),
    commands=("filefrag",),
)
def filefrag(section: OpenSection, out: Output) -> None:
    """``filefrag``: how many extents a file has, and with -v how long it is."""
    for line in section:
        text = line.text.strip()
        if found := _FRAGS.match(text):
            _measure(section, out, line, found["file"], float(found["count"]), "extents")
        elif size := _SIZE.match(text):
            _measure(section, out, line, size["file"], float(size["bytes"]), "B")
        else:
            out.ignore()


def _measure(section: OpenSection, out: Output, line: Line, file: str, value: float, unit: str) -> None:
    what = "extents" if unit == "extents" else "size"
    section.add(Measurement, line.number, tool="filefrag", what=what, value=value, unit=unit, scope=file)


_DM_KEYS: Final = r"(?:Read Ahead|Tables present|Open count|Event number|Major, minor|Number of targets|UUID)"
_DM = re.compile(r"(?P<key>Name|State|UUID): {1,40}(?P<value>\S.{0,250})$")


@parser(
    "dmsetup_info",
    version=2,
    product="storage",
    claims=r"Name: {10,20}\S{1,128}$|State: {10,20}(?:ACTIVE|SUSPENDED)",
    owns=rf"(?:Name|State|{_DM_KEYS}):",
    commands=("dmsetup",),
)
def dmsetup_info(section: OpenSection, out: Output) -> None:
    """``dmsetup info``: whether a device is suspended."""
    name = section.state.get("name")
    for line in section:
        match = _DM.match(line.text.strip())
        if match and match["key"] == "Name":
            name = section.state["name"] = match["value"]
        elif match and match["key"] == "State":
            section.add(Setting, line.number, scope=name, source="dmsetup info", name="State", value=match["value"])
            is_suspended = match["value"].startswith("SUSPENDED")
            section.add(
                StorageState,
                line.number,
                source="dmsetup info",
                sort="map",
                name=name,
                state=match["value"].lower(),
                standing="degraded" if is_suspended else "healthy",
            )
