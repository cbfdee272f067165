"""Roles of nodes in delta samples of ``vxfsstat -s``: who pulls, who loses, who does both."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.wording import names_path
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.veritas.lock_roles import classify
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.output import Output
from parsers.records import Counter, Record, Section
from tests.diagnosis.pictures import MOUNT, START_US, end_of, lazy, lock_picture, roles, walked

LIMITS = limits("lock-roles")

# rates of a published test on two nodes and 393604 inodes: the roles that an engineer gives them
PUBLISHED = [
    ("first access, victim", {"h_grant": 0.0, "h_revoke": 4606.4, "g_revoke": 2302.2, "normalize": 2304.3}, "victim"),
    ("first access, puller", {"h_grant": 4772.5, "h_revoke": 0.0, "g_grant": 2385.0, "pull": 2385.0}, "puller"),
    ("idle owner", {"h_grant": 0.0, "h_revoke": 5.0, "rw_revoke": 5.0}, "drain"),
    ("pull back, victim", {"h_grant": 0.0, "h_revoke": 3229.6, "g_revoke": 3229.6}, "victim"),
    ("pull back, puller", {"h_grant": 6130.5, "h_revoke": 3065.2, "h_deinit": 3065.2, "pull": 3065.3}, "puller"),
    ("lazy on, victim", {"h_grant": 0.0, "h_revoke": 9719.0}, "victim"),
    ("lazy on, puller", {"h_grant": 9581.0, "h_revoke": 0.0, "pull": 9584.0}, "puller"),
    ("both, lazy on, node 0", {"h_grant": 7331.0, "h_revoke": 7264.5, "pull": 7331.0}, "ping_pong"),
    ("both, lazy on, node 1", {"h_grant": 7243.2, "h_revoke": 7266.1, "pull": 7244.3}, "ping_pong"),
    (
        "both, lazy off, node 0",
        {"h_grant": 7335.8, "h_revoke": 3836.5, "g_revoke": 3836.4, "pull": 7335.8},
        "ping_pong",
    ),
    ("both, lazy off, node 1", {"h_grant": 3843.2, "h_revoke": 7356.9, "g_grant": 3843.2, "pull": 3843.2}, "ping_pong"),
]


@pytest.mark.parametrize(("rates", "role"), [row[1:] for row in PUBLISHED], ids=[row[0] for row in PUBLISHED])
def test_published_samples_get_the_role_that_an_engineer_gives_them(rates: dict[str, float], role: str) -> None:
    assert classify(dict(rates), LIMITS) == role


@pytest.mark.parametrize(
    ("rates", "role"),
    [
        ({"h_grant": 0.0, "h_revoke": 0.0}, "idle"),
        ({"h_grant": 99.0, "h_revoke": 0.0, "pull": 99.0}, "idle"),
        ({"h_grant": 100.0, "h_revoke": 0.0, "pull": 100.0}, "puller"),
        ({"h_grant": 0.0, "h_revoke": 99.0}, "idle"),
        ({"h_grant": 0.0, "h_revoke": 20.0}, "idle"),
        ({"h_grant": 0.0, "h_revoke": 19.9}, "drain"),
        ({"h_grant": 0.1, "h_revoke": 5.0}, "idle"),
        ({"h_grant": 1000.0, "h_revoke": 299.0}, "idle"),
        ({"h_grant": 1000.0, "h_revoke": 300.0}, "ping_pong"),
        ({"h_grant": 1000.0, "h_revoke": 200.0, "pull": 900.0}, "idle"),
        ({"h_grant": 1000.0, "h_revoke": 199.0, "pull": 900.0}, "puller"),
        ({"h_grant": 250.0, "h_revoke": 1000.0}, "idle"),
        ({"h_grant": 199.0, "h_revoke": 1000.0}, "victim"),
        ({"pull": 5000.0}, "idle"),  # grants are not shown: a role needs both
        ({"h_grant": None, "h_revoke": None, "pull": None}, "idle"),
        ({}, "idle"),
    ],
)
def test_limits_of_the_roles(rates: dict[str, float | None], role: str) -> None:
    assert classify(rates, LIMITS) == role


def test_without_its_own_book_keeping_a_puller_would_look_like_ping_pong() -> None:
    rates: dict[str, float | None] = {"h_grant": 6130.5, "h_revoke": 3065.2, "pull": 3065.3}
    assert classify(rates, LIMITS) == "ping_pong"
    assert classify({**rates, "h_deinit": 3065.2}, LIMITS) == "puller"


def test_samples_come_in_time_order_with_rates_per_second_and_the_line_of_their_header(tmp_path: Path) -> None:
    case = lock_picture(
        tmp_path,
        """
        node0  h_grant   0 .
        node0  h_revoke  5 .
        node1  h_grant   5 .
        node1  pull      5 .
        """,
        unit=1000,
        late_s={"node0": 2.0},
    )
    assert roles(case) == [("node1", "puller"), ("node0", "victim")]
    first, second = case.get(LockRoles).all
    assert (first.per_s, first.at, first.interval_s, first.scope) == (
        {"h_grant": 5000.0, "pull": 5000.0},
        end_of(0),
        10.0,
        MOUNT,
    )
    assert first.refs["pull"].line == first.ref.line + 2
    assert second.per_s == {"h_grant": 0.0, "h_revoke": 5000.0}


def test_what_a_sample_does_not_show_is_left_out_and_what_a_zero_filter_dropped_counts_as_zero(tmp_path: Path) -> None:
    picture = """
    node0  h_grant   9
    node0  pull      9
    """
    shown = lock_picture(tmp_path / "a", picture, unit=1000).get(LockRoles).all[0]
    filtered = lock_picture(tmp_path / "b", picture, unit=1000, zero_filter=True).get(LockRoles).all[0]
    assert shown.per_s == filtered.per_s == {"h_grant": 9000.0, "pull": 9000.0}
    assert (shown.lazy_isize, filtered.lazy_isize) == ("unknown", "on")


def test_a_victim_that_normalises_locks_meets_the_other_node_for_the_first_time(tmp_path: Path) -> None:
    case = lock_picture(
        tmp_path,
        """
        node0  h_revoke   4600 3200
        node0  h_grant       0    0
        node0  normalize  2300   99
        """,
    )
    assert [role.first_time for role in case.get(LockRoles).all] == [True, False]


# --- the state of lazy_isize_enable -----------------------------------------------------------------------------------

PULL = """
node1  h_grant  33
node1  pull     33
"""


def lazy_of(folder: Path, picture: str, *states: Record, zero_filter: bool = False) -> str:
    case = lock_picture(folder, picture, unit=1000, zero_filter=zero_filter, more=states)
    return case.get(LockRoles).all[0].lazy_isize


def test_g_locks_that_move_say_off_whatever_vxtunefs_showed(tmp_path: Path) -> None:
    assert lazy_of(tmp_path / "a", PULL + "node1 g_grant 33", lazy(1)) == "off"
    assert lazy_of(tmp_path / "b", "node0 h_revoke 3\nnode0 g_revoke 3", lazy(1)) == "off"


def test_pulls_with_g_counters_at_zero_say_on(tmp_path: Path) -> None:
    assert lazy_of(tmp_path, PULL + "node1 g_grant 00\nnode1 g_revoke 00", lazy(0)) == "on"


def test_absent_g_rows_are_no_proof_so_the_last_state_seen_before_decides(tmp_path: Path) -> None:
    assert lazy_of(tmp_path / "a", PULL) == "unknown"
    assert lazy_of(tmp_path / "b", PULL, lazy(0, line=50), lazy(1, line=60)) == "on"
    assert lazy_of(tmp_path / "c", PULL, lazy(1, line=50), lazy(0, line=60)) == "off"
    assert lazy_of(tmp_path / "d", PULL, lazy(0, line=50), lazy(1, line=9000)) == "off"


def test_the_state_of_another_mount_says_nothing_and_that_of_no_named_mount_does(tmp_path: Path) -> None:
    assert lazy_of(tmp_path / "a", PULL, lazy(1, mount="/srv/other")) == "unknown"
    assert lazy_of(tmp_path / "b", PULL, lazy(1, mount=None)) == "on"


def test_of_states_in_other_files_the_last_one_in_time_decides_whichever_node_shows_it(tmp_path: Path) -> None:

    lock_picture(tmp_path, PULL, unit=1000)
    sources = [Source(0, "drawn.txt", tmp_path / "drawn")]
    at = end_of(0)
    for number, state in enumerate(
        (
            lazy(1, node="node0", at=at - 5_000_000),
            lazy(0, node="node1", at=at - 60_000_000),
            lazy(0, at=at + 5_000_000),
        ),
        start=1,
    ):
        out = Output(FactsWriter(tmp_path / str(number)))
        out.add(state)
        out.close()
        sources.append(Source(number, f"{number}.txt", tmp_path / str(number)))
    assert Case(Facts(sources), PRODUCTS).get(LockRoles).all[0].lazy_isize == "on"


# --- labels, overlaps, copies -----------------------------------------------------------------------------------------


def overlapping(folder: Path, basis: str, second: str = "node0") -> list[tuple[str | None, bool]]:
    """Two windows of one heading, 1.2 s apart, and an earlier one of another node."""
    rows = [
        Counter(
            line=900,
            node=second,
            scope=MOUNT,
            source="vxfsstat -s",
            name="vxi_hlockgrant",
            kind="delta",
            value=38_000.0,
            at=end_of(5) + 1_200_000,
            interval_s=10.001,
            sample=899,
        ),
        Counter(
            line=901,
            node=second,
            scope=MOUNT,
            source="vxfsstat -s",
            name="vxi_hlockrevoke",
            kind="delta",
            value=73_000.0,
            at=end_of(5) + 1_200_000,
            interval_s=10.001,
            sample=899,
        ),
    ]

    picture = """
    node1  h_revoke  7 . . . . .
    node0  h_grant   . . . . . 7
    node0  h_revoke  . . . . . 3
    """
    more = [*rows, Section(line=899, last_line=901, format="vxfsstat", node=second, node_basis=basis)]
    case = lock_picture(folder, picture, unit=1000, basis=basis, more=more)
    return [(role.node, role.node_inferred) for role in case.get(LockRoles).all]


def test_under_one_heading_two_windows_that_overlap_belong_to_two_nodes(tmp_path: Path) -> None:
    assert overlapping(tmp_path, "heading") == [("node1", False), ("node0", False), ("node1", True)]


def test_two_prompts_of_one_node_may_watch_at_the_same_time(tmp_path: Path) -> None:
    assert overlapping(tmp_path, "prompt") == [("node1", False), ("node0", False), ("node0", False)]


def test_where_three_nodes_are_known_the_overlapping_one_stays_without_a_name(tmp_path: Path) -> None:
    picture = """
    node0  h_grant   . 7
    node1  h_revoke  7 .
    node2  h_revoke  7 .
    """
    more = [
        Counter(
            line=900,
            node="node0",
            scope=MOUNT,
            source="vxfsstat -s",
            name="vxi_hlockgrant",
            kind="delta",
            value=9.0,
            at=end_of(1) + 1_000_000,
            interval_s=10.0,
            sample=899,
        )
    ]
    case = lock_picture(tmp_path, picture, basis="heading", more=more)
    last = case.get(LockRoles).all[-1]
    assert (last.node, last.node_inferred) == (None, True)


def test_windows_that_follow_each_other_are_not_taken_for_overlapping(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, "node0 h_grant 777777\nnode1 h_revoke 777777", basis="heading")
    assert not any(role.node_inferred for role in case.get(LockRoles).all)


def test_a_copy_of_a_sample_in_another_file_counts_once(tmp_path: Path) -> None:

    lock_picture(tmp_path / "one", PULL, unit=1000, basis="heading")
    lock_picture(tmp_path / "two", PULL, unit=1000, basis="heading")
    case = Case(
        Facts([Source(0, "a.txt", tmp_path / "one" / "drawn"), Source(1, "b.txt", tmp_path / "two" / "drawn")]),
        PRODUCTS,
    )
    assert [(role.node, role.ref.artifact) for role in case.get(LockRoles).all] == [("node1", 0), ("node1", 0)]


PULL_BACK = """
node0  h_revoke   4 . . . . . . . . .   4
node0  h_grant    0 . . . . . . . . .   0
node1  h_grant    4 . . . . . . . . .   4
node1  pull       4 . . . . . . . . .   4
"""


def conflicts(folder: Path, basis: str, picture: str = PULL_BACK) -> list[bool]:
    return [role.label_conflict for role in lock_picture(folder, picture, unit=1000, basis=basis).get(LockRoles).all]


def test_headings_that_let_the_owner_pull_its_own_inodes_are_called_swapped(tmp_path: Path) -> None:
    assert conflicts(tmp_path, "heading") == [False, False, True, True]


def test_prompts_are_no_headings_and_are_believed(tmp_path: Path) -> None:
    assert conflicts(tmp_path, "prompt") == [False] * 4


def test_a_pull_back_by_the_former_victim_is_no_conflict(tmp_path: Path) -> None:
    back = """
    node0  h_revoke   4 . . . . . . . . .   .
    node0  h_grant    . . . . . . . . . .   4
    node0  pull       . . . . . . . . . .   4
    node1  h_grant    4 . . . . . . . . .   .
    node1  pull       4 . . . . . . . . .   .
    node1  h_revoke   . . . . . . . . . .   4
    """
    assert conflicts(tmp_path, "heading", back) == [False] * 4


# --- forecasts --------------------------------------------------------------------------------------------------------


def test_the_forecast_is_the_files_of_the_walk_by_the_pull_rate(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, PULL, unit=1000, more=[walked(393_604)])
    assert [role.forecast_s for role in case.get(LockRoles).all] == [131.201, 131.201]


def test_the_walk_nearest_in_the_text_counts_and_one_below_another_mount_does_not(tmp_path: Path) -> None:
    more = [walked(1, line=1), walked(9_000, line=95), walked(7, line=99, command=f"find {MOUNT}2 | wc -l")]
    assert lock_picture(tmp_path, PULL, unit=1000, more=more).get(LockRoles).all[0].forecast_s == 3.0


def test_without_a_walk_the_inodes_in_the_cache_are_taken_and_without_those_nothing(tmp_path: Path) -> None:
    level = Counter(line=10, node="node1", source="vxfsstat -v", name="vxi_icache_curino", kind="gauge", value=60_000.0)
    change = Counter(
        line=11, node="node1", source="vxfsstat -v", name="vxi_icache_curino", kind="delta", value=900_000.0
    )
    assert lock_picture(tmp_path / "a", PULL, unit=1000, more=[level, change]).get(LockRoles).all[0].forecast_s == 20.0
    assert lock_picture(tmp_path / "b", PULL, unit=1000).get(LockRoles).all[0].forecast_s is None


def test_victims_have_no_forecast(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, "node0 h_revoke 4\nnode0 pull 0", unit=1000, more=[walked(1000)])
    assert case.get(LockRoles).all[0].forecast_s is None


@pytest.mark.parametrize(
    ("command", "speaks"),
    [
        ("find /srv/rolls -ls | wc -l", True),
        ("time find /srv/rolls/ -name x", True),
        ("ls -l /srv/rolls/a/b", True),
        ("(cd /srv/rolls; ls)", True),
        ("dd if=/dev/zero of=/srv/rolls/x", True),
        ("find '/srv/rolls' -ls", True),
        ("find /srv/rolls2", False),
        ("find /mnt/srv/rolls", False),
        ("find /srv", False),
        ("", False),
    ],
)
def test_whether_a_command_speaks_of_a_mount(command: str, speaks: bool) -> None:
    assert names_path(command, MOUNT) is speaks


def test_times_of_day_work_without_a_date(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, PULL, unit=1000, at_shift_us=-START_US + 3_600_000_000, more=[lazy(1, at=START_US)])
    assert case.get(LockRoles).all[0].at == 3_610_000_000
    assert case.get(LockRoles).all[0].lazy_isize == "on"  # in the same text the line decides


def test_ten_thousand_samples_take_seconds_at_most(tmp_path: Path) -> None:

    picture = (
        f"node0 h_grant {'7' * 5000}\nnode0 h_revoke {'7' * 5000}\nnode1 h_grant {'7' * 5000}\nnode1 pull {'7' * 5000}"
    )
    case = lock_picture(tmp_path, picture, unit=1000, more=[lazy(0)])
    begun = time.process_time()
    assert len(case.get(LockRoles).all) == 10_000
    assert time.process_time() - begun < 20.0
