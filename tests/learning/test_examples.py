"""Solved cases as tests: no name of the customer is kept, and a new entry that changes a verdict is told."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.cases import storage
from apps.cases.models import Case
from apps.diagnosis.pages.judging.outcomes import close_as
from apps.learning.models import Example
from apps.learning.services import withdraw
from apps.sharing.examples import keep_example, recheck
from apps.web.errors import DomainError
from tests.builders import People, make_case, person
from tests.diagnosis.cases import read_into
from tests.learning.pack import LOG, in_force
from tests.learning.test_preview import PATHS, WAITS
from tests.shown import shown

pytestmark = pytest.mark.django_db
SECRETS = ("cod3", "cod9", "lun7", "36001405d2c9f1b2f2a24a7b9d4a1e0f3")


def solved(folk: People, text: bytes = LOG, **outcome: Any) -> Case:
    case = make_case(folk.team, "Writers hang at the Bank of Lund")
    read_into(case, text, "cod3/messages")
    close_as(case, by=folk.bob, **({"found": "finding", "sure": "proven", "order": None} | outcome))
    return case


@pytest.mark.parametrize("text", [LOG, PATHS.replace(b"ghost", b"faulty"), WAITS], ids=["log", "paths", "waits"])
def test_nothing_that_is_kept_names_the_customer_and_the_verdict_is_the_same(folk: People, text: bytes) -> None:
    row = keep_example(solved(folk, text), by=folk.bob)
    assert row.is_as_expected
    assert recheck(row).is_as_expected
    for name in storage.listing(row.stored):
        if not name.endswith(".parquet"):
            continue
        frame = pl.read_parquet(storage.local_path(name))
        words = " ".join(str(value) for line in frame.iter_rows() for value in line)
        assert [secret for secret in SECRETS if secret in words] == [], name
    assert [secret for secret in SECRETS if secret in str((row.expected, row.title))] == []


def test_a_new_entry_that_changes_the_verdict_is_reported(folk: People, capsys: pytest.CaptureFixture[str]) -> None:
    row = keep_example(solved(folk), by=folk.bob)
    call_command("recheck_examples")
    assert "examples: 1; changed: 0" in capsys.readouterr().out
    entry = in_force(folk.team, folk.alice)
    with pytest.raises(SystemExit):
        call_command("recheck_examples", team=folk.team.slug)
    out = capsys.readouterr().out
    assert "lund-storage: expected " in out
    assert "found    Ticket for " in out
    row.refresh_from_db()
    assert (row.is_as_expected, row.found["entry"]) == (False, "ticket-lost.team")
    withdraw(entry, by=folk.alice, why="")
    assert recheck(row).is_as_expected


def test_an_entry_that_was_right_is_part_of_what_is_expected(folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    row = keep_example(solved(folk), by=folk.bob)
    assert row.expected["entry"] == "ticket-lost.team"
    withdraw(entry, by=folk.alice, why="")
    assert not recheck(row).is_as_expected


@pytest.mark.parametrize(
    "outcome", [{"sure": "guessed"}, {"found": "none"}, {"found": "healthy"}], ids=["a guess", "no cause", "wrong"]
)
def test_only_a_case_whose_verdict_was_right_is_kept(folk: People, outcome: dict[str, Any]) -> None:
    case = solved(folk, **outcome)
    if outcome == {"found": "healthy"}:  # the verdict said otherwise
        with pytest.raises(DomainError):
            keep_example(case, by=folk.bob)
        return
    with pytest.raises(DomainError):
        keep_example(case, by=folk.bob)
    assert not Example.objects.exists()


def test_from_the_closed_case_to_the_page_and_away_again(client: Client, folk: People) -> None:
    case = solved(folk)
    client.force_login(folk.bob)
    outcome = shown(client.get(reverse("diagnosis:outcome", args=[case.key])))
    keep = reverse("sharing:example_keep", args=[case.key])
    assert keep in outcome
    page = reverse("sharing:examples", args=[folk.team.slug])
    assert client.post(keep)["Location"] == page
    assert "as expected" in shown(client.get(page))
    assert case.key in shown(client.get(page))
    in_force(folk.team, folk.alice)
    client.post(reverse("sharing:examples_check", args=[folk.team.slug]))
    assert "1 looked at, 1 with another verdict than expected" in shown(client.get(page))
    client.force_login(person("vera", folk.team, Role.VIEWER))
    row = Example.objects.get()
    assert "changed" in shown(client.get(page))
    assert client.post(reverse("sharing:example_remove", args=[folk.team.slug, row.pk])).status_code == 403
    client.force_login(folk.charlie)
    assert client.get(page).status_code == 404
    client.force_login(folk.bob)
    with_files = storage.listing(row.stored)
    assert with_files
    client.post(reverse("sharing:example_remove", args=[folk.team.slug, row.pk]))
    assert not Example.objects.exists()
