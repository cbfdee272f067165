"""Queues of an NSD server: ``mmfsadm dump nsd`` and ``saferdump nsd``.

    Queue NSD type NsdQueueTraditional [4]: state: active
     threads started 16, active 16, highest 16, deferred 0, chgSize 0, draining 0, is_chkr 0
     requests pending 412, highest pending 9301, total processed 88123342
     mutex 0x7FAB0C20, reqCond 0x7FAB0C48, thCond 0x7FAB0C70, queue 0x7FAB0C98, nFreeNsdRequests 12

Yields ``HealthState`` for each queue: degraded where all of its threads work and more requests than threads wait, a
hint where some wait, else healthy. No times. Tolerated: the three rows in one or two lines, other words between.
Source: threads of the users' group on the tuning of NSD servers, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthStanding, HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_QUEUE: Final = r"(?:Queue NSD|NSD queue) type (?P<type>Nsd\w{1,40}) \[(?P<number>\d{1,4})\]"
_THREADS = re.compile(r"\bthreads started (?P<threads>\d{1,6}), {0,4}active (?P<active>\d{1,6})")
_PENDING = re.compile(r"\brequests pending (?P<pending>\d{1,9})")


def _of(section: OpenSection, text: str) -> None:
    if threads := _THREADS.search(text):
        section.state["threads"], section.state["active"] = int(threads["threads"]), int(threads["active"])


def _queue(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.state.update(queue=f"NSD queue {found['number']}", threads=None, active=None)
    _more(section, line, found)


def _more(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    state, text = section.state, line.text
    _of(section, text)
    if (waiting := _PENDING.search(text)) is None or state.get("threads") is None:
        return
    threads, active, pending = state["threads"], state["active"], int(waiting["pending"])
    standing: HealthStanding = "healthy"
    if pending and active >= threads:
        standing = "degraded" if pending > threads else "hint"
    section.add(
        HealthState,
        line.number,
        source="dump nsd",
        component=state.get("queue", "NSD queue"),
        state=f"{active} of {threads} threads work, {pending} requests wait",
        standing=standing,
    )


_ROWS: Final = Rows(
    Row("queue", rf"{_QUEUE}.{{0,400}}$", _queue, Fate.FRAME),
    Row("threads", r"threads started \d{1,6}, {0,4}active \d.{0,300}$", _more, Fate.FRAME),
    Row("requests", r"requests pending \d{1,9}, .{0,300}$", _more, Fate.FRAME),
    Row("addresses", r"mutex 0x[0-9A-Fa-f]{1,16}, .{0,300}$", fate=Fate.FRAME, opens=False),
    Row(
        "titles",
        r"(?:NSD configuration|(?:Server|Request|Client) queues|Total server worker threads|nsd(?:MultiQueue|Min|Max"
        r"|Big|Small|Threads)\w{0,40}|state|server state)\b.{0,300}$",
        fate=Fate.FRAME,
        opens=False,
    ),
)


@parser(
    "scale_nsd_queues",
    version=1,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmfsadm",),
    places=r"\b(?:safer)?dump nsd\b",
)
def scale_nsd_queues(section: OpenSection, out: Output) -> None:
    """Queues of an NSD server with their threads and requests."""
    _ROWS.read(section, out, "no queue, threads or requests")
