"""Texts as people send them, one by one: what their lines are read as."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from parsers.records import Event
from tests.diagnosis.cluster_texts import diagnosis_of
from tests.parsers.golden import Reading

TEN_AND_A_HALF_US: Final = 10_500_000


def test_words_behind_a_tab_go_on_with_a_message_of_solaris(tmp_path: Path) -> None:
    head = "Mar  4 05:06:17 orca scsi: [ID 243001 kern.warning] WARNING: /pci@0,600000/fibre-channel@1/fp@0,0 (fcp2):"
    diagnosis = diagnosis_of(tmp_path, f"{head}\nMar  4 05:06:17 orca \tFCP: ADISC to D_ID=0x10e00 failed; lun=0x0\n")
    assert diagnosis.verdict is not None
    assert "ADISC" in diagnosis.verdict.title


def test_a_line_that_shows_how_long_its_kernel_ran_gets_its_moment() -> None:
    head = (
        "2031-03-04T05:06:07+01:00 oats kernel: [884213.000000] GFS2: fsid=farm:grain.1: fatal: invalid metadata block"
    )
    below = "[884223.500000] GFS2: fsid=farm:grain.1: withdrawn"
    first, *_, last = Reading(f"{head}\n{below}\n").of(Event)
    assert last.node == "oats"
    assert last.at is not None
    assert first.at is not None
    assert last.at - first.at == TEN_AND_A_HALF_US
    elsewhere = "[5.500000] GFS2: fsid=farm:grain.1: withdrawn"
    assert Reading(f"{head}\n{elsewhere}\n").of(Event)[-1].at is None


def test_an_error_of_the_command_is_no_everyday_line(tmp_path: Path) -> None:
    text = "[root@oats ~]# mmexpelnode --list\nmmexpelnode: 6027-1614 Could not open file /var/mmfs/gen/mmsdrfs.\n"
    verdict = diagnosis_of(tmp_path, text).verdict
    assert verdict is not None
    assert verdict.form == "not_judged"
    assert "6027-1614" in verdict.title
