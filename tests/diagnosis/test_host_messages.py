"""Messages of hosts beneath a cluster that were read as everyday, each beside one that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

HEAD = "Mar 12 02:11:04 carp2 "


@pytest.mark.parametrize(
    ("line", "says", "severity"),
    [
        ("kernel: GPFS Deadman Switch timer [0] has expired; IOs in progress: 3", "deadman", "high"),
        ("systemd[1]: Failed to start IBM Spectrum Scale daemon.", "Spectrum Scale", "medium"),
        ("systemd: Failed to start Pacemaker High Availability Cluster Manager.", "Pacemaker", "medium"),
        ("kernel: audit: backlog limit exceeded", "audit", "medium"),
        ("kernel: audit: audit_backlog=8193 > audit_backlog_limit=8192", "audit", "medium"),
        ("kernel: TCP: out of memory -- consider tuning tcp_mem", "TCP", "medium"),
        ("kernel: mlx4_core 0000:03:00.0: Internal error detected:", "0000:03:00.0", "medium"),
        ("kernel: bnx2x: [bnx2x_attn_int_deasserted3:4323(p1p1)]MC assert!", "p1p1", "medium"),
        ("kernel: ib1: ipoib_cm_handle_tx_wc: failed cm send event (status=12, wrid=33 vend_err 81)", "ib1", "medium"),
        ("kernel: bond0: (slave p1p1): link status definitely down, disabling slave", "p1p1", "medium"),
        ("kernel: sd 1:0:0:3: [sdd] Medium access timeout failure. Offlining disk!", "1:0:0:3", "high"),
        ("kernel: qla2xxx [0000:21:00.0]-8009:1: DEVICE RESET ISSUED nexus=1:0:3 cmd=ffff88.", "reset", "medium"),
        ("kernel: scsi host7: ib_srp: failed receive status transport retry counter exceeded (12)", "host7", "medium"),
        ("chronyd[812]: System clock wrong by 34.221112 seconds, adjustment started", "clock", "medium"),
        ("ntpd[811]: time reset -12.331211 s", "clock", "medium"),
        (
            "kernel: gfs2: fsid=ha:web.1: rgrp 98311 has an error, marking it readonly until umount",
            "ha:web",
            "critical",
        ),
        ("kernel: gfs2: fsid=ha:web.1: umount on all nodes and run fsck.gfs2 to fix the error", "ha:web", "critical"),
        ("kernel: gfs2: fsid=ha:web.1: can't acquire mount glock: -110", "mount ha:web", "medium"),
        ("kernel: gfs2: fsid=ha:web.1: my journal (1) is bad: -5", "mount ha:web", "medium"),
        ("kernel: gfs2: fsid=ha:web.1: Reprocessing of jid 2 failed with -5.", "journal of ha:web", "medium"),
        ("kernel: dlm: connect from non cluster IPv4 node 10.3.0.9", "10.3.0.9", "medium"),
        ("kernel: drbd db alder: Digest integrity check FAILED: 2048s +4096", "checksum of drbd db", "medium"),
        ("kernel: block drbd5: Digest integrity check FAILED. Broken NICs?", "drbd5", "medium"),
        ("kernel: drbd db/0 drbd5 alder: Concurrent writes detected: local=8 +8, remote=8 +8", "one block", "medium"),
        ("kernel: drbd db/0 drbd5 alder: I shall become SyncTarget, but I am primary!", "do not accept", "medium"),
        ("pacemaker-controld[8]: error: We're not part of the cluster anymore", "no longer part", "high"),
        ("pacemaker-controld[8]: crit: Lost connection to the scheduler", "pacemaker", "high"),
        (
            "pacemaker-fenced[8]: error: Could not connect to the CIB manager: Connection refused (-111)",
            "CIB",
            "medium",
        ),
        ("multipathd[8]: mpathk: size mismatch for sdx, not adding path", "sdx", "medium"),
        ("multipathd[8]: mpathk: path sdx WWID 3600a doesn't match, removing from map", "another disk", "high"),
        ("kernel: md/linearmd4: Disk failure on sdk1 detected, failing array.", "md4", "critical"),
        ("kernel: md: fatal superblock inconsistency in sdk1 -- removing from array", "refused", "medium"),
        ("kernel: nvme nvme4: NVME-FC{2}: controller connectivity lost. Awaiting Reconnect", "nvme4", "medium"),
        ("kernel: nvme nvme4: NVME-FC{2}: dev_loss_tmo (60) expired while waiting for remoteport", "nvme4", "critical"),
        ("kernel: nvme nvme4: queue 2: timeout request 0x1f type 4", "nvme4", "medium"),
        ("kernel: nvme nvme4: data digest error: recv 0xab12 expected 0x99fe", "checksum", "medium"),
        ("kernel: nvme nvme4: identifiers changed for nsid 3", "another disk", "high"),
        (
            "kernel: nvme4n1: Read(0x2) @ LBA 70144, 16 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) DNR",
            "nvme4n1",
            "critical",
        ),
        (
            "kernel: nvme4n1: Write(0x1) @ LBA 70144, 16 blocks, Host Aborted Command (sct 0x3 / sc 0x71)",
            "nvme4n1",
            "medium",
        ),
        ("corosync[77]: [WD    ] NOT tickling the watchdog!", "watchdog", "high"),
        (
            "corosync[77]: [SERV  ] Service engine 'corosync_cpg' failed to load for reason 'no memory'",
            "corosync",
            "medium",
        ),
        (
            "corosync[77]: [TOTEM ] One of your ip addresses are now bound to localhost.",
            "corosync",
            "medium",
        ),
        (
            "rsyslogd[8]: file '/var/log/messages'[9] write error - see OS error: No space left on device",
            "room",
            "medium",
        ),
    ],
)
def test_a_message_of_trouble_is_reported(tmp_path: Path, line: str, says: str, severity: str) -> None:
    verdict = verdict_in(diagnosis_of(tmp_path, f"{HEAD}{line}\n"))
    assert says.lower() in verdict.title.lower()
    assert verdict.severity == severity


@pytest.mark.parametrize(
    "lines",
    [
        ["kernel: audit: enabling netlink socket"],
        ["systemd[1]: Started IBM Spectrum Scale daemon."],
        ["systemd[1]: Failed to start Process archive logs."],
        ["kernel: mlx5_core 0000:5e:00.1: Port module event: module 1, Cable unplugged"],
        ["kernel: bond0: (slave p1p1): link status definitely up, 10000 Mbps full duplex"],
        ["chronyd[812]: System clock wrong by 0.021112 seconds, adjustment started"],
        ["chronyd[812]: Can't synchronise: no selectable sources", "chronyd[812]: Selected source 10.1.1.1"],
        ["ntpd[811]: time reset +0.331211 s"],
        ["rsyslogd[8]: [origin software=rsyslogd] rsyslogd was HUPed"],
        [
            "kernel: gfs2: fsid=ha:web.1: Waiting for journal recovery jid 2.",
            "kernel: gfs2: fsid=ha:web.1: Journal recovery complete for jid 2.",
            "kernel: gfs2: fsid=ha:web.1: File system extended by 4096 blocks.",
        ],
        ["kernel: nvme nvme4: NVME-FC{2}: controller connect complete"],
        ["pacemaker-fenced[8]: info: Connection to the CIB manager established"],
        ["kernel: drbd db alder: Handshake to peer 1 successful: Agreed network protocol version 121"],
        ["multipathd[8]: sdx [65:112]: path added to devmap mpathk"],
        ["kernel: nvme4: Identify(0x6), Invalid Field in Command (sct 0x0 / sc 0x2) DNR"],
        ["corosync[77]: [SERV  ] Service engine loaded: corosync cluster closed process group service v1.01 [2]"],
    ],
)
def test_an_everyday_message_is_none(tmp_path: Path, lines: list[str]) -> None:
    text = "".join(f"{HEAD}{line}\n" for line in lines)
    assert verdict_in(diagnosis_of(tmp_path, text)).severity in {"info", "low"}


SCALE = "2031-03-12_02:11:30.440+0100: [N] mmfsd ready\n2031-03-12_02:11:36.440+0100: "


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "[I] VERBS RDMA port state changed from IBV_PORT_ACTIVE to IBV_PORT_DOWN for device mlx5_3 port 1.",
            "mlx5_3",
        ),
        ("[N] The server side TLS handshake with node 10.4.1.9 failed: error 407 (return code 407).", "10.4.1.9"),
        (
            "[W] Snapshot quiesce of SG pots snap -1/0 doing 'mmcrsnapshot' timed out on node 10.4.1.9. Retrying.",
            "pots",
        ),
    ],
)
def test_a_message_of_the_daemon_is_reported(tmp_path: Path, line: str, says: str) -> None:
    verdict = verdict_in(diagnosis_of(tmp_path, mmfs_dot_log=f"{SCALE}{line}\n"))
    assert says in verdict.title
    assert verdict.severity == "medium"


@pytest.mark.parametrize(
    "line",
    [
        "[I] VERBS RDMA port state changed from IBV_PORT_INIT to IBV_PORT_ACTIVE for device mlx5_3 port 1.",
        "[N] The server side TLS handshake with node 10.4.1.9 was cancelled: connection reset by peer (420).",
    ],
)
def test_a_port_that_came_and_a_handshake_that_ended_are_none(tmp_path: Path, line: str) -> None:
    assert verdict_in(diagnosis_of(tmp_path, mmfs_dot_log=f"{SCALE}{line}\n")).severity == "info"
