"""Notes on Veritas texts: where remarks, sentences, headings and sums contradict the data, and where they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.test_vxfs_tools_requests import FAST, HEAD, SLOW
from tests.diagnosis.vxfs_texts import figures, findings, only, read

HEADER = "gannet1# vxfsstat -s -t 10 /media\n09:14:05.833 Thu 21 Mar 2024 09:14:05 AM CET -- delta (10.000 sec sample)\n"


def test_a_remark_with_another_figure_than_its_row_is_told_without_the_figure(tmp_path: Path) -> None:
    case = read(
        tmp_path, HEADER + "vxi_masterless_locks              0    vxi_normalize_locks           20043     <<< normalized 21996 locks\n"
    )
    finding = only(case, "CONTRADICTION")
    assert (finding.severity, len(finding.evidence)) == ("info", 1)
    assert "vxi_normalize_locks 20043" in finding.title
    assert "21996" not in finding.title + finding.explanation + str(figures(finding))


@pytest.mark.parametrize(
    "row",
    [
        "vxi_hlockgrant                    0    vxi_hlockrevoke               46064     <<< revoked 46064 h locks on node 0 in 10 seconds",
        "vxi_hlockgrant                    0    vxi_hlockrevoke                  50     <<< about 50 revoke per 30 seconds",
        "vxi_hlockgrant                    0    vxi_hlockrevoke                  50     <<< about 120 of them",
        "vxi_hlockgrant                    0    vxi_hlockrevoke                  50     <<< h lock revoke",
        "vxi_hlockgrant                    0    vxi_hlockrevoke               46064",
    ],
)
def test_remarks_that_agree_or_speak_of_small_numbers_are_no_contradiction(tmp_path: Path, row: str) -> None:
    assert findings(read(tmp_path, HEADER + row + "\n"), "CONTRADICTION") == []


RECORD = "gannet1# vxfsstat -v /media\nvxi_icache_inuseino             {}    vxi_icache_maxino            398044\n"


def test_a_sentence_against_the_record_above_it(tmp_path: Path) -> None:
    said = "\nThis walk will take a while. Since vxi_icache_inuseino is 0, there are no inodes in the cache of this machine.\n"
    finding = only(read(tmp_path / "a", RECORD.format(100) + said), "CONTRADICTION")
    assert figures(finding) == {"As stated": 0.0, "In the record": 100.0}
    assert findings(read(tmp_path / "b", RECORD.format(0) + said), "CONTRADICTION") == []
    assert findings(read(tmp_path / "c", said), "CONTRADICTION") == []


def test_a_product_that_its_factors_do_not_give(tmp_path: Path) -> None:
    finding = only(read(tmp_path / "a", HEAD + FAST + "\n16.18 * 8 = 130.01\n"), "ARITHMETIC")
    assert "16.18 \u00d7 8 is 129.44, not 130.01" in finding.title
    assert (
        findings(read(tmp_path / "b", HEAD + FAST + "\n16.18 \\* 8 = 129.44\n4.5 * 128 = 576 (less, as they overlap)\n"), "ARITHMETIC")
        == []
    )


def test_a_factor_that_was_cut_before_it_was_printed_is_recognised(tmp_path: Path) -> None:
    done = "205.186703 - 0 0 0x2a100477d20 64 biodone device: 273,4009 block: 1000 buf: 0x120\n5.186703ms\n"
    asked = "200.000000 - 12 1 0x30101ab0e00 2 strategy device: 273,4009 block: 1000 size: 0x100000 buf: 0x120 flags: 0x121\n"
    finding = only(read(tmp_path, asked + done + "\n5.18 * 8 = 41.493624\n"), "ARITHMETIC")
    assert "8 times 5.186703" in finding.explanation


def test_a_factor_that_the_trace_does_not_show_is_open(tmp_path: Path) -> None:
    said = "The customer saw that copying this large file was slower by up to a factor of {} on one of the two file systems.\n\n"
    finding = only(read(tmp_path / "a", said.format(4) + HEAD + SLOW + FAST), "OPEN")
    assert figures(finding) == {"As stated": 4.0, "In the trace": 1.67}
    assert findings(read(tmp_path / "b", said.format(1.7) + HEAD + SLOW + FAST), "OPEN") == []


@pytest.mark.parametrize(
    "command",
    [
        "vxfenclearpre",
        "vxdg -g rollsdg destroy rollsdg",
        "vxassist -g rollsdg remove volume rolls",
        "fsck -t vxfs -o full -y /dev/vx/rdsk/rollsdg/rolls",
    ],
)
def test_commands_that_destroy_are_named(tmp_path: Path, command: str) -> None:
    finding = only(read(tmp_path, f"[root@dunlin2 ~]# {command}\n"), "DESTRUCTIVE")
    assert (finding.severity, finding.nodes) == ("info", ("dunlin2",))


@pytest.mark.parametrize(
    "command", ["vxdg list", "vxassist -g rollsdg make spare 1g", "fsck -t vxfs /dev/vx/rdsk/rollsdg/rolls", "vxprint -ht"]
)
def test_commands_that_only_look_or_add_are_not(tmp_path: Path, command: str) -> None:
    assert findings(read(tmp_path, f"[root@dunlin2 ~]# {command}\n"), "DESTRUCTIVE") == []
