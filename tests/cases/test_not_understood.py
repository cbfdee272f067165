"""The page of lines that no reader understood: grouped by shape, over the cases that one may see and no others."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.files import unread_lines
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Artifact, Case, SkippedShape
from apps.cases.services import trash_case
from tests.builders import People, make_artifact, make_bundle, make_case

pytestmark = pytest.mark.django_db
URL = reverse("cases:not_understood")


def file_with(case: Case, *rows: tuple[str, int], name: str = "a/out.txt") -> Artifact:
    """A file of a case with so many lines of each shape."""
    lines = sum(count for _, count in rows)
    artifact = make_artifact(
        make_bundle(case, f"{name.replace('/', '-')}.tgz"),
        name,
        f"{case.pk} {name}\n".encode(),
        state=Artifact.State.PARTLY,
        lines_total=lines,
        lines_understood=0,
        lines_ignored=0,
        lines_not_understood=lines,
    )
    SkippedShape.objects.bulk_create(
        SkippedShape(artifact=artifact, shape=shape, lines=count, first_line=7 + n, reason="no parser knows this line")
        for n, (shape, count) in enumerate(rows)
    )
    return artifact


def page(client: Client, **query: str) -> str:
    response = client.get(URL, query)
    assert response.status_code == 200
    return response.content.decode()


def test_shapes_are_counted_over_all_cases_that_one_may_see(client: Client, folk: People) -> None:
    one, other = make_case(folk.team), make_case(folk.team)
    first = file_with(one, ("gulp # of # rows", 30), ("rare # thing", 1))
    file_with(other, ("gulp # of # rows", 12), name="b/out.txt")
    client.force_login(folk.bob)
    listed = unread_lines.list_shapes(folk.bob, client.get(URL).wsgi_request.GET)
    assert [(r.shape, r.lines, r.files, r.cases) for r in listed.rows] == [
        ("gulp # of # rows", 42, 2, 2),
        ("rare # thing", 1, 1, 1),
    ]
    assert (listed.lines_n, listed.files_n, listed.shapes_n) == (43, 2, 2)
    text = page(client)
    assert "gulp # of # rows" in text
    assert f'href="/cases/{one.key}/files/{first.pk}/?line=7#L7"' in text
    assert "43" in text


def test_a_stranger_sees_nothing_of_it(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    file_with(case, ("gulp # of # rows", 30))
    client.force_login(folk.charlie)
    for query in ({}, {"case": case.key}, {"q": "gulp"}):
        text = page(client, **query)
        assert "gulp # of" not in text
        assert case.key not in text or query


def test_nobody_without_an_account_gets_there(client: Client) -> None:
    response = client.get(URL)
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/sign-in/")


def test_a_case_in_the_trash_does_not_count(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    file_with(case, ("gulp # of # rows", 30))
    trash_case(case, by=folk.alice)
    client.force_login(folk.alice)
    assert "gulp # of" not in page(client)


def test_it_narrows_to_one_case_and_to_words(client: Client, folk: People) -> None:
    one, other = make_case(folk.team), make_case(folk.team)
    file_with(one, ("gulp # of # rows", 30), ("sip #", 2))
    file_with(other, ("swallow # at once", 12))
    client.force_login(folk.bob)
    assert "swallow" not in page(client, case=one.key)
    text = page(client, q="SIP")
    assert "sip #" in text
    assert "gulp" not in text
    assert "No shape has these words" in page(client, q="nothing of the sort")


def test_many_shapes_come_in_pages(client: Client, folk: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread_lines, "PAGE", 3)
    file_with(make_case(folk.team), *((f"shape {letter} #", 20 - n) for n, letter in enumerate("abcdefg")))
    client.force_login(folk.bob)
    first = page(client)
    assert "shape c #" in first
    assert "shape d #" not in first
    assert "?from=3" in first
    assert "shape d #" in page(client, **{"from": "3"})
    assert "shape g #" in page(client, **{"from": "6"})
    for odd in ("-1", "x", "9" * 30):
        assert "shape a #" in page(client, **{"from": odd})


def test_html_in_a_line_stays_text(client: Client, folk: People) -> None:
    file_with(make_case(folk.team), ("<script>alert(#)</script>", 1))
    client.force_login(folk.bob)
    assert "<script>alert" not in page(client)


def test_without_any_it_says_that_all_was_understood(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    assert "Everything was understood" in page(client)


def test_shapes_pass_on_with_the_text_when_its_bundle_is_removed(folk: People) -> None:
    case = make_case(folk.team)
    original = file_with(case, ("gulp # of # rows", 30))
    heir = make_artifact(make_bundle(case, "again.tgz"), "a/again.txt", b"x\n", duplicate_of=original)
    remove_bundle(original.bundle, by=folk.alice)
    assert list(SkippedShape.objects.values_list("artifact", "lines")) == [(heir.pk, 30)]
