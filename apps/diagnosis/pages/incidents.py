"""The incidents of a case as its pages show them: which findings fold under which, and the story of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.cases.page.wallclock import moment_text
from apps.diagnosis.pages.first_step import names
from apps.diagnosis.values import AnyDiagnosis, Finding, placed_us

STORY_STEPS: Final = 5
LEAST_STEPS: Final = 2
STEP_LINES: Final = 2
LEAST_ROOM_US: Final = 60_000_000
MINOR: Final = frozenset(("info", "low"))
END_WORDS: Final = {"disk": "disk", "lock": "lock", "link": "link", "daemon": "daemon", "thread": "process", "node": ""}


@dataclass(frozen=True, slots=True)
class Step:
    """A sentence of a story. ``zoom``: query of the lanes round it, empty where its time is unknown."""

    time: str
    text: str
    zoom: str
    evidence: list[dict[str, Any]]
    anchor: str


@dataclass(frozen=True, slots=True)
class IncidentPart:
    """For components/_incident.html: places of findings in their list."""

    head: int
    rest: tuple[int, ...]
    rest_words: str
    story: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Arranged:
    """All incidents, gravest first, and the findings that belong to none."""

    incidents: tuple[IncidentPart, ...] = ()
    remarks: tuple[int, ...] = ()

    @property
    def story(self) -> tuple[Step, ...]:
        """Of the gravest incident."""
        return self.incidents[0].story if self.incidents else ()


def arranged(
    diagnosis: AnyDiagnosis, findings: Sequence[Finding], shown: Sequence[Mapping[str, Any]], zone: str
) -> Arranged:
    """``shown``: the findings as their components take them, in the same order. A diagnosis of before incidents were
    kept has each finding alone.
    """
    rows = diagnosis.summary.get("incidents")
    if rows is None:
        return Arranged(tuple(IncidentPart(place, (), "") for place in range(len(findings))), ())
    parts: list[IncidentPart] = []
    used: set[int] = set()
    for row in rows:
        places = [place for place in (row["head"], *row["effects"], *row["seen_with"]) if place < len(findings)]
        if not places:
            continue
        used.update(places)
        story = _story(diagnosis, [(findings[place], shown[place]) for place in places], zone, is_first=not parts)
        rest = tuple(sorted(places[1:]))
        parts.append(IncidentPart(places[0], rest, _rest_words(row), tuple(story)))
    return Arranged(tuple(parts), tuple(place for place in range(len(findings)) if place not in used))


def _rest_words(row: Mapping[str, Any]) -> str:
    effects, others = len(row["effects"]), len(row["seen_with"])
    words = [f"{effects} effect{'' if effects == 1 else 's'} of it"] if effects else []
    if others:
        words.append(f"{others}{' more' if effects else ''} of the same incident")
    return " and ".join(words)


def _story(
    diagnosis: AnyDiagnosis, members: list[tuple[Finding, Mapping[str, Any]]], zone: str, *, is_first: bool
) -> Iterator[Step]:
    """What happened in the order of time, then who queues and who hangs. A finding alone has no story: its title is
    one.
    """
    head, *rest = members
    steps = [head, *(one for one in rest if one[0].severity not in MINOR)]
    dated = [one for one in steps if one[0].start_us is not None][:STORY_STEPS]
    queue = list(_queue(diagnosis, members)) if is_first else []
    if len(dated) + len(queue) < LEAST_STEPS:
        return
    for start, finding, shown in sorted(
        ((placed_us(diagnosis, one.start_us or 0), one, shown) for one, shown in dated), key=lambda one: one[0]
    ):
        end = start if finding.end_us is None else placed_us(diagnosis, finding.end_us)
        yield _step((start, max(start, end)), finding, shown, zone)
    yield from queue


def _step(stretch: tuple[int, int], finding: Finding, shown: Mapping[str, Any], zone: str) -> Step:
    start, end = stretch
    room = max(LEAST_ROOM_US, (end - start) // 4)
    return Step(
        moment_text(finding.start_us, zone),
        finding.title,
        f"from={max(0, start - room)}&to={end + room}",
        shown["evidence"][:STEP_LINES],
        shown["anchor"],
    )


def _queue(diagnosis: AnyDiagnosis, members: list[tuple[Finding, Mapping[str, Any]]]) -> Iterator[Step]:
    """Who queues behind the end of the chains that most waits lead to, and which nodes hang: where the incident is
    about it.
    """
    finding, shown = members[0]
    texts = [diagnosis.verdict_title, *(text for one, _ in members for text in (one.title, one.explanation))]
    roots = [root for root in diagnosis.summary.get("roots", ()) if root["waiters"]]
    root = next((root for root in roots if any(root["what"] in text for text in texts)), None)
    if root is None:
        return
    kind = END_WORDS.get(root["kind"], "")
    of = f" of {root['node']}" if root["node"] and root["kind"] not in {"node", "thread"} else ""
    waits = "1 wait queues" if root["waiters"] == 1 else f"{root['waiters']} waits of all dumps queue"
    yield Step("", f"{waits} behind {f'{kind} ' if kind else ''}{root['what']}{of}.", "", [], shown["anchor"])
    held = [name for name in finding.nodes if name != root["node"]]
    if held:
        yield Step("", f"{names(held)} {'hangs' if len(held) == 1 else 'hang'}.", "", [], shown["anchor"])
