"""``analyze`` and its JSON: the documented form to the letter, paths, problems, exit codes, and the report
for people.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from apps.diagnosis.engine.analysis import analyse, inputs_of, pick_lines
from apps.diagnosis.engine.report import Clock, number
from apps.diagnosis.engine.report_text import report_text
from apps.diagnosis.management.commands.analyze import Command
from apps.ingest.samples import SAMPLES
from parsers.archives.bundle import BundleLimits
from parsers.text import LongLines, blocks
from tests.diagnosis.analysis_shape import LEFT_OUT, faults
from tests.diagnosis.commands import runner
from tests.patience import HANGS_S
from tests.references import reference
from tests.reports import built, bundle, report_on_sample

ROOT = Path(__file__).resolve().parents[2]
PULL = """\
[root@pike1 ~]# vxfsstat -s -t 10 /srv/pots
10:00:10.000 Mon 04 Mar 2030 10:00:10 AM CET -- delta (10.000 sec sample)
vxi_recv_open_mbr          0    vxi_hlock_init         41000
vxi_hlockgrant         82000    vxi_hlockrevoke        41000
vxi_inode_btranidflush     0    vxi_hlock_deinit       41000
vxi_rwlock_iupdat          0    vxi_glockgrant         41000
vxi_staleowner             0    vxi_strong_pullowner   41000
[root@pike1 ~]# time find /srv/pots -ls | wc -l
205000

real    0m50.250s
user    0m1.000s
sys     0m2.000s
[root@pike1 ~]# vxtunefs /srv/pots | grep lazy_isize
lazy_isize_enable = 0
"""


LINKS_TWICE = """\
Mon Mar  4 10:0{0}:00 CET 2030
[root@pike1 ~]# lltstat -nvv active
LLT node information:
    Node                 State    Link    Status  Address
   * 0 pike1             OPEN
                                  ens1f0 UP      02:1B:5C:00:00:00
     1 pike2             OPEN
                                  ens1f0 {1}      02:1B:5C:01:07:00
