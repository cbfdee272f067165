"""Sums of GFS2 tracepoints per glock. No parser of its own."""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Callable, Sequence
from dataclasses import field
from heapq import nlargest
from typing import Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records import Counter, Event
from parsers.sections.reader import OpenSection

SLOW_S: Final = 1.0
BUCKET_S: Final = 10.0
GLOCKS_MOST: Final = 200_000
PENDING_MOST: Final = 200_000
KEPT: Final = 50
_SOURCE: Final = "trace"
_BUFFERED: Final = frozenset(("SH", "EX"))
_LOCK_TIME = re.compile(r"status:(?P<status>-?\d{1,6}) flags:\S{0,20} tdiff:(?P<ns>-?\d{1,19})")
_MEANS = re.compile(
    r" srtt:(?P<rtt>-?\d{1,19})/-?\d{1,19} srttb:(?P<rttb>-?\d{1,19})/-?\d{1,19} "
    r"sirt:-?\d{1,19}/-?\d{1,19} dcnt:(?P<dcnt>-?\d{1,19}) "
)
"""What the glock itself keeps of its requests, as ``glstats`` prints it."""
_CHANGE = re.compile(r"state \S{2} to (?P<to>\S{2})")
_FLUSH = re.compile(r"log flush (?P<edge>start|end) (?P<seq>\d{1,20})")
_Key = tuple[str, str, str]  # device, glock type, number as printed
_Queued = tuple[float, int, str, str]  # when, line, state, command
_Row = Sequence[str]  # command, pid, seconds, event, device, glock type, number, rest


@dataclass(slots=True)
class _Sum:
    """What happened to one glock of one device."""

    first_line: int
    first_s: float
    last_s: float
    remote: int = 0
    local: int = 0
    demoted: int = 0
    bucket: float = -1.0
    in_bucket: int = 0
    most_in_bucket: int = 0
    waits: int = 0
    waited_s: float = 0.0
    longest_s: float = 0.0
    longest_line: int = 0
    requests: int = 0
    answered_s: float = 0.0
    slowest_s: float = 0.0
    means: tuple[tuple[int, str], ...] = ()  # lines and texts of the first and the last that hold means
    last_kind: str = ""
    flips: int = 0


