"""``manage.py analyze``: what it takes, what it prints, how it ends; and that hostile input ends in a named problem."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.analyze_call import options_of
from apps.diagnosis.engine.analysis import modified_us
from apps.diagnosis.management.commands.analyze import Command
from parsers.archives.bundle import Member
from tests.diagnosis.commands import Run, runner
from tests.ingest.broken import WHOLE_FILE, broken_parser_registered
from tests.ingest.material import bundle, tar, waiters, zipped
from tests.patience import HANGS_CPU_S, HANGS_S

BASE_DIR = Path(__file__).resolve().parents[2]
LONG_LISTS = {"waiters", "spans", "series", "rates", "locks", "disk_io", "events"}
MIB = 1 << 20
GOOD = waiters("oulu-n1", first=12.5, lines=3)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Exit status, output and errors of one call in this process."""
    return runner(Command, capfd)


@pytest.fixture
def analysed(run: Run) -> Callable[..., dict[str, Any]]:
    """The JSON of a call that must end well."""

    def call(*arguments: object) -> dict[str, Any]:
        status, out, err = run(*arguments, "--json")
        assert status == 0, err
        result: dict[str, Any] = json.loads(out)
        return result

    return call


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def seconds_of(analysis: dict[str, Any]) -> list[float]:
    return [waiter["seconds"] for waiter in analysis["waiters"]]


def problems_of(analysis: dict[str, Any]) -> str:
    return "\n".join(f"{problem['path']}: {problem['message']}" for problem in analysis["problems"])


# What it takes and prints


def test_a_file_gives_a_report_to_read(run: Run, tmp_path: Path) -> None:
    status, out, err = run(written(tmp_path, "w.txt", GOOD))
    assert (status, err) == (0, "")
    assert "w.txt" in out
    assert "oulu" in out
    with pytest.raises(json.JSONDecodeError):
        json.loads(out)


