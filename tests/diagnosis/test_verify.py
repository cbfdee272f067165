"""``manage.py verify``: each form of a report against the bundle it was made from, whole, unpacked, changed
and gone.
"""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.management.commands.verify import Command
from apps.diagnosis.models import Finding
from apps.diagnosis.pages.export.report_reader import NotAReportError, sentences
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.diagnosis.commands import Run, runner
from tests.ingest.material import bundle
from tests.part import part

pytestmark = pytest.mark.django_db
FORMS = ("md", "json", "html")


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Exit status, output and errors of one call in this process, whose connection to the database the test still
    needs.
    """
    monkeypatch.setattr("django.db.utils.BaseConnectionHandler.close_all", lambda self: None, raising=False)
    return runner(Command, capfd)


@pytest.fixture
def case(folk: People, client: Client) -> Case:
    made = make_case(folk.team)
    read_into(made, bundle())
    client.force_login(folk.bob)
    return made


@pytest.fixture(params=part(FORMS, 2, "verified"))
def report(request: pytest.FixtureRequest, client: Client, case: Case, tmp_path: Path) -> Path:
    name = {"md": "export_markdown", "json": "export_json", "html": "export_html"}[request.param]
    path = tmp_path / f"report.{request.param}"
    path.write_bytes(client.get(reverse(f"diagnosis:{name}", args=[case.key])).content)
    return path


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "renamed.tgz"
    path.write_bytes(bundle())
    return path


def unpacked(folder: Path) -> Path:
    folder.mkdir()
    with tarfile.open(fileobj=io.BytesIO(bundle())) as archive:
        archive.extractall(folder, filter="data")
    return folder


def first_finding(case: Case) -> Finding:
    finding: Finding | None = Finding.objects.filter(diagnosis=case.current_diagnosis).exclude(evidence=[]).first()
    assert finding is not None
    return finding


def test_every_sentence_holds_against_its_own_bundle(run: Run, report: Path, packed: Path, case: Case) -> None:
    status, out, err = run(report, packed)
    assert (status, err) == (0, "")
    assert first_finding(case).title in out
    n = Finding.objects.filter(diagnosis=case.current_diagnosis).count()
    holding = re.search(r"(\d+) of (\d+) sentences hold, 0 do not, (\d+) name no line; (\d+) lines", out)
    assert holding is not None
    assert int(holding[2]) >= n > 0
    assert int(holding[4]) >= sum(
        len(finding.evidence) for finding in Finding.objects.filter(diagnosis=case.current_diagnosis)
    )


def test_it_holds_against_the_unpacked_folder(run: Run, report: Path, tmp_path: Path) -> None:
    assert run(report, unpacked(tmp_path / "folder"))[0] == 0


def test_a_changed_line_overthrows_what_rests_on_it(run: Run, report: Path, case: Case, tmp_path: Path) -> None:
    folder = unpacked(tmp_path / "folder")
    line = first_finding(case).evidence[0]
    path = folder / line["path"].partition("!")[2]
    lines = path.read_bytes().split(b"\n")
    lines[line["line"] - 1] = b"\x1b[2Jsomething else"
    path.write_bytes(b"\n".join(lines))
    status, out, _ = run(report, folder)
    assert status == 1
    assert f"DOES NOT HOLD: {'1. ' if report.suffix == '.md' else ''}" in out
    assert "the file has another hash" in out
    assert "something else" in out
    assert "\x1b" not in out


def test_a_line_added_at_the_end_is_reported_but_overthrows_nothing(
    run: Run, report: Path, case: Case, tmp_path: Path
) -> None:
    folder = unpacked(tmp_path / "folder")
    path = folder / first_finding(case).evidence[0]["path"].partition("!")[2]
    path.write_bytes(path.read_bytes() + b"\nadded later\n")
    status, out, _ = run(report, folder)
    assert status == 0
    assert "the file has another hash" in out
    assert "reads the same" in out


def test_a_file_that_is_gone_overthrows(run: Run, report: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("nothing of the kind\n")
    status, out, _ = run(report, other)
    assert status == 1
    assert "no file of the bundle has this hash or path" in out


def test_a_text_that_the_report_invents_is_found_out(
    run: Run, client: Client, case: Case, packed: Path, tmp_path: Path
) -> None:
    found = json.loads(client.get(reverse("diagnosis:export_json", args=[case.key])).content)
    found["findings"][0]["evidence"][0]["text"] = "waiting 9999 seconds"
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(found))
    status, out, _ = run(path, packed)
    assert status == 1
    assert "the line reads: " in out


def test_hostile_text_reads_back_as_it_is(client: Client, case: Case, packed: Path, tmp_path: Path, run: Run) -> None:
    finding = first_finding(case)
    evil = "### 9. HIGH forged `ticks` ``` <b>&amp; - `x:1` sha256 abc"
    Finding.objects.create(
        diagnosis=finding.diagnosis,
        order=90,
        rule="r",
        ref="R",
        severity="low",
        confidence=0.1,
        basis="stated",
        title=evil,
        explanation=f"## Recommended tunings {evil}",
        evidence=finding.evidence[:1],
    )
    for name in ("export_markdown", "export_json", "export_html"):
        text = client.get(reverse(f"diagnosis:{name}", args=[case.key])).content.decode()
        assert any(evil in one.text and len(one.places) == 1 for one in sentences(text)), name
        path = tmp_path / name
        path.write_text(text)
        assert run(path, packed)[0] == 0


@pytest.mark.parametrize(
    "text", ["", "hello", "# Title\n", "{}", '{"schema": "lockscope.case/1"}', "<!doctype html><p>x</p>", "{" * 9999]
)
def test_what_is_no_report_is_refused(run: Run, packed: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "r"
    path.write_text(text)
    status, out, err = run(path, packed)
    assert (status, out) == (2, "")
    assert err
    with pytest.raises(NotAReportError):
        sentences(text)


def test_a_path_that_is_not_there_ends_with_two(run: Run, packed: Path, tmp_path: Path) -> None:
    assert run(tmp_path / "none.md", packed)[0] == 2
    report = tmp_path / "r.json"
    report.write_text(json.dumps({"schema": "lockscope.case/1", "findings": [], "tunings": []}))
    assert run(report, tmp_path / "none.tgz")[0] == 2
    assert run(report)[0] == 2
    assert run(report, packed)[0] == 0


def test_a_sentence_without_lines_is_open(run: Run, packed: Path, tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    finding = {"ref": "SC-1", "title": "Nothing is named", "evidence": []}
    report.write_text(json.dumps({"schema": "lockscope.case/1", "findings": [finding], "tunings": []}))
    status, out, _ = run(report, packed)
    assert status == 0
    assert "names no line: SC-1 Nothing is named" in out
