"""Where an entry would speak before it counts: lines, cases, false alarms, and what the verdict of each would become.

All of it comes from what was kept when the cases were diagnosed (``apps.diagnosis.shapes_kept``): no bundle is read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, NamedTuple

from django.db.models import Q, QuerySet

from apps.accounts.models import Team, User
from apps.cases.models import Case
from apps.diagnosis.engine.core.alarms.collected import MESSAGES, STATES, Alarm
from apps.diagnosis.engine.core.alarms.findings import finding_of_alarms
from apps.diagnosis.engine.core.facts.taught import Conditions
from apps.diagnosis.engine.core.verdicts.verdict import in_doubt
from apps.diagnosis.models import Form
from apps.diagnosis.shapes_kept import counted_kinds, rank_of
from apps.learning.in_force import in_force
from apps.learning.models import CaseDigest, CaseOutcome, CaseShape
from parsers.dataclass import dataclass
from parsers.messages.catalogue import entries_in_force, judging_with
from parsers.messages.site_entries import Entries, Entry, blanked

ROWS_MOST: Final = 20_000
CASES_SHOWN: Final = 25
FALSE_SHOWN: Final = 10
LINES_SHOWN: Final = 3
GRAVE: Final = ("trouble", "disaster")


class Verdict(NamedTuple):
    """A verdict as it reads now, or would read."""

    title: str = ""
    severity: str = ""
    form: str = ""

    @property
    def form_words(self) -> str:
        """What it is worth."""
        return str(Form(self.form).label) if self.form in Form.values else ""


UNKNOWN: Final = Verdict()


@dataclass(frozen=True, slots=True)
class Place:
    """A line that the entry fits."""

    artifact: int | None
    path: str
    line: int
    text: str


@dataclass(slots=True)
class CaseHits:
    """One case in which the entry fits something."""

    case: Case
    lines: int = 0
    shapes: list[CaseShape] = field(default_factory=list)
    abouts: dict[int, str | None] = field(default_factory=dict)
    now: Verdict = UNKNOWN
    then: Verdict = UNKNOWN
    outcome: CaseOutcome | None = None
    is_judged: bool = True
    """Whether the case is of the team whose entry it is: of others nothing changes."""

    @property
    def places(self) -> list[Place]:
        """The first lines."""
        return [
            Place(one.artifact_id, one.artifact.path if one.artifact else "", one.line, one.text)
            for one in self.shapes[:LINES_SHOWN]
        ]

    @property
    def shapes_more(self) -> int:
        """Wordings beyond those that are shown."""
        return max(0, len(self.shapes) - LINES_SHOWN)

    @property
    def changes(self) -> bool:
        """Whether the verdict would read otherwise."""
        return self.is_judged and self.then != self.now


@dataclass(frozen=True, slots=True)
class Preview:
    """What the page shows. here: the case that the entry was made from."""

    here: CaseHits | None
    cases: list[CaseHits]
    false: list[CaseHits]
    cases_n: int
    lines_n: int
    false_n: int
    changed_n: int
    looked_at: int
    """Cases that were looked through."""
    not_kept: int
    """Cases of which nothing is kept yet."""
    is_cut: bool


def preview(user: User, team: Team, entry: Entry, *, case_id: int | None = None) -> Preview:
    """Over all cases that the person may see."""
    visible = Case.objects.visible_to(user).live().filter(current_diagnosis__isnull=False)
    others = (one for one in in_force(team.pk).entries.all if one.kind != entry.kind)
    competing = Entries((*entries_in_force().all, *others, entry))
    rows = list(_candidates(visible, entry)[:ROWS_MOST])
    found = _hits(rows, entry, competing)
    cases = _with_cases(visible, found, team)
    _judge(cases, entry, competing)
    order = sorted(cases.values(), key=lambda one: (one.case.updated_at, one.case.pk), reverse=True)
    false = [one for one in order if is_false_alarm(one, entry)]
    total = visible.count()
    kept = CaseDigest.objects.filter(case__in=visible).count()
    return Preview(
        here=cases.get(case_id or 0),
        cases=[one for one in order if one.case.pk != case_id][:CASES_SHOWN],
        false=false[:FALSE_SHOWN],
        cases_n=len(order),
        lines_n=sum(one.lines for one in order),
        false_n=len(false),
        changed_n=sum(one.changes for one in order),
        looked_at=kept,
        not_kept=total - kept,
        is_cut=len(rows) == ROWS_MOST,
    )


def is_false_alarm(hit: CaseHits, entry: Entry) -> bool:
    """Whether an entry that raises an alarm would raise it in a case that turned out otherwise."""
    if entry.weight not in GRAVE or hit.outcome is None:
        return False
    return hit.outcome.found != CaseOutcome.Found.NONE


def _candidates(visible: QuerySet[Case], entry: Entry) -> QuerySet[CaseShape]:
    """Shapes that hold the kept words of the entry, or values of its column."""
    if entry.of == "table":
        words = Q(shape__startswith=f"{entry.column}=")
    else:
        words = Q()
        for token in entry.match:
            if token.word:
                words &= Q(shape__contains=blanked(token.word))
    rows = CaseShape.objects.filter(words, source=entry.of, told_by=entry.told_by, case__in=visible)
    return (
        rows.select_related("artifact")
        .only("case_id", "artifact__path", "shape", "text", "line", "lines", "kind", "nodes", "source")
        .order_by("-case_id", "line")
    )


def _hits(rows: Iterable[CaseShape], entry: Entry, competing: Entries) -> dict[int, CaseHits]:
    """By case. Where another entry fits better that one would speak."""
    conditions = Conditions([one for one in competing.rows if (one.key, one.column) == (entry.key, entry.column)])
    found: dict[int, CaseHits] = {}
    for row in rows:
        about: str | None = None
        if entry.of == "table":
            speaks = conditions.of(_value(row, conditions.has_figures))
        else:
            hit = competing.find(entry.key, row.text)
            speaks, about = (hit.entry, hit.about) if hit is not None else (None, None)
        if speaks is not None and speaks.kind == entry.kind:
            hits = found.setdefault(row.case_id, CaseHits(Case()))
            hits.lines += row.lines
            hits.shapes.append(row)
            hits.abouts[row.pk] = about
    return found


def _value(row: CaseShape, has_figures: bool) -> str | float:
    return float(row.text) if has_figures else row.text


def _with_cases(visible: QuerySet[Case], found: dict[int, CaseHits], team: Team) -> dict[int, CaseHits]:
    rows = visible.filter(pk__in=found).select_related("current_diagnosis", "team")
    latest = CaseOutcome.objects.filter(case__in=found, is_latest=True)
    outcomes = {one.case_id: one for one in latest}
    for case in rows.defer("search_text", "spark", "current_diagnosis__summary"):
        hits, diagnosis = found[case.pk], case.current_diagnosis
        hits.case, hits.outcome, hits.is_judged = case, outcomes.get(case.pk), case.team_id == team.pk
        if diagnosis is not None:
            hits.now = hits.then = Verdict(diagnosis.verdict_title, diagnosis.verdict_severity, diagnosis.verdict_form)
    return {pk: hits for pk, hits in found.items() if hits.case.pk}


# What verdicts would become
# --------------------------------------------------------------------------------------------------------


def _judge(cases: Mapping[int, CaseHits], entry: Entry, competing: Entries) -> None:
    of_team = [pk for pk, hits in cases.items() if hits.is_judged]
    digests = {one.case_id: one for one in CaseDigest.objects.filter(case__in=of_team)}
    kinds = {one.kind for pk in of_team for one in cases[pk].shapes if one.kind}
    alike = CaseShape.objects.filter(case__in=of_team, kind__in=kinds).values_list("case_id", "kind")
    counted = counted_kinds(alike) if kinds else defaultdict[int, Counter[str]](Counter)
    with judging_with(competing):
        for pk in of_team:
            if pk in digests:
                cases[pk].then = _then(cases[pk], digests[pk], entry, counted[pk])


def _then(hits: CaseHits, digest: CaseDigest, entry: Entry, counted: Counter[str]) -> Verdict:
    met = Counter(one.kind for one in hits.shapes if one.kind)
    gone = {kind for kind, times in met.items() if times >= counted[kind]}
    ranked = [row for row in digest.ranked if row["kind"] not in gone and row["entry"] != entry.kind]
    if entry.weight in GRAVE:
        ranked = [*(_below(row, hits) if entry.of == "waits" else row for row in ranked), _new_row(hits, entry)]
    if ranked:
        top = min(ranked, key=lambda row: row["rank"])
        by_rule = top["entry"] or not top["ref"].startswith("AL-")
        return Verdict(top["title"], top["severity"], "explained" if by_rule else "unexplained")
    return _calm(hits, digest, entry)


def _new_row(hits: CaseHits, entry: Entry) -> dict[str, Any]:
    """What the entry would say, among the findings of the case."""
    finding = finding_of_alarms(MESSAGES if entry.of == "log" else STATES, entry.kind, _alarms(hits, entry))
    return {
        "rank": rank_of(finding),
        "title": finding.verdict or finding.title,
        "severity": finding.severity,
        "ref": finding.ref,
        "kind": "",
        "entry": entry.kind,
        "lines": [],
    }


def _calm(hits: CaseHits, digest: CaseDigest, entry: Entry) -> Verdict:
    """Where nothing above information is left."""
    if hits.now.form == "explained" and hits.now.severity == "info":
        return hits.now
    doubts = [text for text in digest.doubts if not _fits(entry, text)]
    if doubts:
        return Verdict(in_doubt(doubts), "info", "not_judged")
    return Verdict(digest.calm["title"], digest.calm["severity"], digest.calm["form"])


def _below(row: dict[str, Any], hits: CaseHits) -> dict[str, Any]:
    """A finding that rests on waits of which the entry speaks is a symptom of what it says."""
    places = {(one.artifact_id, one.line) for one in hits.shapes}
    is_symptom = any((artifact, line) in places for artifact, line in row["lines"])
    return row | {"rank": [row["rank"][0], True, *row["rank"][2:]]} if is_symptom else row


def _fits(entry: Entry, text: str) -> bool:
    return bool(entry.match) and Entries([entry]).find(entry.key, text) is not None


def _alarms(hits: CaseHits, entry: Entry) -> Sequence[Alarm]:
    return [
        Alarm(
            kind=entry.kind,
            node=node,
            about=hits.abouts[one.pk],
            weight="disaster" if entry.weight == "disaster" else "trouble",
            lines=one.lines if number == 0 else 0,
            refs=(),
            text=one.text,
        )
        for one in hits.shapes
        for number, node in enumerate(_nodes(one.nodes))
    ]


def _nodes(nodes: list[Any]) -> list[str | None]:
    return [str(node) for node in nodes] or [None]
