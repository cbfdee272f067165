"""T38: secrets planted into samples of all formats go through the whole pipeline, and every address of a link is read:
pages, tables, charts and their data, headers and titles.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import polars as pl
import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role, Team, User
from apps.cases import storage
from apps.cases.models import Case
from apps.cases.notes.services import add_note
from apps.diagnosis.engine.core.words.vocabulary import vocabulary
from apps.diagnosis.models import Diagnosis, Judgement
from apps.diagnosis.pages.judging.judgements import finding_subjects, judge
from apps.diagnosis.values import findings_of
from apps.sharing.masked import masked_row
from apps.sharing.models import MaskedCase, ShareLink
from apps.sharing.services import create_share_link
from tests.builders import People, person
from tests.ingest.material import send, tar
from tests.sharing.planting import chunks, planted
from tests.sharing.spellings import SEED, SPELLINGS
from tests.sharing.test_nothing_leaks import Crawl
from tests.shown import shown

pytestmark = pytest.mark.django_db
LOTS, PIECE = 40, 7
MOST_LOST: Final = 0.03
"""Of the words that the products document."""
NUMBERS: Final = re.compile(r"[\d.:_%-]+")
WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]+")


def pieces(secrets: Iterable[str]) -> dict[str, str]:
    """All of a secret or a part that is long enough to tell it: not mere digits, nor the date in a longer name."""
    found = {secret: secret for secret in secrets}
    for secret in secrets:
        is_named = not NUMBERS.fullmatch(secret)
        for at in range(len(secret) - PIECE + 1):
            piece = secret[at : at + PIECE]
            if not (piece.isdigit() or (is_named and NUMBERS.fullmatch(piece))):
                found.setdefault(piece, secret)
    return found


def seen(texts: Iterable[str], secrets: Iterable[str]) -> set[str]:
    """Secrets of which a part stands in one of the texts."""
    known = pieces(secrets)
    lengths = sorted({len(piece) for piece in known})
    words = {word for text in texts for word in re.findall(r"\S+", text.casefold())}
    return {
        f"{known[piece]} in {word[:120]}"
        for word in words
        for size in lengths
        for at in range(len(word) - size + 1)
        if (piece := word[at : at + size]) in known
    }


def uploaded(people: People, lot: int) -> tuple[Case, set[str]]:
    """A case of one lot of samples, called after the customer."""
    cache.clear()
    rng = random.Random(SEED + lot)
    members = list(planted(chunks(LOTS)[lot], rng))
    content = tar({one.path: one.content for one in members})
    client = Client()
    client.force_login(people.alice)
    customer, secret = SPELLINGS["name-capital"](rng)
    title = f"{customer}: writers hang on {SPELLINGS['four.'](rng)[0]}"
    answer = send(client, content, f"{customer}.tgz", title=title, customer=customer, team=people.team.slug)
    assert answer.status_code in {200, 201}, answer.content
    case = Case.objects.latest("pk")
    secrets = {secret for one in members for secret in one.secrets} | {secret.casefold(), title.split()[-1]}
    return case, secrets


def current(case: Case) -> Diagnosis:
    assert case.current_diagnosis is not None
    return case.current_diagnosis


def crawled(case: Case, maker: User, level: str) -> dict[str, str]:
    made = create_share_link(case=case, user=maker, days=14, level=level)
    pages = Crawl(made.token).all(Client())
    assert len(pages) > 8
    return {address.replace(made.token, ""): body for address, body in pages.items()}


def stored_texts(row: MaskedCase) -> list[str]:
    """What the pages of a link are made of, to its last row."""
    texts = [json.dumps(row.content, ensure_ascii=False)]
    for name in storage.listing(row.views):
        frame = pl.read_parquet(storage.local_path(name))
        for column in frame.select(pl.col(pl.String)).columns:
            texts += [str(text) for text in frame[column].drop_nulls().unique().to_list()]
    return texts


@pytest.mark.parametrize("lot", range(LOTS))
@pytest.mark.part("planted", 1)
def test_t38_no_planted_secret_is_on_any_page_of_a_development_link(staff: People, lot: int) -> None:
    case, secrets = uploaded(staff, lot)
    assert len(secrets) > 90
    pages = crawled(case, staff.alice, ShareLink.Level.DEVELOPMENT)
    row = masked_row(current(case))
    client = Client()
    client.force_login(staff.alice)
    reply = shown(client.get(reverse("sharing:reply", args=[case.key])))
    texts = [*pages, *pages.values(), *stored_texts(row), reply]
    assert seen(texts, secrets) == set()
    assert lost_words(current(case), row) <= MOST_LOST


def internal_words(people: People, case: Case) -> set[str]:
    """Notes, doubts, reasons and names of the team, in every spelling."""
    rng = random.Random(SEED)
    secrets = set()

    def secret(kind: str = "name-capital") -> str:
        written, hidden = SPELLINGS[kind](rng)
        secrets.add(hidden.casefold())
        return written

    colleague, other = person(secret("name")), person(secret("name"), people.team, Role.EDITOR)
    for one in (colleague, other, people.alice):
        one.display_name, one.email = f"{secret()} {secret()}", secret("name-mail")
        one.save()
    diagnosis = current(case)
    refs = [finding.ref for finding in diagnosis.findings.all()]
    for number, kind in enumerate(SPELLINGS):
        pins: dict[str, Any] = {"at_us": case.window_start_us} if number % 3 == 0 else {}
        pins |= {"finding_ref": refs[number % len(refs)]} if number % 3 == 1 else {}
        add_note(case=case, author=other, text=f"the vendor says {secret(kind)} is to blame", **pins)
    for subject, finding in zip(finding_subjects(findings_of(diagnosis)).values(), findings_of(diagnosis), strict=True):
        for word in (Judgement.Word.AGREED, Judgement.Word.DISPUTED):
            why = f"not so: {secret()}"
            judge(case=case, subject=subject, title=finding.title, nodes=finding.nodes, word=word, why=why, by=other)
    Team.objects.filter(pk=case.team_id).update(name=f"{secret()} {secret()}")
    texts = {"solution": secret(), "hold_reason": secret(), "ticket": secret()}
    people_of_it = {"assignee": other, "created_by": colleague, "held_by": other}
    Case.objects.filter(pk=case.pk).update(**texts, **people_of_it, state="solved", held_at=timezone.now())
    case.refresh_from_db()
    return secrets


def test_t38_nothing_that_colleagues_say_is_on_any_page_of_a_customer_link(staff: People) -> None:
    case, theirs = uploaded(staff, 0)
    inside = internal_words(staff, case)
    ours = {secret for secret in inside if not any(secret in other for other in theirs)}
    assert len(ours) > 60
    for level in (ShareLink.Level.CUSTOMER, ShareLink.Level.DEVELOPMENT):
        whole = " ".join(f"{address} {body}" for address, body in crawled(case, staff.alice, level).items()).casefold()
        assert [secret for secret in ours if secret in whole] == [], level
        shows_names = any(secret in whole for secret in theirs)
        assert shows_names is (level == ShareLink.Level.CUSTOMER)


def lost_words(diagnosis: Diagnosis, row: MaskedCase) -> float:
    """The share of words of the vocabulary in what a finding says and in its lines that are masked."""
    plain: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for finding, masked in zip(diagnosis.findings.order_by("order"), row.content["findings"], strict=True):
        plain.update(_documented([finding.title, finding.explanation, *_lines(finding.evidence)]))
        kept.update(_documented([masked["title"], masked["explanation"], *_lines(masked["evidence"])]))
    assert plain.total() > 100
    return (plain - kept).total() / plain.total()


def _lines(evidence: list[dict[str, Any]]) -> list[str]:
    return [line["text"] for line in evidence]


def _documented(texts: list[str]) -> list[str]:
    words = vocabulary()
    return [word for text in texts for word in WORD.findall(text.casefold()) if word in words]