@dataclass(slots=True)
class TraceSums:
    """Fed line by line; memory grows with the glocks seen, up to a limit."""

    node: str | None = None
    zone_min: int | None = None
    glocks: dict[_Key, _Sum] = field(default_factory=dict)
    kinds: Tally[str] = field(default_factory=Tally)
    first_line: int = 0
    first_s: float = 0.0
    last_s: float = 0.0
    others: int = 0
    _queued: dict[_Key, dict[str, _Queued]] = field(default_factory=dict)
    _flushes: dict[tuple[str, str], float] = field(default_factory=dict)

    def feed(self, out: Output, line: int, row: _Row) -> bool:
        """Take a line; False where the rest is not what the event prints."""
        _, _, at, event, device, kind, number, rest = row
        now = float(at)
        if not self.first_line:
            self.first_line, self.first_s = line, now
        self.last_s = now
        self.kinds[event] += 1
        handler = _HANDLERS.get(event)
        if handler is None:
            return event != "log_flush" or self._flush(out, line, now, device, rest)
        if not number:
            return False
        key = (device, kind, number)
        one = self.glocks.get(key)
        if one is None:
            if len(self.glocks) >= GLOCKS_MOST:
                self.others += 1
                return True
            one = self.glocks[key] = _Sum(line, now, now)
        one.last_s = now
        return handler(self, out, one, key, line, now, row)

    def demote(self, out: Output, one: _Sum, key: _Key, line: int, now: float, row: _Row) -> bool:
        """Somebody wants the lock: another node, or this one."""
        rest = row[7]
        if not rest.startswith("demote "):
            return False
        if rest.endswith(" local"):
            one.local += 1
            return True
        if rest.endswith(" remote"):
            one.remote += 1
        else:
            one.demoted += 1
        bucket = now // BUCKET_S
        one.in_bucket = one.in_bucket + 1 if bucket == one.bucket else 1
        one.bucket = bucket
        one.most_in_bucket = max(one.most_in_bucket, one.in_bucket)
        return True

    def queue(self, out: Output, one: _Sum, key: _Key, line: int, now: float, row: _Row) -> bool:
        """A process asks, or leaves the queue."""
        verb, _, state = row[7].partition(" ")
        if verb == "queue":
            if len(self._queued) < PENDING_MOST:
                self._queued.setdefault(key, {})[row[1]] = (now, line, state, row[0])
            return True
        if pending := self._queued.get(key):
            pending.pop(row[1], None)
            if not pending:
                del self._queued[key]
        return verb == "dequeue"

    def promote(self, out: Output, one: _Sum, key: _Key, line: int, now: float, row: _Row) -> bool:
        """A request is granted: that of the process itself, or, when a worker prints it, the oldest one for
        that state.
        """
        verb, _, state = row[7].rpartition(" ")
        if not verb.startswith("promote"):
            return False
        pending = self._queued.get(key)
        if not pending:
            return True
        pid = row[1] if row[1] in pending else next((p for p, queued in pending.items() if queued[2] == state), None)
        if pid is None:
            return True
        began, requested, wanted, command = pending.pop(pid)
        if not pending:
            del self._queued[key]
        waited = max(0.0, now - began)
        one.waits += 1
        one.waited_s += waited
        if waited > one.longest_s:
            one.longest_s, one.longest_line = waited, requested
        if waited >= SLOW_S:
            text = f"{command.strip()}-{pid} waited {waited:.6f} s for glock {_glock(key)} {wanted.strip()}"
            self._tell(out, line, "glock-wait", _glock(key), waited, text)
        return True

    def lock_time(self, out: Output, one: _Sum, key: _Key, line: int, now: float, row: _Row) -> bool:
        """How long the lock manager took for one request."""
        match = _LOCK_TIME.match(row[7])
        if match is None:
            return False
        took = int(match["ns"]) / 1e9
        one.requests += 1
        one.answered_s += took
        one.slowest_s = max(one.slowest_s, took)
        if " srttb:" in row[7]:
            one.means = (*one.means[:1], (line, row[7]))
        if took >= SLOW_S:
            text = f"the lock manager took {took:.6f} s for glock {_glock(key)} (status {match['status']})"
            self._tell(out, line, "glock-lock-time", _glock(key), took, text)
        return True

    def change(self, out: Output, one: _Sum, key: _Key, line: int, now: float, row: _Row) -> bool:
        """The state of a lock changes; direct and buffered use of one inode exclude each other."""
        match = _CHANGE.match(row[7])
        if match is None:
            return False
        kind = "direct" if match["to"] == "DF" else "buffered" if match["to"] in _BUFFERED else ""
        if kind:
            one.flips += bool(one.last_kind) and one.last_kind != kind
            one.last_kind = kind
        return True

    def _flush(self, out: Output, line: int, now: float, device: str, rest: str) -> bool:
        match = _FLUSH.match(rest)
        if match is None:
            return False
        key = (device, match["seq"])
        if match["edge"] == "start":
            if len(self._flushes) < PENDING_MOST:
                self._flushes[key] = now
            return True
        began = self._flushes.pop(key, None)
        if began is not None and now - began >= SLOW_S:
            self._tell(
                out, line, "log-flush", device, now - began, f"log flush {match['seq']} took {now - began:.6f} s"
            )
        return True

    def _tell(self, out: Output, line: int, kind: str, about: str, value: float, text: str) -> None:
        """Something slow enough for a record of its own."""
        out.add(
            Event(
                line=line,
                node=self.node,
                zone_min=self.zone_min,
                source=_SOURCE,
                kind=kind,
                about=about,
                value=round(value, 6),
                unit="s",
                text=text,
            )
        )

    def close(self, section: OpenSection, out: Output) -> None:
        """Write the sums: the worst glocks by each measure."""
        for event, count in sorted(self.kinds.items()):
            _add(section, out, self.first_line, None, f"gfs2_{event}", count, "lines", self.last_s - self.first_s)
        for key, one in sorted(self._worst().items(), key=lambda pair: (pair[1].first_line, pair[0])):
            for name, value, unit, interval_s in _figures(one):
                if value:
                    line = one.longest_line if name == "longest wait" else one.first_line
                    _add(
                        section,
                        out,
                        line,
                        key[0],
                        f"{_glock(key)} {name}",
                        value,
                        unit,
                        interval_s,
                        sample=self.first_line,
                    )
            _add_means(section, out, key, one)
        if self.others:
            out.problem(
                self.first_line,
                f"The trace names more than {GLOCKS_MOST} glocks; {self.others} of its lines are not summed up",
            )

    def _worst(self) -> dict[_Key, _Sum]:
        chosen: dict[_Key, _Sum] = {}
        for measure in _MEASURES:
            worst = nlargest(KEPT, ((measure(one), -one.first_line, key) for key, one in self.glocks.items()))
            chosen |= {key: self.glocks[key] for value, _, key in worst if value}
        return chosen


