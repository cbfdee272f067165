"""What people say to what the program found: agreed, disputed or set aside, by whom, when and why.

A judgement is bound to what a finding speaks of, never to its row: to its rule and to its title without the figures, so
that it stands again beside the same finding of the next diagnosis. Rows are only added; the latest one counts, the
others are its history.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases.models import Case
from apps.cases.services import lock_case
from apps.diagnosis.models import Diagnosis, Judgement
from apps.diagnosis.values import Finding, findings_of
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

SUBJECT_CHARS: Final = 300
ROWS: Final = 2000
FIGURE: Final = re.compile(
    r"(?<![\w/:.#-])[0-9][0-9,\u2009]*(?:\.[0-9]+)?(?![\w/:#-]|\.[0-9])(?:\s+(?:ms|s|m|h|d|%|[KMGT]?i?B|/s)(?![\w/]))*"
)
PLURAL: Final = re.compile(r"(# [a-z]+?)s\b")
GONE: Final = "What you judged is no longer in the diagnosis: the case was diagnosed again. Reload the page."
WHY: Final = "Say why: whoever reads the finding next wants to know."
ABOUT: Final = Judgement.About
WORDS: Final = {word.value: str(word.label) for word in Judgement.Word}


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: a finding by rule and title without figures, a kind by its id. `nodes` tell findings
    alike apart.
    """

    about: str
    name: str
    text: str
    nodes: tuple[str, ...] = ()

    @property
    def token(self) -> str:
        """What a form sends back."""
        parts = "\0".join((self.about, self.name, self.text, *self.nodes))
        return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:24]


def subject_text(title: str) -> str:
    """A title without what changes when more files are read: "12 waits of 3.4 s on D1" and "1 wait of 9 s on D1" are
    one.
    """
    return PLURAL.sub(r"\1", FIGURE.sub("#", title.strip()))[:SUBJECT_CHARS]


def finding_subjects(findings: Sequence[Finding]) -> dict[int, Subject]:
    """By primary key. Nodes belong to a subject only where two findings would be one without them."""
    texts = {finding.pk: (finding.rule, subject_text(finding.title)) for finding in findings}
    times = Counter(texts.values())
    return {
        finding.pk: Subject(
            ABOUT.FINDING, *texts[finding.pk], tuple(sorted(finding.nodes)) if times[texts[finding.pk]] > 1 else ()
        )
        for finding in findings
    }


def kind_subject(kind: Mapping[str, Any]) -> Subject:
    """A kind of the knowledge base by its id, another one by its wording."""
    words = " ".join(str(kind[name]) for name in ("thread", "reason", "wait_on") if kind.get(name))
    return Subject(ABOUT.KIND, kind["kind_id"] or "", "" if kind["kind_id"] else words[:SUBJECT_CHARS])


class Judgements:
    """All that was said about a case, by subject."""

    def __init__(self, case: Case) -> None:
        self._rows: dict[tuple[str, str, str], list[Judgement]] = defaultdict(list)
        for row in case.judgements.select_related("by").order_by("-pk")[:ROWS]:
            self._rows[row.about, row.name, row.subject].append(row)

    def of(self, subject: Subject) -> list[Judgement]:
        """The latest first."""
        rows = self._rows.get((subject.about, subject.name, subject.text), [])
        return [row for row in rows if tuple(sorted(row.nodes)) == subject.nodes] if subject.nodes else rows

    def context(self, subject: Subject) -> dict[str, Any]:
        """For components/_judgement.html: the one that counts, those before it, and the token for the form."""
        rows = self.of(subject)
        now = rows[0] if rows and rows[0].word != Judgement.Word.WITHDRAWN else None
        return {
            "token": subject.token,
            "about": subject.about,
            "word": now.word if now else "",
            "words": now.get_word_display() if now else "",
            "why": now.why if now else "",
            "by": str(now.by) if now and now.by else "somebody",
            "at": now.at if now else None,
            "earlier": rows[1:] if now else rows,
        }

    def without_subject(self, subjects: Iterable[Subject]) -> list[Judgement]:
        """The latest about findings that the present diagnosis does not hold: kept in sight, as they may come again."""
        present = {(subject.about, subject.name, subject.text) for subject in subjects}
        lone = [rows[0] for key, rows in self._rows.items() if key[0] == ABOUT.FINDING and key not in present]
        return [row for row in lone if row.word != Judgement.Word.WITHDRAWN]


Judged = tuple[Subject, str, list[str]]


def subject_of(diagnosis: Diagnosis, about: str, token: str) -> Judged:
    """What a form speaks of, how it is called, and its nodes; DomainError where the diagnosis does not hold it any
    more.
    """
    if about == ABOUT.KIND:
        offered: list[Judged] = [
            (kind_subject(kind), kind["meaning"] or kind["reason"] or "", kind["nodes"])
            for kind in diagnosis.summary.get("kinds", ())
        ]
    else:
        findings = findings_of(diagnosis)
        subjects = finding_subjects(findings)
        offered = [(subjects[one.pk], one.title, one.nodes) for one in findings]
    found = next((one for one in offered if one[0].token == token), None)
    if found is None:
        raise DomainError(GONE, status=409)
    return found


@transaction.atomic
def judge(
    *, case: Case, subject: Subject, title: str, nodes: Sequence[str], word: str, why: str, by: User
) -> Judgement:
    """Add what somebody says. To dispute and to set aside needs a reason."""
    why = why.strip()
    if word in (Judgement.Word.DISPUTED, Judgement.Word.SET_ASIDE) and not why:
        raise DomainError(WHY, status=422)
    lock_case(case.pk)
    row = Judgement.objects.create(
        case=case,
        about=subject.about,
        name=subject.name,
        subject=subject.text,
        nodes=list(nodes),
        title=title,
        word=word,
        why=why,
        by=by,
    )
    Case.objects.filter(pk=case.pk).update(updated_at=timezone.now())
    record(
        f"{subject.about}.judged",
        case=case,
        user=by,
        title=f"{subject.name} {title}".strip()[:200],
        state=row.get_word_display(),
        reason=why,
    )
    return row
