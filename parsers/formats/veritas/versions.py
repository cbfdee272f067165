"""Releases of Veritas packages and modules: ``rpm``, ``pkginfo``, ``pkg list``, ``swlist``, ``lslpp``, ``modinfo``,
``had -version``.

    VRTSvxfs-6.1.0.000-RHEL6.x86_64                                       rpm -q, rpm -qa
    242 7be2a000 1ba2c0  21   1  vxfs (VxFS 6.1.100.000 SunOS 5.11)       modinfo of Solaris
    PKGINST:  VRTSvxfs  ...  VERSION:  5.0,REV=2006.05.11               pkginfo -l
    VRTSvxfs   6.1.0.200   C     F  Veritas File System                   lslpp -L; swlist and pkg list are alike
    Engine Version    7.4.2                                             had -version
    filename: .../veki/vxfs.ko  ...  version: 7.4.1.0000                  modinfo of Linux

Yields ``Version`` with the package or, of ``modinfo``, the package that holds the module (``VRTSvxfs`` for ``vxfs``) as
product. The version is the part in front of the platform. Tolerated: cut rows. Source: manuals of the commands; layouts
of swlist, lslpp, pkg recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Version
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_PACKAGE: Final = r"VRTS[a-z]\w{1,30}"
_NUMBER: Final = r"\d{1,4}(?:\.\d{1,6}){1,5}"
_RPM: Final = rf"{_PACKAGE}-{_NUMBER}"
_COLUMNS: Final = (
    rf"(?:[\w-]{{1,12}}\s{{1,12}})?{_PACKAGE}(?:\.[\w-]{{1,40}}|\s{{1,12}}\(\S{{1,40}}\))?\s{{1,60}}{_NUMBER}"
)
_SOLARIS: Final = (
    r"\d{1,5}\s{1,20}[0-9a-f]{6,16}\s{1,20}[0-9a-f]{1,8}\s{1,20}[\d-]{1,5}\s{1,20}\d\s{1,20}"
    r"(?:vxfs|fdd|vxportal|qlog|vxio|vxdmp|vxspec|llt|gab|vxfen|vxglm|vxgms|odm|vxodm)\s\("
)
_PKGINFO: Final = rf"PKGINST:\s{{1,20}}{_PACKAGE}"
_LINUX: Final = (
    r"filename:\s{1,20}/\S{1,400}/(?:vxfs|fdd|vxportal|vxio|vxdmp|vxspec|llt|gab|vxfen|vxglm|vxgms|vxodm|veki|amf)\.ko"
)
_ENGINE: Final = rf"Engine Version\s{{1,40}}{_NUMBER}"
_CLAIMS: Final = rf"(?:{_RPM}|{_COLUMNS}|{_SOLARIS}|{_PKGINFO}|{_LINUX}|{_ENGINE})"
_KEYS: Final = (
    r"(?:license|description|author|supported|rhelversion|retpoline|srcversion|depends|vermagic|parm"
    r"|alias|name|signer|sig_key|sig_hashalgo|signature|intree|version|NAME|CATEGORY|ARCH|VERSION|BASEDIR"
    r"|VENDOR|DESC|PSTAMP|INSTDATE|STATUS|FILES|HOTLINE|VSTOCK|EMAIL|SUNW_\w{1,20})"
)
_OWNS: Final = (
    rf"(?:{_CLAIMS}|(?:Join Version|Build Date|PSTAMP)\s{{1,40}}\S|{_KEYS}:\s"
    rf"|\d{{1,9}} (?:installed|shared|linked|directories|executables|blocks|setuid))"
)
_RPM_ROW = re.compile(rf"({_PACKAGE})-({_NUMBER})")
_COLUMN_ROW = re.compile(
    rf"(?:[\w-]{{1,12}}\s{{1,12}})?({_PACKAGE})(?:\.[\w-]{{1,40}}|\s{{1,12}}\(\S{{1,40}}\))?\s{{1,60}}({_NUMBER})"
)
_SOLARIS_ROW = re.compile(rf"\d{{1,5}}\s.{{1,80}}?\s(\w{{1,12}})\s\([^()]{{0,60}}?({_NUMBER})")
_PKGINST = re.compile(rf"PKGINST:\s{{1,20}}({_PACKAGE})")
_ENGINE_ROW = re.compile(rf"Engine Version\s{{1,40}}({_NUMBER})")
_MODULE = re.compile(r"filename:\s{1,20}/\S{1,400}/(\w{2,12})\.ko")
_STATED = re.compile(rf"(?:version|VERSION):\s{{1,20}}({_NUMBER})")
_HOLDS: Final = {
    "vxfs": "VRTSvxfs", "fdd": "VRTSvxfs", "vxportal": "VRTSvxfs", "qlog": "VRTSvxfs", "vxio": "VRTSvxvm",
    "vxdmp": "VRTSvxvm",
    "vxspec": "VRTSvxvm", "llt": "VRTSllt", "gab": "VRTSgab", "vxfen": "VRTSvxfen", "vxglm": "VRTSglm",
    "vxgms": "VRTSgms",
    "odm": "VRTSodm", "vxodm": "VRTSodm", "veki": "VRTSveki", "amf": "VRTSamf",
}  # fmt: skip


@parser(
    "veritas_versions",
    version=2,
    product="veritas",
    claims=_CLAIMS,
    owns=_OWNS,
    commands=("pkginfo", "swlist", "lslpp", "pkg", "had"),
)
def veritas_versions(section: OpenSection, out: Output) -> None:
    """Package lists and ``modinfo``: which release of the Veritas products is there."""
    for line in section:
        text = line.text.strip()
        if match := _RPM_ROW.match(text) or _COLUMN_ROW.match(text):
            _add(section, out, line.number, match[1], match[2])
        elif (match := _SOLARIS_ROW.match(text)) and match[1] in _HOLDS:
            _add(section, out, line.number, _HOLDS[match[1]], match[2])
        elif match := _PKGINST.match(text):
            section.state["package"] = match[1]
        elif match := _ENGINE_ROW.match(text):
            _add(section, out, line.number, "VRTSvcs", match[1])
        elif match := _MODULE.match(text):
            section.state["package"] = _HOLDS.get(match[1])
        elif (match := _STATED.match(text)) and section.state.get("package"):
            _add(section, out, line.number, section.state.pop("package"), match[1])
        elif not re.match(_OWNS, text) or re.match(_SOLARIS, text):
            out.skip(line, "no package with its version")


def _add(section: OpenSection, out: Output, line: int, product: str, version: str) -> None:
    section.add(Version, line, product=product, version=version)
