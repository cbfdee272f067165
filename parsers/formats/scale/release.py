"""Releases around Spectrum Scale: ``mmdiag --version``, the package, and the table of file system formats.

    === mmdiag: version ===
    Current GPFS build: "5.1.8.1 ".
    Built on Jun 21 2031 at 09:02:17
    Running 5 hours 48 minutes 11 secs, pid 20436

    gpfs.base-5.1.8-1.x86_64
    gpfs.gplbin-5.14.0-362.8.1.el9.x86_64-5.1.8-1.x86_64

    #       format  Release         Notes
    #       2200    5.0.4.0 (2200)  one of summer

Yields ``Version`` (product ``spectrum-scale`` for what runs, ``format 2200`` for a row of the table: the release that
brought that level of file system, not one that is in use), ``Setting`` for the kernel of its modules, ``Counter``
(``uptime``, seconds). Times: none. Tolerated:
any row alone. Source: IBM Storage Scale documentation, mmdiag command.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Counter, Setting, Version
from parsers.registry import parser
from parsers.sections.reader import OpenSection

PRODUCT: Final = "spectrum-scale"
_BUILD: Final = r"Current (?:GPFS|IBM Spectrum Scale|IBM Storage Scale) build:"
_RPM: Final = r"gpfs\.(?:base|gplbin)-\d|ii {1,3}gpfs\.gplbin-\d"
_CLAIM: Final = rf"{_BUILD}|{_RPM}"
_RUNNING: Final = r"Running (?:\d{1,6} (?:days?|hours?|minutes?|min|secs?)\b)"
_OWNS: Final = rf"{_CLAIM}|Built on [A-Z][a-z]{{2}} |{_RUNNING}|gpfs\.\w"
_NUMBER = re.compile(r'build: {0,4}["\u201c]? {0,4}(\d{1,3}(?:\.\d{1,4}){2,5})')
_PACKAGE = re.compile(r"gpfs\.base-(\d{1,3}(?:\.\d{1,4}){1,4})-(\d{1,6})(?:\.|$| )")
_MODULES = re.compile(
    r"(?:ii {1,3})?gpfs\.gplbin-(?P<kernel>\d{1,2}\.\d{1,3}\.\d{1,3}\S{0,80}?)"
    r"(?:-\d{1,3}(?:\.\d{1,4}){1,4}-\d{1,6}(?:\.\w{1,12})?)?(?:\s|$)"
)
"""The package of the modules, which names the kernel that they are for."""
_OTHER = re.compile(
    r"(gpfs\.[a-z]\w{1,30}(?:\.[a-z]\w{1,30}){0,2})-(\d{1,3}(?:\.\d{1,4}){1,4}-\d{1,6})(?:\.\w{1,12}){0,2}(?:\s|$)"
)
"""A further package of the same release, when all is well."""
_PARTS = re.compile(r"(\d{1,6}) (day|hour|min|sec)")
_SECONDS: Final = {"day": 86_400, "hour": 3_600, "min": 60, "sec": 1}

_FORMAT_ROW: Final = r"#\s{1,12}\d{1,5}\s{1,12}\d\.\d\.\d{1,2}\.\d{1,3} \(\d{3,5}\)"
_FORMAT_HEAD: Final = r"#\s{1,12}format\s{1,12}Release\s{1,12}Notes"
_FORMAT = re.compile(r"#\s{1,12}(\d{1,5})\s{1,12}(\d\.\d\.\d{1,2}\.\d{1,3}) \(\d{3,5}\)")


@parser("scale_version", version=3, product="spectrum-scale", claims=_CLAIM, owns=_OWNS, commands=("mmdiag",))
def scale_version(section: OpenSection, out: Output) -> None:
    """``mmdiag --version``: release in use and how long it has run."""
    for line in section:
        text = line.text.strip()
        number, package = _NUMBER.search(text), _PACKAGE.match(text)
        if number or package:
            release = number[1] if number else f"{package[1]}.{package[2]}" if package else ""
            section.add(Version, line.number, product=PRODUCT, version=release)
        elif modules := _MODULES.match(text):
            section.add(
                Setting, line.number, source="gpfs.gplbin", name="kernel of the modules", value=modules["kernel"]
            )
        elif other := _OTHER.match(text):
            section.add(Version, line.number, product=other[1], version=other[2])
        elif text.startswith("Running "):
            seconds = sum(int(value) * _SECONDS[unit] for value, unit in _PARTS.findall(text))
            section.add(Counter, line.number, source="mmdiag --version", name="uptime", unit="s", value=float(seconds))
        elif re.match(_CLAIM, text):
            out.skip(line, "no release number")


@parser("scale_formats", version=1, product="spectrum-scale", claims=rf"{_FORMAT_ROW}|{_FORMAT_HEAD}")
def scale_formats(section: OpenSection, out: Output) -> None:
    """Comment lines of ``mmglobfuncs``: which release brought which format of the file system."""
    for line in section:
        if row := _FORMAT.match(line.text.strip()):
            out.add(Version(line=line.number, product=f"format {row[1]}", version=row[2]))
        else:
            out.ignore()
