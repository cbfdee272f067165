from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.cases.models import Note
from apps.cases.notes.markdown import to_html
from tests.builders import T0_US, Built, People, build_case, person
from tests.shown import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team)


def test_a_note_is_added_and_shown_with_what_it_is_pinned_to(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.bob)
    url = reverse("cases:notes", args=[built.case.key])
    data = {
        "text": "**look** here",
        "at_us": str(T0_US),
        "artifact": str(built.artifact.pk),
        "line": "12",
        "finding_ref": "SC-01",
    }
    assert client.post(url, data).status_code == 302
    text = shown(client.get(url))
    for words in (
        "<strong>look</strong>",
        "15 Mar 2027 10:40:00 CET",
        "lund-n3/waiters.txt:12",
        "?line=12#L12",
        "finding SC-01",
        "Bob",
    ):
        assert words in text


def test_htmx_gets_the_list_and_an_event(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.bob)
    response = client.post(
        reverse("cases:notes", args=[built.case.key]), {"text": "seen"}, headers={"HX-Request": "true"}
    )
    assert response.status_code == 200
    assert "notes-changed" in response.headers["HX-Trigger"]
    assert "<html" not in shown(response)


def test_a_note_from_the_timeline_leads_back_to_its_view(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.bob)
    url = reverse("cases:notes", args=[built.case.key])
    timeline = reverse("diagnosis:timeline", args=[built.case.key])
    for referrer, target in (
        (f"http://testserver{timeline}?from=5&to=9", f"{timeline}?from=5&to=9"),
        (f"http://elsewhere.example{timeline}", url),
        ("http://testserver/", url),
        ("", url),
    ):
        response = client.post(url, {"text": "x"}, headers={"Referer": referrer})
        assert response.headers["Location"] == f"{target}#note-{Note.objects.latest('pk').pk}"


def test_htmx_is_explained_why_a_note_cannot_be(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.bob)
    response = client.post(
        reverse("cases:notes", args=[built.case.key]), {"text": "x", "line": "3"}, headers={"HX-Request": "true"}
    )
    assert response.status_code == 400
    assert "A line needs the file it is in." in shown(response)


@pytest.mark.parametrize(
    "data",
    [
        {"text": ""},
        {"text": "x" * 20_001},
        {"text": "x", "line": "3"},
        {"text": "x", "artifact": "999999"},
        {"text": "x", "at_us": "noon"},
    ],
)
def test_a_note_that_cannot_be_is_explained(client: Client, folk: People, built: Built, data: dict[str, str]) -> None:
    client.force_login(folk.bob)
    assert client.post(reverse("cases:notes", args=[built.case.key]), data).status_code == 422
    assert not Note.objects.exists()


def test_a_note_is_not_pinned_to_a_file_of_another_case(client: Client, folk: People, built: Built) -> None:
    other = build_case(folk.team)
    client.force_login(folk.bob)
    data = {"text": "x", "artifact": str(other.artifact.pk), "line": "1"}
    assert client.post(reverse("cases:notes", args=[built.case.key]), data).status_code == 422


def test_viewers_read_and_do_not_write(client: Client, folk: People, built: Built) -> None:
    client.force_login(person("vera", folk.team, Role.VIEWER))
    url = reverse("cases:notes", args=[built.case.key])
    assert "Add the note" not in shown(client.get(url))
    assert client.post(url, {"text": "x"}).status_code == 403


def test_only_the_author_changes_a_note(client: Client, folk: People, built: Built) -> None:
    note = Note.objects.create(case=built.case, author=folk.bob, text="mine")
    edit = reverse("cases:note_edit", args=[built.case.key, note.pk])
    delete = reverse("cases:note_delete", args=[built.case.key, note.pk])
    client.force_login(folk.alice)
    assert client.post(edit, {"text": "hers"}).status_code == 403
    assert client.post(delete).status_code == 403
    client.force_login(folk.bob)
    assert client.post(edit, {"text": "better"}).status_code == 302
    note.refresh_from_db()
    assert note.text == "better"
    assert note.edited_at is not None
    assert client.post(delete).status_code == 302
    assert not Note.objects.exists()


def test_the_form_alone_knows_the_moment(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.bob)
    text = shown(client.get(reverse("cases:note_form", args=[built.case.key]) + f"?at_us={T0_US}"))
    assert f'value="{T0_US}"' in text
    assert "15 Mar 2027 10:40:00 CET" in text


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>)",
        "![track](https://elsewhere.example/pixel.png)",
        '<a href="#" style="x" onclick="y">z</a>',
        "<svg/onload=alert(1)>",
    ],
)
def test_markdown_can_do_nothing(text: str) -> None:
    seen = Tags()
    seen.feed(to_html(text))
    assert seen.found <= {"p", "a rel=noopener noreferrer nofollow", "a", "a href=https://elsewhere.example/pixel.png"}


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {f"{tag} {name}={value}" for name, value in attrs} or {tag}


@pytest.mark.parametrize("unit", ["[", "*", "> ", "`", "_a", "|", "![](", "a **", "- ", "<!--"])
def test_a_long_hostile_note_is_drawn_quickly(unit: str) -> None:
    begin = time.process_time()
    to_html((unit * 20_000)[:20_000])
    assert time.process_time() - begin < 10.0  # a guard against hanging: it takes a tenth of a second
