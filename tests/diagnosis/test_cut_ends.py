"""A text that ends inside of a row is judged by what it shows, and never called well for what it lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from parsers.records import Problem
from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in
from tests.parsers.golden import Reading

GLOCK: Final = "G:  s:SH n:2/7c0{n} f:Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:0\n"
OLD_GLOCK: Final = "G:  s:SH n:2/7c0{n} f:Iqob t:SH d:EX/0 l:0 a:0 r:3\n"
HOLDER: Final = " H: s:SH f:EH e:0 p:6021 [vi] gfs2_open_common+0x8b/0xf0 [gfs2]\n"
DUMPS: Final = {
    "a glock, in its flags": (GLOCK, "G:  s:SH n:2/7c09 f:Iq"),
    "a glock, in its demand": (GLOCK, "G:  s:SH n:2/7c09 f:Iqob t:SH d:EX"),
    "a glock, before its users": (GLOCK, "G:  s:SH n:2/7c09 f:Iqob t:SH d:EX/0 a:0 v:0 "),
    "a glock of an old kernel": (OLD_GLOCK, "G:  s:SH n:2/7c09 f:Iqob t:S"),
}
MAP: Final = """larder (36001405bbbbccccddddeeeeffff0000) dm-7 LIO-ORG,shelf
size=80G features='0' hwhandler='1 alua' wp=rw
|-+- policy='service-time 0' prio=50 status=active
| `- 5:0:0:2 sdp 8:240 active ready running
`-+- policy='service-time 0' prio=10 status=enabled
"""


def form_in(judged: Diagnosis) -> str:
    assert judged.verdict is not None
    return verdict_in(judged).form


def form_of(folder: Path, text: str) -> str:
    return form_in(diagnosis_of(folder, text))


@pytest.mark.parametrize(("row", "last"), DUMPS.values(), ids=DUMPS)
def test_a_dump_that_ends_inside_of_a_glock_is_not_called_well(tmp_path: Path, row: str, last: str) -> None:
    text = row.format(n=1) + HOLDER + row.format(n=2) + last
    assert form_of(tmp_path, text) == "not_judged"
    assert [one.line for one in Reading(text).of(Problem)] == [4]


@pytest.mark.parametrize("last", ["G:  s:SH n:2/7c09 f:Iq\n", "G:  s:SH n:2/7c09 f:Iqob t:SH d:\n"])
def test_a_cut_glock_with_a_line_end_is_not_called_well(tmp_path: Path, last: str) -> None:
    assert form_of(tmp_path, GLOCK.format(n=1) + HOLDER + last) == "not_judged"


@pytest.mark.parametrize("row", [GLOCK, OLD_GLOCK])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_whole_dump_is_called_well(tmp_path: Path, row: str, end: str) -> None:
    text = row.format(n=1) + HOLDER + row.format(n=2) + row.format(n=3).rstrip() + end
    assert Reading(text).of(Problem) == []
    assert form_of(tmp_path, text) == "healthy"


@pytest.mark.parametrize("last", ["  `- 6:0:0:2 sdq 65:0", "  `- 6:0:0:2 sdq 65:0 act", "  `- 6:0:0:2 sdq 65:0  fai"])
def test_a_path_that_is_cut_before_its_state_is_neither_well_nor_lost(tmp_path: Path, last: str) -> None:
    assert [one.line for one in Reading(MAP + last).of(Problem)] == [6]
    judged = diagnosis_of(tmp_path, MAP + last)
    assert form_in(judged) == "not_judged"
    assert not [one for one in judged.findings if one.severity != "info"]


@pytest.mark.parametrize(
    "last",
    [
        "  `- 6:0:0:2 sdq 65:0 active ready running",
        "  `- 6:0:0:2 sdq 65:0 active ghost running",
        "  `- 6:0:0:2 sdq 65:0 [active][ready]",
    ],
)
def test_a_path_with_its_state_is_whole(tmp_path: Path, last: str) -> None:
    assert Reading(MAP + last).of(Problem) == []
    assert form_of(tmp_path, MAP + last) != "not_judged"


def test_what_a_cut_dump_shows_counts(tmp_path: Path) -> None:
    wait = (
        "G:  s:EX n:2/7c02 f:lDIqob t:EX d:UN/412000000 a:0 v:0 r:9 m:200 p:0\n"
        " H: s:EX f:H e:0 p:77 [dd] gfs2_write+0x1/0x2 [gfs2]\n"
    )
    assert form_of(tmp_path, wait + DUMPS["a glock, in its flags"][1]) == "explained"


@pytest.mark.parametrize(
    ("rows", "last", "problems"),
    [
        ("name=jar size=3 state=up users=4\nname=lid size=9 state=up users=1\n", "name=pot size=2", 0),
        (GLOCK.format(n=1) * 2, "G:  s:SH n:2/7c09 f:Iqob", 1),
    ],
)
def test_names_that_a_row_lacks_show_its_cut_where_a_reader_knows_the_rows(rows: str, last: str, problems: int) -> None:
    assert len(Reading(rows + last).of(Problem)) == problems


OTHER: Final = "jar (36001405ccccddddeeeeffff00001111) dm-8 LIO-ORG,shelf\n"
SIZE: Final = "size=80G features='0' hwhandler='1 alua' wp=rw\n"
WHOLE: Final = MAP + "  `- 6:0:0:2 sdq 65:0 active ready running\n"


@pytest.mark.parametrize(
    "last",
    [OTHER.rstrip(), OTHER[:-8], OTHER + SIZE[:30], OTHER + SIZE + "`-+- policy='service-time 0' prio=50 status=act"],
)
def test_a_map_that_is_cut_before_its_paths_is_not_called_lost(tmp_path: Path, last: str) -> None:
    judged = diagnosis_of(tmp_path, WHOLE + last)
    assert not [one for one in judged.findings if one.severity != "info"]


@pytest.mark.parametrize("size", [SIZE, "[size=80G][features=0][hwhandler=0][rw]\n"])
def test_a_map_below_whose_size_nothing_stands_has_no_path(tmp_path: Path, size: str) -> None:
    assert verdict_in(diagnosis_of(tmp_path, WHOLE + OTHER + size)).severity == "critical"


STATUS: Final = """Cluster name: farm
  * Current DC: oak (version 2.1.7-5.el9_4) - partition with quorum
Node List:
  * Online: [ oak elm ]
Full List of Resources:
  * fence_oak\t(stonith:fence_ipmilan):\t Started elm
"""


@pytest.mark.parametrize(
    "last",
    [
        "  * fence_elm\t(stonith:fence_ipmilan):\t Star", "  * pool\t(ocf::heartbeat:Filesystem):\t Stop",
        "  * Clone Set: dlm-clone [dlm]:\n    * Started: [ oak",
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_status_that_ends_inside_of_a_row_is_not_called_well(tmp_path: Path, last: str, end: str) -> None:
    judged = diagnosis_of(tmp_path, STATUS + last + end)
    assert verdict_in(judged).form == "not_judged"
    assert not [one for one in judged.findings if one.severity != "info"]


def test_a_status_that_ends_inside_of_brackets_is_not_called_well(tmp_path: Path) -> None:
    assert verdict_in(diagnosis_of(tmp_path, f"{STATUS}  * fence_elm\t(stonith:fence_")).form == "not_judged"


@pytest.mark.parametrize("last", ["", "  * Clone Set: dlm-clone [dlm]:\n    * Started: [ oak elm ]"])
def test_a_whole_status_is_called_well(tmp_path: Path, last: str) -> None:
    assert verdict_in(diagnosis_of(tmp_path, STATUS + last)).form == "healthy"
