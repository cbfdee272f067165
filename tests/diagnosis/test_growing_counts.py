"""Counts of SMART that grow between two looks at one disk (ST-49)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

HOURS = "  9 Power_On_Hours          0x0032   080   080   000    Old_age   Always       -       {hours}\n"
LOOK = """[root@wren ~]# smartctl -A /dev/{disk}
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       {sectors}
199 UDMA_CRC_Error_Count    0x003e   200   200   000    Old_age   Always       -       {broken}
"""
SECTORS = "medium", "Disk sdf on wren: Reallocated_Sector_Ct grew from 8 to 40 between two looks"
CABLE = "low", "Disk sdf on wren: UDMA_CRC_Error_Count grew from 3 to 1403 between two looks"


def look(sectors: int, broken: int = 0, *, disk: str = "sdf", hours: int | None = None) -> str:
    text = LOOK.format(disk=disk, sectors=sectors, broken=broken)
    return text if hours is None else text + HOURS.format(hours=hours)


def titles(tmp_path: Path, *texts: str) -> list[tuple[str, str]]:
    found = diagnosis_of(tmp_path, "".join(texts)).findings
    return [(one.severity, one.title) for one in found if one.ref == "ST-49"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((look(8), look(40)), [SECTORS]),
        ((look(8, 3), look(8, 1403)), [CABLE]),
        ((look(8), look(8)), []),
        ((look(8, 3), look(8, 4)), []),
        ((look(8), look(40, disk="sdg")), []),
        ((look(8, hours=100), look(40, hours=140)), [SECTORS]),
        ((look(8, hours=9100), look(40, hours=140)), []),
    ],
    ids=["sectors", "cable", "as before", "one transfer", "two disks", "hours go on", "hours of another disk"],
)
def test_counts_that_grow_are_named(tmp_path: Path, texts: tuple[str, ...], expected: list[tuple[str, str]]) -> None:
    assert titles(tmp_path, *texts) == expected


def test_two_serial_numbers_are_two_disks(tmp_path: Path) -> None:
    first, second = (
        look(sectors).replace("ID#", f"=== START OF INFORMATION SECTION ===\nSerial Number:    {serial}\nID#")
        for sectors, serial in ((8, "Z1Z5DWJK"), (40, "Z1Z5DWJM"))
    )
    assert titles(tmp_path, first, second) == []
