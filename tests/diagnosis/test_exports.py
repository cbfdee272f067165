"""What leaves a case: tables as CSV, Markdown, JSON, and one HTML file that needs nothing else."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditEvent
from apps.cases.models import Case
from apps.cases.notes.markdown import to_html
from apps.diagnosis.models import Finding
from apps.diagnosis.pages.export.tables import TABLES
from tests.builders import Built, People, build_case, make_case, make_diagnosis, person
from tests.diagnosis.cases import read_into, summarise
from tests.ingest.material import bundle

pytestmark = pytest.mark.django_db
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def real(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    read_into(case, bundle())
    client.force_login(folk.bob)
    return case


@pytest.fixture
def built(folk: People, client: Client) -> Built:
    client.force_login(folk.bob)
    return build_case(folk.team)


def csv_of(client: Client, case: Case, name: str) -> list[list[str]]:
    answer = client.get(reverse("diagnosis:table_csv", args=[case.key, name]))
    assert answer.status_code == 200
    return list(csv.reader(io.StringIO(answer.getvalue().decode())))


@pytest.mark.parametrize("name", [*TABLES, "no-such-table"])
@pytest.mark.part("who may take", 4)
def test_who_may_take_a_table(client: Client, folk: People, name: str) -> None:
    case = build_case(folk.team).case
    url = reverse("diagnosis:table_csv", args=[case.key, name])
    expected = 200 if name in TABLES else 404
    client.logout()
    assert client.get(url).status_code == 302
    for user in (folk.alice, folk.bob, person("vera", folk.team, Role.VIEWER)):
        client.force_login(user)
        assert client.get(url).status_code == expected
    client.force_login(folk.charlie)
    assert client.get(url).status_code == 404


def test_tables_hold_what_the_pages_show(client: Client, real: Case) -> None:
    findings = csv_of(client, real, "findings")
    assert findings[0][:3] == ["number", "ref", "rule"]
    assert len(findings) > 1
    assert "waiters.txt:" in findings[1][-1]
    assert len(csv_of(client, real, "graph")) > 1
    assert csv_of(client, real, "kinds")[1][0] == "scale-W25"


def test_t35_a_formula_in_a_table_is_text(client: Client, built: Built) -> None:
    edge = {"frm": "=cmd|' /C calc'!A0", "to": "@SUM(1)", "via": "+1", "count": 1, "longest_s": 1.0, "resolved": True}
    summarise(built.diagnosis, waits_for=[edge])
    row = csv_of(client, built.case, "graph")[1]
    assert [cell[0] for cell in row[:3]] == ["'", "'", "'"]


def test_markdown_names_file_hash_and_line(client: Client, real: Case) -> None:
    text = client.get(reverse("diagnosis:export_markdown", args=[real.key])).content.decode()
    finding = Finding.objects.filter(diagnosis=real.current_diagnosis).first()
    assert finding is not None
    line = finding.evidence[0]
    sha = real.artifacts.get(pk=line["artifact"]).sha256
    assert f"{line['path']}:{line['line']}" in text
    assert sha[:12] in text
    assert real.verdict.split()[0] in text
    assert text.startswith(f"# {real.key}:")


def test_customers_text_is_no_markup_in_markdown(client: Client, built: Built) -> None:
    Case.objects.filter(pk=built.case.pk).update(title=f"[x](javascript:1) **bold** {EVIL}")
    Finding.objects.create(
        diagnosis=built.diagnosis,
        order=5,
        rule="r",
        ref="R",
        severity="low",
        confidence=0.1,
        basis="stated",
        title=EVIL,
        evidence=[
            {"artifact": built.artifact.pk, "path": "a`b", "line": 1, "last_line": None, "text": f"``` {EVIL} `"}
        ],
    )
    text = client.get(reverse("diagnosis:export_markdown", args=[built.case.key])).content.decode()
    html = to_html(text)
    assert "<img" not in html
    assert "<a " not in html
    assert "<strong>bold" not in html


def test_json_is_whole_and_dated(client: Client, real: Case) -> None:
    found = json.loads(client.get(reverse("diagnosis:export_json", args=[real.key])).content)
    assert found["schema"] == "lockscope.case/1"
    assert found["verdict"]["title"] == real.verdict
    assert found["verdict"]["form"] == "explained"
    assert found["findings"][0]["evidence"][0]["sha256"]
    assert {"roots", "cycles", "waits_for", "tunings", "missing", "next_steps", "window", "nodes"} <= set(found)


@pytest.mark.parametrize(
    ("form", "words"),
    [("not_judged", "Not judged"), ("unexplained", "no rule explains it"), ("healthy", "found in order")],
)
def test_the_form_of_a_verdict_stands_on_the_page_and_in_markdown(
    client: Client, built: Built, form: str, words: str
) -> None:
    make_diagnosis(built.case, severity="info", verdict_form=form)
    for name in ("diagnosis:timeline", "diagnosis:export_markdown"):
        assert words.lower() in client.get(reverse(name, args=[built.case.key])).content.decode().lower()


def test_the_html_file_asks_for_nothing(client: Client, real: Case) -> None:
    answer = client.get(reverse("diagnosis:export_html", args=[real.key]))
    page = answer.content.decode()
    assert "attachment" in answer["Content-Disposition"]
    assert "<style>" in page
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert "url(" not in page
    assert real.verdict.split(";")[0] in page.replace("&#x27;", "'")
    assert "<svg" in page


def test_the_report_escapes_and_shows_charts_of_waits(client: Client, real: Case) -> None:
    Case.objects.filter(pk=real.pk).update(title=EVIL)
    page = client.get(reverse("diagnosis:report", args=[real.key])).content.decode()
    assert EVIL not in page
    assert "Waiters by category" in page
    assert page.count("<rect") > 0
    assert "sha256" in page


def test_every_export_is_written_down(client: Client, folk: People, real: Case) -> None:
    for name in ("export_markdown", "export_json", "export_html"):
        client.get(reverse(f"diagnosis:{name}", args=[real.key]))
    kinds = AuditEvent.objects.filter(case=real, verb="case.exported", user=folk.bob).values_list(
        "detail__kind", flat=True
    )
    assert set(kinds) == {"md", "json", "html"}
