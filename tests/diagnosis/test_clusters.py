"""Generated Scale clusters with a known truth, from their text to the verdict."""

from __future__ import annotations

import pytest

from tests.diagnosis.clusters import KINDS, QUIET, Cluster, Judged, judge, make, plan, run, scores


@pytest.mark.parametrize(
    ("kind", "nodes"), [("disk", 2), ("disk", 24), ("lock", 12), ("network", 12), ("overload", 10), ("healthy", 12)]
)
def test_the_cause_is_found(kind: str, nodes: int) -> None:
    cluster = make(11, kind=kind, nodes=nodes)
    judged = judge(cluster)
    assert judged.is_right(cluster.truth), judged


@pytest.mark.parametrize("members", [2, 3, 50])
def test_a_deadlock_has_exactly_its_members(members: int) -> None:
    cluster = make(23 + members, kind="deadlock", nodes=members + 12, members=members)
    judged = judge(cluster)
    assert judged.cycles == (cluster.truth.cycle,)
    assert judged.kind == "deadlock"


def test_t22_clocks_minutes_apart_do_not_part_a_circle() -> None:
    cluster = make(5, kind="deadlock", nodes=8, members=3, skew_s=150)
    assert judge(cluster).cycles == (cluster.truth.cycle,)


def test_clocks_minutes_apart_do_not_hide_the_disk() -> None:
    cluster = make(6, kind="disk", nodes=8, skew_s=150)
    assert judge(cluster).is_right(cluster.truth)


def test_without_the_dump_that_decides_the_chain_leaves_the_files() -> None:
    cluster = make(4, kind="disk", nodes=9, hide_root=True)
    judged = judge(cluster)
    assert (judged.kind, judged.root) == ("leaves", cluster.truth.root)


@pytest.mark.parametrize(("seed", "kind"), [(48, "disk"), (49, "lock"), (51, "disk"), (52, "lock")])
def test_the_chain_leaves_at_the_hidden_node_though_other_dumps_are_missing_too(seed: int, kind: str) -> None:
    cluster = make(seed, kind=kind, nodes=40, missing=0.3, hide_root=True, skew_s=100)
    judged = judge(cluster)
    assert judged.is_right(cluster.truth), judged


@pytest.mark.parametrize("kind", QUIET)
@pytest.mark.parametrize("seed", [200, 201])
@pytest.mark.part("quiet clusters", 4)
def test_what_only_looks_like_trouble_is_called_healthy(kind: str, seed: int) -> None:
    judged = judge(make(seed, kind=kind, nodes=6, skew_s=100 if seed % 2 else 0))
    assert (judged.kind, judged.root, judged.cycles) == ("healthy", None, ())


def test_a_job_that_takes_hours_hides_no_disk_that_hangs() -> None:
    cluster = make(7, kind="disk", nodes=8)
    job = "Waiting 7000.0 sec since 10:03:20, monitored, thread 9 PitThread: on ThCond 0x7F01 (PitCondvar), "
    files = {
        name: text + f"{job}reason 'Waiting until pit work is complete'\n"
        for name, text in cluster.files.items()
        if "waiters" in name
    }
    both = Cluster(7, "disk", {**cluster.files, **files}, cluster.truth)
    assert judge(both).is_right(cluster.truth)


def test_every_kind_of_nothing_wrong_comes_in_its_turn() -> None:
    kinds = {plan(seed)["kind"] for seed in range(len(KINDS) * 5)}
    assert kinds == {*KINDS, *QUIET}


def test_missing_dumps_of_others_change_nothing() -> None:
    cluster = make(9, kind="disk", nodes=30, missing=0.3)
    assert judge(cluster).is_right(cluster.truth)


@pytest.mark.parametrize("seed", range(100, 106))
@pytest.mark.part("healthy clusters", 2)
def test_nothing_is_called_a_deadlock_in_a_healthy_cluster(seed: int) -> None:
    judged = judge(make(seed, kind="healthy", nodes=seed % 7 + 3, skew_s=100 if seed % 2 else 0))
    assert judged.cycles == ()
    assert judged.kind == "healthy"


def test_equal_seeds_give_equal_clusters() -> None:
    assert make(3, kind="deadlock", nodes=9) == make(3, kind="deadlock", nodes=9)


def test_scores_count_what_was_named_and_what_was_right() -> None:
    pairs: list[tuple[Cluster, Judged]] = list(run(6, most_nodes=12))
    table = {score.kind: score for score in scores(iter(pairs))}
    assert sum(score.clusters for score in table.values()) == 6
    wrong = Judged("deadlock", None, (frozenset(("lund000",)),), "")
    spoilt = {score.kind: score for score in scores(iter([(pairs[0][0], wrong)]))}
    assert (spoilt["deadlock"].precision, spoilt[pairs[0][0].truth.kind].recall) == (0.0, 0.0)
