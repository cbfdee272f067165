"""Which cases ended alike, and what helped: asked only among the cases that a person may see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from django.db.models import F, QuerySet

from apps.accounts.models import User
from apps.cases.models import Case
from apps.recurrence.chains import Concluded, chains
from apps.recurrence.models import ChainSignature
from parsers.dataclass import dataclass

if TYPE_CHECKING:
    from apps.diagnosis.models import Diagnosis, Finding

CHAINS_SHOWN: Final = 10
CASES_SHOWN: Final = 5
CASES_LOOKED_AT: Final = 200
VERSIONS_KEPT: Final = 20


@dataclass(frozen=True, slots=True)
class Seen:
    """A shape of this case and the other cases with it, solved ones first. ``others_n`` counts up to 200."""

    signature: ChainSignature
    cases: list[Case]
    others_n: int


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A shape over all cases of a reader."""

    signature: ChainSignature
    cases: list[Case]
    total: int
    first: datetime
    last: datetime
    products: list[str]
    versions: list[str]

    @property
    def helped(self) -> list[Case]:
        return [case for case in self.cases if case.state == Case.State.SOLVED and case.solution]


def sign(diagnosis: Diagnosis, findings: Iterable[Finding], versions: Iterable[str]) -> None:
    """Keep the shapes of a diagnosis."""
    reported = [Concluded(one.ref, one.title, one.severity, one.nodes) for one in findings]
    releases = sorted(set(versions))[:VERSIONS_KEPT]
    ChainSignature.objects.bulk_create(
        ChainSignature(
            diagnosis=diagnosis,
            order=order,
            digest=chain.digest,
            kind=chain.kind,
            rule=chain.rule,
            words=chain.words,
            versions=releases,
        )
        for order, chain in enumerate(chains(diagnosis.summary, reported, diagnosis.verdict_ref))
    )


def _among(user: User, digests: Iterable[str]) -> QuerySet[ChainSignature]:
    """Signatures of the present diagnoses of the reader's own cases, the newest case first."""
    visible = Case.objects.visible_to(user).live()
    rows = ChainSignature.objects.filter(digest__in=list(digests), diagnosis__case__in=visible)
    present = rows.filter(diagnosis=F("diagnosis__case__current_diagnosis"))
    return present.order_by("-diagnosis__case__created_at", "-diagnosis__case")


def seen_before(case: Case, user: User) -> list[Seen]:
    """For each shape of the case the others with it; three queries, however many there are."""
    own = (
        list(ChainSignature.objects.filter(diagnosis=case.current_diagnosis_id)[:CHAINS_SHOWN])
        if case.current_diagnosis_id
        else []
    )
    if not own:
        return []
    by_digest: dict[str, list[int]] = defaultdict(list)
    others = _among(user, {row.digest for row in own}).exclude(diagnosis__case=case.pk)
    for digest, pk in others.values_list("digest", "diagnosis__case")[:CASES_LOOKED_AT]:
        by_digest[digest].append(pk)
    cases = {
        row.pk: row
        for row in Case.objects.filter(pk__in={pk for pks in by_digest.values() for pk in pks}).select_related("team")
    }
    return [
        _seen(row, [cases[pk] for pk in by_digest[row.digest] if pk in cases]) for row in own if by_digest[row.digest]
    ]


def _seen(signature: ChainSignature, cases: Sequence[Case]) -> Seen:
    solved_first = sorted(cases, key=lambda case: not case.solution)
    return Seen(signature, solved_first[:CASES_SHOWN], len(cases))


def recurrence(digest: str, user: User) -> Recurrence | None:
    """Where a shape was met, among the reader's own cases; None where nowhere."""
    rows = _among(user, [digest])
    found = list(rows.select_related("diagnosis__case__team")[:CASES_LOOKED_AT])
    if not found:
        return None
    cases = [row.diagnosis.case for row in found]
    return Recurrence(
        signature=found[0],
        cases=cases,
        total=rows.count(),
        first=min(case.created_at for case in cases),
        last=max(case.created_at for case in cases),
        products=sorted({product for case in cases for product in case.products}),
        versions=sorted({version for row in found for version in row.versions}),
    )
