"""Nodes that are to be fenced and are not: open requests of dlm_controld, what Pacemaker tells of its nodes and of its attempts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.drafts import in_words
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.wording import listed
from apps.diagnosis.engine.gfs2.cluster import Group, LogLine, events, groups

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Victims:
    """Which nodes wait to be fenced, and who says so."""

    names: tuple[str, ...]
    lines: tuple[LogLine, ...]
    unclean: tuple[Group, ...]
    stopped: tuple[Group, ...]

    @property
    def of(self) -> str:
        """For a sentence: `` of kite3``. An id of the lock manager is called a node."""
        names = [in_words(name) for name in self.names[:SHOWN]]
        return f" of {listed(names)}" if names else ""

    @property
    def failed(self) -> bool:
        """Whether an attempt is told to have failed."""
        return any(line.kind == "fence-failed" for line in self.lines)

    @property
    def has_no_actor(self) -> bool:
        """Whether nobody is there to do it."""
        return any(line.kind == "fence-no-actor" for line in self.lines)

    @property
    def refs(self) -> tuple[Ref, ...]:
        """All places, the attempts first."""
        groups_of = (*self.unclean, *self.stopped)
        return tuple(dict.fromkeys([*(line.ref for line in self.lines), *(group.ref for group in groups_of)]))

    @property
    def told_by(self) -> tuple[str, ...]:
        """Nodes whose tools or logs say so."""
        said = [*(line.node for line in self.lines), *(group.node for group in self.unclean)]
        return tuple(sorted({node for node in said if node}))

    @property
    def why(self) -> str:
        """Fence devices that do not run."""
        names = [one.group.removeprefix("resource ") for one in self.stopped[:SHOWN]]
        return f" {listed(names)} {'is' if len(names) == 1 else 'are'} stopped: a fence device that does not run." if names else ""


def fence_victims(facts: CaseFacts) -> Victims | None:
    """Nodes whose fencing has not succeeded; None where nothing says so."""
    told = groups(facts, "pcs status")
    last = {one.group: one for one in told}
    unclean = tuple(one for one in last.values() if _is_unclean(one))
    lines = [*_open_requests(facts), *_unsettled(facts, events(facts, "fence-pending", "fence-failed"), unclean)]
    if not lines and not unclean:
        return None
    names = {facts.nodes.name(one.about) for one in lines if one.about} | {facts.nodes.name(one.group) for one in unclean}
    named = {name for name in names if not name.isdigit()}
    stopped = [one for one in told if one.group.startswith("resource ") and "fence" in one.group and one.state.startswith("Stopped")]
    own = [one for one in stopped if not one.state.endswith("(disabled)")]
    return Victims(tuple(sorted(named if len(named) == len(names) - len(named) == 1 else names)), tuple(lines), unclean, tuple(own))


def _is_unclean(one: Group) -> bool:
    return one.state.startswith("UNCLEAN")


def _open_requests(facts: CaseFacts) -> list[LogLine]:
    """Fence requests without a later result of 0; those of the other daemons tell no figure and count only where nothing followed."""
    requests = events(facts, "fence-request", "fence-no-actor")
    results = events(facts, "fence-result")
    return [one for one in requests if one.source == "dlm_controld" and not any(settles(result, one) for result in results)]


def _unsettled(facts: CaseFacts, lines: Sequence[LogLine], unclean: Sequence[Group]) -> list[LogLine]:
    """Attempts that failed or pend, without a later success; an old failure of a node that is well again is history."""
    results = events(facts, "fence-result")
    left = {one.group for one in unclean}
    well = {one.group for one in groups(facts, "pcs status") if one.state in ("online", "Online")}
    return [
        one
        for one in lines
        if not any(settles(result, one) for result in results) and (one.about in left or one.about not in well)
    ]  # fmt: skip


def settles(result: LogLine, request: LogLine) -> bool:
    """Whether a result is the good end of a request."""
    after = result.at is None or request.at is None or result.at >= request.at
    return after and result.about == request.about and result.value == 0
