from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from apps.audit.models import AuditEvent
from apps.cases import storage
from apps.cases.models import Artifact
from tests.builders import TEXT, Built, People, build_case, make_artifact, make_bundle, make_case
from tests.shown import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def built(client: Client, folk: People) -> Built:
    client.force_login(folk.bob)
    return build_case(folk.team)


def url_of(built: Built, artifact: Artifact | None = None, name: str = "file") -> str:
    return reverse(f"cases:{name}", args=[built.case.key, (artifact or built.artifact).pk])


def rows(text: str) -> dict[int, str]:
    return {int(number): classes for classes, number in re.findall(r'<div class="(line[^"]*)" id="L(\d+)"', text)}


def with_facts(built: Built, tmp: Path) -> None:
    prefix = f"{storage.case_prefix(built.case.pk)}facts/{built.artifact.pk}-1/"
    sections = {
        "line": [1, 21], "index": [0, 1], "format": ["scale_waiters", ""], "last_line": [20, 40],
        "node": ["lund-n3", None],
        "node_basis": ["prompt", "unknown"], "command": ["mmdiag --waiters", None], "records": [20, 0],
        "not_understood": [0, 3],
        "at": [None, None], "zone_name": ["CET", None],
    }  # fmt: skip
    frame = pl.DataFrame(sections, schema_overrides={"at": pl.Int64})
    skipped = pl.DataFrame({"line": [22, 23, 30], "reason": ["x", "x", "x"], "shape": ["", "", ""]})
    for name, data in (("section-0000.parquet", frame), ("skipped-0000.parquet", skipped)):
        data.write_parquet(tmp / name)
        with (tmp / name).open("rb") as file:
            storage.save_as(prefix + name, file)
    Artifact.objects.filter(pk=built.artifact.pk).update(facts=prefix)


def test_a_chosen_range_is_marked_and_evidence_carries_its_finding(client: Client, built: Built) -> None:
    text = shown(client.get(url_of(built) + "?line=4-6"))
    lines = rows(text)
    assert len(lines) == 40
    assert lines[4] == "line is-marked is-high is-chosen"
    assert lines[12] == "line is-marked is-high"
    assert lines[7] == "line"
    assert text.count('<span class="line-mark">SC-01</span>') == 1
    assert '<span class="line-mark">SC-01 · SC-02</span>' in text
    assert json.loads(re.findall(r'data-marks="([^"]*)"', text)[0]) == [4, 12]
    assert '<a class="button is-small" href="?line=12#L12" data-next-mark>Next' in text


def test_sections_and_lines_not_understood_are_shown(client: Client, built: Built, tmp_path: Path) -> None:
    with_facts(built, tmp_path)
    text = shown(client.get(url_of(built) + "?line=25"))
    assert "mmdiag --waiters" in text
    assert "text of no known format" in text
    assert {number for number, classes in rows(text).items() if "is-not-understood" in classes} == {22, 23, 30}
    assert text.count('aria-current="true"') == 2  # the section of line 25, and the last crumb
    lines = shown(client.get(url_of(built, name="file_lines") + "?start=22&count=2"))
    assert rows(lines) == {22: "line is-not-understood", 23: "line is-not-understood"}


def test_a_large_file_is_read_in_windows(client: Client, built: Built) -> None:
    artifact = make_artifact(built.bundle, "big.txt", b"".join(b"line %d of many\n" % n for n in range(1, 90_001)))
    text = shown(client.get(url_of(built, artifact) + "?line=45000"))
    lines = rows(text)
    assert (min(lines), max(lines), len(lines)) == (44_800, 45_199, 400)
    assert 'href="?start=44400"' in text
    assert 'href="?start=45200"' in text
    last = rows(shown(client.get(url_of(built, artifact) + "?line=90000")))
    assert (min(last), max(last)) == (89_601, 90_000)
    part = rows(shown(client.get(url_of(built, artifact, "file_lines") + "?start=89999&count=400")))
    assert set(part) == {89_999, 90_000}
    beyond = client.get(url_of(built, artifact, "file_lines") + "?start=90001&count=400")
    assert (beyond.status_code, rows(shown(beyond))) == (200, {})
    most = rows(shown(client.get(url_of(built, artifact, "file_lines") + "?start=1&count=999999999")))
    assert len(most) == 2400


