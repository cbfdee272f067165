"""Files of settings in braces: ``lvm.conf`` and ``lvmlocal.conf``, ``multipath.conf``.

    global {                                 defaults {
        use_lvmlockd = 1                         no_path_retry     12
    }                                            find_multipaths yes
    local {                                  }
        host_id = 2                          devices {
    }                                            device {
                                                     vendor "KESTREL"
                                                     product "ARRAY-9"

Yields ``Setting`` by its name, of ``multipath.conf`` with the part of the file as scope: ``defaults``, a device by its
vendor and product, a multipath by its alias or number. ``multipath -t`` and ``multipathd show config`` print the same,
and ``lvmconfig`` does of the former.
Lists of names that are left out are everyday. Source: lvm.conf(5), multipath.conf(5).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_OPEN: Final = re.compile(r"(?P<part>[a-z][a-z_]{2,30})(?:/)? {0,8}\{$")
_PAIR: Final = re.compile(
    r"(?P<name>[a-z][a-z_\d]{1,60}) {0,40}(?:[= \t]) {0,40}(?P<value>\"[^\"]{0,300}\"|[^\s{}].{0,300})$"
)
_PLACE: Final = (
    r"\blvm(?:local)?\.conf\b|\blvm(?:config\b| dumpconfig\b)|\bmultipath\.conf\b"
    r"|\bmultipathd?[ _](?:-k ?\"?)?(?:-?t|show[ _]config)(?![A-Za-z0-9])"
)
_LOCAL: Final = re.compile(r"\blvmlocal\.conf\b")
_LVM: Final = re.compile(r"\blvm(?:(?:local)?\.conf|config| dumpconfig)\b")
_NAMES: Final = ("wwid", "alias", "vendor", "product")


def _owns(text: str, before: str) -> bool:
    stripped = text.strip()
    return stripped in ("", "}") or stripped[0] == "#" or bool(_OPEN.match(stripped) or _PAIR.match(stripped))


@parser("braced_settings", version=1, product="storage", claims="(?!)", owns=_owns, places=_PLACE)
def braced_settings(section: OpenSection, out: Output) -> None:
    """A setting a line, in the part of the file in which it stands."""
    where = section.command.text if section.command is not None else section.path
    of_lvm = _LVM.search(where) is not None
    source = "lvmlocal.conf" if _LOCAL.search(where) else "lvm.conf" if of_lvm else "multipath.conf"
    parts: list[str] = section.state.setdefault("parts", [])
    for line in section:
        text = line.text.strip()
        if (match := _OPEN.match(text)) is not None:
            parts.append(match["part"])
            section.state["named"] = {}
            out.frame()
        elif not text.strip("}") or text.startswith("#"):
            del parts[len(parts) - text.count("}") if text.startswith("}") else len(parts) :]
            out.frame()
        elif (match := _PAIR.match(text)) is None:
            out.skip(line, "no setting with its value")
        elif "blacklist" in parts or "blacklist_exceptions" in parts:
            out.everyday()
        else:
            _put(section, line, source, match["name"], match["value"].strip().strip('"'), scoped=not of_lvm)


def _put(section: OpenSection, line: Line, source: str, name: str, value: str, *, scoped: bool) -> None:
    parts: list[str] = section.state["parts"]
    named: dict[str, str] = section.state.setdefault("named", {})
    if name in _NAMES:
        named[name] = value
    scope = None
    if scoped and parts:
        own = " ".join(named[key] for key in ("alias", "vendor", "product") if key in named) or named.get("wwid")
        scope = f"{parts[-1]} {own}" if own else parts[-1]
    section.add(Setting, line.number, source=source, name=name, value=value, scope=scope)
