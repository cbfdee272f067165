"""The pages of a diagnosis: who may open them, what they show, and what stays text."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.cases.models import Case, Note
from apps.diagnosis import urls
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.services import diagnose_case
from apps.ingest.uploads.receive import store_bytes
from apps.web.csv_files import formula_safe
from tests.builders import Built, People, build_case, make_case, person
from tests.ingest.material import bundle, tar, waiters
from tests.ingest.reading import read_all

pytestmark = pytest.mark.django_db

ADDRESSES = (
    "timeline", "timeline_json", "evidence", "state", "waiters", "waiters_csv", "graph", "locks", "settings", "report",
    "export_markdown",
    "export_json", "export_html",
)  # fmt: skip
ELSEWHERE = {
    "table_csv": "test_exports",
    "search": "test_searching",
    "knowledge": "test_knowledge_page",
    "compare": "test_compare_page",
} | {
    "judge": "test_judging",
    "collect": "test_collecting",
    "live": "test_live",
    "outcome": "test_outcomes",
    "worth": "test_outcomes",
}
ANSWERS = {"state": 286}
EVIL = "<img src=x onerror=alert(1)>"


def diagnosed(case: Case, content: bytes | None = None) -> Diagnosis:
    """Through unpacking, reading and the engine."""
    made = store_bytes(case, bundle() if content is None else content, filename="snap.tgz", user=None)
    read_all(made.pk)
    row = diagnose_case(case.pk)
    assert row is not None
    case.refresh_from_db()
    return row


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team)


@pytest.fixture
def real(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    diagnosed(case)
    client.force_login(folk.bob)
    return case


def url_of(name: str, key: str) -> str:
    return reverse(f"diagnosis:{name}", args=[key]) + ("?at=1805107200000000" if name == "evidence" else "")


def test_no_address_is_missing_above() -> None:
    assert {pattern.name for pattern in urls.urlpatterns} == {*ADDRESSES, *ELSEWHERE}


@pytest.mark.parametrize("name", ADDRESSES)
@pytest.mark.part("who may open", 6)
def test_who_may_open_it(client: Client, folk: People, built: Built, name: str) -> None:
    url = url_of(name, built.case.key)
    assert client.get(url).status_code == 302
    for user in (folk.alice, folk.bob, person("vera", folk.team, Role.VIEWER)):
        client.force_login(user)
        assert client.get(url).status_code == ANSWERS.get(name, 200), user
        assert client.post(url).status_code == 405
    client.force_login(folk.charlie)
    assert client.get(url).status_code == 404
    client.force_login(person("root", is_staff=True, is_superuser=True))
    answer = client.get(url)
    assert answer.status_code == 302
    assert answer["Location"].startswith(
        reverse("cases:visit", args=[built.case.key])
    )  # reads only after stating a reason


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_case_without_files_is_no_error(client: Client, folk: People, name: str) -> None:
    client.force_login(folk.bob)
    answer = client.get(url_of(name, make_case(folk.team).key))
    gone = ("timeline_json", "waiters_csv", "evidence", "report", "export_markdown", "export_json", "export_html")
    expected = {**dict.fromkeys(gone, 404), "state": 286}
    assert answer.status_code == expected.get(name, 200)
    assert "HX-Trigger" not in answer


def test_the_timeline_shows_verdict_lanes_findings_and_evidence(client: Client, real: Case) -> None:
    page = client.get(reverse("diagnosis:timeline", args=[real.key])).content.decode()
    assert real.verdict in page.replace("&#x27;", "'")
    first = embedded(page, "timeline-first")
    kinds = {lane["id"]: lane for lane in first["lanes"]}
    assert "waiters" in kinds
    assert max(v for v in kinds["longest"]["series"][0]["values"] if v is not None) == pytest.approx(61.0)
    assert first["window"]["dated"]
    assert first["window"]["start"] < first["window"]["end"]
    assert 'data-notes="yes"' in page
    for address in re.findall(r'href="(/cases/[^"]+/files/\d+/\?line=[^"]+)"', page):
        assert client.get(address.replace("&amp;", "&")).status_code == 200
    assert re.search(r"/files/\d+/\?line=", page)


def embedded(page: str, name: str) -> Any:
    """What json_script put into the page."""
    found = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_narrower_window_has_no_wider_buckets(client: Client, real: Case) -> None:
    url = reverse("diagnosis:timeline_json", args=[real.key])
    whole = client.get(url, {"width": 900}).json()
    start, end = whole["window"]["start"], whole["window"]["end"]
    half = client.get(url, {"from": start, "to": (start + end) // 2, "width": 900}).json()
    assert half["window"]["end"] == (start + end) // 2
    assert half["bucket_us"] <= whole["bucket_us"] < end - start
    assert half["whole"] == whole["whole"]


MALFORMED = (
    "from=x&to=y",
    "from=9&to=1",
    "from=-1&to=5",
    "from=1",
    f"from=1&to={10**30}",
    "width=0",
    "width=99999999",
    "nodes=,,",
    "from=1&to=2",
)


def test_a_malformed_window_is_the_whole_case(client: Client, real: Case) -> None:
    url = reverse("diagnosis:timeline_json", args=[real.key])
    whole = client.get(url).json()["window"]
    for query in MALFORMED:
        answer = client.get(f"{url}?{query}")
        assert (answer.status_code, answer.json()["window"]) == (200, whole), query


def test_the_lanes_of_one_node_alone(client: Client, real: Case) -> None:
    url = reverse("diagnosis:timeline_json", args=[real.key])

    def most(query: dict[str, str]) -> float:
        lane = next(lane for lane in client.get(url, query).json()["lanes"] if lane["id"] == "longest")
        return float(max(v for v in lane["series"][0]["values"] if v is not None))

    assert most({"nodes": "oulu-n1"}) == pytest.approx(59.0)
    assert most({"nodes": "oulu-n3"}) == pytest.approx(61.0)


def test_dumps_ten_thousand_years_apart_do_not_make_millions_of_buckets(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    texts = {
        f"{year}.txt": waiters(f"n{year}", first=30.0 + n).replace(b"2027", str(year).encode())
        for n, year in enumerate((1971, 2027, 9998))
    }
    diagnosed(case, tar(texts))
    client.force_login(folk.bob)
    answer = client.get(reverse("diagnosis:timeline_json", args=[case.key]), {"width": 900})
    assert answer.status_code == 200
    assert all(len(lane["buckets"]) <= 400 for lane in answer.json()["lanes"] if "buckets" in lane)
    assert len(answer.content) < 200_000


def test_behind_a_point_stand_its_lines(client: Client, real: Case) -> None:
    diagnosis = real.current_diagnosis
    assert diagnosis is not None
    at = (diagnosis.window_end_us or 0) - 1_000_000
    page = client.get(
        reverse("diagnosis:evidence", args=[real.key]), {"at": str(at), "lane": "longest"}
    ).content.decode()
    assert page.count("?line=") == 15
    assert page.index("61.0 s") < page.index("60.0 s")
    nothing = client.get(reverse("diagnosis:evidence", args=[real.key]), {"at": "5", "lane": "locks:unknown"})
    assert "lies between two samples" in nothing.content.decode()
    for bad in ("", "?at=x", f"?at={'9' * 40}"):
        assert client.get(reverse("diagnosis:evidence", args=[real.key]) + bad).status_code == 400


def test_the_waiters_page_filters_sorts_and_pages(client: Client, real: Case) -> None:
    url = reverse("diagnosis:waiters", args=[real.key])
    page = client.get(url).content.decode()
    assert embedded(page, "spans-data")["spans"]
    assert "60 of 60" in page
    one = client.get(url, {"node": "oulu-n2", "age": "10"}).content.decode()
    assert "20 of 60" in one
    assert "No wait matches" in client.get(url, {"text": "there is no such word"}).content.decode()
    part = client.get(url, {"node": "oulu-n2"}, headers={"HX-Request": "true"})
    assert part.content.decode().lstrip().startswith('<section class="card" id="waits"')
    assert "HX-Request" in part["Vary"]
    for query in ({"page": "99"}, {"page": "x"}, {"category": "1,2,x"}, {"age": "evil"}, {"text": "*[("}):
        assert client.get(url, query).status_code == 200


def test_waiters_as_csv_are_safe_in_a_spreadsheet(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    diagnosed(case, waiters(disk="=HYPERLINK(1)+oulu").replace(b"NSDThread:", b"@SUM(A1):"))
    client.force_login(folk.bob)
    answer = client.get(reverse("diagnosis:waiters_csv", args=[case.key]))
    assert answer["Content-Disposition"] == f'attachment; filename="{case.key}-waiters.csv"'
    rows = list(csv.reader(io.StringIO(b"".join(answer).decode())))
    assert len(rows) == 21
    assert rows[0][:2] == ["node", "thread"]
    assert not any(cell[:1] in "=+-@\t\r" for row in rows for cell in row if cell)


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", " =1", "\uff1d1"])
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(cell: str) -> None:
    assert formula_safe(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["node1", "", 7, -7, 1.5, None])
def test_other_cells_stay_as_they_are(cell: object) -> None:
    assert formula_safe(cell) == cell


def test_html_in_data_stays_text_on_every_page(client: Client, folk: People) -> None:
    case = make_case(folk.team, EVIL, customer=EVIL, ticket=EVIL)
    text = waiters("oulu-n1", disk=EVIL).replace(b"NSDThread", b"</script><script>alert(2)</script>")
    diagnosed(case, tar({f"{EVIL}/w.txt": text, "n2.txt": waiters(EVIL)}))
    Note.objects.create(case=case, author=folk.bob, text=EVIL, at_us=1)
    client.force_login(folk.bob)
    for name in ADDRESSES:
        body = b"".join(client.get(url_of(name, case.key), {"text": EVIL})).decode()
        if name in {"timeline_json", "waiters_csv", "export_json", "export_markdown"}:
            continue  # no HTML: JSON, and attachments of plain text
        assert "<img src=x" not in body, name
        assert "<script>alert" not in body, name
        assert "{{" not in body


def test_json_is_served_as_json_and_pages_with_the_strict_policy(client: Client, real: Case) -> None:
    answer = client.get(reverse("diagnosis:timeline_json", args=[real.key]))
    assert answer["Content-Type"] == "application/json"
    assert answer["X-Content-Type-Options"] == "nosniff"
    page = client.get(reverse("diagnosis:timeline", args=[real.key]))
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "private" in page["Cache-Control"]
    assert not re.search(r"<script(?![^>]*(?:src=|type=\"application/json\"))", page.content.decode())
    assert not re.search(r"\son[a-z]+=", page.content.decode())
    assert not re.search(r"""(?:src|href)=["']https?://""", page.content.decode())


