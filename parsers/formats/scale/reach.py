"""What Storage Scale reaches: other nodes (``mmnetverify``) and the homes of its caches (``mmdiag --afm``, ``mmafmctl
getstate``), and whether its messages go over RDMA (``mmfsadm test verbs status``).

    lund01 checking communication with node lund06.
      Operation ping: Fail.
    lund01: Failed to connect to daemon port 1191 on node lund06.

    AFM-Cache: nestcache (/nest/nestcache) in Device: nest
    Cache-state: Disconnected
    Q-state: Dropped Q-length: 88231 Q-executed: 417

    VERBS RDMA status: started

    nestcache   nfs://home1/nest/exp   Active   lund01   0   417

Yields ``Connection`` (an operation between two nodes), ``HealthState`` (a cache, two clocks, RDMA) and ``Counter``
(requests in the queue of a cache). No times. Tolerated: left-out lines, cut rows. Source: IBM Storage Scale
documentation, the commands named; layouts recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Counter
from parsers.records.states import Connection, HealthStanding, HealthState, LinkStanding, ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NODE: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_CLOCKS: Final = frozenset(("time", "time-date", "date", "clock", "clocks"))
_WELL: Final = frozenset(("active", "dirty", "inactive", "normal", "mounted", "linked"))
_ILL: Final = (
    "disconnected", "unmounted", "stopped", "dropped", "expired", "needsresync", "failed", "suspended", "needfailback",
    "needsfailback",
)  # fmt: skip


_LONG_QUEUE: Final = 500_000


def cache_standing(state: str, queued: int = 0) -> HealthStanding:
    """What the state of a cache comes to; so many changes that wait for their home are hours of them."""
    word = state.lower()
    if queued >= _LONG_QUEUE:
        return "degraded"
    is_ill = word.startswith(_ILL) or word.endswith(("fail", "failed"))
    return "healthy" if word in _WELL else "degraded" if is_ill else "hint"


def _between(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["from"], section.state["to"] = found["node"] or section.node, found["peer"]


def _operation(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    word = found["result"].lower()
    if found["what"] in _CLOCKS:
        _clocks(section, line, found["result"])
        return
    standing: LinkStanding = (
        "up" if word.startswith("succ") else "down" if word.startswith(("fail", "err")) else "unknown"
    )
    section.add(
        Connection,
        line.number,
        node=section.state.get("from") or section.node,
        source="mmnetverify",
        peer=section.state.get("to"),
        link=found["what"],
        state=found["result"],
        standing=standing,
    )


def _clocks(section: OpenSection, line: Line, result: str) -> None:
    """What compares two clocks says nothing of the connection between them."""
    two = [name for name in (section.state.get("from"), section.state.get("to")) if name]
    passed = result.lower().startswith("succ")
    failed = result.lower().startswith(("fail", "err"))
    section.add(
        HealthState,
        line.number,
        node=section.state.get("from") or section.node,
        source="mmnetverify",
        component=f"clocks of {' and '.join(two)}" if two else "clocks of two nodes",
        state="same time" if passed else "differ" if failed else result,
        standing="healthy" if passed else "degraded" if failed else "unknown",
    )


def _apart(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        ListedState,
        line.number,
        source="mmnetverify",
        name="clocks",
        state=match["row"],
        standing="wrong",
        row=match["row"],
    )


_VERIFIED: Final = Rows(
    Row(
        "between",
        rf"(?:(?P<node>{_NODE}) )?(?:[Cc]hecking|[Cc]omparing) [a-z][a-z -]{{2,60}}? (?:with|against|of|to) (?:node )?"
        rf"(?P<peer>{_NODE}?)[.:]?(?: \.\.\.)?$",
        _between,
        Fate.FRAME,
    ),
    Row(
        "operation",
        r"Operation (?P<what>[a-z][\w -]{1,40}): (?P<result>Succ(?:ess|e?)|Fail(?:ed|ure)?|Err(?:or)?"
        r"|Warn(?:ing)?|Skip(?:ped)?|Not run|Unknown)\b",
        _operation,
    ),
    Row(
        "clocks apart",
        rf"(?:{_NODE}: )?(?:(?:The )?[Tt]ime (?:difference|skew|offset)|{_NODE} has a time difference"
        r"|Clocks? (?:of|on|differ))"
        r"[^\n]{3,200}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "kind of issue",
        r"(?:time|ping|resolution|interface|shell|copy|port|data)[a-z-]{0,20}:$",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "local",
        rf"(?:{_NODE} )?[Cc]hecking (?:local configuration|network|cluster|bandwidth|node resolution|operation: [a-z])",
        fate=Fate.FRAME,
    ),
    Row(
        "reason",
        rf"(?:{_NODE}: )?(?:ICMP packet failed to reach|Failed to (?:connect|resolve|reach|run|open))[^\n]{{1,200}}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "clocks apart",
        rf"(?P<row>{_NODE} and {_NODE} (?:times?|clocks?) (?:differ|are [\w ]{{2,20}}apart)\b[^\n]{{0,120}})$",
        _apart,
        opens=False,
    ),
    Row(
        "end",
        rf"No issues found\.|Issues [Ff]ound:|{_NODE} summary: (?:no issues|\d{{1,4}} of \d{{1,4}} operations)\b",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "issue",
        rf"{_NODE} (?:is not reachable|could not (?:be reached|reach)|(?:cannot|can't) (?:reach|connect))"
        r"\b[^\n]{0,200}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("scale_netverify", version=5, product="spectrum-scale", rows=_VERIFIED, commands=("mmnetverify",))
def scale_netverify(section: OpenSection, out: Output) -> None:
    """Which node reaches which by what; the reason of a failure repeats its line."""
    _VERIFIED.read(section, out, "no operation with its result")


def _cache(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["cache"] = f"{found['name']} of {found['fs']}"


def _state(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    name = section.state.get("cache")
    _health(section, line, f"AFM {found['what'].lower()}{f' {name}' if name else ''}", found["state"])


def _queue(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    name = section.state.get("cache")
    what = f"AFM queue of {name}" if name else "AFM queue"
    words = f"{found['state']}, {found['length']} requests"
    _health(section, line, what, found["state"], words, queued=int(found["length"]))
    _count(section, line, name, found["length"])


def _health(
    section: OpenSection,
    line: Line,
    component: str,
    state: str,
    words: str = "",
    gateway: str | None = None,
    *,
    queued: int = 0,
) -> None:
    """gateway: the node on which the cache has its queue; queued: how many requests stand in it."""
    section.add(
        HealthState,
        line.number,
        node=gateway or section.node,
        source="afm",
        component=component,
        state=words or state,
        standing=cache_standing(state, queued),
    )


def _count(section: OpenSection, line: Line, name: str | None, length: str) -> None:
    section.add(
        Counter,
        line.number,
        scope=name,
        source="afm",
        name="Q-length",
        kind="gauge",
        unit="requests",
        value=float(length),
        sample=line.number,
    )


def _gateway(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _health(section, line, f"AFM gateway {found['node']}", found["state"])


def _row(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    name, state, queued = found["name"], found["state"], found["length"] or "0"
    is_behind = cache_standing(state, int(queued)) != "healthy" and queued.strip("0")
    gateway = found["gateway"] if found["gateway"] != "-" else None
    words = f"{state}, {queued} requests" if is_behind else ""
    _health(section, line, f"AFM cache {name}", state, words, gateway, queued=int(queued))
    if found["length"]:
        _count(section, line, name, found["length"])


def _requeued(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A request that failed at the home and stands in the queue again."""
    section.add(
        HealthState,
        line.number,
        node=found["node"] or section.node,
        source="afm",
        component="AFM queue",
        state=f"{found['operation']} of {found['file']} requeued",
        standing="degraded",
    )