def test_json_names_its_form_and_its_input(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    path = written(tmp_path, "w.txt", GOOD)
    result = analysed(path)
    assert result["schema"] == "lockscope.analysis/1"
    (row,) = result["inputs"]
    assert (row["path"], row["bytes"]) == (str(path), len(GOOD))
    lines = row["lines"]
    assert lines["total"] == lines["understood"] + lines["ignored"] + lines["not_understood"] == 8
    assert sorted(seconds_of(result)) == [12.5, 13.5, 14.5]
    assert {waiter["node"] for waiter in result["waiters"]} == {"oulu-n1"}


def test_a_summary_leaves_out_the_long_lists(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    path = written(tmp_path, "w.txt", GOOD)
    assert set(analysed(path)) - set(analysed(path, "--summary")) == LONG_LISTS


@pytest.mark.parametrize("pack", [bundle, lambda: zipped({"a/w.txt": GOOD}), lambda: gzip.compress(GOOD)])
def test_an_archive_is_opened(
    analysed: Callable[..., dict[str, Any]], tmp_path: Path, pack: Callable[[], bytes]
) -> None:
    result = analysed(written(tmp_path, "archive.bin", pack()))
    assert result["waiters"]
    assert not result["problems"]


def test_a_folder_gives_all_its_files_in_order(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    for name, node in (("b/w.txt", "oulu-n2"), ("a/w.txt", "oulu-n1"), ("c.txt", "oulu-n3")):
        written(tmp_path, f"in/{name}", waiters(node, lines=2))
    (tmp_path / "in" / "link").symlink_to("/etc/passwd")
    result = analysed(tmp_path / "in")
    assert [row["path"] for row in result["inputs"]] == ["a/w.txt", "b/w.txt", "c.txt"]
    assert {waiter["node"] for waiter in result["waiters"]} == {"oulu-n1", "oulu-n2", "oulu-n3"}


def test_several_inputs_make_one_analysis(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    paths = [written(tmp_path, f"{node}.txt", waiters(node, lines=2)) for node in ("oulu-n1", "oulu-n2")]
    assert len(analysed(*paths)["waiters"]) == 4


def test_standard_input_is_a_dash(analysed: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD)))
    result = analysed("-")
    assert [row["path"] for row in result["inputs"]] == ["-"]
    assert len(result["waiters"]) == 3


def test_the_node_of_nameless_dumps_can_be_given(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    nameless = (
        b"=== mmdiag: waiters ===\nWaiting 12.5000 sec since 09:12:40, monitored, thread 4100 NSDThread: for "
        b"I/O completion\n"
    )
    path = written(tmp_path, "w.txt", nameless)
    assert {waiter["node"] for waiter in analysed(path)["waiters"]} == {None}
    assert {waiter["node"] for waiter in analysed(path, "--node", "kemi-n4")["waiters"]} == {"kemi-n4"}


def test_the_zone_of_clocks_without_one_can_be_given(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    text = GOOD.replace(b" EEST", b"")
    path = written(tmp_path, "w.txt", text)
    plain, zoned = (analysed(path, *more)["waiters"][0]["captured_at"] for more in ((), ("--tz", "Europe/Helsinki")))
    assert plain == "2027-06-15T09:13:40"
    assert zoned == "2027-06-15T09:13:40+03:00"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("/nowhere/at/all",),
        ("--tz", "Mars/Olympus", "."),
        ("--tz", "../etc", "."),
        ("--no-such-option", "."),
        ("--node",),
    ],
)
def test_wrong_arguments_end_with_status_two(run: Run, arguments: tuple[str, ...]) -> None:
    status, out, err = run(*arguments)
    assert status == 2
    assert err
    assert not out
    assert "Traceback" not in err


def test_one_bad_path_among_good_ones_stops_before_anything_is_printed(run: Run, tmp_path: Path) -> None:
    status, out, err = run(written(tmp_path, "w.txt", GOOD), tmp_path / "missing.txt")
    assert (status, out) == (2, "")
    assert "missing.txt" in err


def test_a_file_that_may_not_be_read_is_named(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, "locked.txt", GOOD)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this account may read everything")
    status, _, err = run(path)
    assert status == 2
    assert "locked.txt" in err


def test_it_runs_without_settings_a_database_or_a_place_to_write(tmp_path: Path) -> None:
    path = written(tmp_path, "w.txt", GOOD)
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    command = [sys.executable, "manage.py", "analyze", str(path), "--json"]
    ended = subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, timeout=HANGS_S, check=False)
    assert ended.returncode == 0, ended.stderr
    assert len(json.loads(ended.stdout)["waiters"]) == 3
    missing = subprocess.run(
        [*command[:3], "/nowhere"], cwd=BASE_DIR, env=env, capture_output=True, timeout=HANGS_S, check=False
    )
    assert missing.returncode == 2


def test_it_starts_without_django() -> None:
    code = "import sys, apps.diagnosis.analyze_call as it; print(it.options_of(['-']).paths, 'django' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, capture_output=True, timeout=HANGS_S, check=True)
    assert ended.stdout.split() == [b"['-']", b"False"]


@pytest.mark.parametrize(
    "arguments", [["--help"], ["w", "--verbosity=0"], ["-v", "1", "w"], ["w", "--js"], ["--", "w"]]
)
def test_what_only_django_knows_is_left_to_it(arguments: list[str]) -> None:
    assert options_of(arguments) is None


@pytest.mark.parametrize(
    "arguments", [["w.txt", "--json"], ["w.txt", "--node=oulu-n3"], ["gone.txt"], ["w.txt", "--tz", "x"]]
)
def test_it_is_the_same_with_and_without_django(tmp_path: Path, arguments: list[str]) -> None:
    written(tmp_path, "w.txt", GOOD)
    plain, by_django = (
        subprocess.run(
            [sys.executable, BASE_DIR / "manage.py", "analyze", *arguments, *more],
            cwd=tmp_path,
            capture_output=True,
            timeout=HANGS_S,
            check=False,
        )
        for more in ([], ["--no-color"])
    )
    assert (plain.returncode, plain.stdout, plain.stderr) == (by_django.returncode, by_django.stdout, by_django.stderr)


def test_the_same_input_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, "snap.tgz", bundle())
    assert run(path, "--json")[1] == run(path, "--json")[1]


