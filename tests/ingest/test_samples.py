"""The sample cases are reproducible, of the right size, and agree with themselves and with their known answer."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from apps.ingest.samples import SAMPLES, Sample
from tests.patience import HANGS_S
from tests.references import reference

ROOT = Path(__file__).resolve().parents[2]
SCALE, CFS, GFS2 = SAMPLES
every_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)


@cache
def texts(key: str) -> dict[str, str]:
    """Path below the top folder -> text, read back from the bundle."""
    sample = next(sample for sample in SAMPLES if sample.key == key)
    with tarfile.open(fileobj=io.BytesIO(sample.build()), mode="r:gz") as archive:
        members = [(member.name.partition("/")[2], archive.extractfile(member)) for member in archive]
        return {name: stream.read().decode("utf-8") for name, stream in members if stream is not None}


def clock_s(hms: str) -> float:
    hours, minutes, seconds = hms.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def phase(sample: Sample, name: str) -> tuple[float, float]:
    found = next(p for p in sample.answer.phases if p.name == name)
    return clock_s(found.start[11:]), clock_s(found.end[11:])


# --- all three --------------------------------------------------------------------------------------------------------


@every_sample
def test_two_builds_give_the_same_bytes_within_the_time(sample: Sample) -> None:
    begun = time.process_time()
    first = sample.build()
    spent_s = time.process_time() - begun
    assert hashlib.sha256(first).hexdigest() == hashlib.sha256(sample.build()).hexdigest()
    assert spent_s < 10


def test_another_process_with_another_hash_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "apps.ingest.samples", str(tmp_path)]
    environment = {"PYTHONHASHSEED": "12345", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo", "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, cwd=ROOT, env=environment, capture_output=True, timeout=HANGS_S)
    for sample in SAMPLES:
        assert (tmp_path / sample.filename).read_bytes() == sample.build()


def test_the_samples_need_no_django() -> None:
    code = "import sys, apps.ingest.samples; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=HANGS_S).returncode == 0


@every_sample
def test_sizes_are_those_of_a_real_bundle(sample: Sample) -> None:
    packed = len(sample.build())
    unpacked = sum(map(len, texts(sample.key).values()))
    assert 100_000 <= packed <= 1_000_000
    assert 1_000_000 <= unpacked <= 6_000_000
    assert len(gzip.decompress(sample.build())) >= unpacked


@every_sample
def test_no_line_is_absurdly_long_and_no_byte_is_odd(sample: Sample) -> None:
    for name, text in texts(sample.key).items():
        assert max(map(len, text.split("\n"))) < 300, name
        assert not re.search(r"[^\t\n\x20-\x7e]", text), name


@every_sample
def test_members_have_plain_relative_names(sample: Sample) -> None:
    with tarfile.open(fileobj=io.BytesIO(sample.build()), mode="r:gz") as archive:
        members = archive.getmembers()
    assert all(m.isfile() and re.fullmatch(r"[\w.-]+(/[\w.-]+){1,2}", m.name) for m in members)
    assert [m.name for m in members] == sorted(m.name for m in members)
    assert len({m.mtime for m in members}) == 1


@every_sample
def test_the_known_answer_does_not_contradict_itself(sample: Sample) -> None:
    answer = sample.answer
    groups = (answer.rules, answer.rules_also_true, answer.rules_forbidden)
    assert all(count == 1 for count in Counter(rule for group in groups for rule in group).values())
    assert answer.root.node is None or answer.root.node in answer.nodes
    assert 4 <= len(answer.nodes) <= 12
    assert all(p.start < p.end for p in answer.phases)


def test_titles_keys_and_file_names_differ() -> None:
    for field in ("key", "title", "customer", "filename"):
        assert len({getattr(sample, field) for sample in SAMPLES}) == len(SAMPLES)


@every_sample
def test_no_name_is_taken_from_the_reference_texts(sample: Sample) -> None:
    given = "\n".join(
        p.read_text(errors="replace") for folder in ("articles", "formats") for p in reference(folder).iterdir()
    )
    own = {*sample.answer.nodes, sample.filename, sample.customer, sample.answer.root.through or "-none-"}
    own |= set(re.findall(r"\b10\.31\.\d+\.\d+\b", "\n".join(texts(sample.key).values())))
    taken = {name for name in own if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", given)}
    assert taken <= {"vxi_strong_pullowner"}


# --- Scale ------------------------------------------------------------------------------------------------------------

HUMAN = re.compile(r"^(?:(\w+)\.fen\.lab: )?Waiting ([\d.]+) sec since ([\d:]+), (\w+), thread (\d+) ([^:]+): (.*)$")
Row = tuple[str, float, float, str, str, str]  # node, age, since, thread id, thread name, detail


def scale_dumps(node: str) -> Iterator[list[Row]]:
    text = texts(SCALE.key)[f"{node}/waiters.{node}.txt"]
    for section in text.split("=== mmdiag: waiters ===")[1:]:
        rows = [HUMAN.match(line) for line in section.split("\n")]
        yield [(node, float(m[2]), clock_s(m[3]), m[5], m[6], m[7]) for m in rows if m]


def controller_dumps() -> Iterator[list[str]]:
    """Logical lines of each listing, the wrapped ones joined again."""
    for section in texts(SCALE.key)["mgr01/mmlsnode_waiters.txt"].split("mmlsnode -N waiters -L\n")[1:]:
        lines: list[str] = []
        for line in section.split("\n"):
            if re.match(r"\w+\.fen\.lab: ", line):
                lines.append(line)
            elif line and not line.startswith(("[root@", "Tue ")):
                lines[-1] += line if len(lines[-1]) == 150 else " " + line
        yield lines


HUMAN_NODES = [n for n in SCALE.answer.nodes if n not in ("cn144", "cn145")]


@pytest.mark.parametrize("node", HUMAN_NODES)
def test_start_plus_age_is_one_moment_for_all_lines_of_a_dump(node: str) -> None:
    dumps = list(scale_dumps(node))
    assert len(dumps) == SCALE.answer.figures["dumps_per_node"]
    for rows in dumps:
        moments = [since + age for _, age, since, *_ in rows if since > 3 * 3600]
        assert max(moments) - min(moments) < 1.0002  # ``since`` is cut to the second
        assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)


@pytest.mark.parametrize("node", HUMAN_NODES)
def test_a_lasting_wait_keeps_thread_and_start_and_grows_with_the_clock(node: str) -> None:
    for before, after in pairwise(scale_dumps(node)):
        later = {row[3]: row for row in after}
        for _, age, since, thread_id, name, detail in before:
            if age < 3.0:
                continue
            again = later[thread_id]
            assert (again[2], again[4], again[5]) == (since, name, detail)
            assert 9.4 <= again[1] - age <= 10.6


def test_one_disk_of_one_server_stands_still_and_its_neighbours_do_not() -> None:
    figures, root = SCALE.answer.figures, SCALE.answer.root
    last = list(scale_dumps("nsd02"))[-1]
    stuck = [row for row in last if row[5] == f"for I/O completion on disk {root.what}"]
    assert len({row[3] for row in stuck}) == len(stuck) == figures["nsd_threads_on_disk"]
    assert max(row[1] for row in stuck) == figures["longest_disk_wait_s"]
    for server in ("nsd01", "nsd02", "nsd03", "nsd04"):
        rows = [row for dump in scale_dumps(server) for row in dump if row[4] == "NSDThread"]
        others = [row for row in rows if (row[0], row[5].rsplit(" ", 1)[1]) != (root.node, root.what)]
        assert max(row[1] for row in others) < figures["longest_everyday_disk_wait_below_s"]
    assert any("dm-17" in row[5] for dump in scale_dumps("nsd01") for row in dump)  # same device name, healthy disk


def test_the_fault_begins_when_the_answer_says() -> None:
    start, _ = phase(SCALE, "disk does not answer")
    firsts = [row[2] for dump in scale_dumps("nsd02") for row in dump if row[5].endswith("disk dm-17")]
    assert min(firsts) == start
    assert start - clock_s("14:20:00") == pytest.approx(367, abs=1)


def test_addresses_lead_from_every_rpc_to_a_node_that_states_its_address() -> None:
    files = texts(SCALE.key)
    stated = {}
    for node in SCALE.answer.nodes:
        found = re.search(r"my address\s+([\d.]+)/24 \(bond0\) (<c0n\d+>)", files[f"{node}/mmdiag_network.txt"])
        assert found
        stated[f"{found[1]} {found[2]}"] = node
        assert re.search(rf"{node}\.fen\.lab\s+{re.escape(found[1])}\s", files["mgr01/mmlscluster.txt"])
    used = {target for text in files.values() for target in re.findall(r"on node ([\d.]+ <c0n\d+>)", text)}
    assert used <= set(stated)
    assert {stated[target] for target in used} >= {"nsd02", "mgr01", "cn142"}


def test_controller_listing_joins_again_and_shows_the_counts_of_the_answer() -> None:
    listings = list(controller_dumps())
    figures = SCALE.answer.figures
    assert len(listings) == figures["controller_dumps"]
    matches = [HUMAN.match(line) for line in listings[-1]]
    assert all(matches)
    blocked = [m for m in matches if m and 10.0 < float(m[2]) < 1200.0]
    blocked = [m for m in blocked if "PitCondvar" not in m[7]]
    assert {m[1] for m in blocked} == {*SCALE.answer.nodes} - {"nsd01", "nsd03", "nsd04"}
    detail = [m[7] for m in blocked]
    assert len(blocked) == figures["blocked_waits"]
    assert (
        sum(d == "for NSD I/O completion on node 10.31.8.12 <c0n1>" for d in detail)
        == figures["nsd_io_waits_on_server"]
    )
    assert sum("LogFile instance" in d for d in detail) == figures["log_mutex_waits"]
    for message, key in (
        ("tmMsgRevoke", "revoke"),
        ("tmMsgTellAcquire1", "acquire"),
        ("mnMsgForceInodeFlags", "inode_flag"),
    ):
        assert sum(f"for {message} on node" in d for d in detail) == figures[f"{key}_rpc_waits"]


def test_lines_of_the_controller_wrap_and_never_inside_an_address() -> None:
    lines = texts(SCALE.key)["mgr01/mmlsnode_waiters.txt"].split("\n")
    starts = tuple(f"{node}.fen.lab: " for node in SCALE.answer.nodes)
    wrapped = [
        (a, b)
        for a, b in pairwise(lines)
        if b and not b.startswith((*starts, "[root@", "Tue ")) and a.startswith(starts)
    ]
    assert len(wrapped) > 100
    assert max(map(len, lines)) == 150
    assert not any(a[-1].isdigit() and b[0] in "0123456789." for a, b in wrapped)


def test_what_hangs_on_the_manager_is_one_log_object() -> None:
    last = list(scale_dumps("mgr01"))[-1]
    mutexes = {m[1] for row in last if (m := re.match(r"on ThMutex 0x(\w+) \(LogFile instance\)", row[5]))}
    conditions = {m[1] for row in last if (m := re.match(r"on ThCond 0x(\w+) \(LogFile buffer state\)", row[5]))}
    assert len(mutexes) == len(conditions) == 1
    assert int(conditions.pop(), 16) - int(mutexes.pop(), 16) == 0x68
    sync = next(row for row in last if row[4] == "Sync handler")
    assert sync[1] == SCALE.answer.figures["longest_log_write_wait_s"]


def test_machine_readable_rows_fit_their_header() -> None:
    text = texts(SCALE.key)["cn145/waiters-Y.cn145.txt"]
    fields = re.findall(r"^mmdiag:waiters:.*$", text, re.MULTILINE)
    header = fields[0].split(":")
    assert sum(line == fields[0] for line in fields) == SCALE.answer.figures["dumps_per_node"]
    assert {len(line.split(":")) for line in fields} == {len(header)}
    row = dict(zip(header, next(line for line in reversed(fields) if "tmMsgRevoke" in line).split(":"), strict=True))
    assert row["condVarReason"] == "RPC wait for tmMsgRevoke on node 10.31.8.142 <c0n6>"
    assert float(row["waitTime"]) > 600


def test_the_scale_bundle_holds_damage_and_noise() -> None:
    damaged = texts(SCALE.key)["cn143/waiters.cn143.txt"]
    assert "\ncollector: previous run" in damaged
    assert re.search(r"\(MsgRecordCo\n", damaged)
    assert damaged.endswith("Tue Feb 11 14:40:00\n")
    assert "is not overloaded" in texts(SCALE.key)["mgr01/mmdiag_deadlock.txt"]


# --- CFS --------------------------------------------------------------------------------------------------------------

HEADER = re.compile(r"^([\d:.]+) Wed 06 Nov 2024 ([\d:]+) AM GMT -- (?:absolute|delta \(([\d.]+) sec) sample\)?$")
PAIR = re.compile(r"\b(vxi_\w+)\s+(\d+)")
LockSample = tuple[float, float, dict[str, int]]  # end, length, counters


@cache
def lock_samples(node: str) -> tuple[LockSample, ...]:
    out: list[LockSample] = []
    for line in texts(CFS.key)[f"{node}/vxfsstat-s.txt"].split("\n"):
        if found := HEADER.match(line):
            assert found[1][:8] == found[2]
            out.append((clock_s(found[1]), float(found[3] or 0), {}))
        elif out:
            out[-1][2].update({name: int(value) for name, value in PAIR.findall(line)})
    return tuple(out)


def role(length: float, values: dict[str, int]) -> str:
    """The five roles, from rates per second."""
    rate = defaultdict(float, {name: count / length for name, count in values.items()})
    granted, pulled = rate["vxi_hlockgrant"], rate["vxi_strong_pullowner"]
    revoked = max(0.0, rate["vxi_hlockrevoke"] - rate["vxi_hlock_deinit"])
    if pulled >= 100 and revoked < 0.2 * granted:
        return "puller"
    if revoked >= 100 and granted < 0.2 * revoked:
        return "victim"
    if min(granted, revoked) >= 100 and min(granted, revoked) / max(granted, revoked) >= 0.3:
        return "ping_pong"
    return "drain" if 0 < rate["vxi_hlockrevoke"] < 20 and granted == 0 else "idle"


def roles_within(node: str, name: str) -> list[tuple[str, dict[str, int]]]:
    start, end = phase(CFS, name)
    return [
        (role(length, v), v)
        for at, length, v in lock_samples(node)
        if length and at - length >= start + 1 and at <= end - 1
    ]


@pytest.mark.parametrize("node", CFS.answer.nodes)
def test_windows_adjoin_and_cover_the_half_hour(node: str) -> None:
    samples = lock_samples(node)
    assert len(samples) == 180
    assert samples[0][1] == 0.0
    for (before, *_), (after, length, _) in pairwise(samples):
        assert after - length == pytest.approx(before, abs=0.0015)


@pytest.mark.parametrize(("name", "lazy"), [("ping-pong, lazy off", False), ("ping-pong, lazy on", True)])
def test_both_rivals_take_from_each_other_and_only_lazy_off_moves_g_locks(name: str, *, lazy: bool) -> None:
    for node in ("gannet1", "gannet2"):
        found = roles_within(node, name)[:-1]  # one of them ends a second before the other
        assert len(found) >= 14
        assert {label for label, _ in found} == {"ping_pong"}
        for _, values in found:
            assert values.get("vxi_glockgrant", 0) == (0 if lazy else values["vxi_strong_pullowner"])
            assert (values.get("vxi_glockrevoke", 0) == 0) == lazy


@pytest.mark.parametrize(
    ("name", "puller"), [("pull by gannet2, lazy off", "gannet2"), ("pull by gannet1, lazy on", "gannet1")]
)
def test_a_single_walk_makes_a_puller_and_a_victim(name: str, puller: str) -> None:
    victim = "gannet1" if puller == "gannet2" else "gannet2"
    assert {label for label, _ in roles_within(puller, name)} == {"puller"}
    assert {label for label, _ in roles_within(victim, name)} == {"victim"}


@pytest.mark.parametrize("node", ["gannet1", "gannet2"])
def test_drains_are_slow_and_one_sided(node: str) -> None:
    found = roles_within(node, f"drain on {node}")
    assert len(found) >= 20
    assert {label for label, _ in found} == {"drain"}


@pytest.mark.parametrize("node", ["gannet3", "gannet4"])
def test_the_other_two_nodes_stay_out_of_it(node: str) -> None:
    assert {role(length, values) for _, length, values in lock_samples(node) if length} <= {"idle"}


@pytest.mark.parametrize(("winner", "loser"), [("gannet1", "gannet2"), ("gannet2", "gannet1")])
def test_what_one_pulls_is_what_the_other_loses(winner: str, loser: str) -> None:
    for name in ("pull by gannet2, lazy off", "ping-pong, lazy off", "pull by gannet1, lazy on", "ping-pong, lazy on"):
        start, end = phase(CFS, name)
        pulled = sum(
            v.get("vxi_strong_pullowner", 0) for at, _, v in lock_samples(winner)[1:] if start - 5 <= at <= end + 12
        )
        net = sum(
            v.get("vxi_hlockrevoke", 0) - v.get("vxi_hlock_deinit", 0)
            for at, _, v in lock_samples(loser)[1:]
            if start - 5 <= at <= end + 12
        )
        assert abs(pulled - net) <= max(0.03 * pulled, 200)


@pytest.mark.parametrize(("winner", "loser"), [("gannet1", "gannet2"), ("gannet2", "gannet1")])
def test_neighbouring_samples_of_the_rivals_agree(winner: str, loser: str) -> None:
    for name in ("ping-pong, lazy off", "ping-pong, lazy on"):
        pulls = [v["vxi_strong_pullowner"] for _, v in roles_within(winner, name)[1:-2]]
        losses = [v["vxi_hlockrevoke"] for _, v in roles_within(loser, name)[1:-2]]
        assert all(abs(a - b) <= 0.03 * a for a, b in zip(pulls, losses, strict=False))


REAL = re.compile(r"find /srv/media/assets -ls \| wc -l\n(\d+)\n\nreal\t(\d+)m([\d.]+)s")


def find_times(node: str) -> list[tuple[float, float]]:
    """(start by the ``date`` before it, seconds) of every timed walk."""
    text = texts(CFS.key)[f"{node}/session.txt"]
    out: list[tuple[float, float]] = []
    for found in REAL.finditer(text):
        stamp = re.findall(r"Wed Nov  6 ([\d:]+) GMT", text[: found.start()])[-1]
        assert int(found[1]) == CFS.answer.figures["inodes"]
        out.append((clock_s(stamp), int(found[2]) * 60 + float(found[3])))
    return out


@pytest.mark.parametrize(("node", "walks"), [("gannet1", 7), ("gannet2", 7)])
def test_a_walk_lasts_as_long_as_its_pulls_need(node: str, walks: int) -> None:
    slow = [(start, seconds) for start, seconds in find_times(node) if seconds > 10]
    assert len(slow) == walks
    for start, seconds in slow:
        inside = [
            v.get("vxi_strong_pullowner", 0) / length
            for at, length, v in lock_samples(node)[1:]
            if at - length > start + 1 and at < start + seconds
        ]
        assert seconds == pytest.approx(CFS.answer.figures["inodes"] / (sum(inside) / len(inside)), rel=0.03)


def test_printed_times_and_rates_are_those_of_the_answer() -> None:
    figures = CFS.answer.figures
    printed = {round(seconds, 3) for node in ("gannet1", "gannet2") for _, seconds in find_times(node)}
    assert printed == {value for key, value in figures.items() if key.endswith("_s") and "about" not in key}
    for node in ("gannet1", "gannet2"):
        for lazy in ("lazy_off", "lazy_on"):
            name = f"ping-pong, {lazy.replace('_', ' ')}"
            rates = [v["vxi_strong_pullowner"] / 10 for _, v in roles_within(node, name)[:-1]]
            assert sum(rates) / len(rates) == pytest.approx(
                figures[f"{node}_parallel_{lazy}_about_pull_per_s"], rel=0.03
            )


def test_every_node_shows_the_setting_before_and_after() -> None:
    start, end = phase(CFS, "lazy_isize_enable set")
    for node in CFS.answer.nodes:
        text = texts(CFS.key)[f"{node}/session.txt"]
        assert re.findall(r"^lazy_isize_enable = (\d)$", text, re.MULTILINE) == ["0", "1"]
        at = re.search(
            r"GMT 2024\n\[root@\w+ ~\]# vxtunefs -o lazy_isize_enable=1 /srv/media\nUX:vxfs vxtunefs: "
            r"INFO: V-3-22525: ",
            text,
        )
        assert at
        stamp = clock_s(re.findall(r"([\d:]{8})", text[: at.start()])[-1])
        assert start <= stamp <= end


def test_packet_rates_follow_the_pulls() -> None:
    blocks = re.findall(
        r"Nov  6 ([\d:]+) GMT 2024\n=== LLT port 5:\ntxrate=(\d+)/(\d+)/", texts(CFS.key)["gannet1/lltshow.txt"]
    )
    start, end = phase(CFS, "ping-pong, lazy off")
    storm = [int(ten) for at, _, ten in blocks if start + 12 < clock_s(at) < end - 6]  # one ends a little earlier
    pulls = (
        CFS.answer.figures["gannet1_parallel_lazy_off_about_pull_per_s"]
        + CFS.answer.figures["gannet2_parallel_lazy_off_about_pull_per_s"]
    )
    assert len(blocks) == 360
    assert all(rate == pytest.approx(5.8 * pulls, rel=0.03) for rate in storm)


def test_latency_histograms_only_grow() -> None:
    for node in ("gannet1", "gannet2"):
        captures = texts(CFS.key)[f"{node}/lltshow.txt"].split("=== LLT port 5:")[1:]
        cells = [[int(n) for n in re.findall(r"(\d+) \((?:>=)?\d+ ?ms\)", capture)] for capture in captures]
        assert {len(row) for row in cells} == {34}
        assert all(b >= a for before, after in pairwise(cells) for a, b in zip(before, after, strict=True))


def test_inode_cache_report_adds_up() -> None:
    text = texts(CFS.key)["gannet1/vxfsstat-i.txt"]
    numbers = re.compile(
        r"(\d+) total lookups .*\n +(\d+) total dnlc lookup +([\d.]+)% dnlc hit rate\n +0 total enter "
        r"+([\d.]+)  hit per enter"
    )
    found = numbers.findall(text)
    assert len(found) == 176
    for missed, lookups, rate, hits in found:
        assert int(lookups) - int(missed) == float(hits)
        assert float(rate) == pytest.approx(100 * float(hits) / int(lookups) if int(lookups) else 0.0, abs=0.006)


def test_the_cfs_bundle_holds_damage_and_filters() -> None:
    files = texts(CFS.key)
    assert re.search(r"vxi_normalize_locks\n      0\n", files["gannet4/vxfsstat-s.txt"])
    assert files["gannet4/vxfsstat-s.txt"].endswith("vxi_staleown\n")
    assert "command not found" in files["gannet4/vxfsstat-s.txt"]
    assert files["gannet1/vxfsstat-s.txt"].count("<<<") == 2
    assert not re.search(r"vxi_\w+ +0    vxi_\w+ +0\n", files["gannet2/vxfsstat-s.txt"])


# --- GFS2 -------------------------------------------------------------------------------------------------------------

GLOCK = re.compile(r"^G:  s:(\w\w) n:(\d+)/([0-9a-f]+) f:(\w*) t:(\w\w) d:(\w\w)/(\d+) a:\d+ v:\d+ r:\d+ m:\d+ p:\d+$")
HOLDER = re.compile(r"^ H: s:(\w\w) f:(\w*) e:0 p:(\d+) \[([^\]]+)\] (\w+)\+0x[0-9a-f]+/0x[0-9a-f]+ \[gfs2\]$")
INODE = re.compile(r"^ I: n:\d+/(\d+) t:(\d+) f:0x00 d:0x[0-9a-f]{8} s:\d+ p:\d+$")
Record = tuple[re.Match[str], list[re.Match[str]], re.Match[str] | None]


@cache
def captures(node: str) -> tuple[tuple[float, tuple[Record, ...]], ...]:
    parts = re.split(r"^Thu Sep 19 ([\d:]{8}) UTC 2024$", texts(GFS2.key)[f"{node}/glocks.txt"], flags=re.MULTILINE)
    return tuple((clock_s(at), tuple(_records(body))) for at, body in zip(parts[1::2], parts[2::2], strict=True))


def _records(body: str) -> Iterator[Record]:
    for block in re.split(r"^(?=G:)", body, flags=re.MULTILINE):
        lines = block.split("\n")
        if glock := GLOCK.match(lines[0]):
            inode = next((m for line in lines if (m := INODE.match(line))), None)
            yield glock, [m for line in lines if (m := HOLDER.match(line))], inode


def directory(node: str) -> list[tuple[float, Record]]:
    number = f"{int(GFS2.answer.figures['directory_inode']):x}"
    return [(at, next(r for r in records if (r[0][2], r[0][3]) == ("2", number))) for at, records in captures(node)]


@pytest.mark.parametrize("node", GFS2.answer.nodes)
def test_every_node_is_captured_every_half_minute(node: str) -> None:
    moments = [at for at, _ in captures(node)]
    assert len(moments) == GFS2.answer.figures["dumps_per_node"]
    assert all(30 <= b - a <= 31 for a, b in pairwise(moments))


@pytest.mark.parametrize("node", GFS2.answer.nodes)
def test_hexadecimal_glock_numbers_are_the_decimal_inode_numbers(node: str) -> None:
    with_inode = [(glock, inode) for _, records in captures(node) for glock, _, inode in records if inode]
    assert len(with_inode) > 3000
    assert all(int(glock[3], 16) == int(inode[1]) for glock, inode in with_inode)


def test_thousands_of_idle_glocks_are_the_noise() -> None:
    numbers = {(g[2], g[3]) for node in GFS2.answer.nodes for _, records in captures(node) for g, _, _ in records}
    assert len(numbers) > 2000


def test_one_process_of_one_node_holds_the_directory_again_and_again() -> None:
    held = [(at, r) for at, r in directory("post2") if "D" in r[0][4]]
    assert len(held) == GFS2.answer.figures["captures_held"]
    assert {r[1][0][3] for _, r in held} == {str(int(GFS2.answer.figures["holder_pid"]))}
    assert all(len(r[1]) == 1 and r[1][0][2] == "H" and r[1][0][1] == r[0][1] for _, r in held)
    assert {r[0][1] for _, r in held} == {"SH", "EX"}
    ages = [int(r[0][7]) / 1e6 for _, r in held]
    assert max(ages) == GFS2.answer.figures["longest_demote_s"]
    begins = [at - age for (at, _), age in zip(held, ages, strict=True)]
    assert sum(b - a > 2 for a, b in pairwise(begins)) + 1 == GFS2.answer.figures["holds"]
    assert all(r[2] and r[2][2] == "4" for _, r in held)


def test_the_queue_grows_on_the_other_three_nodes() -> None:
    figures = GFS2.answer.figures
    counts = {
        node: [len([h for h in r[1] if "W" in h[2]]) for _, r in directory(node)]
        for node in ("post1", "post3", "post4")
    }
    totals = [sum(row) for row in zip(*counts.values(), strict=True)]
    assert totals[-1] == figures["waiters_at_end"]
    assert max(totals) == figures["waiters_peak"]
    assert next(total for total in totals if total > 1) == figures["waiters_first_capture"]
    assert sum(total > 1 for total in totals) == figures["captures_with_waiters"]
    assert {node: row[-1] for node, row in counts.items()} == {
        node: figures[f"waiters_at_end_{node}"] for node in counts
    }
    assert (
        sum(total == 1 for total in totals) == 2
    )  # two short waits before the backup, each in one capture of one node


def test_nobody_waits_for_what_would_be_granted() -> None:
    """Behind a shared hold only an exclusive request can stand first, and nobody else holds the lock."""
    for node in ("post1", "post3", "post4"):
        for at, (glock, holders, _) in directory(node):
            if at > clock_s("02:13:12"):
                assert glock[1] == "UN"
                assert "l" in glock[4]
                assert holders[0][1] == glock[5] == "EX"
                assert len({h[3] for h in holders}) == len(holders)


def test_the_first_in_the_queue_stays_while_the_hold_lasts() -> None:
    start = clock_s("02:17:59")
    for node in ("post1", "post3", "post4"):
        heads = {r[1][0][3] for at, r in directory(node) if at > start}
        assert len(heads) == 1


def test_dlm_names_have_twenty_four_characters_and_the_master_sees_the_queue() -> None:
    for node in GFS2.answer.nodes:
        text = texts(GFS2.key)[f"{node}/dlm_mail_locks.txt"]
        assert {len(name) for name in re.findall(r'"([^"]*)"', text)} == {24}
    master = texts(GFS2.key)["post3/dlm_mail_locks.txt"]
    rows = re.findall(r'^\w+ (\d) \w+ (\d+) 0 0 \w+ (\d) (-?\d) (-?\d) (\d+) 0 24 " +2 +3a7c1e"$', master, re.MULTILINE)
    assert len(rows) == 12
    granted = [row for row in rows if row[2] == "2"]
    assert {(row[0], row[1]) for row in granted} == {("2", "28417")}
    assert all(row[4] == "5" and 5_000_000 < int(row[5]) < 240_000_000 for row in rows if row[2] == "3")


def test_the_gfs2_bundle_holds_damage() -> None:
    text = texts(GFS2.key)["post4/glocks.txt"]
    assert re.search(r"^G:  s:SH n:5/\w+ f:Iqb t:SH\nd:EX/0 ", text, re.MULTILINE)
    assert "\nwatchdog: daemon" in text
    cut = [line for line in text.split("\n") if line.startswith("G:") and len(line) == 31 and " d:" not in line[-9:]]
    assert cut
