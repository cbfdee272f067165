"""Files that hold one number or a few words: sysfs of GFS2, configfs of the lock manager, its connections in debugfs.

::

    # cat /sys/fs/gfs2/pond:projects/withdraw                     /sys/kernel/config/dlm/cluster/rsbtbl_size:1024
    (grep)
    0                                                             ==> /sys/kernel/config/dlm/cluster/toss_secs <==
    (tail, head)
    # cat /sys/fs/gfs2/pond:projects/status                       10
    Journal Checked:          1

Yields ``Setting``: source ``gfs2 sysfs`` with the file system as scope, ``dlm configfs``; ``Counter`` for
``send_queue_cnt`` with the peer as scope; ``ListedState`` of a file system that is frozen or blocked. A number alone
is known by the command above it or by the path of the text; of several files in one command the numbers count only
where there are as many. No times. Source: fs/gfs2/sys.c, fs/dlm/config.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of

_WORD: Final = r"[\w.-]{1,64}"
_FILE: Final = (
    rf"(?:sys/fs/gfs2/[^/\s:;|]{{1,64}}(?::[^/\s:;|]{{1,64}})?/(?:tune/|lock_module/)?{_WORD}"
    rf"|sys/kernel/config/dlm/cluster/{_WORD}|debug/dlm/(?:{_WORD}/){{0,2}}comms/\d{{1,10}}/send_queue_cnt"
    rf"|dlm/comms/\d{{1,10}}/send_queue_cnt)"
)
_NAMED: Final = rf"(?:/{_WORD}){{0,4}}/{_FILE}"
_CLAIM: Final = rf"(?:==> {{0,2}}{_NAMED}(?: <==)?$|{_NAMED}(?::\S|$)|Journal (?:Checked|Live): {{1,20}}\d)"
_VALUE: Final = r"-?\d{1,20}|0x[0-9a-f]{1,16}|[\w.:-]{1,128}"
_KEYED: Final = r"(?:[A-Z][A-Za-z ()/_-]{2,40}|sd_[a-z_]{2,40}):"

_PARTS = re.compile(
    rf"(?:sys/fs/gfs2/(?P<fs>[^/\s:;|]{{1,64}}(?::[^/\s:;|]{{1,64}})?)/(?:tune/|lock_module/)?(?P<knob>{_WORD})"
    rf"|sys/kernel/config/dlm/cluster/(?P<config>{_WORD})|comms/(?P<peer>\d{{1,10}})/send_queue_cnt)(?=$|[\s:;|<\"'])"
)
_GREPPED = re.compile(rf"(?P<path>{_NAMED}):(?P<value>{_VALUE})$")
_LONE = re.compile(rf"(?:{_VALUE})$")
_STATUS = re.compile(rf"(?P<key>{_KEYED}) {{1,40}}(?P<value>\S.{{0,120}})$")


_STOPPED: Final = {"freeze": "frozen, nobody can write", "block": "locks are blocked until a recovery has ended"}
"""What a one in a file says of the file system."""


class _Place(NamedTuple):
    """A file: where it belongs and its name."""

    source: str
    scope: str | None
    name: str


def _places(text: str) -> Iterator[_Place]:
    for match in _PARTS.finditer(text):
        if match["config"]:
            yield _Place("dlm configfs", None, match["config"])
        elif match["peer"]:
            yield _Place("dlm comms", match["peer"], "send_queue_cnt")
        elif match["fs"] != "*":
            yield _Place("gfs2 sysfs", match["fs"], match["knob"])


def _owns(text: str, before: str) -> bool:
    stripped = text.strip()
    if re.match(_CLAIM, stripped) or _STATUS.match(stripped):
        return True
    return _LONE.match(stripped) is not None and not stripped.isalpha()


@parser("gfs2_number_files", version=2, product="gfs2", claims=_CLAIM, owns=_owns, places=_FILE, priority=-1)
def gfs2_number_files(section: OpenSection, out: Output) -> None:
    """Small files of GFS2 and of the lock manager."""
    above = list(_places(section.command.text)) if section.command is not None else list(_places(section.path))
    place: _Place | None = None
    lone: list[tuple[int, str]] = []
    for line in section:
        text = line.text.strip()
        if grepped := _GREPPED.match(text):
            place = next(_places(grepped["path"]), None)
            _add(section, out, line.number, place, grepped["value"])
        elif found := next(_places(text), None):
            place = found
        elif status := _STATUS.match(text):
            scope = place or (above[0] if above else None)
            where = _Place("gfs2 sysfs", scope.scope if scope else None, status["key"].rstrip(":"))
            _add(section, out, line.number, where, status["value"])
        elif place is not None:
            _add(section, out, line.number, place, text)
            place = None
        else:
            lone.append((line.number, text))
    if len(lone) == len(above):
        for (number, text), one in zip(lone, above, strict=True):
            _add(section, out, number, one, text)


def _add(section: OpenSection, out: Output, line: int, place: _Place | None, value: str) -> None:
    if place is None:
        return
    if place.source == "dlm comms":
        if is_whole(value, 15):
            section.add(
                Counter,
                line,
                scope=f"node {place.scope}",
                source=place.source,
                name=place.name,
                unit="messages",
                value=float(value),
                sample=line,
            )
        return
    section.add(Setting, line, scope=place.scope, source=place.source, name=place.name, value=value)
    if (state := _STOPPED.get(place.name)) is not None and value == "1" and place.source == "gfs2 sysfs":
        row = f"{place.scope}: {place.name} {value}"
        section.add(ListedState, line, source=place.source, name=place.scope, state=state, standing="wrong", row=row)


_CONF_NAMES: Final = (
    r"(?:plock_(?:rate_limit|ownership|debug)|drop_resources_(?:time|count|age)|enable_(?:fencing"
    r"|quorum_fencing|quorum_lockspace|startup_fencing|concurrent_fencing|helper|plock)"
    r"|repeat_failed_fencing|fence_all|log_debug|protocol|timewarn|foreground|daemon_debug"
    r"|post_join_delay)"
)
_CONF = re.compile(
    rf"(?P<name>{_CONF_NAMES}|DLM_(?:RSB|LKB|DIR)TBL_SIZE) {{0,4}}= {{0,4}}[\"']?(?P<value>[\w./ -]{{1,120}}?)[\"']?$"
)


@parser(
    "dlm_conf",
    version=1,
    product="gfs2",
    claims=(
        r"(?:(?:plock_(?:rate_limit|ownership)|drop_resources_(?:time|count|age)|enable_(?:fencing"
        r"|quorum_fencing|quorum_lockspace|startup_fencing|concurrent_fencing))(?: {0,4}= "
        r"{0,4}|=)[\d\"']|DLM_(?:RSB|LKB|DIR)TBL_SIZE=)"
    ),
    owns=rf"(?:{_CONF_NAMES}|DLM_[A-Z]{{1,20}}_SIZE) {{0,4}}=",
    commands=("dlm_tool",),
    places=r"dlm\.conf\b|dlm_tool dump_config|sysconfig/(?:cman|dlm)\b",
)
def dlm_conf(section: OpenSection, out: Output) -> None:
    """``dlm.conf``, ``dlm_tool dump_config``, and the table sizes of ``/etc/sysconfig/cman``."""
    for line, match in lines_of(section, out, _CONF, "no option with a value"):
        name = match["name"].removeprefix("DLM_").lower() if match["name"].startswith("DLM_") else match["name"]
        source = "sysconfig" if match["name"].startswith("DLM_") else "dlm.conf"
        section.add(Setting, line.number, source=source, name=name, value=match["value"].strip())
