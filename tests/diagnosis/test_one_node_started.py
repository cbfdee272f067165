"""One node that started a short time ago beside others that have been up for days: ST-76."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import found

LOAD = "load average: 0.20, 0.15, 0.10"


def of_shell(*up: str) -> str:
    """What a remote shell prints of as many nodes as there are durations."""
    return "# pdsh -a uptime\n" + "".join(
        f"tern{at}:  09:14:0{at} up {for_so_long},  1 user,  {LOAD}\n" for at, for_so_long in enumerate(up, start=1)
    )


def of_files(*up: str) -> dict[str, str]:
    """A file of each node."""
    return {
        f"tern{at}__uptime_dot_txt": f" 09:14:0{at} up {for_so_long},  1 user,  {LOAD}\n"
        for at, for_so_long in enumerate(up, start=1)
    }


def of_prompts(*up: str) -> str:
    """A transcript that goes from node to node; Solaris prints the rows."""
    return "".join(
        f"[root@tern{at} ~]# w\n  6:14pm  up {for_so_long},  3 users,  {LOAD}\nUser     tty      login@  idle   what\n"
        for at, for_so_long in enumerate(up, start=1)
    )


@pytest.mark.parametrize(
    ("texts", "files"),
    [
        ((of_shell("201 days,  3:11", "12 min", "200 days, 22:51"),), {}),
        ((of_prompts("12 day(s),  3:11", "2:40", "8 day(s),  1 hr(s)"),), {}),
        ((), of_files("44 days,  2:10", "1:05", "44 days,  2:08", "43 days, 20:10")),
    ],
)
def test_a_node_that_started_alone_is_named(texts: tuple[str, ...], files: dict[str, str], tmp_path: Path) -> None:
    [one] = found(tmp_path, "ST-76", *texts, **files)
    assert (one.severity, one.nodes) == ("low", ("tern2",))


@pytest.mark.parametrize(
    "up",
    [
        ("201 days,  3:11", "199 days,  1:02", "200 days, 22:51"),  # all alike
        ("3:11", "12 min", "200 days, 22:51"),  # two of them: one after the other
        ("6 days,  3:11", "12 min", "5 days, 22:51"),  # a round of restarts in the same week
        ("201 days,  3:11", "12 min"),  # of two nobody tells which is usual
        ("201 days,  3:11", "2 days,  1:02", "200 days, 22:51"),  # not in the day that is looked at
    ],
)
def test_restarts_that_tell_nothing_are_silent(up: tuple[str, ...], tmp_path: Path) -> None:
    assert found(tmp_path, "ST-76", of_shell(*up)) == []