def _add_means(section: OpenSection, out: Output, key: _Key, one: _Sum) -> None:
    """What a glock keeps of its requests, as the first and the last line show it."""
    for line, text in one.means:
        if (match := _MEANS.search(text)) is not None:
            for name, unit in (("dcnt", "requests"), ("rtt", "ns"), ("rttb", "ns")):
                _add(section, out, line, key[0], f"{_glock(key)} {name}", int(match[name]), unit, None, sample=line)


def _glock(key: _Key) -> str:
    """Its name as in ``glocks``: the number in hexadecimal."""
    return f"{key[1]}/{int(key[2]):x}"


_HANDLERS: Final[dict[str, Callable[[TraceSums, Output, _Sum, _Key, int, float, _Row], bool]]] = {
    "demote_rq": TraceSums.demote,
    "glock_queue": TraceSums.queue,
    "promote": TraceSums.promote,
    "glock_lock_time": TraceSums.lock_time,
    "glock_state_change": TraceSums.change,
}
_MEASURES: Final[tuple[Callable[[_Sum], float], ...]] = (
    lambda one: one.remote + one.demoted,
    lambda one: one.longest_s,
    lambda one: one.slowest_s,
    lambda one: one.flips,
)


def _figures(one: _Sum) -> tuple[tuple[str, float, str, float | None], ...]:
    seen_s = one.last_s - one.first_s
    return (
        ("demote requests remote", one.remote, "requests", seen_s),
        ("demote requests local", one.local, "requests", seen_s),
        ("demote requests", one.demoted, "requests", seen_s),
        ("most demote requests", one.most_in_bucket, "requests", BUCKET_S),
        ("waits", one.waits, "waits", seen_s),
        ("mean wait", one.waited_s / one.waits if one.waits else 0.0, "s", None),
        ("longest wait", one.longest_s, "s", None),
        ("lock requests", one.requests, "requests", seen_s),
        ("mean lock time", one.answered_s / one.requests if one.requests else 0.0, "s", None),
        ("longest lock time", one.slowest_s, "s", None),
        ("changes between direct and buffered", one.flips, "changes", seen_s),
    )


def _add(
    section: OpenSection,
    out: Output,
    line: int,
    scope: str | None,
    name: str,
    value: float,
    unit: str,
    interval_s: float | None,
    sample: int = 0,
) -> None:
    section.add(
        Counter,
        line,
        scope=scope,
        source=_SOURCE,
        name=name,
        kind="gauge" if interval_s is None else "delta",
        unit=unit,
        value=round(float(value), 6),
        interval_s=round(interval_s, 6) if interval_s else None,
        sample=sample or line,
    )
