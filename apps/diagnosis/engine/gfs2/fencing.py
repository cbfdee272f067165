"""Nodes that are to be fenced and are not: open requests of dlm_controld, what Pacemaker tells of its nodes and of its
attempts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.metrics import log
from parsers.dataclass import dataclass
from parsers.records.states import ClusterMember, ServiceState

SAME_US: Final = 5_000_000
"""Within this time the nodes of a cluster log one result of one attempt."""
_AGENT: Final = re.compile(
    r"(?<![\w-])((?:dlm_stonith|stonith_\w{2,20}|fence_(?!all\b|now\b|tool\b)[a-z]\w{1,30}|external/\w{2,20}))\b"
)
_DEVICE: Final = re.compile(r"\b(?:with|using) (?:device )?'?(?!device\b)([A-Za-z][\w.-]{1,80})'? returned\b")
_DENIED: Final = re.compile(r"(?i)\b(?:fail\w*|error|timed? ?out|not |no )")
_WHY: Final = re.compile(
    r"(?:\bfailed \((?P<of_listing>[^()]{3,80})\)|\breturned:? -?\d{1,5} \((?P<of_device>[^()]{3,80})\)"
    r"|\bexit-?reason=['\"](?P<of_agent>[^'\"]{3,160})['\"]"
    r"|: failed, (?P<of_report>[^:]{3,160})$"
    r"|[\w>)]: (?P<at_end>[A-Z][a-z][A-Za-z /'-]{2,60}?)(?: \(-?\d{1,6}\))?$)"
)
"""Why an attempt failed, in the words of the listing, the device, the agent, or at the end of a message."""
_OF_AGENT: Final = re.compile(r"\bstderr: .{0,60}?(?:ERROR: |\] )?([A-Z][a-z][\w /'.:-]{4,80}?)\s{0,4}\]?$")
_REPORTED: Final = re.compile(
    r"\breports: .{0,160}?\b((?:Failed|Unable|Cannot|Could not|Connection|Login|Permission|No route|Error|Timed? ?out)"
    r"\b[\w /'.,:-]{4,80}?)(?: Failed)?\s{0,4}$",
    re.IGNORECASE,
)
_SUCCESS: Final = frozenset(("ok", "success", "complete"))
_STANDS: Final = re.compile(r"\bfail (?P<failed>\d{1,12})\b.{0,60}\bnow (?P<now>\d{1,12})\b")
"""When the member failed and when that was printed, in s since the start of the system."""
REQUESTS: Final = log("lock-manager-daemon")


@dataclass(frozen=True, slots=True)
class Victims:
    """Which nodes wait to be fenced, and who says so."""

    names: tuple[str, ...]
    lines: tuple[LogLine, ...]
    unclean: tuple[ClusterMember, ...]
    stopped: tuple[ServiceState, ...]
    of_agents: tuple[LogLine, ...] = ()
    """What agents of devices said that failed."""

    @property
    def failed(self) -> bool:
        """Whether an attempt is reported as failed."""
        return any(_has_failed(line) for line in self.lines)

    @property
    def attempts(self) -> int:
        """How often it was tried. A request and its result are one attempt, and so is a failure that every node logs;
        that nobody is there to try is none.
        """
        tried = [line for line in self.lines if line.kind != "fence-no-actor"]
        requests = {line.about for line in tried if line.kind == "fence-request"}
        own = [line for line in tried if line.kind != "fence-result" or line.about not in requests]
        count = 0
        last: dict[str | None, int] = {}
        for line in sorted(own, key=lambda one: one.at or 0):
            before = last.get(line.about)
            count += line.at is None or before is None or line.at - before > SAME_US
            if line.at is not None:
                last[line.about] = line.at
        return count

    @property
    def agents(self) -> tuple[str, ...]:
        """Programs that were to do it."""
        texts = [*(line.text for line in self.lines), *(line.about or "" for line in self.of_agents)]
        return tuple(dict.fromkeys(match[1] for text in texts if (match := _AGENT.search(text))))

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices with which attempts failed, as logged."""
        texts = [line.text for line in self.lines if _has_failed(line)]
        return tuple(dict.fromkeys(match[1] for text in texts if (match := _DEVICE.search(text))))

    @property
    def result(self) -> int | None:
        """What the last attempt gave back."""
        given = [line.value for line in self.lines if line.kind == "fence-result" and line.value is not None]
        return int(given[-1]) if given else None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why attempts failed, as logged."""
        failures = [match for line in self.lines if _has_failed(line) and (match := _WHY.search(line.text))]
        reported = [_OF_AGENT.search(line.text) or _REPORTED.search(line.text) for line in self.of_agents]
        agents = [match[1] for match in reported if match is not None]
        found = [*agents, *(next(filter(None, match.groups()), "") for match in failures)]
        return tuple(dict.fromkeys(reason for reason in found if reason.lower() not in _SUCCESS))

    @property
    def open_s(self) -> float | None:
        """For how long the first request has been open; None where nothing tells."""
        stands = [match for line in self.lines if (match := _STANDS.search(line.text))]
        return max((float(one["now"]) - float(one["failed"]) for one in stands), default=None)

    @property
    def has_no_actor(self) -> bool:
        """Whether nobody is there to do it."""
        return any(line.kind == "fence-no-actor" for line in self.lines)

    @property
    def refs(self) -> tuple[Ref, ...]:
        """All places, the attempts first."""
        tables = (*self.unclean, *self.stopped)
        logged = (*self.lines, *self.of_agents)
        return tuple(dict.fromkeys([*(line.ref for line in logged), *(row.ref for row in tables)]))

    @property
    def shown_by(self) -> tuple[str, ...]:
        """Nodes whose tools or logs say so."""
        nodes = [*(line.node for line in self.lines), *(row.node for row in self.unclean)]
        return tuple(sorted({node for node in nodes if node}))


class Fencing:
    """What logs and tools show of fencing."""

    def __init__(self, events: Events, records: Records, nodes: Nodes) -> None:
        self._events = events
        self._records = records
        self._nodes = nodes

    @cached_property
    def victims(self) -> Victims | None:
        """Nodes whose fencing has not succeeded; None where nothing says so."""
        last = {(one.member, one.layer): one for one in self._records.of(ClusterMember)}
        unclean = tuple(one for one in last.values() if one.standing == "unclean")
        agents = tuple(self._events.lines("fence-agent-failed"))
        lines = [
            *self._open_requests(),
            *self._refused(agents),
            *self._bad_results(),
            *self._unsettled(self._events.lines("fence-pending", "fence-failed"), unclean),
        ]
        if not lines and not unclean:
            return None
        return Victims(self._names(lines, unclean), tuple(lines), unclean, self._stopped, agents if lines else ())

    def _names(self, lines: Iterable[LogLine], unclean: Iterable[ClusterMember]) -> tuple[str, ...]:
        """Who was to be fenced; a number beside one name is the same node."""
        names = {self._nodes.name(one.about) for one in lines if one.about}
        names |= {one.member for one in unclean if one.member}
        named = {name for name in names if not name.isdigit()}
        return tuple(sorted(named if len(named) == len(names) - len(named) == 1 else names))

    @property
    def _stopped(self) -> tuple[ServiceState, ...]:
        """Fence devices that do not run."""
        return tuple(
            one
            for one in self._records.of(ServiceState)
            if one.standing in ("offline", "faulted")
            and ("fence" in (one.resource or "") or (one.resource_type or "").startswith("stonith:"))
        )

    @cached_property
    def _results(self) -> list[LogLine]:
        return self._events.lines("fence-result")

    def _open_requests(self) -> list[LogLine]:
        """Fence requests without a later result of 0; those of the other daemons show no figure and count only where
        nothing followed.
        """
        own = self._events.lines("fence-request", "fence-no-actor", of=REQUESTS)
        return [one for one in own if not self.is_settled(one)]

    def _refused(self, agents: Sequence[LogLine]) -> list[LogLine]:
        """Requests of the other daemons behind which an agent failed, and no attempt for that node succeeded."""
        failed = [one.at for one in agents if one.at is not None]
        requests = self._events.lines("fence-request") if failed else []
        own = set(self._events.lines("fence-request", of=REQUESTS)) if requests else set()
        return [
            one
            for one in requests
            if one not in own and one.at is not None and max(failed) >= one.at and not self.is_settled(one)
        ]

    def is_settled(self, request: LogLine) -> bool:
        """Whether a result of 0 for the same node followed, or one of which it is not known when."""
        return any(
            at is None or request.at is None or at >= request.at for at in self._last_good.get(request.about, ())
        )

    @cached_property
    def _last_good(self) -> dict[str | None, tuple[int | None, ...]]:
        """By node the last moment of a result of 0, and None where one has no moment."""
        found: dict[str | None, list[int | None]] = defaultdict(list)
        for result in self._results:
            if is_good(result):
                found[result.about].append(result.at)
        return {
            about: (*((None,) if None in times else ()), *sorted(at for at in times if at is not None)[-1:])
            for about, times in self._with_ids(found).items()
        }

    def _with_ids(self, found: dict[str | None, list[int | None]]) -> dict[str | None, list[int | None]]:
        """The lock manager asks for a node by its id, Pacemaker by its name: where the logs speak of one of each, and
        no table tells more, that is one node.
        """
        abouts = {one.about for one in (*self._events.lines("fence-request", "fence-no-actor"), *self._results)}
        names = {self._nodes.name(about) for about in abouts if about}
        ids = {name for name in names if name.isdigit()}
        if len(ids) != 1 or len(names - ids) != 1:
            return found
        times = [at for times in found.values() for at in times]
        return dict.fromkeys(abouts, times) if times else found

    def _bad_results(self) -> list[LogLine]:
        """Results of another figure than 0 that no good one follows."""
        bad = [one for one in self._results if one.value not in (None, 0)]
        return [one for one in bad if not self.is_settled(one)]

    def _unsettled(self, lines: Sequence[LogLine], unclean: Sequence[ClusterMember]) -> list[LogLine]:
        """Attempts that failed or pend, without a later success; an old failure of a node that is well again is
        history.
        """
        left = {one.member for one in unclean}
        well = {
            one.member for one in self._records.of(ClusterMember) if one.layer == "membership" and one.standing == "up"
        } - left
        unsettled = [one for one in lines if not self.is_settled(one)]
        return [one for one in unsettled if one.about is None or self._nodes.name(one.about) not in well]


def _has_failed(line: LogLine) -> bool:
    return line.kind == "fence-failed" or (line.kind == "fence-result" and line.value not in (None, 0))


def is_good(result: LogLine) -> bool:
    """Whether a result is a success: daemons that print no figure have another kind of line for a failure."""
    return result.value == 0 or (
        result.value is None and result.kind == "fence-result" and not _DENIED.search(result.text)
    )


def settles(result: LogLine, request: LogLine) -> bool:
    """Whether a result is the good end of a request."""
    after = result.at is None or request.at is None or result.at >= request.at
    return after and result.about == request.about and is_good(result)