def test_a_log_that_reaches_back_a_day_does_not_widen_the_buckets(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    early = waiters("n9", first=1.0).replace(b"Tue Jun 15", b"Mon Jun 14")
    diagnosed(case, tar({"early.txt": early, **{f"{n}.txt": waiters(f"n{n}", first=30.0) for n in range(2)}}))
    client.force_login(folk.bob)
    url = reverse("diagnosis:timeline_json", args=[case.key])
    folded = client.get(url, {"width": 900}).json()
    fold = max(folded["folds"], key=lambda one: one["end"] - one["start"])
    assert fold["end"] - fold["start"] > 20 * 3600 * 1_000_000
    assert folded["bucket_us"] <= 60_000_000
    opened = client.get(f"{url}?width=900&open={(fold['start'] + fold['end']) // 2_000_000}").json()
    assert fold not in opened["folds"]
    assert opened["bucket_us"] >= 180_000_000


@pytest.mark.django_db
def test_who_may_not_share_copies_the_address_of_the_place(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    url = reverse("diagnosis:timeline", args=[built.case.key])
    seen = {}
    readers = {Role.OWNER: folk.alice, Role.EDITOR: folk.bob, Role.VIEWER: person("vera", folk.team, Role.VIEWER)}
    for role, reader in readers.items():
        client.force_login(reader)
        text = client.get(url).content.decode()
        seen[role] = ("data-copy-here" in text, 'data-module="share-opener"' in text)
    assert seen == {Role.OWNER: (False, True), Role.EDITOR: (True, False), Role.VIEWER: (True, False)}


def test_a_log_of_several_days_without_a_year_shows_none(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    failed, back = b"multipathd[812]: sdc: mark as failed\n", b"multipathd[812]: sdc: reinstated\n"
    lines = (b"Nov 23 22:00:00 larch ", failed, b"Nov 24 09:00:00 larch ", back, b"Nov 25 08:00:00 larch ", failed)
    diagnosed(case, tar({"larch/messages": b"".join(lines)}))
    client.force_login(folk.bob)
    for name in ("timeline", "timeline_json", "graph", "settings", "report", "export_markdown", "export_json"):
        answer = client.get(url_of(name, case.key))
        assert answer.status_code == 200, name
        text = answer.content.decode()
        assert not re.search(r"\b197[5-9]\b", text), name
    page = client.get(reverse("diagnosis:timeline", args=[case.key])).content.decode()
    window = embedded(page, "timeline-first")["window"]
    assert window["start"] < window["end"]
    assert "23 Nov" in client.get(url_of("report", case.key)).content.decode()
