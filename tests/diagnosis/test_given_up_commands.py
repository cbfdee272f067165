"""Commands that adapters give up, devices they put away, replicas that may not be written, and tasks that sleep: whose
they are, and that nothing of it ends as calm.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, one, verdict_in

UP = "[{second}.123456] {text}\n"


def dmesg(*lines: str) -> str:
    return "".join(UP.format(second=900 + second, text=text) for second, text in enumerate(lines))


@pytest.mark.parametrize(
    "words",
    [
        "mptscsih: ioc2: attempting task abort! (sc=ffff88061db32a00)",
        "mpt2sas3: attempting device reset! scmd(ffff8814605d2100)",
        "mpt3sas_cm0: attempting target reset! scmd(0x00000000a1b2c3d4)",
    ],
)
@pytest.mark.parametrize("name", ["", "[sdk] ", "[sdk] tag#31 "])
def test_the_line_below_tells_whose_commands_an_adapter_gave_up(tmp_path: Path, words: str, name: str) -> None:
    named = dmesg(words, f"sd 4:0:11:2: {name}CDB: Read(10): 28 00 0c 56 c5 78 00 00 58 00")
    assert verdict_in(diagnosis_of(tmp_path / "named", named)).title == "Commands to 4:0:11:2 were aborted"
    assert verdict_in(diagnosis_of(tmp_path / "unnamed", dmesg(words, "usb 1-1: new device"))).title.startswith(
        "Commands were aborted"
    )


def test_an_adapter_that_resets_itself_is_still_one(tmp_path: Path) -> None:
    judged = diagnosis_of(tmp_path, dmesg("mpt3sas_cm0: sending diag reset !!", "mpt3sas_cm0: fault_state(0x5854)!"))
    assert "adapter" in verdict_in(judged).title


@pytest.mark.parametrize(
    "words",
    [
        "scsi: Device offlined - not ready after error recovery: host 1 channel 0 id 0 lun 2",
        "scsi3 (0:4): rejecting I/O to offline device",
        "sd 2:0:0:0: rejecting I/O to dead device",
    ],
)
@pytest.mark.parametrize("front", ["", "> ", "<3>"])
def test_a_device_that_was_put_away_is_named_in_any_age_of_kernel(tmp_path: Path, words: str, front: str) -> None:
    judged = verdict_in(diagnosis_of(tmp_path, f"{front}{words}\n{front}{words}\n"))
    assert "offline" in judged.title
    assert judged.severity == "high"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("drbd res7/0 drbd1007: Rejected WRITE request, not in Primary role. open_cnt:1", "not primary"),
        ("drbd res7: Auto-promote failed: State change was refused by peer node (-10)", "could not change its role"),
        ("drbd res7: Declined by peer kite2 (id: 1), see the kernel log there", "could not change its role"),
    ],
)
def test_a_replica_that_may_not_be_written_is_named(tmp_path: Path, words: str, says: str) -> None:
    title = verdict_in(diagnosis_of(tmp_path, dmesg(words))).title
    assert says in title
    assert "res7" in title


@pytest.mark.parametrize(
    "words", ["iscsi: Task timeout for task 0x1ac33840", "iscsi: Connection timeout (sid: 0, cid: 0)"]
)
def test_a_connection_that_timed_out_on_another_system_is_lost(tmp_path: Path, words: str) -> None:
    judged = verdict_in(diagnosis_of(tmp_path, f"Nov 23 12:49:50 kite3 kernel[0]: {words}\n"))
    assert "iSCSI connection" in judged.title


HUNG = """\
INFO: task rsync:4711 blocked for more than 120 seconds.
rsync           D 0000000000000001     0  4711      1 0x00000000
Call Trace:
 [<ffffffff81531ddf>] ? schedule+0x2f/0x70
 [<ffffffff815314ad>] ? io_schedule_timeout+0x9d/0x110
"""


def test_beside_a_silent_server_a_task_need_not_wait_for_a_disk(tmp_path: Path) -> None:
    silent = dmesg("nfs: server jar not responding, still trying")
    text = dmesg(*HUNG.splitlines())
    assert "NFS server" in one(tmp_path / "beside", "ST-22", silent + text).title
    assert "NFS" not in one(tmp_path / "alone", "ST-22", text).title
    by_frame = dmesg(*HUNG.splitlines(), " [<ffffffffa0312345>] ? nfs_file_fsync+0x30/0x280 [nfs]")
    assert "answer of an NFS server" in one(tmp_path / "frame", "ST-22", by_frame).title


LISTED = """\
sysrq: Show Blocked State
task:rsync state:D stack:    0 pid: 4711 ppid:     1 flags:0x00000000
Call Trace:
 __schedule+0x2d1/0x870
 schedule+0x55/0xf0
 {frame}do_syscall_64+0x5b/0x80
