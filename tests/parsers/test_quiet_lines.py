"""Lines of system logs that told nothing and come again are passed over: what is read of the log stays the same."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from parsers.formats.host.logs import quiet_lines
from parsers.formats.host.logs.kernel_log_kinds import GRAVE
from parsers.formats.host.logs.known_lines import KnownLines
from parsers.formats.host.logs.log_heads import STAMP
from parsers.formats.host.logs.log_reader import LogReader
from parsers.formats.host.logs.quiet_lines import QuietLines
from parsers.patterns.digits import tells_digits
from tests.parsers.golden import FIXTURES
from tests.parsers.test_plain_shapes import TURNED, read_of

LOGS = sorted(path.name for path in FIXTURES.glob("kernel_log*") if (path / "typical.txt").exists())
QUIET = (
    "kernel: perf: interrupt took too long ({0} > 61{1}), lowering kernel.perf_event_max_sample_rate to {0}000",
    "kernel: [{0}.{1}00034] audit: type=13{1} audit(17724{0}.1{1}1:{0}): op=set audit_pid={0} old=0 res=1",
    "corosync[12{1}]:   [MAIN  ] Completed service synchronization, ready to provide service.",
    "crmd[4{1}]: notice: State transition S_IDLE -> S_POLICY_ENGINE {0}",
)
TROUBLE = (
    "kernel: device-mapper: multipath: Failing path 8:{1}.",
    "kernel: bnx2x 0000:04:00.{1} eth{1}: NIC Link is Down",
    "kernel: INFO: task imapd:{0} blocked for more than 120 seconds.\n"
    "{2}kernel: Call Trace:\n{2}kernel: [<ffffffff8100b072>] gfs2_glock_wait+0x45/0x90 [gfs2]\n"
    "{2}kernel: audit: type=1305 audit(17724{0}.111:{0}): op=set audit_pid={0} old=0 res=1",
    "kernel: perf: interrupt took too long ({0} > 611), lowering\n    kernel.perf_event_max_sample_rate to {0}000",
    "kernel: BUG: unable to handle kernel paging request at 00000000{0}\n"
    "{2}kernel: perf: interrupt took too long ({0} > 611), lowering kernel.perf_event_max_sample_rate to 1000\n"
    "{2}kernel: RIP: 0010:[<ffffffffa0{0}>]  [<ffffffffa0{0}>] gfs2_trans_add_bh+0x3{1}/0x80 [gfs2]",
)


def log_of(host: str, count: int = 1200) -> str:
    lines = []
    for at in range(count):
        head = f"Mar  9 20:{at // 60 % 60:02d}:{at % 60:02d} {host} "
        bodies = TROUBLE if at % 97 == 96 else QUIET
        lines.append(head + bodies[at // 97 % len(bodies) if at % 97 == 96 else at % 4].format(1000 + at, at % 9, head))
    return "\n".join(lines) + "\n"


def read_without(text: str, monkeypatch: pytest.MonkeyPatch) -> object:
    with monkeypatch.context() as patch:
        patch.setattr(QuietLines, "learn", lambda *args: None)
        return read_of(text)


@pytest.mark.parametrize("host", ["kite3", "db-7.example.org", "n12"])
def test_what_is_read_of_a_log_does_not_change(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = log_of(host)
    learned: list[str] = []
    kept = QuietLines.learn

    def learn(self: QuietLines, shape: bytes, at: bytes, program: str, group: str | None, message: str) -> None:
        kept(self, shape, at, program, group, message)
        learned.append(message)

    with monkeypatch.context() as patch:
        patch.setattr(QuietLines, "learn", learn)
        known = read_of(text)
    assert 200 < len(learned) < 900  # the others were passed over
    assert known == read_without(text, monkeypatch)


@pytest.mark.parametrize("sample", LOGS)
def test_samples_of_logs_read_the_same(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    once = (FIXTURES / sample / "typical.txt").read_text("utf-8", "surrogateescape")
    text = "\n".join((once, once.translate(TURNED), log_of("kite3", 400), once, once.translate(TURNED), log_of("x", 9)))
    monkeypatch.setattr(quiet_lines, "LEARNED_AFTER", 3)
    assert read_of(text) == read_without(text, monkeypatch)


def test_a_message_that_other_figures_would_make_one_that_tells_is_not_learned() -> None:
    text = "nvme nvme0: I/O 12 QID 3 timeout"
    lines = QuietLines(seen_n=1_000)
    lines.learn(b"kernel: " + text.encode(), b"kite3", "kernel", "kernel", text)
    assert not lines.known


@pytest.mark.parametrize(
    "text", ["V-2-17 vx_nospace - /dev/vx/dsk file system full", "[<ffffffff8100b072>] run+0x1/0x2", "INFO: rcu"]
)
def test_codes_and_frames_are_read_each_time(text: str) -> None:
    lines = QuietLines(seen_n=1_000)
    lines.learn(text.encode(), b"kite3", "kernel", "kernel", text)
    lines.learn(b"x", b"kite3", "kernel", "kernel", "perf: interrupt took too long (1 > 2), lowering")
    assert lines.known == {b"x"}


DULL = (
    "sshd[{0}]: Accepted publickey for ana from 10.9.{1}.{0} port 4{1} ssh2: RSA SHA256:{0}a{1}f{0}",
    "CROND[{0}]: (root) CMD (/usr/lib64/sa/sa1 1 1)",
    "systemd[1]: Started Session {0} of user ana.",
    "systemd-logind[1022]: New session {0}.",
)
AMONG = (
    "backup[{0}]: cannot write /srv/pots/{0}: No space left on device",
    "sshd[{0}]: Exiting on signal 1{1}",
    "systemd[1]: backup.service: Failed with result 'exit-code'.",
    "smartd[{0}]: ERROR: something is wrong with disk {1}",
)


def mixed_log(hosts: tuple[str, ...], count: int = 6000) -> str:
    """Lines of one program after the other, mostly of the first host."""
    lines = []
    for at in range(count):
        host = hosts[0] if at % 1500 < 1400 else hosts[at % len(hosts)]
        head = f"Mar  9 2{at // 3600 % 4}:{at // 60 % 60:02d}:{at % 60:02d} {host} "
        bodies = TROUBLE if at % 397 == 396 else AMONG if at % 131 == 130 else (*DULL, *QUIET)
        lines.append(head + bodies[at * 7 // 3 % len(bodies)].format(1000 + at, at % 9, head))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "hosts", [("kite3",), ("carp",), ("kite3", "kite4"), ("carp", "perch"), ("db-7.example.org", "db-8.example.org")]
)
def test_lines_that_are_known_whole_are_passed_over_as_others_are_read(
    hosts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = mixed_log(hosts)
    passed: list[int] = []
    real = KnownLines.run

    def run(self: KnownLines, at: int) -> object:
        found = real(self, at)
        passed.append(found.lines if found is not None else 0)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(KnownLines, "run", run)
        fast = read_of(text)
    assert (len(hosts) > 1) or sum(passed) > 3000
    with monkeypatch.context() as patch:
        patch.setattr(KnownLines, "run", lambda self, at: None)
        assert read_of(text) == fast


REPEATED = (
    "chronyd[877]: Selected source 10.9.0.{1} (stratum 2)",
    "multipathd[1204]: mpathb: remaining active paths: {1}",
    "corosync [TOTEM ] Retransmit List: 1a2b",
    "pgsql(orders)[2211]: ERROR: command failed",
    "scsi: [ID 107833 kern.warning] WARNING: /pci@1f/sd@0 (sd3): Error for Command: read(10)  Error Level: Retryable",
    "scsi: [ID 107833 kern.notice] Requested Block: 1123  Error Block: 1123",
    "gfs2: fsid=alpha:spool.1: fatal: filesystem consistency error",
    "gfs2:    inode = 12 3{1}",
    "lvm[3]: Monitoring mirror\n   that goes on below",
    "fmd: [ID 377184 daemon.error] SUNW-MSG-ID: ZFS-8000-D3, TYPE: Fault, VER: 1, SEVERITY: Major",
    "EVENT-TIME: Mon Mar  9 20:33:13 CET 2031",
)


@pytest.mark.parametrize("seed", range(4))
def test_words_that_come_again_are_taken_apart_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(seed)
    lines = []
    for at in range(1500):
        bodies = TROUBLE if at % 90 == 89 else QUIET if rng.random() < 0.2 else REPEATED
        stamp = f"Mar {9 + at // 700:2d} 2{at // 600}:{at // 60 % 60:02d}:{at % 60:02d}{'.120' if at % 11 == 0 else ''}"
        head = f"{stamp} {rng.choice(('kite3', 'kite3', 'kite3', 'corosync', 'kite4'))} "
        lines.append(head + rng.choice(bodies).format(1000 + at, at % 3, head))
    text = "\n".join(lines) + "\n"
    again: list[bool] = []
    real = LogReader.again

    def noted(self: LogReader, *words: Any) -> bool:
        again.append(real(self, *words))
        return again[-1]

    with monkeypatch.context() as patch:
        patch.setattr(LogReader, "again", noted)
        fast = read_of(text)
    assert sum(again) > 100
    with monkeypatch.context() as patch:
        patch.setattr(LogReader, "again", lambda *words: False)
        assert read_of(text) == fast


def test_a_line_of_another_host_is_not_passed_over_for_its_shape() -> None:
    lines = [f"Mar  9 20:{at // 60:02d}:{at % 60:02d} kite3 CROND[{1000 + at}]: (root) CMD (sa1)" for at in range(3000)]
    here = read_of("\n".join(lines) + "\n")
    lines[2500] = lines[2500].replace("kite3", "kite4")
    assert read_of("\n".join(lines) + "\n") != here


def test_shapes_of_dull_lines_tell_no_digits_apart() -> None:
    assert not tells_digits(STAMP)
    assert not tells_digits(GRAVE)
