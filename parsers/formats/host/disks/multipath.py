"""``multipath -ll`` of device-mapper multipath: maps, their paths and the state of each.

    mpathb (3600a0b80005b2e8d00007d1a) dm-4 KESTREL,ARRAY-9
    size=2.0T features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
    |-+- policy='service-time 0' prio=50 status=active
    | `- 1:0:0:3 sdc 8:32  active ready running
    `-+- policy='service-time 0' prio=10 status=enabled
      `- 2:0:0:3 sdf 8:80  failed faulty offline

Yields ``DiskPath`` with its three states as ``state``; one of them that says failed, faulty or offline makes it down.
A path that answers and fails in turn is a ``ListedState`` too. A map without any path gives one without a device,
with state ``no path``. ``Setting`` with the map as scope: features, hwhandler, size, ``dm`` (its dm device) and
``wwid``. The layout of RHEL 5 (``\\_ 1:0:0:3 sdc 8:32 [active][ready]``) is read too. No times. Source: multipath(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import DiskPath, ListedState, PathStanding
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line
from parsers.times.clock import MONTH

_MAP_START: Final = (
    r"(?:(?:create|reload|switchpg|ghost|resize): )?(?:[\w.:+-]{0,127}[\w.+-] (?:\([\w.:-]{8,128}\) ?"
    r")?|[1-9a-f][0-9a-f]{16,32})dm-\d{1,6}(?: |\s{0,4}$)"  # old releases leave no blank behind what fills its column
    r"|[\w.:+-]{1,128} \([1-9a-f][0-9a-f]{15,32}\)\s{0,4}$"  # RHEL 4 does not tell the device
)
_SIZE: Final = r"\[?size=[\d.]{1,12}[ ]?[KMGTP]?B?\]?\s?\[?features="
_GROUP: Final = r"(?:[|` ]{0,4}[-`|]\+-|\\_) ?(?:policy=|round-robin|queue-length|service-time)"
_ADDRESS: Final = r"(?:\d{1,6}:\d{1,6}:\d{1,6}:\d{1,20}|#:#:#:#)(?: |(?=[a-z]))"
_PATH_START: Final = rf"[|` ]{{0,8}}(?:[`|]-|\\_) ?{_ADDRESS}"
_BARE_GROUP: Final = r"_ (?:round-robin|queue-length|service-time)"
_BARE_PATH: Final = rf"_ {_ADDRESS}"
_QUESTION: Final = r"(?:multipathd> ?[a-z]|multipath-tools v\d)"
"""A question typed to the daemon, and its release."""
# What the tool says besides, with its time and a bar.
_STAMP: Final = rf"(?:{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d|\d{{1,9}}\.\d{{6}}) \| "
_MESSAGE: Final = (
    rf"{_STAMP}"
    r"(?=.{0,160}(?:multipath|path|map|device|checker|prio|wwid|uid|rport|sysfs|hwtable|blacklist|config|udev))\S"
)
_CLAIMS: Final = rf"(?:{_QUESTION}|{_MAP_START}|{_SIZE}|{_GROUP}|{_PATH_START}|{_BARE_GROUP}|{_BARE_PATH}|{_MESSAGE})"
_OWNS: Final = rf"(?:{_CLAIMS}|{_STAMP}\S)"
_MESSAGE_LINE = re.compile(rf"{_STAMP}\S|{_QUESTION}")
_MAP = re.compile(
    r"(?:[a-z]{4,10}: )?(?P<name>[\w.:+-]{1,128}?)(?: (?:\((?P<wwid>[0-9A-Za-z_.:-]{8,128})\) ?)?|(?<=[0-9a-f]{17}))"
    r"(?P<dm>dm-\d{1,6})(?:\s{1,8}(?P<vendor>\S.{0,100}))?$"
    r"|(?P<old>[\w.:+-]{1,128}) \((?P<id>[1-9a-f][0-9a-f]{15,32})\)$"
)
_PATH = re.compile(
    r"(?:^|[-_ ])(?P<address>\d{1,6}:\d{1,6}:\d{1,6}:\d{1,20}|#:#:#:#)(?:\s{1,20}|(?=[a-z]))"
    r"(?P<device>\S{1,64})\s{1,20}[\d#-]{1,10}:?[\d#-]{0,10}\s{0,20}(?P<state>\S.{0,120})?$"
)
NO_PATH: Final = "no path"
_DOWN = re.compile(r"\b(?:failed|faulty|offline|no path|disabled|dead)\b")
_SHAKY: Final = re.compile(r"\b(?:shaky|marginal)\b")
"""It answers and fails in turn."""
_CHECKED = re.compile(
    r"\b(?:ready|up)\b"
)  # without a check, as of multipath -l, the checker's word is undef: nobody knows
_WHOLE = re.compile(r"(?:active|failed|undef|ready|faulty|ghost|shaky|orphan|up|down|disabled|dead)\b")
_WHOLE_SIZE = re.compile(r"wp=\w{2}|\]\s{0,4}$")
_POLICY = re.compile(r"policy='([a-z][a-z-]{3,30})[ ']")
_FEATURES = re.compile(r"features='?(.{0,120}?)'?(?:\]|\s(?:hwhandler|wp)=|$)")
_FIELD = re.compile(r"\b(size|hwhandler|wp)='?([^'\]\s]{1,80}(?: [^'\]=]{1,80})?)'?(?=[\]\s]|$)")


@parser(
    "multipath",
    version=7,
    product="storage",
    claims=_CLAIMS,
    owns=_OWNS,
    commands=("multipath", "multipathd"),
    places=r"\bmultipath\b.{0,80} -\w*[vl]",
)
def multipath(section: OpenSection, out: Output) -> None:
    """``multipath -ll``: a block per map."""
    state = section.state
    for line in section:
        text = line.text.strip()
        if _MESSAGE_LINE.match(text):
            out.ignore()
        elif match := _PATH.search(text):
            state["paths"] = state.get("paths", 0) + 1
            states = " ".join((match["state"] or "").replace("][", " ").strip("[] ").split())
            _path(section, out, line.number, state.get("map"), match["device"], match["address"], states or None)
            if _WHOLE.match(states.lower()) is None:
                out.skip(line, "the row of a path is cut before its state")
        elif match := _MAP.match(text):
            _close_map(section, out)
            state.update(map=match["name"] or match["old"], map_line=line.number, paths=0, is_whole=False)
            wwid = match["wwid"] or match["id"]
            _settings(section, out, line, {"dm": match["dm"], "wwid": wwid, "vendor": match["vendor"]})
        elif "features=" in text:
            state["is_whole"] = _WHOLE_SIZE.search(text) is not None
            features = _FEATURES.search(text)
            fields = {found[1]: found[2] for found in _FIELD.finditer(text)}
            _settings(section, out, line, {"features": features[1] if features else None, **fields})
        elif "policy=" in text or re.match(_BARE_GROUP, text.lstrip("\\")):
            _selector(section, out, line, text)
            state["is_whole"] = False  # a group has paths: where none follows, the rest is not here
        else:
            out.skip(line, "no path of a map")
    _close_map(section, out)


def _selector(section: OpenSection, out: Output, line: Line, text: str) -> None:
    """How requests are spread over the paths of a map: once, by its first group."""
    policy, state = _POLICY.search(text), section.state
    if policy is not None and state.get("selected") != (name := state.get("map")):
        state["selected"] = name
        _settings(section, out, line, {"policy": policy[1]})


def _close_map(section: OpenSection, out: Output) -> None:
    """A map below whose size neither a group nor a path stands has none."""
    state = section.state
    if state.get("map") and state.get("paths") == 0 and state.get("is_whole"):
        _path(section, out, state["map_line"], state["map"], None, None, NO_PATH)
        state["paths"] = -1


def _settings(section: OpenSection, out: Output, line: Line, values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is not None:
            section.add(
                Setting,
                line.number,
                scope=section.state.get("map"),
                source="multipath -ll",
                name=name,
                value=value.strip(),
            )


def _path(
    section: OpenSection,
    out: Output,
    line: int,
    map_name: str | None,
    device: str | None,
    address: str | None,
    state: str | None,
) -> None:
    if _SHAKY.search(state or "") is not None:
        row = f"{map_name or 'map'}: {device} {state}"
        section.add(ListedState, line, source="multipath -ll", name=device, state="shaky", standing="wrong", row=row)
    section.add(
        DiskPath,
        line,
        source="multipath -ll",
        map=map_name,
        device=device,
        address=address,
        state=state,
        standing=standing_of(state or ""),
        layer="device-mapper",
    )


def standing_of(state: str) -> PathStanding:
    """Of the states of device-mapper, checker and kernel the worst one counts."""
    words = state.lower()
    if _DOWN.search(words):
        return "down"
    if "ghost" in words:
        return "standby"
    is_up = "active" in words and _CHECKED.search(words) is not None
    return "up" if is_up and all(word in _KNOWN for word in _WORD.findall(words)) else "unknown"


_WORD: Final = re.compile(r"[a-z/]{2,40}")
_KNOWN: Final = frozenset("active ready running undef delayed i/o pending created live marginal enabled".split())
"""Words of a path that takes requests, of the map, the checker and the kernel."""
