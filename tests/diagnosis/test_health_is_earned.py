"""Calm texts with one thing in them that nobody may pass over, beside the same without it: an all-clear stands over the
second alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

TABLE: Final = "Filesystem      Size  Used Avail Use% Mounted on\n/dev/vdb1        80G   12G   68G  15% /srv/perch\n"
STATUS: Final = """Stack: corosync
Current DC: perch1 (version 1.1.23-1.el7-9acf116022) - partition with quorum
2 nodes configured
0 resource instances configured

Online: [ perch1 perch2 ]
"""
NO_FENCING: Final = "stonith devices and stonith-enabled is not false"
COUNTS: Final = "MemTotal:       65961716 kB\nMemFree:          200610 kB\nBuffers:            2048 kB\n"
SWAP: Final = "SwapTotal:       4194300 kB\nSwapFree:           2048 kB\n"
OLD_FREE: Final = "             total       used       free     shared    buffers     cached\n"
SAMPLES: Final = "Row           Timestamp gpfs_nsdds_max_disk_wait_rd gpfs_nsdds_max_disk_wait_wr\n"
TEAM: Final = """{
    "ports": {
        "eno1": {
            "ifinfo": {
                "ifname": "eno1",
                "ifindex": 3
            },
            "link": {
                "duplex": "full",
                "speed": 10000,
                "up": true
            }
        },
        "eno2": {
            "ifinfo": {
                "ifname": "eno2",
                "ifindex": 4
            },
            "link": {
                "duplex": "full",
"""
LINK: Final = '"up": true\n            }\n        }\n    }\n}\n'


def _form_of(folder: Path, text: str) -> tuple[str, str]:
    verdict = diagnosis_of(folder, text).verdict
    assert verdict is not None
    return verdict.form, verdict.title


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: cannot open the store of the larder",
        "Error: unable to talk to the daemon on perch2",
        "df: error: the list of mounts is broken",
        "FATAL - the table of mounts is gone",
        "critical: pool larder is degraded",
        "df: Fehler: die Liste der Mounts kann nicht gelesen werden",
        "Erreur: la liste des montages est illisible ici",
        "Warning: host perch2 is not reachable",
        "[WARNING]: Could not match supplied host pattern, ignoring: perch9 is unreachable",
    ],
)
@pytest.mark.parametrize("place", ["above", "below"])
def test_an_error_of_a_tool_beside_its_output_is_counted(line: str, place: str, tmp_path: Path) -> None:
    shown = f"{line}\n{TABLE}" if place == "above" else f"{TABLE}{line}\n"
    assert _form_of(tmp_path, f"[root@perch1 ~]# df -h\n{shown}")[0] == "not_judged"


@pytest.mark.parametrize(
    "line",
    [
        "Warning: Permanently added 'perch2' (ED25519) to the list of known hosts.",
        "  WARNING: Failed to connect to lvmetad. Falling back to device scanning.",
        "We see an error now and then, but not here, and this is what it looks like today.",
    ],
)
def test_what_says_of_no_failure_leaves_the_all_clear(line: str, tmp_path: Path) -> None:
    assert _form_of(tmp_path, f"{line}\n[root@perch1 ~]# df -h\n{TABLE}")[0] == "healthy"


@pytest.mark.parametrize(
    "warning",
    [
        f"WARNINGS:\nNo {NO_FENCING}\n",
        f"WARNINGS:\nNo {NO_FENCING.replace(' not false', chr(10))}not false\n",
        f"WARNING: no {NO_FENCING}\n",
        f"WARNINGS:\n  * No {NO_FENCING}\n",
    ],
)
@pytest.mark.parametrize("above", ["", "Cluster name: reeds\n", "[root@perch1 ~]# pcs status\nCluster name: reeds\n"])
def test_a_cluster_that_cannot_fence_is_not_calm(warning: str, above: str, tmp_path: Path) -> None:
    assert "fence" in _form_of(tmp_path, f"{above}{warning}{STATUS}")[1]


def test_the_same_status_without_the_warning_is_calm(tmp_path: Path) -> None:
    assert _form_of(tmp_path, f"Cluster name: reeds\n{STATUS}")[0] == "healthy"


@pytest.mark.parametrize(
    ("text", "is_used_up"),
    [
        (f"{COUNTS}Cached:           190112 kB\n{SWAP}", True),
        (f"{COUNTS}Cached:         31190112 kB\n{SWAP}", False),
        (f"{OLD_FREE}Mem: 32094      31951        143          0          6         40\nSwap: 4095 4090 5\n", True),
        (f"{OLD_FREE}Mem: 32094      31951        143          0       4006      9040\nSwap: 4095 4090 5\n", False),
        (f"{COUNTS}MemAvailable:    41190112 kB\nCached:  190112 kB\n{SWAP}", False),
    ],
)
def test_memory_that_an_older_kernel_shows_is_judged(text: str, is_used_up: bool, tmp_path: Path) -> None:
    form, title = _form_of(tmp_path, text)
    assert form == "explained"
    assert ("memory left" in title) is is_used_up
    assert title.startswith("The swap space") is not is_used_up


@pytest.mark.parametrize(
    ("rows", "longest"),
    [
        ("  1 2027-02-13-10:41:00 12.1 0.012\n  2 2027-02-13-10:42:00 21.5 0.009\n", "21.5 s"),
        ("  1 2027-02-13-10:41:00 0.1 64000 ms\n  2 2027-02-13-10:42:00 0.5 12 ms\n", "64.0 s"),
        ("  1 2027-02-13-10:41:00 0.004 0.012\n  2 2027-02-13-10:42:00 0.005 0.009\n", ""),
    ],
)
def test_the_longest_request_is_judged_without_its_legend(rows: str, longest: str, tmp_path: Path) -> None:
    form, title = _form_of(tmp_path, f"{SAMPLES}{rows}")
    assert (form == "explained") is bool(longest)
    assert longest in title.replace("\xa0", " ")


@pytest.mark.parametrize("answer_ms", [61.2, 84.4])
def test_a_disk_that_answers_late_is_no_all_clear(answer_ms: float, tmp_path: Path) -> None:
    rows = f"vol keelvol           810       402     12960      6432   {answer_ms}   {answer_ms}\n"
    assert _form_of(tmp_path, rows)[0] != "healthy"


@pytest.mark.parametrize("prompt", ["", "heron4# teamdctl team0 state dump\n"])
def test_an_object_that_ends_within_is_not_calm(prompt: str, tmp_path: Path) -> None:
    assert "could not be read" in _form_of(tmp_path, f"{prompt}{TEAM}")[1]
    assert _form_of(tmp_path / "next", f"{prompt}{TEAM}heron4# uptime\n")[0] == "not_judged"


def test_the_same_object_with_its_end_is_calm(tmp_path: Path) -> None:
    assert _form_of(tmp_path, f"{TEAM}{LINK}")[0] == "healthy"


PRINT: Final = "GAB Port Memberships\n===============================================================\n"
BOTH: Final = "Port a gen   4c2f01 membership 01\nPort v gen   4c2f16 membership 01\n"
ONE: Final = "Port a gen   4c2f01 membership 01\nPort v gen   4c2f18 membership 0\n"


@pytest.mark.parametrize("prompt", ["", "\n", "kite1# gabconfig -a\n"])
def test_the_last_of_two_prints_of_ports_counts(prompt: str, tmp_path: Path) -> None:
    assert "port v" in _form_of(tmp_path, f"{prompt}{PRINT}{BOTH}{prompt}{PRINT}{ONE}")[1]
    assert _form_of(tmp_path / "next", f"{prompt}{PRINT}{ONE}{prompt}{PRINT}{BOTH}")[0] == "healthy"


def test_two_prints_within_a_string_are_two(tmp_path: Path) -> None:
    text = json.dumps({"stdout": f"# gabconfig -a\n{PRINT}{BOTH}# gabconfig -a\n{PRINT}{ONE}", "rc": 0})
    assert "port v" in _form_of(tmp_path, text)[1]


@pytest.mark.parametrize(("row", "is_missing"), [("Port h gen   5ba205 memb\n", False), ("", True)])
@pytest.mark.parametrize("mark", ["", "# ", "> "])
def test_a_port_whose_row_is_cut_is_not_missing(row: str, is_missing: bool, mark: str, tmp_path: Path) -> None:
    shown = f"tern2# gabconfig -a\n{PRINT}Port a gen   5ba203 membership 01\nPort h gen   5ba205 membership 01\n"
    shown += f"tern3# gabconfig -a\n{PRINT}Port a gen   5ba203 membership 01\n{row}"
    text = "".join(f"{mark}{line}\n" for line in (*shown.splitlines(), "tern3# uptime"))
    assert ("No GAB port h" in _form_of(tmp_path, text)[1]) is is_missing


@pytest.mark.parametrize(
    "code", ["VCS ERROR V-16-1-10205", "VxVM vxconfigd ERROR V-5-1-8645", "VCS CRITICAL V-16-1-50086"]
)
def test_a_message_whose_words_are_gone_is_not_calm(code: str, tmp_path: Path) -> None:
    assert _form_of(tmp_path, f"{code}\n")[0] in ("not_judged", "unexplained")


@pytest.mark.parametrize("flags", ["failing", "dgdisabled"])
@pytest.mark.parametrize("above", ["", "devicetag: sdg\n"])
def test_flags_of_a_disk_are_judged_whatever_was_left_out_above(flags: str, above: str, tmp_path: Path) -> None:
    record = "{}flags:     online ready private autoconfig imported{}\nMultipathing information:\nsdg   state=enabled\n"
    assert flags in _form_of(tmp_path, record.format(above, f" {flags}"))[1]
    assert _form_of(tmp_path / "next", record.format(above, ""))[0] == "healthy"


SYSTEMS: Final = (
    "tern2# hastatus -sum\n-- SYSTEM STATE\n-- System       State       Frozen\nA  tern3    RUNNING      0\n"
)


@pytest.mark.parametrize("title", ["", "-- RESOURCES NOT PROBED\n"])
def test_a_row_whose_title_was_left_out_is_counted(title: str, tmp_path: Path) -> None:
    row = "E  books           Oracle               books_db             tern3\n"
    form, verdict = _form_of(tmp_path, f"{SYSTEMS}{title}{row}")
    assert ("not probed" in verdict) is bool(title)
    assert form != "healthy"
    assert _form_of(tmp_path / "next", SYSTEMS)[0] == "healthy"


@pytest.mark.parametrize(
    ("text", "name"), [("Agent is calling clean", ""), ("Agent is calling clean for resource(webip)", "webip")]
)
def test_the_system_in_front_of_a_message_is_no_resource(text: str, name: str, tmp_path: Path) -> None:
    title = _form_of(tmp_path, f"2031/03/04 11:22:33 VCS ERROR V-16-2-13067 (heron4) {text}\n")[1]
    assert "Resource heron4" not in title
    assert name in title
