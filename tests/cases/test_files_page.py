from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from apps.cases.files import rows
from apps.cases.models import Artifact, Bundle, BundleProblem
from tests.builders import People, build_case, make_artifact, make_bundle, make_case
from tests.shown import shown

pytestmark = pytest.mark.django_db


def test_it_tells_of_each_file_what_was_read_and_what_not(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    make_artifact(
        built.bundle,
        "lund-n4/broken.txt",
        b"a\nb\nc\n",
        state=Artifact.State.PARTLY,
        message="The stream ends in the middle.",
        lines_total=3,
        lines_understood=1,
        lines_ignored=1,
        lines_not_understood=1,
        problems_n=1,
    )
    BundleProblem.objects.create(
        bundle=built.bundle, path="../../etc/x", message="The name leads out of the archive; the member was not read."
    )
    client.force_login(folk.bob)
    text = shown(client.get(reverse("cases:files", args=[built.case.key])))
    for words in (
        "lund-snap.tar.gz",
        "lund-n3/waiters.txt",
        "scale_waiters",
        "15 Mar 2027 10:40:00 CET",
        "The stream ends in the middle.",
        "../../etc/x",
        "50 %",
    ):
        assert words in text
    assert "hx-trigger" not in text.split('id="files"')[1][:200]


def test_it_asks_again_while_something_is_read(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    make_artifact(built.bundle, "later.txt", b"x\n", state=Artifact.State.READING, size=1000, read_bytes=250)
    client.force_login(folk.bob)
    response = client.get(
        reverse("cases:files", args=[built.case.key]) + "?state=reading", headers={"HX-Request": "true"}
    )
    text = shown(response)
    assert "<html" not in text
    assert f'hx-get="/cases/{built.case.key}/files/?state=reading"' in text
    assert 'value="25"' in text
    assert "later.txt" in text
    assert "waiters.txt" not in text


def test_a_bundle_that_is_still_unpacked_keeps_the_page_live(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    make_bundle(case, state=Bundle.State.EXPANDING)
    client.force_login(folk.bob)
    assert "every 2s" in shown(client.get(reverse("cases:files", args=[case.key])))


def test_many_files_come_in_pages_of_equal_cost(
    client: Client, folk: People, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(rows, "PAGE", 4)
    case = make_case(folk.team)
    for name in ("one.tgz", "two.tgz"):
        bundle = make_bundle(case, name)
        for n in range(5):
            make_artifact(bundle, f"{name}/{n}.txt", f"{name} {n}\n".encode())
    client.force_login(folk.bob)
    url = reverse("cases:files", args=[case.key])
    client.get(url)
    with django_assert_num_queries(
        13
    ):  # user, notices, case, role, tab counts 2, states, bundles, files, problems 2, credentials 2
        text = shown(client.get(url))
    seen = [text]
    while "More files" in text:
        text = shown(client.get(url + text.split('rel="next" href="')[1].split('"')[0]))
        seen.append(text)
    found = [
        part.split("<")[0] for page in seen for part in page.split('class="file-path"') if ".txt" in part.split("<")[0]
    ]
    assert len(found) == 10
    assert len(set(found)) == 10


def test_hostile_names_are_shown_and_not_obeyed(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    bundle = make_bundle(case, '"><script>alert(1)</script>.tgz')
    artifact = make_artifact(
        bundle, "<b onmouseover=alert(2)>/x\r\nSet-Cookie: a=b\u202e.txt", b"<script>alert(3)</script>\n\x1b[31m red\n"
    )
    client.force_login(folk.bob)
    for url in (
        reverse("cases:files", args=[case.key]),
        reverse("cases:file", args=[case.key, artifact.pk]) + "?q=%3Cscript%3E",
        reverse("cases:bundle_remove", args=[case.key, bundle.pk]),
    ):
        text = shown(client.get(url))
        assert "<script>alert" not in text
        assert "<b onmouseover" not in text
    for url in (
        reverse("cases:file_raw", args=[case.key, artifact.pk]),
        reverse("cases:bundle_download", args=[case.key, bundle.pk]),
    ):
        response = client.get(url)
        assert "Set-Cookie" not in response.headers
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert "\n" not in response.headers["Content-Disposition"]


def test_an_empty_case_offers_to_add_files(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    client.force_login(folk.bob)
    text = shown(client.get(reverse("cases:files", args=[case.key])))
    assert "No files yet" in text
    assert reverse("ingest:add", args=[case.key]) in text


def test_many_files_are_summed_up_by_node_and_narrowed(
    client: Client, folk: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "NODES_FROM", 3)
    case = make_case(folk.team)
    bundle = make_bundle(case, "snap.tgz")
    for n in range(6):
        node = f"lund-n{n % 2}"
        make_artifact(bundle, f"{node}/w{n}.txt", f"{n}\n".encode(), nodes=[node], problems_n=n)
    client.force_login(folk.bob)
    url = reverse("cases:files", args=[case.key])
    files = client.get(url).context["files"]
    assert [(node.name, node.files, node.problems) for node in files.nodes] == [("lund-n1", 3, 9), ("lund-n0", 3, 6)]
    of_node = client.get(url, {"node": "lund-n0", "state": "parsed"})
    assert {"w0.txt", "w2.txt", "w4.txt"} <= set(re.findall(r"w\d\.txt", shown(of_node)))
    assert "w1.txt" not in shown(of_node)
    assert "w3.txt" in shown(client.get(url, {"name": "W3"}))
    assert "w2.txt" not in shown(client.get(url, {"name": "W3"}))
    assert "No file fits this filter" in shown(client.get(url, {"node": "nobody", "name": "%"}))