"""


def test_a_task_whose_stack_tells_nothing_is_no_calm(tmp_path: Path) -> None:
    [finding] = diagnosis_of(tmp_path / "bare", dmesg(*LISTED.format(frame="").splitlines())).findings
    assert (finding.ref, finding.severity) == ("ST-19", "low")
    assert "does not show" in finding.title
    at_disk = dmesg(*LISTED.format(frame="io_schedule+0x12/0x40\n ").splitlines())
    assert not [one for one in diagnosis_of(tmp_path / "disk", at_disk).findings if one.severity != "info"]


STACK = """\
[root@kite3 ~]# ps -eo pid,stat,wchan:20,cmd | grep rsync
 4711 {state}    jar_wait             /usr/bin/rsync -a /data /copy
[root@kite3 ~]# cat /proc/4711/stack
[<0>] jar_wait+0x42/0x90 [jar]
[<0>] jar_ioctl+0x112/0x300 [jar]
[<0>] do_syscall_64+0x5b/0x80
"""


def test_the_stack_of_a_process_that_sleeps_without_an_interrupt_counts(tmp_path: Path) -> None:
    finding = one(tmp_path / "asleep", "ST-19", STACK.format(state="D"))
    assert "jar_wait" in finding.title
    assert finding.nodes == ("kite3",)
    assert not diagnosis_of(tmp_path / "waiting", STACK.format(state="S")).findings


ESX_PATH = """\
fc.20b{n}:21b{n}-fc.50c1:50d1-naa.6f00aa22
   UID: fc.20b{n}:21b{n}-fc.50c1:50d1-naa.6f00aa22
   Runtime Name: vmhba{n}:C0:T1:L4
   Device: naa.6f00aa22
   Device Display Name: Jar Disk (naa.6f00aa22)
   Plugin: NMP
   State: {state}
   Transport: fc

"""


@pytest.mark.parametrize(("second", "severity"), [("active", "medium"), ("dead", "critical")])
def test_dead_paths_of_a_hypervisor_are_counted(tmp_path: Path, second: str, severity: str) -> None:
    finding = one(tmp_path, "ST-05", ESX_PATH.format(n=2, state="dead") + ESX_PATH.format(n=3, state=second))
    assert "naa.6f00aa22" in finding.title
    assert finding.severity == severity


@pytest.mark.parametrize("second", ["active", "standby"])
def test_paths_of_a_hypervisor_that_work_are_calm(tmp_path: Path, second: str) -> None:
    text = ESX_PATH.format(n=2, state="active") + ESX_PATH.format(n=3, state=second)
    assert verdict_in(diagnosis_of(tmp_path, text)).severity == "info"


REQUESTED = """\
Oct 11 14:48:58 host1 pacemaker-controld[29]: notice: Requesting fencing (reboot) targeting node host2
Oct 11 14:48:58 host1 pacemaker-fenced[28]: notice: Requesting peer fencing (reboot) targeting host2
"""
DONE = (
    "Oct 11 14:49:02 host3 pacemaker-fenced[28]: notice: Operation 'reboot' targeting host2 by host1 for x@host1: OK\n"
)
ENDED = "Oct 11 14:49:02 host1 crmd[29]: notice: Peer host2 was terminated (reboot) by host1 on behalf of crmd.1: OK\n"


def test_a_request_to_fence_without_its_result_is_no_calm(tmp_path: Path) -> None:
    request = verdict_in(diagnosis_of(tmp_path / "open", REQUESTED))
    assert "Fencing of host2 was asked for" in request.title
    assert request.severity == "medium"
    for name, end in (("done", DONE), ("ended", ENDED)):
        assert "asked for" not in " ".join(one.title for one in diagnosis_of(tmp_path / name, REQUESTED + end).findings)


@pytest.mark.parametrize("mark", ["", "- ", "  * ", "    "])
def test_failed_fencing_is_known_from_a_quoted_message(tmp_path: Path, mark: str) -> None:
    words = (
        "tengine_stonith_notify: Peer kite1 was not terminated (reboot) by kite3 for kite3: {why} (ref=b2) by client x"
    )
    text = "".join(f"{mark}notice: {words.format(why=why)}\n" for why in ("No such device", "No route to host"))
    assert "kite1" in one(tmp_path, "RC-02", text).title


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("  device-mapper: reload ioctl on  (252:9) failed: Device or resource busy\n", "252:9"),
        ("  device-mapper: create ioctl on jar-lv7 failed: Device or resource busy\n", "jar-lv7"),
        ("  WARNING: Device mismatch detected for jar/lv which is accessing /dev/sdd instead of (null).\n", "jar/lv"),
        ("[ 44.943356][ T2668] nvmet: connect request for invalid subsystem jar-1!\n", "jar-1"),
        ("[ 44.943356] nvme nvme7: Connect Invalid Data Parameter, subsysnqn \"jar-1\"\n", "nvme7"),
        ("[ 44.943356] nvme nvme7: Connect for subsystem nqn.jar is not allowed, hostnqn: nqn.kite\n", "nvme7"),
        ("Apr  3 15:31:23 kite2 heartbeat: kvmheartbeat.sh rebooted system because it was unable to write the heartbeat"
         " to the storage.\n", "restarts itself"),
    ],
)  # fmt: skip
def test_refusals_of_storage_are_named(tmp_path: Path, text: str, says: str) -> None:
    judged = verdict_in(diagnosis_of(tmp_path, text))
    assert says in judged.title
    assert judged.severity in {"medium", "high"}
