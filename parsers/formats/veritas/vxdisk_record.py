"""One disk of the volume manager: ``vxdisk list DISK``, which prints its record and its paths.

    Device:    c1t0d3                                    Multipathing information:
    devicetag: c1t0d3                                    numpaths:  2
    flags:     online ready private imported             c1t0d3  state=enabled   type=secondary
    config   priv 000048-000239[000192]: copy=01         c4t1d3  state=disabled  type=primary

Yields ``DiskPath`` per path, with the disk as its map. Everything else of the record is everyday. No times. Tolerated:
cut records, missing types, paths alone. Source: VxVM 4 and 5 administration guides for HP-UX, on displaying
multipaths.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import DiskPath
from parsers.registry import parser
from parsers.sections import OpenSection

_PATH: Final = r"[\w.:-]{1,128}\s{1,40}state=(?:enabled|disabled)\b"
_CLAIMS: Final = rf"(?:devicetag:\s{{1,20}}\S|numpaths:\s{{1,20}}\d|Multipathing information:|{_PATH})"
_FIELD: Final = (
    r"(?:Device|devicetag|type|hostid|disk|group|info|flags|pubpaths|privpaths|guid|udid|site|version|iosize|public|private"
    r"|update|ssb|headers|configs|logs"
    r"|Annotations|clusterid|timeout|tag|errno|path|Defined regions|volume_tag|mediatype)"
    r": {0,20}(?:\S.{0,400})?$"
    r"|(?:config|log|lockrgn|tagid|volume_tag)\s{1,20}\w.{1,200}$"
)
_OWNS: Final = rf"(?:{_CLAIMS}|{_FIELD})"
_PATH_ROW = re.compile(r"([\w.:-]{1,128})\s{1,40}state=(enabled|disabled)\b")
_DISK = re.compile(r"(?:Device|devicetag): {1,20}(\S{1,128})$")
_KNOWN = re.compile(_OWNS)


@parser(
    "vxdisk_record",
    version=1,
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
            section.state["disk"] = disk[1]
            out.everyday()
        elif path := _PATH_ROW.match(text):
            section.add(
                DiskPath,
                line.number,
                source="vxdisk list",
                map=section.state.get("disk"),
                device=path[1],
                state=path[2],
                layer="dmp",
                standing="up" if path[2] == "enabled" else "down",
            )
        elif _KNOWN.match(text):
            out.everyday()
        else:
            out.skip(line, "no path and no property of a disk")
