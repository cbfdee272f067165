"""Events of ZFS: ``zpool events``, short and with ``-v``, and the mails of its event daemon.

    TIME                           CLASS
    Apr 20 2031 01:11:45.892907702 ereport.fs.zfs.probe_failure
            pool = "larder"                             Subject: ZFS device fault for pool larder on moth2
            vdev_path = "/dev/disk/by-vdev/shelf4"        class: statechange
            vdev_state = "FAULTED"                        state: FAULTED
                                                          vpath: /dev/disk/by-id/scsi-3500a-part1

Yields ``Event``: a device that ZFS gave up or does not reach, about the device; errors that it counts, about the device
or its pool; requests that failed for a whole pool. Starts and ends of scrubs, of resilvers and of settings are
everyday, and so is a mail that says that a scrub ended. Source: zpool-events(8), zed(8) and the mails of zed.d.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Event
from parsers.registry import parser
from parsers.times.clock import find_instant

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection

_CLASS: Final = r"(?:ereport|resource|sysevent)\.fs\.zfs\.(?P<what>[\w.]{2,60})"
_PLAIN: Final = _CLASS.replace("?P<what>", "?:")
_DATED: Final = rf"[A-Z][a-z]{{2}}\s{{1,2}}\d{{1,2}} \d{{4}} \d\d:\d\d:\d\d(?:\.\d{{1,9}})?\s{{1,8}}{_PLAIN}"
_PAIR: Final = re.compile(r"(?P<name>[a-z_]{2,40}) = (?P<value>\S.{0,2000})$")
_NESTED: Final = r"[a-z_]{2,40} = \(embedded nvlist\)$|\(end [a-z_]{2,40}\)$"
_IS_EVENT: Final = re.compile(
    rf"(?P<when>[A-Z][a-z]{{2}}\s{{1,2}}\d{{1,2}} \d{{4}} \d\d:\d\d:\d\d\S{{0,12}})\s{{1,8}}{_CLASS}"
)
_GONE: Final = ("FAULTED", "UNAVAIL", "REMOVED", "DEGRADED", "CANT_OPEN")
_CLOSED: Final = re.compile(r"vdev\.|probe_failure|removed$|fault$")
_COUNTED: Final = re.compile(r"(?:io|checksum|data|authentication|log_replay|deadman|zpool|pool)$")
_BY_NUMBER: Final = {"1": "CLOSED", "2": "OFFLINE", "3": "REMOVED", "4": "UNAVAIL", "5": "FAULTED", "6": "DEGRADED"}
"""States of a device as releases print them that know no names."""
_TEXT_KEPT: Final = 400


class _OpenEvent:
    """What is told of one event so far."""

    def __init__(self, section: OpenSection) -> None:
        self._section = section
        self._line = 0
        self._what = ""
        self._at: int | None = None
        self._words: dict[str, str] = {}

    def begin(self, line: int, what: str, at: int | None = None) -> None:
        """The next event; the one before is whole."""
        self.put()
        self._line, self._what, self._at, self._words = line, what, at, {}

    def add(self, name: str, value: str) -> None:
        """A value of the event."""
        self._words.setdefault(name, value.split('"')[1] if value.startswith('"') else value.strip())

    def put(self) -> None:
        """What it says, where something is wrong."""
        what, words = self._what, self._words
        self._what = ""
        if not what:
            return
        state = words.get("vdev_state", words.get("state", ""))
        state = _BY_NUMBER.get(state.removeprefix("0x"), state)
        pool, device = words.get("pool"), words.get("vdev_path") or words.get("vpath")
        if what == "io_failure":
            self._event("zfs-pool-suspended", pool, what)
        elif what == "statechange" and state in _GONE:
            self._event("zfs-device-given-up", device or words.get("devid") or pool, f"{what} {state}")
        elif _CLOSED.match(what) is not None:
            self._event("zfs-device-given-up", device or words.get("devid"), what)
        elif what == "delay":
            self._event("zfs-event-delay", pool, what)
        elif _COUNTED.match(what) is not None:
            self._event("zfs-event-fault", pool, what)

    def _event(self, kind: str, about: str | None, text: str) -> None:
        section = self._section
        section.add(
            Event,
            self._line,
            node=self._words.get("host") or section.node,
            at=self._at if self._at is not None else section.at,
            source="zfs events",
            kind=kind,
            about=about.split(" (")[0] if about else None,
            text=text[:_TEXT_KEPT],
        )


@parser(
    "zfs_events",
    version=1,
    product="storage",
    claims=rf"{_DATED}|TIME\s{{10,40}}CLASS$",
    owns=rf"{_DATED}|TIME\s{{10,40}}CLASS$|{_NESTED}|[a-z_]{{2,40}} = \S",
)
def zfs_events(section: OpenSection, out: Output) -> None:
    """``zpool events``: a line for each event, its values below it."""
    current, depth = _OpenEvent(section), 0
    for line in section:
        text = line.text.strip()
        if (event := _IS_EVENT.match(text)) is not None:
            found, depth = find_instant(event["when"]), 0
            current.begin(line.number, event["what"], found[0].us if found else None)
            out.everyday()
        elif text.endswith("(embedded nvlist)"):
            depth += 1
            out.frame()
        elif text.startswith("(end "):
            depth -= 1
            out.frame()
        elif (pair := _PAIR.match(text)) is not None:
            if depth <= 0:
                current.add(pair["name"], pair["value"])
            out.everyday()
        else:
            out.frame()
    current.put()


_SUBJECT: Final = r"Subject: ZFS .{3,200}"
_OPENS: Final = (
    rf"{_SUBJECT}$|ZFS has (?:detected|marked|finished|failed|experienced) .{{3,200}}$"
    r"|The number of (?:I/O|checksum) errors associated with a ZFS device|eid: \d{1,12}$"
    r"|v(?:path|guid): \S{1,400}$"
)
_OF_MAIL: Final = re.compile(
    r"(?P<name>impact|eid|class|state|host|time|vpath|vphys|vguid|vtype|devid|pool|cksum|read|write|error|enc|scan"
    r"|action|status|see): "
    r"{0,4}(?P<value>\S.{0,400})$"
)
_WORDS: Final = r"[A-Za-z][\w /,'()-]{0,200}[.:]$|acceptable levels\. "


@parser(
    "zfs_mails",
    version=1,
    product="storage",
    claims=_OPENS,
    owns=rf"{_OPENS}|{_OF_MAIL.pattern.split(')', 1)[0].replace('?P<name>', '?:')}): |{_WORDS}",
    priority=1,
    names_hosts=True,
)
def zfs_mails(section: OpenSection, out: Output) -> None:
    """A mail of the event daemon: pairs of a name and a value."""
    current = _OpenEvent(section)
    for line in section:
        pair = _OF_MAIL.match(line.text.strip())
        if pair is None:
            out.frame()
            continue
        name, value = pair["name"], pair["value"]
        if name == "class":
            current.begin(line.number, value.removeprefix("ereport.fs.zfs."))
        else:
            current.add(name, value)
        out.everyday()
    current.put()
