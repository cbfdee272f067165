"""One disk of the volume manager: ``vxdisk list DISK``, which prints its record and its paths.

    Device:    c1t0d3                                    Multipathing information:
    disk:      name=reed01 id=1741211309.8.carp1         numpaths:  2
    group:     name=reeddg id=1741211310.10.carp1        c1t0d3  state=enabled   type=secondary
    flags:     online ready private imported             c4t1d3  state=disabled  type=primary
    errno:     Device path not valid

Yields ``DiskPath`` per path, with the disk as its map; ``StorageState`` of the disk by its flags, which weigh as in
``vxdisk list``, and by its error: of a path or of I/O it is degraded, else only noted. The rest is everyday. No times.
Tolerated: cut records, missing types, paths alone. Source: VxVM 4 and 5 administration guides for HP-UX, on displaying
multipaths; which errors there are is recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.veritas.volumes.vxdisk import disk_standing
from parsers.output import Output
from parsers.records.states import DiskPath, HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_PATH: Final = r"[\w.:-]{1,128}\s{1,40}state=(?:enabled|disabled)\b"
_CLAIMS: Final = (
    r"(?:devicetag:\s{1,20}\S|flags:\s{1,20}(?:online|offline|error|invalid|nolabel|lvm)\b|numpaths:\s{1,20}\d"
    rf"|Multipathing information:|{_PATH})"
)
_FIELD: Final = (
    r"(?:Device|devicetag|type|hostid|disk|group|info|flags|pubpaths|privpaths|guid|udid|site|version|iosize|public|private"
    r"|update|ssb|headers|configs|logs"
    r"|Annotations|clusterid|timeout|tag|errno|path|connectivity|Defined regions|volume_tag|mediatype)"
    r": {0,20}(?:\S.{0,400})?$"
    r"|(?:config|log|lockrgn|tagid|volume_tag)\s{1,20}\w.{1,200}$"
)
_OWNS: Final = rf"(?:{_CLAIMS}|{_FIELD})"
_PATH_ROW = re.compile(r"([\w.:-]{1,128})\s{1,40}state=(enabled|disabled)\b")
_DISK = re.compile(r"(?:Device|devicetag): {1,20}(\S{1,128})$")
_OF_GROUP = re.compile(r"(disk|group): {1,20}name=(\S{1,128})?")
_FLAGS = re.compile(r"flags: {1,20}(\S.{0,300})$")
_ERROR = re.compile(r"errno: {1,20}(\S.{0,200})$")
_BROKEN = re.compile(
    r"(?i)path not valid|\bi/?o\b|(?:read|write|open|access)\w* (?:error|fail)|timed? ?out|no such device|not respond"
)
_KNOWN = re.compile(_OWNS)


@parser(
    "vxdisk_record",
    version=3,
    product="veritas",
    claims=_CLAIMS,
    owns=_OWNS,
    commands=("vxdisk",),
    places=r"\bvxdisk\b.{0,80}\blist\s{1,8}[\w-]",
)
def vxdisk_record(section: OpenSection, out: Output) -> None:
    """Paths of one disk, in the record that ``vxdisk list`` prints of it."""
    for line in section:
        text = line.text.strip()
        if disk := _DISK.match(text):
            if not (text.startswith("devicetag") and section.state.pop("fresh", False)):
                section.state.update(device=disk[1], disk=None, group=None, fresh=text.startswith("Device"))
            out.everyday()
        elif of := _OF_GROUP.match(text):
            section.state[of[1]] = of[2]
            out.everyday()
        elif flags := _FLAGS.match(text):
            in_group = section.state.get("group") is not None
            _state(section, line, flags[1].strip(), disk_standing(flags[1], in_group=in_group))
        elif error := _ERROR.match(text):
            _state(section, line, error[1].strip(), "degraded" if _BROKEN.search(error[1]) else "hint")
        elif path := _PATH_ROW.match(text):
            section.add(
                DiskPath,
                line.number,
                source="vxdisk list",
                map=section.state.get("device"),
                device=path[1],
                state=path[2],
                layer="dmp",
                standing="up" if path[2] == "enabled" else "down",
            )
        elif _KNOWN.match(text):
            out.everyday()
        else:
            out.skip(line, "no path and no property of a disk")


def _state(section: OpenSection, line: Line, state: str, standing: HealthStanding) -> None:
    section.add(
        StorageState,
        line.number,
        source="vxdisk list",
        sort="disk",
        name=section.state.get("disk") or section.state.get("device"),
        of=section.state.get("group"),
        state=state,
        standing=standing,
    )
