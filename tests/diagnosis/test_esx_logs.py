"""Logs of ESXi hosts: devices without a path, lost paths and datastores, and what is over or everyday."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

OLD = "2031-02-20T01:10:{second:02}.301Z cpu8:2097221)StorageApdHandlerEv: 110: {text}\n"
NEW = "2031-02-20T01:10:{second:02}.301Z In(182) vmkernel: cpu8:2097221 opID=7a)StorageApdHandlerEv: 110: {text}\n"
VOBD = "2031-02-20T01:10:{second:02}.301Z In(14) vobd[2098011]:  [APDCorrelator] 110us: {text}\n"
OBSERVED = "2031-02-20T01:10:{second:02}.301Z: [APDCorrelator] 110us: {text}\n"
SENT = "2031-02-20T01:10:{second:02}.301Z esx-7.lab vmkernel: cpu8:2097221)StorageApdHandlerEv: 110: {text}\n"
DOWN = "Device or filesystem with identifier [{disk}] has entered the All Paths Down state."
BACK = "Device or filesystem with identifier [{disk}] has exited the All Paths Down state."


@pytest.mark.parametrize("form", [OLD, NEW, VOBD, SENT, OBSERVED])
@pytest.mark.parametrize("disk", ["naa.6f0011aa22", "eui.00c0ffee", "t10.NVMe____Jar_9", "1f2e3d4c-5b6a7988"])
def test_a_device_without_a_path_is_named_and_leads_somewhere(tmp_path: Path, form: str, disk: str) -> None:
    down = form.format(second=1, text=DOWN.format(disk=disk))
    judged = diagnosis_of(tmp_path / "down", down)
    assert verdict_in(judged).title.startswith(f"No path is left to {disk}")
    assert verdict_in(judged).severity in {"high", "critical"}
    assert any("esxcli storage core path list" in command for step in judged.next_steps for command in step.commands)
    over = diagnosis_of(tmp_path / "over", down + form.format(second=40, text=BACK.format(disk=disk)))
    assert verdict_in(over).severity in {"info", "low", "medium"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('HPP: Move:645: Path "vmhba65:C0:T1:L3" state changed from "active" to "dead"', "vmhba65:C0:T1:L3 is down"),
        ("[esx.problem.vmfs.heartbeat.timedout] Lost access to volume 5f00-22 (jars) due to x.", "5f00-22 (jars)"),
        ("ScsiDeviceIO: 1513: Device naa.6f002 performance has deteriorated. I/O latency", "latency of naa.6f002"),
        ("NVMFDEV:1302 Controller 261 (nqn.2030-01.lab:jars) is in fail state", "controller 261"),
        ("[esx.problem.net.vmnic.linkstate.down] Physical NIC vmnic2 linkstate is down.", "vmnic2 has no link"),
        ("Device or filesystem with identifier [naa.6f00] has entered the All Paths Down Timeout state after being"
         " in the All Paths Down state for 140 seconds.", "naa.6f00 stayed down for 140 s"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", [OLD, VOBD])
def test_what_else_a_host_says_is_reported_with_its_object(tmp_path: Path, form: str, text: str, says: str) -> None:
    judged = diagnosis_of(tmp_path, form.format(second=3, text=text))
    assert says in verdict_in(judged).title
    assert verdict_in(judged).severity in {"medium", "high", "critical"}
    assert judged.next_steps


@pytest.mark.parametrize(
    "text",
    [
        'Cmd(0x45b8) 0x1a, CmdSN 0x11 from world 0 to dev "naa.6f" H:0x0 D:0x2 P:0x0 Valid sense data: 0x5 0x24',
        "World: 12075: VC opID 77ab maps to vmkernel opID 88cd",
        'HPP: HppPathGroupMovePath:645: Path "vmhba65:C0:T1:L3" state changed from "dead" to "active"',
        "[esx.clear.net.vmnic.linkstate.up] Physical NIC vmnic2 linkstate is up.",
    ],
)
def test_everyday_lines_are_no_alarm(tmp_path: Path, text: str) -> None:
    judged = diagnosis_of(tmp_path, OLD.format(second=3, text=text))
    assert not [one for one in judged.findings if one.severity != "info"]


@pytest.mark.parametrize("disk", ["1f2e3d4c-5b6a7988", "naa.6f0011aa22"])
def test_the_handler_of_lost_paths_tells_begin_and_end(tmp_path: Path, disk: str) -> None:
    down = OLD.format(second=1, text=f"APD Timer started for ident [{disk}]")
    long = OLD.format(second=9, text=f"APD Timeout for ident [{disk}]")
    back = OLD.format(second=40, text=f"APD Exit for ident [{disk}]")
    assert verdict_in(diagnosis_of(tmp_path / "down", down)).title == f"No path is left to {disk}"
    assert verdict_in(diagnosis_of(tmp_path / "long", down + long)).severity == "critical"
    assert verdict_in(diagnosis_of(tmp_path / "back", down + back)).severity in {"info", "low", "medium"}
    assert not diagnosis_of(tmp_path / "made", OLD.format(second=1, text="APD Handle Created with lock")).findings


@pytest.mark.parametrize("front", ["Z| vcpu-0| I120: ", "Z| vmx| W115: ", "Z In(05) vmx - ", "Z Wa(03) vcpu-12 - "])
def test_the_log_of_a_machine_tells_of_a_snapshot_that_waited_in_vain(tmp_path: Path, front: str) -> None:
    stamp = "2031-02-20T01:10:11.201"
    late = f"{stamp}{front}[msg.snapshot.quiesce.timeout] Timed out while quiescing the virtual machine.\n"
    judged = diagnosis_of(tmp_path / "late", late)
    assert "did not quiesce" in verdict_in(judged).title
    calm = f"{stamp}{front}ToolsBackup: changing quiesce state: IDLE -> STARTED\n"
    assert not diagnosis_of(tmp_path / "calm", calm).findings
