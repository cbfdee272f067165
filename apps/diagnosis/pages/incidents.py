"""The incidents of a case as its pages show them: which findings fold under which, and the story of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from apps.cases.page.wallclock import moment_text
from apps.diagnosis.engine.core.words.wording import plural
from apps.diagnosis.pages.first_step import names
from apps.diagnosis.values import AnyDiagnosis, Finding, placed_us
from parsers.dataclass import dataclass

STORY_STEPS: Final = 5
CARDS: Final = 4
LEAST_STEPS: Final = 2
STEP_LINES: Final = 2
LEAST_ROOM_US: Final = 60_000_000
CLOCK: Final = re.compile(r"\d\d:\d\d:\d\d")
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

    @property
    def clock(self) -> str:
        """Where the day stands beside it already."""
        found = CLOCK.search(self.time)
        return found[0] if found else self.time


@dataclass(frozen=True, slots=True)
class IncidentPart:
    """For components/_incident.html: places of findings in their list. ``start``: None where its time is unknown.
    ``story``: empty where a single finding tells all of it.
    """

    head: int
    rest: tuple[int, ...]
    rest_words: str
    story: tuple[Step, ...] = ()
    number: int = 1
    severity: str = ""
    title: str = ""
    time: str = ""
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Arranged:
    """All incidents, gravest first, and the findings that belong to none."""

    incidents: tuple[IncidentPart, ...] = ()
    remarks: tuple[int, ...] = ()

    @property
    def cards(self) -> tuple[IncidentPart, ...]:
        """Incidents whose story stands at the top: the gravest ones in the order of time, those without one last."""
        stories = sorted(self.incidents[:CARDS], key=lambda one: (one.start is None, one.start or 0, one.number))
        return tuple(one for one in stories if one.story)

    @property
    def further_n(self) -> int:
        """How many more there are below."""
        return max(0, len(self.incidents) - CARDS)


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
        members = [(findings[place], shown[place]) for place in places]
        least = LEAST_STEPS if len(rows) == 1 else 1
        story = tuple(_story(diagnosis, members, zone, is_first=not parts, least=least)) if len(parts) < CARDS else ()
        head, start = findings[places[0]], _start_of(diagnosis, members)
        parts.append(
            IncidentPart(
                places[0],
                tuple(sorted(places[1:])),
                _rest_words(row),
                story,
                len(parts) + 1,
                head.severity,
                head.title,
                shown[places[0]]["time_text"],
                start,
            )
        )
    return Arranged(tuple(parts), tuple(place for place in range(len(findings)) if place not in used))


def _start_of(diagnosis: AnyDiagnosis, members: list[tuple[Finding, Mapping[str, Any]]]) -> int | None:
    starts = [placed_us(diagnosis, one.start_us) for one, _ in members if one.start_us is not None]
    return min(starts, default=None)


def _rest_words(row: Mapping[str, Any]) -> str:
    effects, others = len(row["effects"]), len(row["seen_with"])
    words = [f"{effects} effect{'' if effects == 1 else 's'} of it"] if effects else []
    if others:
        words.append(f"{others}{' more' if effects else ''} of the same incident")
    return " and ".join(words)


def _story(
    diagnosis: AnyDiagnosis, members: list[tuple[Finding, Mapping[str, Any]]], zone: str, *, is_first: bool, least: int
) -> Iterator[Step]:
    """What happened in the order of time, then who queues and who hangs. Fewer sentences than ``least`` are no
    story, nor are some of which none has a time.
    """
    head, *rest = members
    steps = [head, *(one for one in rest if one[0].severity not in MINOR)]
    dated = [one for one in steps if one[0].start_us is not None][:STORY_STEPS]
    queue = list(_queue(diagnosis, members, is_verdict=is_first))
    if not dated or len(dated) + len(queue) < least:
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


def _is_named(name: str, texts: Sequence[str]) -> bool:
    """Whether a text has the name as a word of its own: dm-7 is not in dm-71."""
    whole = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)")
    return any(whole.search(text) for text in texts)


def _end_words(root: Mapping[str, Any]) -> str:
    kind = END_WORDS.get(root["kind"], "")
    of = f" of {root['node']}" if root["node"] and root["kind"] not in {"node", "thread"} else ""
    return f"{f'{kind} ' if kind else ''}{root['what']}{of}"


def _queue(
    diagnosis: AnyDiagnosis, members: list[tuple[Finding, Mapping[str, Any]]], *, is_verdict: bool
) -> Iterator[Step]:
    """Who queues behind the end of the chains that most waits lead to, and which nodes hang: where the incident is
    about it.
    """
    finding, shown = members[0]
    texts = [text for one, _ in members for text in (one.title, one.explanation)]
    roots = [root for root in diagnosis.summary.get("roots", ()) if root["waiters"]]
    named = [diagnosis.verdict_title, *texts] if is_verdict else texts
    root = next((root for root in roots if _is_named(root["what"], named)), None)
    if root is None:
        return
    waits = plural(root["waiters"], "wait")
    is_circle = any(root["what"] in cycle for cycle in diagnosis.summary.get("cycles", ()))
    if not is_circle and not any(waits in one.title for one, _ in members):  # else the story says so already
        queue = f"{waits} queues" if root["waiters"] == 1 else f"{waits} of all dumps queue"
        yield Step("", f"{queue} behind {_end_words(root)}.", "", [], shown["anchor"])
    held = [name for name in finding.nodes if is_circle or name != root["node"]]
    if held:
        yield Step("", f"{names(held)} {'hangs' if len(held) == 1 else 'hang'}.", "", [], shown["anchor"])
