"""The log of ``dlm_controld``: its file, its lines in a system log, ``dlm_tool dump`` and ``dlm_tool log_plock``.

::

    Mar 04 10:11:12 8123 projects wait for fencing                         dlm_controld.log
    Mar  4 10:11:12 carp2 dlm_controld[2113]: 8123 fence request 4 pid 9001 nodedown time 1772619072 fence_all
    dlm_stonith
    8123 fence result 4 pid 9001 result 1 exit status
    8130 plock_read_count 1000 time 4.120 s delays 12                      dlm_tool dump
    8131 projects read plock 2c1f0 LK WR 0-0 2/7312/ffff8803 w 1           dlm_tool log_plock

Yields ``Event`` for fencing and for lock spaces that wait, ``Counter`` for the rates of POSIX locks (1000 requests over
the printed time) and for the delays of the rate limiter; single POSIX requests are counted. The number in front is
seconds since the start of the system; date and time of day stand in log lines only. They have no year: it is that of
the section if known, else only the time of day is kept. Tolerated: all other lines of the daemon. Source: dlm_controld
of dlm 4.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from typing import Final

from parsers.output import Output
from parsers.records import DAY_US, Counter, Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import Instant, find_instant
from parsers.times.years import Years

_STAMP: Final = r"[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d"
_SYSLOG: Final = (
    rf"(?:{_STAMP}|\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\S{{0,20}}) [\w.-]{{1,128}} dlm_controld\[\d{{1,10}}\]: "
)
_PREFIX: Final = rf"(?:{_SYSLOG}|{_STAMP} |dlm_controld(?:\[\d{{1,10}}\])?: {{1,4}})?"
_TELLING: Final = (
    r"(?:(?:[\w.:-]{1,64} )?(?:(?:read|receive) plock [0-9a-f]|wait for (?:fencing|quorum)|fence "
    r"(?:wait|request|result|status) )|plock_(?:read|recv)_count \d|fence (?:request|result|status) "
    r"\d|dlm_controld \d|our_nodeid \d|cluster quorum \d|config (?:file|option) |cluster node \d{1,10} "
    r"(?:added|removed)|daemon (?:joined|member|node|remove) \d|tell(?:ing)? corosync to |cluster is down\b|found "
    r"/dev/misc/dlm|dlm:(?:ls:\S{1,64}|controld) (?:conf|ring) \d|[\w.:-]{1,64} (?:add_change cg "
    r"\d|st(?:art|op)_kernel cg \d|check_(?:ringid|fencing|quorum) (?:done|wait)|wait_messages cg "
    r"\d|match_change \d|(?:send|receive)_(?:start|plocks(?:_done)?) \d|wait for (?:start|plocks?|ringid)\b"
    r"|prepare_plocks$|(?:send|receive)_plocks_done cg \d))"
)
_LINE = re.compile(
    rf"(?:(?P<when>{_STAMP}|\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\S{{0,20}}) (?:(?P<host>[\w.-]{{1,128}}) "
    r"dlm_controld\[\d{1,10}\]: )?|dlm_controld(?:\[\d{1,10}\])?: {1,4})?(?P<mono>\d{1,10}) (?P<text>\S.{0,2000})$"
)
_WAITS = re.compile(r"(?P<space>[\w.:-]{1,64}) wait for (?P<what>fencing|quorum)$")
_PUT_OUT = re.compile(
    r"(?:daemon node (?P<merged>\d{1,10}) (?:kill due to )?stateful merge"
    r"|tell(?:ing)? corosync to remove nodeid (?P<node>\d{1,10}) from cluster)$"
)
_ENDS = re.compile(
    r"(?:cluster is down,? exiting|tell(?:ing)? corosync to shut down cluster locally|cpg_dispatch error \d{1,5})$"
)
_LEFT = re.compile(r"abandoned lockspace (?P<space>[\w.:-]{1,64})$")
_FENCE = re.compile(
    r"(?:(?P<space>[\w.:-]{1,64}) )?fence (?P<what>request|result|status) (?P<node>\d{1,10})(?P<rest>(?: .{0,400})?)$"
)
_EPOCH = re.compile(r" nodedown time (?P<epoch>[1-9]\d{9})\b")
_RESULT = re.compile(r" (?:result|receive) (?P<value>-?\d{1,10})\b")
_READS = re.compile(r"plock_read_count \d{1,18} time (?P<time>\d{1,9}(?:\.\d{1,9})?) s delays (?P<delays>\d{1,12})")
_RECEIVED = re.compile(r"plock_recv_count \d{1,18} time (?P<time>\d{1,9}(?:\.\d{1,9})?) s")
_REQUEST = re.compile(r"(?P<space>[\w.:-]{1,64}) (?P<how>read|receive) plock [0-9a-f]")
_AGENT: Final = "no actor"
PER_REPORT: Final = 1000.0


@parser(
    "dlm_controld",
    version=4,
    product="gfs2",
    claims=rf"(?:{_SYSLOG}\d|{_PREFIX}\d{{1,10}} {_TELLING})",
    owns=rf"{_PREFIX}\d{{1,10}} \S",
    commands=("dlm_tool",),
)
def dlm_controld(section: OpenSection, out: Output) -> None:
    """The log of dlm_controld: fencing, lock spaces that wait, POSIX lock rates."""
    requests: Tally[tuple[str, str]] = Tally()
    seconds: list[int] = []
    first = 0
    for line, match in lines_of(section, out, _LINE, "no line of the daemon"):
        if match["host"] and section.node != match["host"]:
            section.speaks_of(node=match["host"], basis="line prefix")
        text = match["text"]
        if request := _REQUEST.match(text):
            requests[request["space"], request["how"]] += 1
            seconds.append(int(match["mono"]))
            first = first or line.number
        elif not _tell(section, out, line.number, _when(section, match["when"], text), text):
            out.ignore()
    for undated in section.state.pop("undated", ()):
        _stamp(section, section.years.stamp(*undated))
    for (space, how), count in sorted(requests.items()):
        section.add(
            Counter,
            first,
            scope=space,
            source="dlm_controld",
            name=f"plock requests {how}",
            kind="delta",
            unit="requests",
            value=float(count),
            interval_s=float(seconds[-1] - seconds[0]) or None,
            sample=first,
        )


def _tell(section: OpenSection, out: Output, line: int, at: int | None, text: str) -> bool:
    """Records of a line; False where it tells nothing that is looked for."""
    if waits := _WAITS.match(text):
        _event(section, out, line, at, f"lockspace-wait-{waits['what']}", waits["space"], text)
    elif fence := _FENCE.match(text):
        result = _RESULT.search(fence["rest"])
        if fence["what"] == "result" and result is None:
            return False  # cut in front of what it was
        kind = "fence-no-actor" if _AGENT in fence["rest"] else f"fence-{fence['what']}"
        _event(section, out, line, at, kind, fence["node"], text, float(result["value"]) if result else None)
    elif left := _LEFT.match(text):
        _event(section, out, line, at, "dlm-space-left", left["space"], text)
    elif out_of := _PUT_OUT.match(text):
        _event(section, out, line, at, "dlm-node-put-out", out_of["merged"] or out_of["node"], text)
    elif _ENDS.match(text):
        _event(section, out, line, at, "dlm-daemon-ends", None, text)
    elif reads := _READS.match(text):
        _rate(section, out, line, at, "plock reads", PER_REPORT, float(reads["time"]))
        _rate(section, out, line, at, "plock delays", float(reads["delays"]), float(reads["time"]))
    elif received := _RECEIVED.match(text):
        _rate(section, out, line, at, "plock messages received", PER_REPORT, float(received["time"]))
    else:
        return False
    return True


def _event(
    section: OpenSection,
    out: Output,
    line: int,
    at: int | None,
    kind: str,
    about: str | None,
    text: str,
    value: float | None = None,
) -> None:
    section.add(Event, line, at=at, source="dlm_controld", kind=kind, about=about, value=value, text=text)


def _rate(
    section: OpenSection, out: Output, line: int, at: int | None, name: str, value: float, interval_s: float
) -> None:
    section.add(
        Counter,
        line,
        source="dlm_controld",
        name=name,
        kind="delta",
        unit="requests",
        value=value,
        at=at,
        interval_s=interval_s or None,
        sample=line,
    )


def _when(section: OpenSection, stamp: str | None, text: str) -> int | None:
    """Time of a log line. A stamp without a year gets that of the section, or that of the seconds since 1970 which a
    request to fence names; else its year is left open.
    """
    if stamp is None:
        return None
    if found := find_instant(stamp):
        section.stamp(found[0])
        return found[0].us
    years: Years = section.state.setdefault("years", section.years)
    epoch = _EPOCH.search(text)
    if epoch and not section.state.get("told") and section.years.is_open:
        years = section.state["years"] = Years(int(epoch[1]) * 1_000_000)
        section.state["told"] = True
    month, day, clock = stamp.split()
    at = years.stamp(month, day, clock)
    if years.is_open:  # a line further down may tell the year of all of them
        section.state["undated"] = (section.state.get("undated", ((month, day, clock),))[0], (month, day, clock))
    elif at is not None:
        for earlier in section.state.pop("undated", ()):
            _stamp(section, Years(at + DAY_US).stamp(*earlier))
        _stamp(section, at)
    return at


def _stamp(section: OpenSection, at: int | None) -> None:
    if at is not None:
        section.stamp(Instant(at, None))
