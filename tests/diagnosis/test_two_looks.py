"""Two looks at one node: what went (ST-60), what fills (ST-61), memory ("ST-46", "ST-62"), errors (ST-63)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

DATES = ("Fri Nov 20 08:00:01 UTC 2026", "Fri Nov 20 09:00:01 UTC 2026")
FILES = ("{}_dot_1_dot_txt", "{}_dot_2_dot_txt")
FOLDERS = ("2026-11-20_0800__crane1__{}_dot_txt", "2026-11-20_0900__crane1__{}_dot_txt")
WORDS = ("before__{}_dot_txt", "after__{}_dot_txt")


def df(share: int, *more: str) -> str:
    rows = [
        f"fen           100000000  {share}000000 {100 - share}000000  {share}% /srv/fen",
        "/dev/sda3        1000000  210000   790000  21% /",
        *more,
    ]
    return "Filesystem     1K-blocks      Used Available Use% Mounted on\n" + "\n".join(rows)


def paths(count: int) -> str:
    rows = (f"  |- {host}:0:0:1 sd{'abcde'[host]} 8:16 active ready running" for host in range(1, count + 1))
    return (
        "pots (360050768018087e3c80000000000a1b2) dm-3 KESTREL,ARRAY-9\nsize=2.0T features='0' hwhandler='0' wp=rw\n"
        "`-+- policy='service-time 0' prio=50 status=active\n" + "\n".join(rows)
    )


def members(count: int) -> str:
    rows = (f"       {at}      crane{at}          active" for at in range(1, count + 1))
    head = "\n Node number  Node name        GPFS state\n-------------------------------------------\n"
    return head + "\n".join(rows)


def memory(available: int) -> str:
    return (
        "               total        used        free      shared  buff/cache   available\n"
        f"Mem:          515642       {515642 - available}        {available}         112       12000      {available}\n"
        "Swap:          16383           0       16383"
    )


def slabs(held: int) -> str:
    return (
        f"MemTotal:       527017472 kB\nMemFree:        300000000 kB\nMemAvailable:   400000000 kB\n"
        f"SReclaimable:     900000 kB\nSUnreclaim:     {held} kB"
    )


def disks(count: int) -> str:
    rows = (f"emc0_{at:03}       auto:cdsdisk    pot{at:02}        potdg        online shared" for at in range(count))
    return "DEVICE          TYPE            DISK         GROUP        STATUS\n" + "\n".join(rows)


def card(errors: int) -> str:
    return (
        "4: ib0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 2044 qdisc mq state UP mode DEFAULT group default qlen 256\n"
        "    RX: bytes  packets  errors  dropped overrun mcast\n"
        f"    8812044011  971204401 {errors} 0       0       120\n"
    )


def cable(count: int) -> str:
    return (
        'Class Device = "host5"\n    port_state          = "Online"\n    speed               = "32 Gbit"\n'
        f'    Statistics:\n      error_frames        = "0x0"\n      invalid_crc_count   = "{count:#x}"'
    )


ARC = "arc           100000000  31000000 69000000  31% /arc"
CASES = {
    "paths": ("multipath -ll", "ST-60", "medium", paths(4), paths(2)),
    "members": ("mmgetstate -a", "ST-60", "low", members(6), members(5)),
    "disks": ("vxdisk list", "ST-60", "low", disks(6), disks(5)),
    "mounts": ("df -k", "ST-60", "low", df(50, ARC), df(50)),
    "soon": ("df -k", "ST-61", "medium", df(71), df(82)),
    "memory": ("free -m", "ST-62", "medium", memory(411000), memory(9800)),
    "slabs": ("cat /proc/meminfo", "ST-46", "low", slabs(2100000), slabs(61000000)),
    "cable": ("systool -c fc_host -v", "ST-63", "low", cable(3), cable(9120)),
}


def found(folder: Path, ref: str, *texts: str, **files: str) -> list[str]:
    return [one.severity for one in diagnosis_of(folder, *texts, **files).findings if one.ref == ref]


def typed(command: str, outputs: Sequence[str], dates: Sequence[str] = DATES) -> str:
    prompt = "[root@crane1 ~]#"
    return "".join(
        f"{prompt} date\n{date}\n{prompt} {command}\n{text}\n" for date, text in zip(dates, outputs, strict=True)
    )


def named(form: Sequence[str], command: str, outputs: Sequence[str]) -> dict[str, str]:
    name = command.replace(" ", "_").replace("/", "_").replace("__", "_")
    return {one.format(name): text for one, text in zip(form, outputs, strict=True)}


@pytest.mark.parametrize(("command", "ref", "severity", "first", "last"), CASES.values(), ids=list(CASES))
def test_what_changed_between_two_looks_is_named(
    tmp_path: Path, command: str, ref: str, severity: str, first: str, last: str
) -> None:
    assert found(tmp_path / "sick", ref, typed(command, (first, last))) == [severity]
    assert found(tmp_path / "well", ref, typed(command, (first, first))) == []
    assert found(tmp_path / "back", ref, typed(command, (last, first))) == []
    assert found(tmp_path / "order", ref, typed(command, (last, first), DATES[::-1])) == [severity]


def test_errors_of_a_card_in_two_files_are_compared(tmp_path: Path) -> None:
    for form in (FILES, FOLDERS, WORDS):
        sick = named(form, "ip -s link", (card(3), card(88012)))
        assert found(tmp_path / f"sick{form}".replace("/", "_")[:40], "ST-63", **sick) == ["low"]
    assert found(tmp_path / "well", "ST-63", **named(FILES, "ip -s link", (card(3), card(3)))) == []


@pytest.mark.parametrize("form", [FILES, FOLDERS, WORDS], ids=["files", "folders", "words"])
@pytest.mark.parametrize("case", [name for name in CASES if name != "soon"])
def test_names_of_files_tell_which_look_was_first(tmp_path: Path, case: str, form: Sequence[str]) -> None:
    command, ref, severity, first, last = CASES[case]
    assert found(tmp_path / "sick", ref, **named(form, command, (first, last))) == [severity]
    assert found(tmp_path / "back", ref, **named(form, command, (last, first))) == []


def test_looks_without_a_time_fill_by_much(tmp_path: Path) -> None:
    assert found(tmp_path / "sick", "ST-61", **named(FILES, "df -k", (df(55), df(79)))) == ["low"]
    assert found(tmp_path / "little", "ST-61", **named(FILES, "df -k", (df(70), df(79)))) == []


def test_lists_of_two_nodes_are_no_two_looks(tmp_path: Path) -> None:
    files = {"rack1__df_dot_txt": df(55, ARC), "rack2__df_dot_txt": df(90)}
    assert found(tmp_path, "ST-60", **files) == []
    assert found(tmp_path, "ST-61", **files) == []


def test_a_list_of_named_file_systems_lacks_nothing(tmp_path: Path) -> None:
    text = (
        typed("df -k", (df(50, ARC), df(50)))
        .replace("df -k", "df -k /srv/fen /", 2)
        .replace("df -k /srv/fen /", "df -k", 1)
    )
    assert found(tmp_path, "ST-60", text) == []
