"""What was wrong and is put right in the same text: nodes that are back, and commands that went through later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

EXPEL = "2026-02-02_23:11:04.120+0100: [E] Node 10.1.1.3 (robin) is being expelled because of an expired lease.\n"
STATES = """
 Node number  Node name  GPFS state
-------------------------------------
           1  wren       active
           2  finch      active
           3  robin      {state}
"""
NOW = f"[root@wren ~]# mmgetstate -a\n{STATES}"
QUOTED = f"> On 3 Feb 2026, Ann Weaver wrote:\n> we had this last night:\n> {EXPEL}"
BACK = [
    f"{EXPEL}{NOW}",
    f"Hello,\nthis is how it looks now:\n\n{NOW}\n{QUOTED}",
    f"[root@wren ~]# date; mmgetstate -a\nWed Mar  4 09:12:44 CET 2026\n{STATES}\nOf last month:\n{EXPEL}",
]
GONE = [
    f"{EXPEL}{NOW.replace('{state}', 'down')}",
    f"[root@wren ~]# date; mmgetstate -a\nMon Feb  2 22:00:00 CET 2026\n{STATES}{EXPEL}",
    f"{NOW}\nthen it happened, from the log:\n{EXPEL}",
    f"Hello,\nthis is how it looks now:\n\n{NOW.replace('{state}', 'unknown')}\n{QUOTED}",
]


@pytest.mark.parametrize("text", BACK)
def test_a_node_that_is_active_again_is_no_outage(text: str, tmp_path: Path) -> None:
    verdict = diagnosis_of(tmp_path, text.replace("{state}", "active")).verdict
    assert verdict is not None
    assert (verdict.severity, "are back (robin)" in verdict.title) == ("medium", True)


@pytest.mark.parametrize("text", GONE)
def test_a_node_that_nothing_shows_active_later_is_out(text: str, tmp_path: Path) -> None:
    verdict = diagnosis_of(tmp_path, text.replace("{state}", "active")).verdict
    assert verdict is not None
    assert (verdict.severity, "robin" in verdict.title) == ("high", True)


MOUNT = "# mount -F vxfs /dev/vx/dsk/saltdg/lime /lime\n"
CORRUPT = "UX:vxfs mount: ERROR: V-3-21268: /dev/vx/dsk/saltdg/lime is corrupted. needs checking\n"
CHECKED = (
    "# fsck -F vxfs /dev/vx/rdsk/saltdg/lime\nlog replay in progress\nreplay complete - marking super-block as CLEAN\n"
)
IMPORT = "# vxdg {option}import saltdg\n"
IN_USE = "VxVM vxdg ERROR V-5-1-10978 Disk group saltdg: import failed:\nDisk is in use by another host\n"
LISTED = "# vxdg list\nNAME         STATE           ID\nsaltdg       enabled,cds     1581111111.34.wren\n"
PUT_RIGHT = [
    (f"{MOUNT}{CORRUPT}{CHECKED}{MOUNT}# df -k /lime\n", "medium"),
    (f"{IMPORT}{IN_USE}{IMPORT.replace('{option}', '-C ')}{LISTED}", "low"),
]
REFUSED = [
    (f"{MOUNT}{CORRUPT}{CHECKED}# df -k /lime\n", "critical"),
    (f"{MOUNT}{CORRUPT}{CHECKED}{MOUNT}{CORRUPT}# df -k /lime\n", "critical"),
    (f"{MOUNT}{CORRUPT}{MOUNT}mount: zorg of the lime went bleak 0x17\n# df -k /lime\n", "critical"),
    (f"{MOUNT}{CORRUPT}{CHECKED}{MOUNT}", "critical"),
    (f"{IMPORT}{IN_USE}{IMPORT.replace('saltdg', 'limedg')}# date\n", "medium"),
]


@pytest.mark.parametrize(("text", "severity"), [*PUT_RIGHT, *REFUSED])
def test_a_command_that_went_through_later_puts_its_refusal_right(text: str, severity: str, tmp_path: Path) -> None:
    verdict = diagnosis_of(tmp_path, text.replace("{option}", "")).verdict
    assert verdict is not None
    assert verdict.severity == severity
