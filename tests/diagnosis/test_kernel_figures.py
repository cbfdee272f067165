"""What tables of the kernel and lists of processes show of a host: slabs that can't be given back (ST-46), packets that
found the queue of a processor full (ST-20), many tasks in state D (ST-19).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

MEMINFO = """MemTotal:       65722540 kB
MemFree:         1221121 kB
MemAvailable:   {available} kB
Buffers:            1221 kB
Cached:          1112210 kB
Slab:           {slab} kB
SReclaimable:    1122112 kB
SUnreclaim:     {held} kB
SwapTotal:       8388604 kB
SwapFree:        8388604 kB
"""


def found(folder: Path, ref: str, **files: str) -> list[str]:
    return [one.severity for one in diagnosis_of(folder, **files).findings if one.ref == ref]


@pytest.mark.parametrize("name", ["fen3__proc__meminfo", "fen3__meminfo_dot_txt", "cat_proc_meminfo"])
@pytest.mark.parametrize(("held", "expected"), [(50_099_009, ["medium"]), (20_099_009, ["low"]), (3_211_220, [])])
def test_memory_that_the_kernel_keeps_is_named(tmp_path: Path, name: str, held: int, expected: list[str]) -> None:
    text = MEMINFO.format(available=60_000_000 - held, slab=held + 1_122_112, held=held)
    assert found(tmp_path, "ST-46", **{name: text}) == expected


@pytest.mark.parametrize("more", [8, 10, 12])
@pytest.mark.parametrize(
    ("taken", "dropped", "expected"),
    [(35_826_449, 1_223_492, ["medium"]), (35_826_449, 71_122, ["low"]), (35_826_449, 12, []), (0, 0, [])],
)
def test_packets_before_a_full_queue_of_a_processor(
    tmp_path: Path, more: int, taken: int, dropped: int, expected: list[str]
) -> None:
    rows = ((19_049_233, 0), (taken, dropped), (811_222, 0))
    text = "".join(f"{one:08x} {lost:08x}" + " 00000000" * more + "\n" for one, lost in rows)
    assert found(tmp_path, "ST-20", fen3__proc__net__softnet_stat=text) == expected


PS = {
    "aux": (
        "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n",
        "root       {pid}  0.0  0.0  21211  3122 ?        {state}   08:03   0:01 {name}\n",
    ),
    "-ef with states": ("S   PID  PPID CMD\n", "{state}  {pid}     1 {name}\n"),
    "-eo": ("    PID STAT COMMAND\n", "  {pid} {state}    {name}\n"),
}


@pytest.mark.parametrize("layout", PS)
@pytest.mark.parametrize(("asleep", "form"), [(6, "explained"), (2, "healthy"), (0, "healthy")])
def test_many_tasks_in_state_d_take_the_all_clear_away(tmp_path: Path, layout: str, asleep: int, form: str) -> None:
    head, row = PS[layout]
    names = ("imapd", "rsync", "python3", "tar", "find", "ls", "bash", "sshd", "cron")
    rows = [row.format(pid=8800 + at, state="D" if at < asleep else "S", name=name) for at, name in enumerate(names)]
    free = "              total        used        free\nMem:       65722540     9121221    44122112\n"
    df = "Filesystem     1K-blocks     Used Available Use% Mounted on\n/dev/sda3 98000000 21000000  77000000  22% /\n"
    files = {f"fen3__ps_{layout.replace('-', '').replace(' ', '_')}_dot_txt": head + "".join(rows)}
    diagnosis = diagnosis_of(tmp_path, fen3__free_dot_txt=free, fen3__df_dot_txt=df, **files)
    assert verdict_in(diagnosis).form == form
    assert [one.severity for one in diagnosis.findings if one.ref == "ST-19"] == ["low"] * (form == "explained")


def looks(form: str, *counts: tuple[int, int]) -> str:
    return "".join(
        f"[root@fen3 ~]# date; {form.splitlines()[0]}\nTue Mar  4 10:1{at}:31 CET 2031\n"
        + "\n".join(form.splitlines()[1:]).format(sent=sent, again=again)
        + "\n"
        for at, (sent, again) in enumerate(counts)
    )


NSTAT = """nstat -az
#kernel
TcpOutSegs                      {sent}          0.0
TcpRetransSegs                  {again}              0.0"""
NETSTAT = """netstat -s
Tcp:
    {sent} segments sent out
    {again} segments retransmitted"""
NFSSTAT = """nfsstat -rc
Client rpc stats:
calls      retrans    authrefrsh
{sent}    {again}    {sent}"""


@pytest.mark.parametrize("form", [NSTAT, NETSTAT, NFSSTAT])
@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (((811_223_344, 12_211), (811_423_344, 31_211)), ["medium"]),
        (((811_223_344, 12_211), (811_323_344, 12_400), (811_423_344, 14_211)), ["low"]),
        (((811_223_344, 12_211), (811_423_344, 12_218)), []),
        (((811_223_344, 12_211), (811_223_444, 12_231)), []),
        (((811_223_344, 12_211), (9_344, 100)), []),
        (((811_223_344, 12_211),), []),
    ],
)
def test_what_was_sent_again_between_two_looks_is_not_hidden_by_all_since_boot(
    tmp_path: Path, form: str, counts: tuple[tuple[int, int], ...], expected: list[str]
) -> None:
    diagnosis = diagnosis_of(tmp_path, looks(form, *counts))
    own = [one for one in diagnosis.findings if one.ref == "ST-20"]
    assert [one.severity for one in own] == expected
    assert all("between two looks" in one.title for one in own)
    assert all(("NFS calls" in one.title) == (form == NFSSTAT) for one in own)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((91_223_344, 1_211), (91_823_344, 41_211), ["medium"]),
        ((91_823_344, 41_211), (91_223_344, 1_211), ["medium"]),
        ((91_223_344, 1_211), (91_823_344, 1_311), []),
    ],
)
def test_two_files_of_one_node_are_two_looks(
    tmp_path: Path, first: tuple[int, int], second: tuple[int, int], expected: list[str]
) -> None:
    text = "Tcp:\n    {} segments sent out\n    {} segments retransmitted\n"
    files = {"fen3__netstat_s_0900_dot_txt": text.format(*first), "fen3__netstat_s_0910_dot_txt": text.format(*second)}
    files["fen4__netstat_s_0900_dot_txt"] = text.format(71_223_344, 911)
    assert found(tmp_path, "ST-20", **files) == expected
