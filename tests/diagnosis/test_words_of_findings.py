"""What findings say in their own words: names, numbers of things, and advice that fits what was seen."""

from __future__ import annotations

from pathlib import Path

from tests.diagnosis.cluster_texts import diagnosis_of


def test_the_first_generation_of_gfs_has_a_check_of_its_own(tmp_path: Path) -> None:
    text = "{0}: fsid=alpha:vol.2: fatal: I/O error\n{0}: fsid=alpha:vol.2: about to withdraw from the cluster\n"
    first = diagnosis_of(tmp_path / "first", text.format("GFS")).findings[0].explanation
    second = diagnosis_of(tmp_path / "second", text.format("GFS2")).findings[0].explanation
    assert "gfs_fsck" in first
    assert "fsck.gfs2" not in first
    assert "fsck.gfs2" in second
    assert "gfs_fsck" not in second
    assert "withdraw file" not in first


def test_a_path_is_counted_once_by_port_address_and_name(tmp_path: Path) -> None:
    found = diagnosis_of(
        tmp_path,
        messages_dot_txt="""
Jun  1 03:12:39 moa kernel:  rport-11:0-2: blocked FC remote port time out: removing target and saving binding
Jun  1 03:12:39 moa kernel: sd 11:0:0:3: rejecting I/O to offline device
Jun  1 03:12:39 moa multipathd[1021]: sdq: mark as failed
Jun  1 03:12:39 moa multipathd[1021]: mpathd: remaining active paths: 1
""",
    )
    assert any("one was lost (sdq)" in one.title for one in found.findings)


def test_a_log_that_a_sentence_speaks_of_is_no_node(tmp_path: Path) -> None:
    lines = """
2026-03-11_02:15:40.002+0100: [E] Node 10.41.7.23 (birch03) is being expelled because of an expired lease.
2026-03-11_02:15:40.041+0100: [I] Recovering nodes: 10.41.7.23
"""
    for number, file in enumerate(("mmfs.log.latest", "messages.log.1", "kern.log.old", "mmfs.log.previous")):
        text = f"We lose a server at night. From {file} on the cluster manager:\n{lines}"
        title = diagnosis_of(tmp_path / str(number), text).findings[0].title
        assert "birch03" in title
        assert not any(word in title for word in ("mmfs", "messages", "kern"))


def test_a_key_of_nobody_makes_no_node(tmp_path: Path) -> None:
    text = """# vxfenadm -s all -f /etc/vxfentab
Device Name: /dev/vx/rdmp/emc0_00a1
Total Number Of Keys: 1
key[0]:
 [Numeric Format]:  86,70,57,69,68,67,48,48
 [Character Format]: VF9EDC00
 [Node Format]: Cluster ID: unknown  Node ID: 0  Node Name: unknown
"""
    assert not any("unknown" in node for one in diagnosis_of(tmp_path, text).findings for node in one.nodes)