# Hostile and broken input


def links() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, kind, target in (("soft", tarfile.SYMTYPE, "/etc"), ("hard", tarfile.LNKTYPE, "/etc/passwd")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
        info = tarfile.TarInfo("soft/waiters")
        info.size = len(GOOD)
        archive.addfile(info, io.BytesIO(GOOD))
    return buffer.getvalue()


def cut() -> bytes:
    return gzip.compress(GOOD + waiters("oulu-n2", lines=9000))[:-200]


def zeros() -> bytes:
    """Zeros without end beside a good member."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("n1/waiters", GOOD)
        with archive.open("zeros", "w", force_zip64=True) as member:
            for _ in range(600):
                member.write(bytes(MIB))
    return buffer.getvalue()


def long_line() -> bytes:
    return b"A" * (200 * MIB) + b"\n" + GOOD


def picture() -> bytes:
    return tar({"photo.jpg": b"\xff\xd8\xff\xe0" + bytes(range(256)) * 300, "n1/waiters": GOOD})


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "traversal": (
        lambda: tar({"../../../../tmp/lockscope-was-here": b"x", "n1/waiters": GOOD}),
        "steps out of its folder",
    ),
    "links": (links, "symbolic link"),
    "cut": (cut, "cut"),
    "zeros": (zeros, "not a text file"),
    "long-line": (long_line, "longer than the limit"),
    "picture": (picture, "not a text file"),
    "nested": (
        lambda: tar({"a.tgz": tar({"b.tgz": tar({"c.tgz": tar({"d.tgz": tar({"e": b"x"})})}), "n1/waiters": GOOD})}),
        "archive inside",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_good_lines_beside_a_bad_member_are_read_and_the_bad_one_is_named(
    analysed: Callable[..., dict[str, Any]], tmp_path: Path, name: str
) -> None:
    make, words = HOSTILE[name]
    path = written(tmp_path, f"{name}.bin", make())
    began = time.process_time()
    result = analysed(path)
    assert time.process_time() - began < HANGS_CPU_S
    assert 12.5 in seconds_of(result)
    assert words in problems_of(result)
    assert not Path("/tmp/lockscope-was-here").exists()
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "the file is empty"), (b"\xff\xd8\xff\xe0" + bytes(range(256)) * 300, "not a text file")],
)
def test_nothing_is_made_of_nothing(
    analysed: Callable[..., dict[str, Any]], tmp_path: Path, content: bytes, words: str
) -> None:
    result = analysed(written(tmp_path, "x", content))
    assert result["waiters"] == []
    assert words in problems_of(result)


def test_utf_16_is_read(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    for number, encoding in enumerate(("utf-16", "utf-16-le", "utf-16-be")):
        result = analysed(written(tmp_path, f"{number}.txt", GOOD.decode().encode(encoding)))
        assert sorted(seconds_of(result)) == [12.5, 13.5, 14.5], encoding


def test_a_broken_parser_costs_its_file_only(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    with broken_parser_registered():
        bad = written(tmp_path, "bad.txt", f"{WHOLE_FILE}\n".encode() + waiters("oulu-n2"))
        result = analysed(bad, written(tmp_path, "good.txt", GOOD))
    assert {waiter["node"] for waiter in result["waiters"]} == {"oulu-n1"}
    assert "bad.txt: a parser failed (UnforeseenError): nothing of this file is used" in problems_of(result)


def test_a_parser_that_fails_costs_its_section_only(analysed: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    with broken_parser_registered() as claim:
        result = analysed(written(tmp_path, "bad.txt", claim.encode() + waiters("oulu-n2")))
    assert {waiter["node"] for waiter in result["waiters"]} == {"oulu-n2"}


@pytest.mark.parametrize("year", [1 << 34, 9_223_372_036_855, 1 << 60])
def test_a_time_beyond_calendars_is_not_known(year: int) -> None:
    assert modified_us(Member("a", "file", mtime=year)) is None
