"""What closed cases turned out to be, and what rules, entries and forms of verdicts were worth by that.

A guess is kept and counts for nothing. Counts are of closed cases that the reader may see.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases.models import Case
from apps.cases.services import lock_case
from apps.diagnosis.models import Diagnosis, Form
from apps.diagnosis.values import AnyDiagnosis, Finding, findings_of
from apps.learning.models import GUESSED, CaseOutcome, OutcomeWord
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

Found = CaseOutcome.Found
Word = OutcomeWord.Word
About = OutcomeWord.About
CHOICES_MOST: Final = 20
JUDGED_LEAST: Final = 10
"""Closed cases from which on a share is told."""
REFUTED_LEAST: Final = 3
"""So many wrong ones, and more than right ones, make a rule one that is often refuted."""
NOT_DIAGNOSED: Final = "The case holds no diagnosis that could have been right or wrong."
NO_SUCH: Final = "Choose one of the findings of the present diagnosis."
NOT_THE_FIRST: Final = "That finding is the one at the top: choose that."
Key = tuple[str, str]


def key_of(finding: Finding) -> Key:
    """What a finding counts for: the entry that says what its lines mean, else its rule."""
    known = finding.knowledge
    if known is None:
        return About.RULE, finding.ref
    return About.ENTRY, str(known["entry"]) if known["entry"] else f"site/{known['name']}"


def choices_of(diagnosis: AnyDiagnosis) -> list[Finding]:
    """Findings that a case may turn out to be, the one at the top first."""
    return [one for one in findings_of(diagnosis) if one.severity != "info"][:CHOICES_MOST]


def latest_outcome(case: Case) -> CaseOutcome | None:
    """What the case turned out to be, as it was said last."""
    return case.outcomes.filter(is_latest=True).select_related("by").first()


@transaction.atomic
def close_as(case: Case, *, found: str, sure: str, order: int | None, by: User) -> CaseOutcome:
    """Keep what the case was. ``order``: the finding that was right, where it is another than the first one."""
    lock_case(case.pk)
    diagnosis = case.current_diagnosis
    if diagnosis is None:
        raise DomainError(NOT_DIAGNOSED, status=409)
    findings = choices_of(diagnosis)
    chosen = _chosen(findings, found, order)
    case.outcomes.filter(is_latest=True).update(is_latest=False)
    row = CaseOutcome.objects.create(
        case=case,
        found=found,
        sure=sure,
        title=chosen.title if chosen is not None else "",
        ref=chosen.ref if chosen is not None else "",
        verdict=diagnosis.verdict_title,
        by=by,
    )
    words = _words(diagnosis, findings, chosen, found) if sure != GUESSED else {}
    OutcomeWord.objects.bulk_create(
        OutcomeWord(outcome=row, about=about, name=name, word=word) for (about, name), word in words.items()
    )
    Case.objects.filter(pk=case.pk).update(updated_at=timezone.now())
    outcome = f"{row.get_found_display()}, {row.get_sure_display()}"
    record("case.outcome", case=case, user=by, state=outcome, title=row.title)
    return row


def _chosen(findings: Sequence[Finding], found: str, order: int | None) -> Finding | None:
    if found not in (Found.FINDING, Found.OTHER):
        return None
    if not findings:
        raise DomainError(NO_SUCH, status=422)
    if found == Found.FINDING:
        return findings[0]
    chosen = next((one for one in findings if one.order == order), None)
    if chosen is None:
        raise DomainError(NO_SUCH, status=422)
    if chosen is findings[0]:
        raise DomainError(NOT_THE_FIRST, status=422)
    return chosen


def _words(diagnosis: Diagnosis, findings: Sequence[Finding], chosen: Finding | None, found: str) -> dict[Key, str]:
    """What the outcome says of everything that spoke. Findings below the first one are no claim to be the cause: only
    where nothing was wrong they were wrong too.
    """
    words: dict[Key, str] = {}
    for one in findings:
        words.setdefault(key_of(one), Word.REFUTED if found == Found.HEALTHY else Word.SPOKE)
    if findings:
        first = {Found.FINDING: Word.CONFIRMED, Found.OTHER: Word.OVERRULED, Found.NONE: Word.REFUTED}
        words[key_of(findings[0])] = first.get(Found(found), Word.REFUTED)
    if chosen is not None:
        words[key_of(chosen)] = Word.CONFIRMED
    words[About.FORM, diagnosis.verdict_form] = _word_of_form(diagnosis.verdict_form, found)
    return words


def _word_of_form(form: str, found: str) -> str:
    if form == Form.NOT_JUDGED:
        return Word.SPOKE
    if form == Form.HEALTHY:
        return Word.CONFIRMED if found == Found.HEALTHY else Word.REFUTED
    first = {Found.FINDING: Word.CONFIRMED, Found.OTHER: Word.OVERRULED}
    return first.get(Found(found), Word.REFUTED)


# What they were worth
# --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Worth:
    """How often something spoke in closed cases, and what those turned out to be."""

    spoke: int = 0
    confirmed: int = 0
    refuted: int = 0
    overruled: int = 0

    @property
    def judged(self) -> int:
        """Cases of which it is known whether it was right."""
        return self.confirmed + self.refuted + self.overruled

    @property
    def is_often_refuted(self) -> bool:
        """Whether it was wrong more often than right."""
        wrong = self.refuted + self.overruled
        return wrong >= REFUTED_LEAST and wrong > self.confirmed

    @property
    def share(self) -> str:
        """In words, once there are enough cases."""
        return f"right in {self.confirmed} of {self.judged} closed cases" if self.judged >= JUDGED_LEAST else ""


def worth_by_key(user: User, wanted: Q | None = None) -> Mapping[Key, Worth]:
    """By what and which."""
    rows = _seen_by(user).filter(wanted) if wanted is not None else _seen_by(user)
    counted: dict[Key, Counter[str]] = defaultdict(Counter)
    for about, name, word, times in rows.values_list("about", "name", "word").annotate(Count("pk")).order_by():
        counted[about, name][word] += times
    return {key: _worth(words) for key, words in counted.items()}


def _worth(words: Counter[str]) -> Worth:
    return Worth(words.total(), words[Word.CONFIRMED], words[Word.REFUTED], words[Word.OVERRULED])


def _seen_by(user: User) -> QuerySet[OutcomeWord]:
    visible = Case.objects.visible_to(user).live()
    return OutcomeWord.objects.filter(outcome__is_latest=True, outcome__case__in=visible)


def worth_of_diagnosis(user: User, diagnosis: Diagnosis) -> tuple[str, Mapping[int, Worth]]:
    """What such verdicts were worth, in words, and by order of a finding what its rule or entry was."""
    if not OutcomeWord.objects.exists():
        return "", {}
    findings = findings_of(diagnosis)
    keys = {one.order: key_of(one) for one in findings}
    wanted = Q(about=About.FORM, name=diagnosis.verdict_form)
    for about, name in set(keys.values()):
        wanted |= Q(about=about, name=name)
    worth = worth_by_key(user, wanted)
    first = next((one for one in findings if one.ref == diagnosis.verdict_ref and one.severity != "info"), None)
    alike = worth.get(keys[first.order], Worth()) if first is not None else Worth()
    of_form = worth.get((About.FORM, diagnosis.verdict_form), Worth())
    share = f"such verdicts were {alike.share}" if alike.share else ""
    if not share and of_form.share:
        share = f"verdicts of this form were {of_form.share}"
    return share, {order: worth[key] for order, key in keys.items() if key in worth}


@dataclass(frozen=True, slots=True)
class WorthRow:
    """A row of the page."""

    about: str
    name: str
    title: str
    url: str
    worth: Worth


def worth_rows(user: User, titles: Mapping[Key, tuple[str, str]]) -> Iterator[WorthRow]:
    """All that spoke in closed cases, what was wrong most often first. titles: words and address by key."""
    worth = worth_by_key(user)
    order = sorted(worth, key=lambda key: (-(worth[key].refuted + worth[key].overruled), -worth[key].spoke, key))
    for key in order:
        title, url = titles.get(key, (key[1], ""))
        yield WorthRow(OutcomeWord.About(key[0]).label, key[1], title, url, worth[key])