def test_search_leads_to_the_first_hit_and_from_hit_to_hit(client: Client, built: Built) -> None:
    text = shown(client.get(url_of(built) + "?q=waiting+1"))
    assert "<mark>waiting 1</mark>" in text
    assert rows(text)[1] == "line is-chosen"
    assert "<b>1</b> of 10 lines" in text
    assert 'href="?q=waiting+1&amp;line=2#L2"' in text
    assert "nothing found" in shown(client.get(url_of(built) + "?q=WAITING&case=1"))
    assert "40 lines" in shown(client.get(url_of(built) + "?q=WAITING"))


def test_go_to_line_is_a_plain_form(client: Client, built: Built) -> None:
    response = client.get(url_of(built) + "?go=+1+2")
    assert response.headers["Location"] == f"{url_of(built)}?line=12#L12"
    assert client.get(url_of(built) + "?go=abc").status_code == 400


@pytest.mark.parametrize(
    "query",
    [
        "?line=0",
        "?line=9-3",
        "?line=x",
        "?line=999999999999999",
        "?start=-1",
        "?start=99999999999999999999",
        "?q=%01%0a",
        "?search_from=77",
    ],
)
def test_addresses_that_make_no_sense_open_the_file(client: Client, built: Built, query: str) -> None:
    response = client.get(url_of(built) + query)
    assert response.status_code == 200
    assert rows(shown(response))


def test_text_is_shown_as_text(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    case = make_case(folk.team)
    artifact = make_artifact(
        make_bundle(case),
        "x.txt",
        "<img src=x>\n\x1b[2Jcleared\u202eback\n".encode() + b"\xff\xfe broken\n" + b"y" * 9000 + b"\n",
    )
    text = shown(client.get(reverse("cases:file", args=[case.key, artifact.pk])))
    assert "&lt;img src=x&gt;" in text
    assert "\u241b[2Jcleared\ufffdback" in text
    assert "\x1b" not in text
    assert "line cut here" in text
    assert "y" * 4096 + "</code>" in text


def test_t25_the_text_downloads_whole_as_an_attachment_and_is_noted(client: Client, built: Built) -> None:
    response = client.get(url_of(built, name="file_raw"))
    assert isinstance(response, StreamingHttpResponse)
    assert response.getvalue() == TEXT
    assert response.headers["Content-Disposition"] == 'attachment; filename="waiters.txt"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response.headers["Content-Security-Policy"]
    event = AuditEvent.objects.get(verb="file.downloaded")
    assert (event.case, event.detail["path"]) == (built.case, "lund-n3/waiters.txt")


def test_a_file_without_text_says_why(client: Client, built: Built) -> None:
    picture = make_artifact(
        built.bundle, "photo.jpg", b"", blob="", state=Artifact.State.SKIPPED, message="A picture, not a text."
    )
    waiting = make_artifact(built.bundle, "wait.txt", b"", blob="", state=Artifact.State.QUEUED)
    assert "A picture, not a text." in shown(client.get(url_of(built, picture)))
    assert "has not been read yet" in shown(client.get(url_of(built, waiting)))
    assert client.get(url_of(built, picture, "file_raw")).status_code == 404
    assert client.get(url_of(built, picture, "file_lines")).status_code == 404


def test_an_empty_file_opens(client: Client, built: Built) -> None:
    empty = make_artifact(built.bundle, "empty.txt", b"", state=Artifact.State.SKIPPED)
    assert "The file is empty." in shown(client.get(url_of(built, empty)))


def test_a_duplicate_shows_the_text_of_the_first(client: Client, built: Built) -> None:
    twin = make_artifact(built.bundle, "copy/waiters.txt", b"", blob="", duplicate_of=built.artifact)
    text = shown(client.get(url_of(built, twin)))
    assert len(rows(text)) == 40
    assert "The same text as" in text


def test_the_page_needs_few_queries(
    client: Client, built: Built, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(url_of(built))
    with django_assert_num_queries(
        9
    ):  # user, notices, case with diagnosis, role, file with bundle, findings, credentials, tab counts 2
        client.get(url_of(built) + "?line=4")
