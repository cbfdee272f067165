"""Comparing: sides, findings gone and new, figures that moved, settings between; and who may compare what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.cases.models import Bundle, Case
from apps.diagnosis.models import Finding
from apps.diagnosis.pages.compare.differences import MOST_DOUBLINGS, Figure, compare
from apps.diagnosis.pages.compare.sides import Side, offered, proposed, side_of
from tests.builders import T0_US, Built, People, build_case, make_artifact, make_bundle, make_case, person
from tests.diagnosis.cases import read_into, with_table
from tests.diagnosis.test_settings_page import row, settings
from tests.ingest.material import tar, waiters
from tests.shown import shown

pytestmark = pytest.mark.django_db
URL = "/compare/"


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team)


def test_who_may_compare(client: Client, folk: People, built: Built) -> None:
    other = build_case(folk.other_team, "A stranger's case").case
    address = f"{URL}?a={built.case.key}"
    assert client.get(URL).status_code == client.get(address).status_code == 302
    for user in (folk.alice, folk.bob, person("vera", folk.team, Role.VIEWER)):
        client.force_login(user)
        assert client.get(address).status_code == 200
        assert client.post(address).status_code == 405
        assert client.get(f"{address}&b={other.key}").status_code == 404
        assert other.key not in client.get(URL).content.decode()
    for stranger in (folk.charlie, person("root", is_staff=True, is_superuser=True)):
        client.force_login(stranger)
        assert client.get(address).status_code == 404
        assert client.get(f"{URL}?a={other.key}&b={built.case.key}").status_code == 404


@pytest.mark.parametrize("spec", ["", "a b", "../x", "K~b", "K~w5", "K~x1", "K~w5-9-2", "\x01"])
def test_a_word_that_is_no_side(folk: People, spec: str, client: Client) -> None:
    assert side_of(folk.bob, spec) is None
    client.force_login(folk.bob)
    assert client.get(URL, {"a": spec}).status_code == 200


def test_the_bundle_of_another_case_is_no_side(folk: People, built: Built) -> None:
    other = build_case(folk.team, "Another one")
    assert side_of(folk.bob, f"{built.case.key}~b{other.bundle.pk}") is None
    own = side_of(folk.bob, f"{built.case.key}~b{built.bundle.pk}")
    assert own is not None
    assert own.artifacts == frozenset({built.artifact.pk})


def test_findings_follow_their_files_and_their_time(folk: People, built: Built) -> None:
    bundle = make_bundle(built.case, "later.tar.gz")
    artifact = make_artifact(bundle, "later.txt")
    line = {"artifact": artifact.pk, "path": "later.txt", "line": 1, "last_line": None, "text": "x"}
    late_at = {"start_us": T0_US + 5, "end_us": T0_US + 9}
    texts = {"rule": "late", "ref": "SC-09", "severity": "low", "title": "Late", "basis": "stated"}
    Finding.objects.create(diagnosis=built.diagnosis, order=7, confidence=0.5, evidence=[line], **texts, **late_at)
    early, late = offered(built.case)[:2]
    assert (early.label, late.label) == ("lund-snap.tar.gz", "later.tar.gz")
    result = compare(early, late)
    assert {finding.ref for finding in result["gone"]} == {"SC-01", "SC-02"}
    assert [finding.ref for finding in result["new"]] == ["SC-09"]
    before = side_of(folk.bob, f"{built.case.key}~w0-{T0_US}")
    assert before is not None
    assert "SC-09" not in {finding.ref for finding in before.findings()}


def test_two_bundles_are_what_is_compared_and_the_case_offers_it(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, tar({"oulu-n1/waiters.txt": waiters(first=40.0)}), "monday.tar.gz")
    client.force_login(folk.bob)
    home = reverse("diagnosis:timeline", args=[case.key])
    assert "more than one bundle" not in client.get(home).content.decode()
    read_into(case, tar({"oulu-n1/waiters-2.txt": waiters(first=90.0)}), "tuesday.tar.gz")
    page = client.get(home).content.decode()
    assert "more than one bundle" in page
    assert f"{URL}?a={case.key}" in page
    a, b = proposed(case)
    assert (a.label, b.label) == ("monday.tar.gz", "tuesday.tar.gz")
    longest = next(figure for figure in compare(a, b)["figures"] if figure.name == "longest wait")
    assert (longest.a, longest.b) == (pytest.approx(59.0, abs=2), pytest.approx(109.0, abs=2))
    assert longest.effect == "worse"
    assert "monday.tar.gz" in client.get(URL, {"a": case.key}).content.decode()


def test_a_duplicate_is_no_second_bundle(client: Client, folk: People, built: Built) -> None:
    make_bundle(built.case, "again.tar.gz", duplicate_of=built.bundle, state=Bundle.State.EXPANDED)
    client.force_login(folk.bob)
    assert (
        "more than one bundle" not in client.get(reverse("diagnosis:timeline", args=[built.case.key])).content.decode()
    )


def test_before_and_after_a_change_is_proposed_and_the_change_reported(
    folk: People, built: Built, tmp_path: Path
) -> None:
    middle = T0_US - 30_000_000
    table = settings(
        row("n1", "lazy_isize_enable", "0", at=T0_US - 50_000_000),
        row("n1", "lazy_isize_enable", "1", at=middle),
        row("n2", "lazy_isize_enable", "0", at=T0_US - 50_000_000),
        row("n2", "lazy_isize_enable", "1", at=middle),
    )
    with with_table(built.diagnosis, tmp_path, settings=table):
        built.case.refresh_from_db()
        a, b = proposed(built.case)
        assert "before lazy_isize_enable changed" in a.label
        assert (a.end, b.start) == (middle - 1, middle)
        [change] = compare(a, b)["changes"]
    assert (change["name"], change["a"]["value"], change["b"]["value"], change["nodes"]) == (
        "lazy_isize_enable",
        "0",
        "1",
        ["n1", "n2"],
    )


def samples(*rows: tuple[str, int, float, float | None]) -> pl.DataFrame:
    """node, at, h granted and g granted per second."""
    keys = ("h_revoke", "g_revoke", "rw_grant", "rw_revoke")
    return pl.DataFrame(
        [
            {
                "node": node,
                "at": at,
                "interval_s": 10.0,
                "h_grant": h,
                "g_grant": g,
                "pull": h,
                "artifact": 1,
                "line": n,
                **dict.fromkeys(keys),
            }
            for n, (node, at, h, g) in enumerate(rows, 1)
        ],
        schema_overrides=dict.fromkeys((*keys, "g_grant"), pl.Float64),
    )


def test_lock_figures_and_what_one_pull_costs(built: Built, tmp_path: Path) -> None:
    table = samples(("n1", 100, 3000.0, 3000.0), ("n1", 200, 9000.0, None))
    with with_table(built.diagnosis, tmp_path, locks=table):
        built.case.refresh_from_db()
        figures = {
            figure.name: figure
            for figure in compare(
                Side(built.case, "a", "", start=0, end=150), Side(built.case, "b", "", start=150, end=300)
            )["figures"]
        }
    assert (figures["h locks granted, most per second"].effect, figures["h locks granted, most per second"].words) == (
        "moved",
        "3 × more",
    )
    g = figures["g locks granted, most per second"]
    assert (g.a, g.b, g.words, g.effect) == (3000.0, None, "gone", "better")
    assert figures["g locks granted per inode pulled"].a == pytest.approx(1.0)


def figure(a: float | None, b: float | None, **fields: Any) -> Figure:
    return Figure("Waits", "longest", "all", "s", a, b, **fields)


def test_effects_words_and_bars() -> None:
    assert (figure(10, 20).effect, figure(10, 20).doublings) == ("worse", 1.0)
    assert (figure(20, 10).effect, figure(20, 10).doublings) == ("better", -1.0)
    assert figure(10, 20, less_is_better=None).effect == "moved"
    assert (figure(10, 10.2).effect, figure(10, 10.2).words) == ("same", "no change")
    assert (figure(10, None).words, figure(10, None).doublings) == ("gone", -MOST_DOUBLINGS)
    assert (figure(None, 3).words, figure(None, 3).effect) == ("new", "worse")
    assert figure(1, 10**9).doublings == MOST_DOUBLINGS
    assert figure(0, 0).words == "no change"
    assert figure(0, 3).words == "from 0"


def test_the_page_shows_both_sides_and_escapes(client: Client, folk: People, built: Built) -> None:
    other = build_case(folk.team, "<i>second</i>").case
    client.force_login(folk.bob)
    page = client.get(URL, {"a": built.case.key, "b": other.key, "show": "worse"}).content.decode()
    assert "<i>second</i>" not in page
    assert "Still there" in page
    assert f"a={other.key}&amp;b={built.case.key}" in page


def test_two_clusters_are_not_called_better_or_worse_and_their_findings_are_not_the_same(folk: People) -> None:
    first, second, again = (make_case(folk.team) for _ in range(3))
    other = hang_and_cure(cured=None).replace(b"oulu", b"lund")
    read_into(first, tar({"oulu-n1/waiters.txt": hang_and_cure(cured=None)}))
    read_into(second, tar({"lund-n1/waiters.txt": other.replace(b"300.0000", b"330.0000")}))
    read_into(again, tar({"oulu-n1/waiters.txt": hang_and_cure(cured=None).replace(b"420.0000", b"820.0000")}))
    a, b, c = (whole(case) for case in (first, second, again))
    found = compare(a, b)
    assert found["verdict"]["word"] == "different"
    assert not found["stayed"]
    assert {figure.effect for figure in found["figures"]} <= {"moved", "same"}
    assert compare(a, c)["stayed"]
    assert compare(a, c)["verdict"]["word"] == "worse"


def whole(case: Case) -> Side:
    case.refresh_from_db()
    return Side(case, case.key, "the whole case")


def hang_and_cure(*, cured: float | None) -> bytes:
    """Three dumps of one node a minute apart in one file; afterwards a dump an hour later."""
    clocks = ("07:00:00", "07:01:00", "07:02:00") if cured is None else ("08:10:00", "08:11:00")
    parts = []
    for number, clock in enumerate(clocks):
        seconds = 300.0 + 60 * number if cured is None else cured
        parts.append(
            f"[root@oulu-n1 ~]# date\nTue Jun 15 {clock} EEST 2027\n[root@oulu-n1 ~]# mmdiag --waiters\n\n"
            "=== mmdiag: waiters ===\n"
            f"Waiting {seconds:.4f} sec since 06:55:00, monitored, thread 4100 NSDThread: for I/O completion on disk "
            "oulu_nsd00\n"
        )
    return "".join(parts).encode()


def test_a_bundle_ends_with_its_last_dump_and_no_wait_is_negative(folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, tar({"oulu-n1/waiters.txt": hang_and_cure(cured=None)}), "monday.tar.gz")
    read_into(case, tar({"oulu-n1/later.txt": hang_and_cure(cured=0.2)}), "tuesday.tar.gz")
    a, b = proposed(case)
    figures = compare(a, b)["figures"]
    longest = next(figure for figure in figures if figure.name == "longest wait")
    assert (longest.a, longest.b) == (pytest.approx(420.0, abs=1), pytest.approx(0.2, abs=0.1))
    assert longest.effect == "better"
    assert all(value is None or value >= 0 for figure in figures for value in (figure.a, figure.b))


def healthy(node: str, seconds: float) -> bytes:
    return hang_and_cure(cured=seconds).replace(b"oulu-n1", node.encode())


@pytest.mark.parametrize(
    ("later", "is_cured"),
    [
        ({"oulu-n1/later.txt": healthy("oulu-n1", 0.2)}, True),
        ({"oulu-n1/later.txt": healthy("oulu-n1", 0.2), "oulu-n2/later.txt": healthy("oulu-n2", 0.1)}, True),
        ({"oulu-n2/later.txt": healthy("oulu-n2", 0.2)}, False),
        ({"oulu-n1/later.txt": healthy("oulu-n1", 4500.0)}, False),
        ({"oulu-n1/later.txt": healthy("oulu-n1", 0.2), "oulu-n2/later.txt": healthy("oulu-n2", 300.0)}, False),
    ],
    ids=["healthy", "healthy-and-another", "another-node", "still-hangs", "hangs-elsewhere"],
)
@pytest.mark.part("second captures", 3)
def test_a_healthy_second_capture_is_called_a_cure(
    client: Client, folk: People, later: dict[str, bytes], *, is_cured: bool
) -> None:
    case = make_case(folk.team)
    read_into(case, tar({"oulu-n1/waiters.txt": hang_and_cure(cured=None)}), "monday.tar.gz")
    client.force_login(folk.bob)
    home = reverse("diagnosis:timeline", args=[case.key])
    assert "Cured:" not in client.get(home).content.decode()
    read_into(case, tar(later), "tuesday.tar.gz")
    page = client.get(home).content.decode()
    words = "Cured: since 15 Jun 2027 08:10:00 EEST no wait above 1 s"
    assert (words in page) is is_cured
    assert ("longest wait 7 m 00 s until 15 Jun 2027 07:02:00 EEST, now 200 ms" in page) is is_cured
    assert ('id="do-first"' in page) is not is_cured
    case.refresh_from_db()
    assert (case.verdict == words, words.lower() in case.search_text) == (is_cured, is_cured)
    assert (words in shown(client.get(reverse("cases:list")))) is is_cured
