"""Tools of locks on shared storage: ``lvmlockctl -i`` and its ``--dump``, ``sanlock client status``, ``gets`` and
``host_status``, ``sanlock.log``, ``sbd list``.

    VG pool7 lock_type=dlm 0cJ3yZ-...          daemon 77c2b1e4.kite1            0  kite1  clear
    LS dlm lvm_pool7                           p 2271 lvmlockd                  1  kite2  reset  kite1
    LK VG ex ver 211 pid 30811 (lvchange)      s lvm_pool7:1:/dev/mapper/pool7-lvmlock:0 ADD
    LW VG sh ver 0 pid 31002 (lvs)             r lvm_pool7:VGLK:/dev/mapper/pool7-lvmlock:66048:41 p 2271
    LK LV sh 3SdJ1b-...                        h 2 gen 1 timestamp 8812 DEAD

Yields ``DlmLock`` for the locks of lvmlockd (``LW`` waits), ``Membership`` for a lockspace of sanlock,
``ClusterMember`` for its hosts and for the slots of sbd, where a message that is not ``clear`` waits for its node, and
``Event`` of the log. Of ``sbd dump`` a wait for messages of less than twice the watchdog is a ``ListedState`` that is
wrong. A process of sanlock and the locks it has carry no state. ``lvmlockctl -i -d`` prints the same as pairs
(``info=ls ls_name=lvm_pool7 .. kill_vg=0``); ``sanlock -D`` has pairs below each row, of which those of a lease that is
not renewed change its state. Tolerated: any order, rows left out. Source: lvmlockctl(8) and its source, sanlock(8) and
its source, sbd(8).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import meaning_of
from parsers.formats.host.platforms.units import add_unit
from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Setting
from parsers.records.locks import DlmLock
from parsers.records.states import (
    ClusterMember,
    GroupStanding,
    ListedState,
    Membership,
    NodeStanding,
    StorageState,
)
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import Instant, find_instant

_VG = re.compile(r"VG (?P<vg>\S{1,128}) lock_type=(?P<type>\w{1,12})")
_SPACE = re.compile(r"LS (?P<type>\w{1,12}) (?P<name>\S{1,128})$")
_OPERATION = re.compile(r"OP (?P<what>[a-z_]{2,24}) pid (?P<pid>\d{1,9}) \([^)]{0,64}\)$")
_WORD_BEHIND = re.compile(r"LS \w{1,12} (?P<name>\S{1,128}) (?P<what>(?:kill|drop)_vg)\b")
_INFO: Final = r"info=(?:structs|client|ls|ls_action|r|lk|r_action) \w{1,24}="
_INFO_PAIR = re.compile(r"(\w{1,24})=(\S{0,200})")
_LOCK = re.compile(
    r"(?P<what>L[KW]) (?P<kind>GL|VG|LV) (?P<mode>un|sh|ex|iv|--)(?: (?P<uuid>[\w-]{30,40}))?(?: ver \d{1,12})?"
    r"(?: pid (?P<pid>\d{1,9}) \((?P<command>[^)]{0,64})\))?"
)
_LOCK_ROW: Final = r"L[KW] (?:GL|VG|LV) (?:un|sh|ex|iv|--)(?:\s|$)"
_LVM: Final = rf"VG \S{{1,128}} lock_type=\w|{_LOCK_ROW}|{_INFO}"
_MODES: Final = {"sh": "PR", "ex": "EX"}


@parser(
    "lvmlockctl",
    version=2,
    product="gfs2",
    claims=_LVM,
    owns=rf"{_LVM}|LS \w{{1,12}} \S|OP [a-z_]{{2,24}} pid \d",
    commands=("lvmlockctl",),
)
def lvmlockctl(section: OpenSection, out: Output) -> None:
    """``lvmlockctl -i``: locks of LVM on shared volume groups."""
    group: str | None = section.state.get("group")
    space: str | None = section.state.get("space")
    for line in section:
        text = line.text.strip()
        if match := _VG.match(text):
            group = section.state["group"] = match["vg"]
            space = section.state["space"] = None
            out.frame()
        elif match := _SPACE.match(text):
            space = section.state["space"] = match["name"]
            out.frame()
        elif re.match(_INFO, text):
            _info(section, line.number, dict(_INFO_PAIR.findall(text)), out)
        elif match := _WORD_BEHIND.match(text):
            space = section.state["space"] = match["name"]
            _given_up(section, line.number, group or space, match["what"])
        elif match := _OPERATION.match(text):
            if match["what"] in _GIVEN_UP:
                _given_up(section, line.number, group, match["what"])
            else:
                out.everyday()
        elif match := _LOCK.match(text):
            waits = match["what"] == "LW"
            mode = _MODES.get(match["mode"])
            if mode is None and not waits:
                out.everyday()
                continue
            section.add(
                DlmLock,
                line.number,
                source="lvmlockctl",
                lockspace=space or group,
                resource=" ".join(part for part in (match["kind"], match["uuid"]) if part),
                pid=int(match["pid"]) if match["pid"] else None,
                granted=None if waits else mode,
                requested=mode if waits else None,
                queue="waiting" if waits else "granted",
            )
        else:
            out.skip(line, "no lock with its mode")


_GIVEN_UP: Final = ("kill_vg", "drop_vg")


def _given_up(section: OpenSection, line: int, group: str | None, what: str) -> None:
    """A volume group whose locks could not be kept: its volumes are to be taken down, or were."""
    section.add(
        StorageState,
        line,
        source="lvmlockctl",
        sort="volume group",
        name=group,
        state=f"marked {what}, its locks are given up",
        standing="failed",
    )


def _info(section: OpenSection, line: int, pairs: dict[str, str], out: Output) -> None:
    """A row of pairs; those of locks stand below the row of their lockspace and resource."""
    state, what = section.state, pairs["info"]
    if what == "ls":
        state["group"], state["space"] = pairs.get("vg_name"), pairs.get("ls_name")
        found = [one for one in _GIVEN_UP if pairs.get(one, "0") != "0"]
        if found:
            _given_up(section, line, state["group"], found[0])
        else:
            out.everyday()
        return
    if what == "client":
        state.setdefault("clients", {})[pairs.get("id")] = pairs.get("pid")
    if what == "r":
        sort = pairs.get("type", "").upper()
        state["resource"] = f"LV {pairs.get('name')}" if sort == "LV" else sort
    if what == "ls_action" and pairs.get("op") in _GIVEN_UP:
        _given_up(section, line, state.get("group"), pairs["op"])
        return
    waits, mode = what == "r_action" and pairs.get("op") == "lock", _MODES.get(pairs.get("mode", ""))
    if mode is None or what not in ("lk", "r_action") or (what == "r_action" and not waits):
        out.everyday()
        return
    pid = state.get("clients", {}).get(pairs.get("client_id"), "")
    section.add(
        DlmLock,
        line,
        source="lvmlockctl",
        lockspace=state.get("space"),
        resource=state.get("resource"),
        pid=int(pid) if pid.isdigit() else None,
        granted=None if waits else mode,
        requested=mode if waits else None,
        queue="waiting" if waits else "granted",
    )


_DAEMON: Final = r"daemon [0-9a-f-]{8,40}\.\S{1,64}$"
_LOCKSPACE = re.compile(
    r"s (?P<name>[\w.-]{1,48}):(?P<host>\d{1,5}):(?P<path>[^:]{1,200}):\d{1,20}(?: (?P<state>\S.{0,80}))?$"
)
_HOST = re.compile(
    r"h (?P<host>\d{1,5}) gen \d{1,12} timestamp \d{1,20}(?: (?P<state>(?:FREE|LIVE|FAIL|DEAD|UNKNOWN|\w+)\b.{0,80}))?$"
)
_SANLOCK: Final = r"(?:daemon [0-9a-f-]{8,40}\.\S|s [\w.-]{1,48}:\d{1,5}:/|h \d{1,5} gen \d{1,12} timestamp \d)"
_SANLOCK_MORE: Final = r"p -?\d{1,9} ?\S{0,64}$|r [\w.-]{1,48}:[^:]{1,48}:/"
_DETAIL = re.compile(r"(?P<name>[a-z][a-z0-9_]{1,40})=(?P<value>\S{0,120})$")
_LOST: Final = {
    "renew_fail": "its lease is not renewed",
    "space_dead": "its lease is lost",
    "killing_pids": "its processes are being killed",
}
_STATUS_HEAD = re.compile(r"lockspace (?P<name>[\w.-]{1,48})$")
_STATUS_ROW = re.compile(r"(?P<host>\d{1,5}) timestamp (?P<at>\d{1,20})$")
_FAIL_AFTER: Final = 8
"""Times ``io_timeout``: a lease that was not renewed for so long has failed (sanlock source, src/timeouts.c)."""
_DEAD_AFTER: Final = 14
_HOSTS: Final[dict[str, NodeStanding]] = {"LIVE": "up", "FREE": "leaving", "FAIL": "down", "DEAD": "down"}


@parser(
    "sanlock_status",
    version=2,
    product="gfs2",
    claims=_SANLOCK,
    owns=rf"{_SANLOCK}|{_SANLOCK_MORE}|[a-z][a-z0-9_]{{1,40}}=\S{{0,120}}$",
    commands=("sanlock",),
)
def sanlock_status(section: OpenSection, out: Output) -> None:
    """``sanlock client status`` and ``gets``: lockspaces and the hosts in them."""
    space: str | None = section.state.get("space")
    for line in section:
        text = line.text.strip()
        if (match := _DETAIL.match(text)) is not None:
            if match["name"] in _LOST and match["value"] != "0" and space is not None:
                section.add(
                    Membership,
                    line.number,
                    source="sanlock client status",
                    sort="leases",
                    group=f"lockspace {space}",
                    state=f"{_LOST[match['name']]} ({text})",
                    standing="waiting" if match["name"] == "renew_fail" else "stopped",
                )
            else:
                out.everyday()
            continue
        if match := _LOCKSPACE.match(text):
            space = section.state["space"] = match["name"]
            state = match["state"] or "joined"
            standing: GroupStanding = "changing" if state.startswith(("ADD", "REM")) else "normal"
            section.add(
                Membership,
                line.number,
                source="sanlock client status",
                sort="daemon group",
                group=f"lockspace {space}",
                members=match["host"],
                state=state,
                standing=standing,
            )
        elif match := _HOST.match(text):
            state = match["state"] or "unknown"
            section.add(
                ClusterMember,
                line.number,
                source="sanlock client gets",
                member=match["host"],
                layer="locks",
                of=space,
                state=state,
                standing=_HOSTS.get(state.split()[0], "unknown"),
            )
        elif text.startswith("daemon "):
            out.frame()
        elif re.match(_SANLOCK_MORE, text):
            out.everyday()
        else:
            out.skip(line, "no lockspace and no host")


@parser(
    "sanlock_host_status",
    version=2,
    product="gfs2",
    claims=r"\d{1,5} timestamp \d{1,20}$",
    owns=r"lockspace [\w.-]{1,48}$|\d{1,5} timestamp \d{1,20}$|[a-z][a-z0-9_]{1,40}=\S{0,120}$",
    commands=("sanlock",),
    places=r"\bsanlock(?: client)? host_status\b",
)
def sanlock_host_status(section: OpenSection, out: Output) -> None:
    """``sanlock client host_status -D``: when the lease of each host was seen to be renewed."""
    state = section.state
    for line in section:
        text = line.text.strip()
        if match := _STATUS_HEAD.match(text):
            state.update(space=match["name"], host=None)
            out.frame()
        elif match := _STATUS_ROW.match(text):
            state.update(host=match["host"], at=match["at"], pairs={})
            out.frame()
        elif (match := _DETAIL.match(text)) is not None and state.get("host") is not None:
            state["pairs"][match["name"]] = match["value"]
            if match["name"] == "io_timeout":
                _host(section, line.number)
            else:
                out.everyday()
        else:
            out.skip(line, "no host of a lockspace")


def _host(section: OpenSection, line: int) -> None:
    pairs = section.state["pairs"]
    seen = [pairs.get(name, "") for name in ("last_check", "last_live", "io_timeout")]
    state = "unknown"
    if section.state["at"] == "0":
        state = "FREE"
    elif all(one.isdigit() for one in seen):
        silent = int(seen[0]) - int(seen[1])
        over = [name for name, times in (("DEAD", _DEAD_AFTER), ("FAIL", _FAIL_AFTER)) if silent > times * int(seen[2])]
        state = f"{over[0]}, not renewed for {silent} s" if over else "LIVE"
    section.add(
        ClusterMember,
        line,
        source="sanlock client host_status",
        member=section.state["host"],
        layer="locks",
        of=section.state.get("space"),
        state=state,
        standing=_HOSTS.get(state.split(",")[0], "unknown"),
    )


_LOG: Final = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[+-]\d{4})? \d{1,12} \[\d{1,9}\]: "


@parser("sanlock_log", messages=True, version=1, product="gfs2", claims=_LOG, commands=("sanlock",))
def sanlock_log(section: OpenSection, out: Output) -> None:
    """``sanlock.log``: stamp, seconds since the start of the system, thread."""
    for line in section:
        text = line.text.strip()
        found = find_instant(text[:24])
        if found is not None:
            section.stamp(found[0])
        meaning = meaning_of("sanlock", text)
        if meaning is None:
            out.everyday()
            continue
        add_message(section, line.number, meaning, source="sanlock", text=text, at=found[0].us if found else None)


_OF_LVMLOCKD: Final = (
    r"(?:\d{1,7}[ \t]{1,4})?1\d{9} (?:(?:recv|send|close) [\w./-]{1,40}\[\d{1,9}\] cl \d|new cl \d|S \S{1,128} "
    r"(?:R \S{1,64} |[a-z_]{3,30}\b)|lockspace \"|work(?:er)? |lvmlockd (?:started|starting)|lm_[a-z_]{3,30} |"
    r"(?:create|free|add|rem|get|adopt|daemon|client)_[a-z_]{3,30}\b)"
)
_LVMLOCKD_LINE = re.compile(r"(?:\d{1,7}[ \t]{1,4})?(?P<epoch>1\d{9}) (?P<text>\S.{0,2000})$")


@parser(
    "lvmlockd_log",
    messages=True,
    version=1,
    product="gfs2",
    claims=_OF_LVMLOCKD,
    owns=r"(?:\d{1,7}[ \t]{1,4})?1\d{9} \S",
    commands=("lvmlockctl",),
)
def lvmlockd_log(section: OpenSection, out: Output) -> None:
    """The debug log of lvmlockd: seconds since 1970 in front of each line."""
    for line, match in lines_of(section, out, _LVMLOCKD_LINE, "no line of lvmlockd"):
        at = int(match["epoch"]) * 1_000_000
        section.stamp(Instant(at, 0))
        meaning = meaning_of("lvmlockd", match["text"])
        if meaning is None:
            out.everyday()
            continue
        add_message(section, line.number, meaning, source="lvmlockd", text=match["text"], at=at, zone_min=0)


_SLOT = re.compile(
    r"(?P<slot>\d{1,3})\s{1,8}(?P<node>[A-Za-z][\w.-]{0,63})\s{1,8}"
    r"(?P<message>clear|test|reset|off|exit|crashdump)(?:\s{1,8}(?P<by>[A-Za-z][\w.-]{0,63}))?$"
)
_SLOT_ROW: Final = r"\d{1,3}\s{1,8}[A-Za-z][\w.-]{0,63}\s{1,8}(?:clear|test|reset|off|exit|crashdump)(?:\s|$)"


@parser("sbd_list", version=1, product="gfs2", claims=_SLOT_ROW, commands=("sbd",))
def sbd_list(section: OpenSection, out: Output) -> None:
    """``sbd -d DEVICE list``: the message that waits in the slot of each node."""
    for line, match in lines_of(section, out, _SLOT, "no slot with its message"):
        waits = match["message"] not in ("clear", "test")
        by = f" from {match['by']}" if match["by"] else ""
        section.add(
            ClusterMember,
            line.number,
            source="sbd list",
            member=match["node"],
            layer="fencing",
            state=f"message {match['message']}{by} in its slot of sbd" if waits else match["message"],
            standing="down" if waits else "up",
        )


_DUMP_HEAD: Final = r"==(?:Dumping header on disk|Header on disk) /\S"
_DUMP_PAIR = re.compile(
    r"(?P<name>Header version|UUID|Number of slots|Sector size|Timeout \([a-z]{3,12}\))\s{0,24}: {0,4}"
    r"(?P<value>\S{1,64})$"
)


_WATCHDOG, _MESSAGE = "Timeout (watchdog)", "Timeout (msgwait)"
_TWICE: Final = 2


def _timeouts(section: OpenSection, seconds: dict[str, tuple[int, int]]) -> None:
    """Who sends a node its end waits until the watchdog of that node has fired at the latest, and longer."""
    if _WATCHDOG not in seconds or _MESSAGE not in seconds:
        return
    (watchdog, _), (message, line) = seconds[_WATCHDOG], seconds[_MESSAGE]
    is_short = watchdog > 0 and message < _TWICE * watchdog
    section.add(
        ListedState,
        line,
        source="sbd dump",
        name="msgwait of sbd",
        state=f"{message} s, watchdog {watchdog} s needs {_TWICE * watchdog} s" if is_short else f"{message} s",
        standing="wrong" if is_short else "good",
        row=f"msgwait {message} s, watchdog {watchdog} s",
    )


@parser(
    "sbd_dump",
    version=2,
    product="gfs2",
    claims=_DUMP_HEAD,
    owns=rf"{_DUMP_HEAD}|(?:Header version|UUID|Number of slots|Sector size|Timeout \([a-z]{{3,12}}\))\s{{0,24}}:",
    commands=("sbd",),
)
def sbd_dump(section: OpenSection, out: Output) -> None:
    """``sbd -d DEVICE dump``: timeouts on the device."""
    seconds: dict[str, tuple[int, int]] = {}
    for line in section:
        text = line.text.strip()
        if match := _DUMP_PAIR.match(text):
            section.add(Setting, line.number, source="sbd dump", name=match["name"], value=match["value"])
            if is_whole(match["value"], 6):
                seconds[match["name"]] = int(match["value"]), line.number
        elif text.startswith("=="):
            out.frame()
        else:
            out.skip(line, "no setting of the device")
    _timeouts(section, seconds)


_REFUSED: Final = (
    r"(?:VG \S{1,128} (?:lock (?:skipped|failed)|(?:start|stop|init|free|rename) failed): |Global lock failed: "
    r"|Skipping global lock: |LV \S{1,128} (?:lock failed|free lock in shared VG): |Missing global lock: "
    r"|LV is already locked with incompatible |Failed to (?:re)?start VG \S{1,128} lockspace"
    r"|No sanlock space for lock |No space for sanlock "
    r"|Failed to find a running lock manager|Start a lock manager, lvmlockd |Failed to initialize lock args for lock "
    r"|Reading VG \S{1,128} without a lock|Cannot access VG \S{1,128} due to failed lock|Failed to lock logical volume "
    r"|Error locking on node |Can't get lock for \S{1,128}$|cluster request failed: "
    r"|Internal cluster locking initiali[sz]ation failed|LV locked by other host"
    r"|(?:WARNING: )?(?:Not using )?lvmlockd(?: because lvmlockd)? "
    r"(?:process is not running|is not running|failed to ))"
)


@parser("lvm_locking", version=1, product="gfs2", claims=_REFUSED)
def lvm_locking(section: OpenSection, out: Output) -> None:
    """What a command of LVM prints where it gets no lock on a shared volume group."""
    for line in section:
        text = line.text.strip()
        meaning = meaning_of("lvmlockd", text)
        if meaning is None:
            out.everyday()
            continue
        add_message(section, line.number, meaning, source="lvm", text=text)


_UNIT_HEAD: Final = (
    r"(?:[●○×*↻] [\w@.:-]{1,120}\.(?:(?:service|mount)(?: - \S|$)|(?:socket|target) - \S)"
    r"|[\w@.:-]{1,120}\.(?:service|mount|socket|target) - \S)"
)
"""The first line of a unit; older releases and pages that drop the sign print no dot in front. A socket without words
stands behind ``TriggeredBy:``, and begins nothing.
"""
_UNIT = re.compile(
    rf"(?={_UNIT_HEAD})(?:[●○×*↻] )?(?P<unit>[\w@.:-]{{1,120}}\.(?:service|mount|socket|target))(?: - .{{1,200}})?$"
)
_ACTIVE = re.compile(r"Active: (?P<state>[a-z-]{4,14})(?: \((?P<detail>[^)]{1,60})\))?")
_UNIT_ROW: Final = (
    r"(?:Loaded|Active|Drop-In|Process|Main PID|Tasks|Memory|CPU|CGroup|Docs|Status|TriggeredBy|Triggers|Until"
    r"|What|Where|IO|IP|Invocation|Started|Condition|Mem peak|FD Store|Error|Transient):\s"
    r"|(?:man:[\w@.-]{1,80}(?:\(\w{1,4}\))?|(?:https?|file|info):\S{1,400})$"
)


@parser(
    "systemctl_status",
    version=1,
    product="",
    claims=_UNIT_HEAD,
    owns=rf"{_UNIT_HEAD}|{_UNIT_ROW}|[├└]─|/\S{{1,60}}\.conf$",
    commands=("systemctl",),
)
def systemctl_status(section: OpenSection, out: Output) -> None:
    """``systemctl status``: whether a unit runs; the log lines below it are read as such."""
    unit: str | None = section.state.get("unit")
    for line in section:
        text = line.text.strip()
        if match := _UNIT.match(text):
            unit = section.state["unit"] = match["unit"]
            out.frame()
        elif (match := _ACTIVE.match(text)) and unit is not None:
            add_unit(section, line.number, "systemctl status", unit, match["state"], match["detail"] or "")
        else:
            out.everyday()
