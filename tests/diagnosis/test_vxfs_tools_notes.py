"""Notes on Veritas texts: where remarks, sentences, headings and sums contradict the data, and where they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.vxfs_texts import figures, findings, only, read

HEADER = (
    "gannet1# vxfsstat -s -t 10 /media\n09:14:05.833 Thu 21 Mar 2024 09:14:05 AM CET -- delta (10.000 sec sample)\n"
)


def test_a_remark_with_another_figure_than_its_row_is_reported_without_the_figure(tmp_path: Path) -> None:
    case = read(
        tmp_path,
        HEADER
        + "vxi_masterless_locks              0    vxi_normalize_locks           20043     <<< normalized 21996 locks\n",
    )
    finding = only(case, "CONTRADICTION")
    assert (finding.severity, len(finding.evidence)) == ("info", 1)
    assert "vxi_normalize_locks 20043" in finding.title
    assert "21996" not in finding.title + finding.explanation + str(figures(finding))


@pytest.mark.parametrize(
    "row",
    [
        (
            "vxi_hlockgrant                    0    vxi_hlockrevoke               46064     <<< revoked "
            "46064 h locks on node 0 in 10 seconds"
        ),
        (
            "vxi_hlockgrant                    0    vxi_hlockrevoke                  50     <<< about 50 "
            "revoke per 30 seconds"
        ),
        "vxi_hlockgrant                    0    vxi_hlockrevoke                  50     <<< about 120 of them",
        "vxi_hlockgrant                    0    vxi_hlockrevoke                  50     <<< h lock revoke",
        "vxi_hlockgrant                    0    vxi_hlockrevoke               46064",
    ],
)
def test_remarks_that_agree_or_speak_of_small_numbers_are_no_contradiction(tmp_path: Path, row: str) -> None:
    assert findings(read(tmp_path, HEADER + row + "\n"), "CONTRADICTION") == []


RECORD = "gannet1# vxfsstat -v /media\nvxi_icache_inuseino             {}    vxi_icache_maxino            398044\n"


def test_a_sentence_against_the_record_above_it(tmp_path: Path) -> None:
    remark = (
        "\nThis walk will take a while. Since vxi_icache_inuseino is 0, there are no inodes in the cache of "
        "this machine.\n"
    )
    finding = only(read(tmp_path / "a", RECORD.format(100) + remark), "CONTRADICTION")
    assert figures(finding) == {"As stated": 0.0, "In the record": 100.0}
    assert findings(read(tmp_path / "b", RECORD.format(0) + remark), "CONTRADICTION") == []
    assert findings(read(tmp_path / "c", remark), "CONTRADICTION") == []


TUNABLES = (
    "[root@dunlin2 ~]# vxtunefs /media\nFilesystem i/o parameters for /media\nread_pref_io = 65536\n"
    "write_pref_io = 65536\n"
)


def test_a_sentence_against_a_tunable(tmp_path: Path) -> None:
    remark = "\nOn this file system {}, which is what our notes have.\n"
    finding = only(read(tmp_path / "a", TUNABLES + remark.format("write_pref_io is 262144")), "CONTRADICTION")
    assert figures(finding) == {"As stated": 262144.0, "In the record": 65536.0}
    for folder, words in (
        ("b", "write_pref_io is 65536"),
        ("c", "write_pref_io should be set to 262144"),
        ("d", "pref_io is 262144"),
    ):
        assert findings(read(tmp_path / folder, TUNABLES + remark.format(words)), "CONTRADICTION") == []


@pytest.mark.parametrize("line", ["16.18 * 8 = 130.01", "4096 + 512 = 4096", "120 / 150 = 0.9", "4096 - 512 = 3548"])
def test_a_sum_that_its_figures_do_not_give(tmp_path: Path, line: str) -> None:
    finding = only(read(tmp_path, f"{TUNABLES}\n{line}\n"), "ARITHMETIC")
    assert (finding.severity, finding.basis) == ("info", "derived")


@pytest.mark.parametrize(
    "line",
    [
        "16.18 \\* 8 = 129.44",
        "4.5 * 128 = 576 (less, as they overlap)",
        "5.18 * 8 = 41.493624",  # the factor was cut before it was printed
        "4096 + 512 = 4608",
        "1 / 3 = 0.33",
        "2 * 3 + 4 = 10",
    ],
)
def test_a_sum_that_is_right_rounded_or_longer_is_none(tmp_path: Path, line: str) -> None:
    assert findings(read(tmp_path, f"{TUNABLES}\n{line}\n"), "ARITHMETIC") == []


def test_a_sum_beside_no_record_of_a_product_is_nobodys_business(tmp_path: Path) -> None:
    assert findings(read(tmp_path, "16.18 * 8 = 130.01\n"), "ARITHMETIC") == []


MOUNTED = (
    "[root@dunlin1 ~]# mount\n/dev/vx/dsk/rollsdg/rolls on /rolls type vxfs (rw,delaylog,cluster)\n"
    "[root@dunlin1 ~]# gabconfig -a\nGAB Port Memberships\n"
    "===============================================================\nPort a gen 6a4f01 membership 01\n"
)


@pytest.mark.parametrize(
    "command",
    [
        "vxfenclearpre",
        "vxdg -g rollsdg destroy rollsdg",
        "vxassist -g rollsdg remove volume rolls",
        "mkfs -t vxfs /dev/vx/rdsk/rollsdg/rolls",
        "fsck -t vxfs -o full -y /dev/vx/rdsk/rollsdg/rolls",
    ],
)
def test_commands_that_destroy_what_is_in_use_are_named(tmp_path: Path, command: str) -> None:
    finding = only(read(tmp_path / "a", f"{MOUNTED}[root@dunlin2 ~]# {command}\n"), "DESTRUCTIVE")
    assert (finding.severity, finding.nodes, len(finding.evidence)) == ("info", ("dunlin2",), 2)
    assert findings(read(tmp_path / "b", f"{TUNABLES}[root@dunlin2 ~]# {command}\n"), "DESTRUCTIVE") == []


@pytest.mark.parametrize(
    "command",
    [
        "vxdg list",
        "vxdg destroy sparedg",
        "vxassist -g rollsdg make spare 1g",
        "fsck -t vxfs /dev/vx/rdsk/rollsdg/rolls",
        "mkfs -t vxfs /dev/vx/rdsk/rollsdg/spare",
        "vxprint -ht",
    ],
)
def test_commands_that_only_look_or_touch_something_else_are_not(tmp_path: Path, command: str) -> None:
    assert findings(read(tmp_path, f"{MOUNTED}[root@dunlin2 ~]# {command}\n"), "DESTRUCTIVE") == []