_DUMPED: Final = rf"(?:(?P<node>{_NODE}): {{1,4}})?"
_CACHES: Final = Rows(
    Row(
        "requeued",
        rf"{_DUMPED}(?P<operation>[A-Z]\w{{2,20}}) \[\d{{1,12}}\.\d{{1,12}}\] requeued (?P<file>\S{{1,200}}) \(\d",
        _requeued,
    ),
    Row(
        "order",
        rf"{_DUMPED}(?:Normal|Priority) Queue: \(listed by execution order\)",
        fate=Fate.FRAME,
    ),
    Row("gateway", rf"AFM Gateway: (?P<node>{_NODE}) (?P<state>[A-Z][a-z]{{2,20}})\b", _gateway),
    Row(
        "cache",
        r"AFM-Cache: (?P<name>\S{1,200})(?: \([^()]{1,400}\))? in Device: (?P<fs>\S{1,200})",
        _cache,
        Fate.FRAME,
    ),
    Row("state", r"(?P<what>Cache|Handler)-state: (?P<state>[A-Z]\w{2,30})", _state),
    Row("queue", r"Q-state: (?P<state>[A-Z]\w{2,30}) Q-length: (?P<length>\d{1,12})\b", _queue),
    Row("linked", r"(?P<what>Fileset) Status: (?P<state>[A-Z]\w{2,30})", _state, opens=False),
    Row(
        "further",
        r"(?:Mode|Home|Homes|Target|Msgs|Last|Priority): ?\S|=== mmdiag: afm ===",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("heading", r"Fileset Name {1,80}Fileset Target\b", fate=Fate.FRAME),
    Row("ruler", r"-{4,80}(?: {1,80}-{4,80}){2,9} {0,8}$", fate=Fate.FRAME, opens=False),
    Row(
        "row",
        rf"(?P<name>\S{{1,200}}) {{1,80}}(?:nfs|gpfs|s3|https?)://\S{{1,300}} {{1,80}}(?P<state>[A-Z]\w{{2,30}})"
        rf"(?: {{1,80}}(?P<gateway>{_NODE}|-)(?: {{1,80}}(?P<length>\d{{1,12}})(?: {{1,40}}\d{{1,15}})?)?)? {{0,8}}$",
        _row,
    ),
)


@parser(
    "scale_afm",
    version=5,
    product="spectrum-scale",
    rows=_CACHES,
    commands=("mmdiag", "mmafmctl"),
    places=r"\bmmdiag {1,4}--afm\b",
)
def scale_afm(section: OpenSection, out: Output) -> None:
    """Caches, whether they reach their homes, and what waits in their queues."""
    _CACHES.read(section, out, "no state of a cache")


def _verbs(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """RDMA that is disabled was never asked for; one that is stopped was, or ended."""
    word = found["state"].lower()
    standing: HealthStanding = (
        "healthy" if word == "started" else "hint" if word == "disabled" else "degraded" if word in _ILL else "unknown"
    )
    section.add(
        HealthState,
        line.number,
        node=found.groupdict().get("node") or section.node,
        source="mmfsadm test verbs status",
        component="RDMA of the daemon",
        state=found["state"],
        standing=standing,
    )


_VERBS: Final = Rows(
    Row("status", rf"(?:(?P<node>{_NODE}): {{1,4}})?VERBS RDMA status: {{1,8}}(?P<state>[A-Za-z]{{4,20}})\.?$", _verbs),
)


@parser(
    "scale_verbs",
    version=1,
    product="spectrum-scale",
    rows=_VERBS,
    commands=("mmfsadm", "mmdsh"),
    places=r"\btest {1,4}verbs {1,4}status\b",
)
def scale_verbs(section: OpenSection, out: Output) -> None:
    """Whether the daemon's RDMA runs."""
    _VERBS.read(section, out, "no status of RDMA")