"""


def analysed(*paths: Path | str, summary: bool = False, **options: Any) -> dict[str, Any]:
    """The JSON of some paths, checked against the documented form."""
    workspace = Path(options.pop("workspace"))
    report = analyse(
        list(inputs_of([str(path) for path in paths])),
        workspace,
        clock=options.pop("clock", Clock()),
        summary=summary,
        **options,
    )
    result: dict[str, Any] = json.loads("".join(report.write()))
    assert faults(result, summary=summary) == []
    return result


def tar(members: Mapping[str, bytes], mode: Any = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


# --- the form ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
@pytest.mark.part("form", 1)
def test_samples_keep_the_documented_form(sample: Any, tmp_path: Path) -> None:
    whole = report_on_sample(sample.key)
    assert faults(whole, summary=False) == []
    inputs = [bundle(built(sample.key), sample.filename)]
    brief = json.loads("".join(analyse(inputs, tmp_path / "facts", clock=Clock(), summary=True).write()))
    assert faults(brief, summary=True) == []
    assert {key: value for key, value in whole.items() if key not in LEFT_OUT} == brief
    assert whole["products"] == list(sample.answer.products)


def test_articles_keep_the_documented_form(tmp_path: Path) -> None:
    for path in sorted(reference("articles").glob("*.txt")):
        assert analysed(path, workspace=tmp_path / path.stem)["inputs"][0]["path"].endswith(path.name)


def test_the_check_of_the_form_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PULL)
    good = analysed(tmp_path / "a.txt", workspace=tmp_path / "facts")

    def broken(change: Any) -> bool:
        copy = deepcopy(good)
        change(copy)
        return bool(faults(copy))

    assert broken(lambda d: d.pop("cycles"))
    assert broken(lambda d: d.update(more=1))
    assert broken(lambda d: d["inputs"][0]["lines"].update(total=1))
    assert broken(lambda d: d["inputs"][0]["sections"][1].update(first_line=1))
    assert broken(lambda d: d["inputs"][0].update(bytes="12"))
    assert broken(lambda d: d["lock_roles"][0].update(role="owner"))
    assert broken(lambda d: d["lock_roles"][0].update(at="2030-03-04 10:00:10"))
    assert broken(lambda d: d["lock_roles"][0]["per_s"].update(h_init=1.0))
    assert broken(lambda d: d["findings"][0]["evidence"][0].update(line=999))
    assert broken(lambda d: d["findings"][0].update(confidence=1.2))
    assert broken(lambda d: d["tunings"][0].update(status="done"))
    assert broken(lambda d: d["verdict"].update(ref="R99"))
    assert broken(lambda d: d["settings"][0].update(line=None))


def test_values_of_one_pull(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PULL)
    found = analysed(tmp_path / "a.txt", workspace=tmp_path / "facts")
    assert found["products"] == ["veritas"]
    assert found["nodes"] == [{"name": "pike1", "aliases": [], "clock_offset_s": None}]
    assert found["window"] == {"start": "2030-03-04T10:00:10+01:00", "end": "2030-03-04T10:00:10+01:00"}
    [role] = found["lock_roles"]
    assert (role["role"], role["lazy_isize"], role["forecast_s"], role["line"]) == ("puller", "off", 50.0, 2)
    assert role["per_s"]["pull"] == 4100
    [setting] = found["settings"]
    assert (setting["value"], setting["line"], type(setting["value"])) == (0, 15, int)
    real = next(row for row in found["measurements"] if row["what"] == "real")
    assert (real["tool"], real["value"], real["unit"], real["line"]) == ("time", 50.25, "s", 11)
    pulls = next(row for row in found["series"] if row["name"] == "vxi_strong_pullowner")
    assert pulls["points"] == [["2030-03-04T10:00:10+01:00", 41000, 10.0]]
    assert isinstance(pulls["points"][0][1], int)
    [tuning] = [row for row in found["tunings"] if row["id"] == "lazy-isize-enable"]
    assert (tuning["current"], tuning["current_at"]) == ("0", {"path": str(tmp_path / "a.txt"), "line": 15})
    texts = {line["line"]: line["text"] for line in found["findings"][0]["evidence"]}
    assert texts[6] == "vxi_rwlock_iupdat          0    vxi_glockgrant         41000"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("42", 42),
        ("-7", -7),
        ("1.5", 1.5),
        ("-0.25", -0.25),
        ("65536", 65536),
        ("0644", "0644"),
        ("64k", "64k"),
        ("1_000", "1_000"),
        ("1e5", "1e5"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("", ""),
        (" 1", " 1"),
        ("+1", "+1"),
        ("0x10", "0x10"),
        ("\u0661", "\u0661"),
        ("1.", "1."),
        (".5", ".5"),
        ("9" * 30, "9" * 30),
        ("-", "-"),
    ],
)
def test_a_value_is_a_number_where_it_reads_as_one(text: str, value: object) -> None:
    assert number(text) == value
    assert type(number(text)) is type(value)


def test_clocks_without_a_zone_get_the_offset_of_the_named_one_and_times_of_day_none() -> None:
    summer, winter = 1_909_569_600_000_000, 1_894_449_600_000_000  # noon as printed, in July and in January
    assert Clock().text(summer, None) == "2030-07-06T12:00:00"
    berlin = Clock(ZoneInfo("Europe/Berlin"))
    assert berlin.text(summer, None) == "2030-07-06T12:00:00+02:00"
    assert berlin.text(winter, None) == "2030-01-12T12:00:00+01:00"
    assert berlin.text(winter, -300) == "2030-01-12T12:00:00-05:00"
    assert berlin.text(3_600_000_000, None) == "01:00:00"
    assert berlin.text(None, None) is None


# --- paths ------------------------------------------------------------------------------------------------------------


def shown(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(row["path"], len(row["sections"])) for row in found["inputs"]]


def test_a_file_is_named_as_given_and_described_by_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(PULL)
    [row] = analysed(tmp_path / "a.txt", workspace=tmp_path / "facts")["inputs"]
    assert row["path"] == str(tmp_path / "a.txt")
    assert (row["bytes"], row["sha256"]) == (len(PULL), hashlib.sha256(PULL.encode()).hexdigest())


def test_files_of_a_folder_are_named_below_it_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "case"
    (folder / "b").mkdir(parents=True)
    for name in ("b/2.txt", "a.txt", "b/1.txt"):
        (folder / name).write_text(PULL)
    (folder / "link.txt").symlink_to("/etc/hostname")
    assert [path for path, _ in shown(analysed(folder, workspace=tmp_path / "facts"))] == [
        "a.txt",
        "b/1.txt",
        "b/2.txt",
    ]


def test_members_stand_below_the_row_of_their_archive(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep/x.txt", PULL)
    bundle = tmp_path / "bundle.tar.gz"
    bundle.write_bytes(
        tar({"dir/a.txt": PULL.encode(), "more.zip": inner.getvalue(), "b.log.gz": gzip.compress(PULL.encode())})
    )
    found = analysed(bundle, workspace=tmp_path / "facts")
    name = str(bundle)
    assert shown(found) == [
        (name, 0),
        (f"{name}!dir/a.txt", 3),
        (f"{name}!more.zip", 0),
        (f"{name}!more.zip!deep/x.txt", 3),
        (f"{name}!b.log.gz", 3),
    ]
    content = bundle.read_bytes()
    assert (found["inputs"][0]["bytes"], found["inputs"][0]["sha256"]) == (
        len(content),
        hashlib.sha256(content).hexdigest(),
    )
    assert (
        found["findings"][0]["evidence"][0]["path"] == f"{name}!b.log.gz"
    )  # the first by its path, in whatever order they are packed


def test_a_compressed_file_is_described_as_it_was_given(tmp_path: Path) -> None:
    packed = tmp_path / "a.txt.gz"
    packed.write_bytes(gzip.compress(PULL.encode()))
    [row] = analysed(packed, workspace=tmp_path / "facts")["inputs"]
    assert (row["path"], row["bytes"]) == (str(packed), packed.stat().st_size)
    assert row["sha256"] == hashlib.sha256(packed.read_bytes()).hexdigest()
    assert row["lines"]["total"] == 15


def test_archives_of_one_name_in_two_folders_keep_their_own_rows(tmp_path: Path) -> None:
    for folder, text in (("x", PULL), ("y", PULL * 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "b.tar.gz").write_bytes(tar({"a.txt": text.encode()}))
    found = analysed(tmp_path / "x", tmp_path / "y", workspace=tmp_path / "facts")
    assert [row["path"] for row in found["inputs"]] == ["b.tar.gz", "b.tar.gz!a.txt"] * 2
    digests = [hashlib.sha256((tmp_path / folder / "b.tar.gz").read_bytes()).hexdigest() for folder in ("x", "y")]
    assert [found["inputs"][i]["sha256"] for i in (0, 2)] == digests


# --- what can't be read -----------------------------------------------------------------------------------------------


def problems(found: dict[str, Any]) -> dict[str, str]:
    return {row["path"].rpartition("/")[2]: row["message"] for row in found["problems"]}


def test_damage_is_a_problem_of_its_file_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "good.txt").write_text(PULL)
    (folder / "empty.txt").write_bytes(b"")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 40)
    (folder / "cut.gz").write_bytes(gzip.compress(PULL.encode() * 300)[:-60])
    (folder / "utf16.txt").write_bytes(PULL.encode("utf-16"))
    (folder / "long.txt").write_bytes(b"A" * (3 << 20) + b"\n" + PULL.encode())
    (folder / "evil.tar").write_bytes(tar({"../../etc/x": b"root\n", "ok.txt": PULL.encode()}, "w:"))
    (folder / "name<b>.txt").write_text(PULL)
    found = analysed(folder, workspace=tmp_path / "facts")
    reported = problems(found)
    assert reported["empty.txt"] == "the file is empty"
    assert "not a text file" in reported["photo.jpg"]
    assert "cut.gz" in reported
    assert "longer than the limit" in reported["long.txt"]
    assert "good.txt" not in reported
    rows = {row["path"]: row for row in found["inputs"]}
    assert all(
        rows[name]["recognised"] for name in ("good.txt", "utf16.txt", "long.txt", "evil.tar!ok.txt", "name<b>.txt")
    )
    assert any("etc/x" in row["path"] for row in found["problems"])
    assert rows["photo.jpg"]["lines"]["total"] == 0


def test_limits_reached_are_reported(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"\0" * (8 << 20)))
    many = tmp_path / "many.tar"
    many.write_bytes(tar({f"{n}.txt": PULL.encode() for n in range(9)}, "w:"))
    limits = BundleLimits(expanded_bytes=1 << 20, members=5)
    assert analysed(bomb, workspace=tmp_path / "a", limits=limits)["problems"]
    found = analysed(many, workspace=tmp_path / "b", limits=limits)
    assert found["problems"]
    assert found["findings"]


def test_text_that_nobody_knows_is_counted_and_the_verdict_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("lorem = ipsum | dolor\n" * 7)
    found = analysed(tmp_path / "a.txt", workspace=tmp_path / "facts")
    assert found["findings"] == []
    assert found["verdict"]["form"] == "not_judged"
    assert found["inputs"][0]["unread"][0]["last_line"] == 7
    assert found["inputs"][0]["recognised"] is False


# --- the command ------------------------------------------------------------------------------------------------------


def command(
    *arguments: str, stdin: bytes | None = None, cwd: Path = ROOT, **more: str
) -> subprocess.CompletedProcess[bytes]:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("LOCKSCOPE", "DJANGO"))
    } | more
    call = [sys.executable, str(ROOT / "manage.py"), "analyze", *arguments]
    return subprocess.run(
        call, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=HANGS_S, check=False
    )


def test_standard_input_is_read_as_a_file_or_as_an_archive(tmp_path: Path) -> None:
    text = json.loads(command("--json", "-", stdin=PULL.encode()).stdout)
    assert (shown(text), faults(text)) == ([("-", 3)], [])
    packed = json.loads(command("--json", "-", stdin=tar({"d/a.txt": PULL.encode()})).stdout)
    assert (shown(packed), faults(packed)) == ([("-", 0), ("-!d/a.txt", 3)], [])
    assert packed["findings"][0]["evidence"][0]["text"]


def test_node_and_zone_can_be_given(tmp_path: Path) -> None:
    waiters = (
        "=== mmdiag: waiters ===\nWaiting 12.3456 sec since 2031-02-03_10:00:00, monitored, thread 77 "
        "NSDThread: for I/O completion\n"
    )
    run = command("--json", "--node", "perch3", "--tz", "Asia/Tokyo", "-", stdin=waiters.encode())
    found = json.loads(run.stdout)
    assert [node["name"] for node in found["nodes"]] == ["perch3"]
    assert found["waiters"][0]["since"] == "2031-02-03T10:00:00+09:00"


def test_a_pipe_is_read_once_and_still_shows_its_lines(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w').write({PULL!r})"])
    found = json.loads(command("--json", str(pipe)).stdout)
    writer.wait(timeout=HANGS_S)
    assert found["findings"][0]["evidence"][0]["text"].startswith("10:00:10.000")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["/nowhere/at/all"],
        ["/dev/null"],
        ["--tz", "Mars/Base", "-"],
        ["--bogus", "-"],
        ["-", "-"],
        ["--tz", "", "-"],
        ["x" * 5000],
    ],
    ids=["no path", "no file", "a device", "no zone", "no option", "twice", "empty zone", "long name"],
)
def test_wrong_arguments_end_with_2_and_one_line(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = runner(Command, capfd)(*arguments)
    assert (status, out) == (2, "")
    assert len(err.strip().splitlines()) == 1


def test_a_process_with_wrong_arguments_ends_with_2_and_one_line() -> None:
    run = command("/nowhere/at/all")
    assert (run.returncode, run.stdout) == (2, b"")
    assert len(run.stderr.decode().strip().splitlines()) == 1


def test_what_is_not_recognised_ends_with_0_and_nothing_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "noise.bin").write_bytes(os.urandom(5000))
    (tmp_path / "temporary").mkdir()
    run = command("--json", "--summary", str(tmp_path / "case"), cwd=tmp_path, TMPDIR=str(tmp_path / "temporary"))
    assert run.returncode == 0
    assert json.loads(run.stdout)["problems"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["case", "noise.bin", "temporary"]


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    call = ["bash", "-o", "pipefail", "-c", f"{sys.executable} manage.py analyze --json - | head -c 20"]
    run = subprocess.run(call, input=PULL.encode() * 100, capture_output=True, cwd=ROOT, timeout=HANGS_S, check=False)
    assert (run.returncode, run.stderr) == (0, b"")


# --- the report for people --------------------------------------------------------------------------------------------


def printed(tmp_path: Path, text: str, name: str = "a.txt") -> str:
    (tmp_path / name).write_text(text)
    return "".join(
        report_text(analyse(list(inputs_of([str(tmp_path / name)])), tmp_path / "facts", clock=Clock(), summary=False))
    )


def test_the_report_shows_lines_tunings_risks_and_what_to_do(tmp_path: Path) -> None:
    text = printed(tmp_path, PULL)
    assert text.startswith("[HIGH] pike1 takes inodes of /srv/pots from another node one by one")
    assert "a.txt:6: vxi_rwlock_iupdat" in text
    assert "TUNING lazy_isize_enable: 0 -> 1 on /srv/pots (recommended)" in text
    for word in ("persist:", "mind:", "way back:", "verify:", "NEXT ", "MISSING "):
        assert word in text
    assert "Read 1 file, 15 lines, 0 not understood" in text


def test_control_characters_never_reach_the_terminal(tmp_path: Path) -> None:
    hostile = PULL.replace("vxi_rwlock_iupdat  ", "vxi_rwlock_iupdat \x1b[31m\x07 ").replace("pike1", "pi\u202eke1")
    text = printed(tmp_path, hostile)
    assert not any(character in text for character in "\x1b\x07\u202e\r")


def test_a_mount_with_shell_characters_is_quoted_in_commands(tmp_path: Path) -> None:
    found = analysed(_written(tmp_path, PULL.replace("/srv/pots", "/srv/p$(reboot)")), workspace=tmp_path / "facts")
    assert found["lock_roles"][0]["scope"] == "/srv/p$(reboot)"
    shell = [
        line
        for row in (*found["tunings"], *found["next_steps"], *found["missing"])
        for line in row["commands"]
        if "reboot" in line
    ]
    assert len(shell) >= 3
    assert all("'/srv/p$(reboot)'" in line for line in shell)


def _written(folder: Path, text: str) -> Path:
    path = folder / "a.txt"
    path.write_text(text)
    return path


def test_lines_are_picked_out_of_a_text_in_one_pass() -> None:
    text = b"\n".join(b"line %d" % n for n in range(1, 2001))
    picked = dict(pick_lines(blocks(io.BytesIO(text), block_bytes=100), {1, 7, 8, 2000, 2001}))
    assert picked == {1: "line 1", 7: "line 7", 8: "line 8", 2000: "line 2000"}


@pytest.mark.parametrize(
    ("stored", "lies_there"),
    [
        (lambda text: text, True),
        (lambda text: text.replace(b"line 150", b"Zeile 150 \xc3\xbc"), True),
        (lambda text: b"\xef\xbb\xbf" + text, False),
        (lambda text: text.replace(b"line 150", b"\xef\xbb\xbfline 150"), False),
        (lambda text: text.replace(b"\n", b"\r\n"), False),
        (lambda text: text.replace(b"line 150\n", b"line 150\r"), False),
        (lambda text: text.replace(b"line 150\n", b"line 150<br>"), False),
        (lambda text: text.decode().encode("utf-16"), False),
        (lambda text: text.replace(b"\n", b"$\n"), False),
        (lambda text: text.replace(b"line 150", b"line" + 2_000_000 * b"x"), False),
    ],
)
def test_blocks_are_the_file_unless_something_was_made_of_it(
    stored: Callable[[bytes], bytes], *, lies_there: bool
) -> None:
    data = stored(b"".join(b"line %d\n" % n for n in range(1, 400)))
    long = LongLines()
    read = list(blocks(io.BytesIO(data), block_bytes=1_000, long=long))
    assert long.as_stored == lies_there
    assert not lies_there or b"".join(block.data for block in read) == data


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_evidence_is_the_line_wherever_it_lies(tmp_path: Path, end: bytes, *, packed: bool) -> None:
    """Over several blocks, as they lie in a file, and in one where something has to be made of them first."""
    lines = [b"Nov  3 10:%02d:%02d pike1 nothing[7]: step %d" % (n // 60 % 60, n % 60, n) for n in range(250_000)]
    stated = b"Nov  3 11:59:59 pike1 kernel: GFS2: fsid=pond:weed.0: fatal: filesystem consistency error"
    lines[3] = lines[130_000] = lines[-1] = stated
    data = end.join(lines) + end
    path = tmp_path / ("a.log.gz" if packed else "a.log")
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    found = analysed(path, workspace=tmp_path / "facts")
    shown = {(ref["line"], ref["text"]) for finding in found["findings"] for ref in finding["evidence"]}
    assert (4, stated.decode()) in shown
    assert all(text == lines[number - 1].decode() for number, text in shown)


def test_rows_that_tools_print_again_have_each_its_own_line(tmp_path: Path) -> None:
    text = "".join(LINKS_TWICE.format(minute, state) for minute, state in ((1, "UP"), (2, "UP"), (3, "DOWN")))
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(text)
    (tmp_path / "place").mkdir()
    found = analysed(tmp_path / "one.txt", tmp_path / "two.txt", workspace=tmp_path / "place")
    of_peer = [(row["path"][-7:], row["line"], row["state"]) for row in found["links"] if row["peer"] == "pike2"]
    states = [(8, "UP"), (16, "UP"), (24, "DOWN")]
    assert of_peer == [(f"{name}.txt", line, state) for name in ("one", "two") for line, state in states]
    members = [(row["path"][-7:], row["line"]) for row in found["members"] if row["group"] == "pike2"]
    assert members == [(f"{name}.txt", line) for name in ("one", "two") for line in (7, 15, 23)]
