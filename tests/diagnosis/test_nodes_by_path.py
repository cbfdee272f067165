"""The node of a file whose text names none: told by its path where the case knows such a node."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.facts.nodes_by_path import nodes_of_paths, nodes_of_trees
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from parsers.output import Output
from parsers.records import DiskName, NodeAlias, Section
from parsers.records.waits import Waiter


@pytest.mark.parametrize(
    ("path", "node"),
    [
        ("snap/node-alpha/waiters.out", "alpha.lab"),
        ("bundle.tar.gz!snap/ALPHA/waiters", "alpha.lab"),
        ("waiters.alpha.txt", "alpha.lab"),
        ("alpha/of_fs-01/messages", "fs-01"),
        ("snap/host_fs-01_waiters.txt", "fs-01"),
        ("alpha-beta/waiters", None),
        ("alphabet/waiters", None),
        ("log/waiters", None),
        ("", None),
    ],
)
def test_a_path_that_holds_the_name_of_one_known_node(path: str, node: str | None) -> None:
    names = ["alpha.lab", "beta", "fs-01", "log"]
    assert nodes_of_paths({7: path}, names) == ({7: node} if node else {})


@pytest.mark.parametrize(
    ("paths", "nodes"),
    [
        (("glocks.home.carp", "glocks.home.pike"), ("carp", "pike")),
        (("in/glocks.fs1.web1", "in/glocks.fs2.web1", "in/glocks.fs1.web2"), ("web1", "web1", "web2")),
        (("glocks.fs1.web1", "glocks.fs2.web1"), (None, None)),
        (("x.tar.gz!x/ceda/glocks", "x.tar.gz!x/cedb/glocks"), ("ceda", "cedb")),
        (("mmdiag-carp-1-waiters.txt", "mmdiag-carp-2-waiters.txt"), ("carp-1", "carp-2")),
        (("carp_lltstat.out", "pike_lltstat.out"), ("carp", "pike")),
        (("carp-waiters.txt", "notes.txt"), (None, None)),
        (("hang1.txt", "hang2.txt"), (None, None)),
        (("vxstat1.out", "vxstat2.out"), (None, None)),
        (("before/waiters.txt", "after/waiters.txt"), (None, None)),
        (("t0/lltstat.txt", "t1/lltstat.txt"), (None, None)),
        (("day1/web/glocks", "day2/web/glocks"), (None, None)),
        (("cap1/glocks", "cap2/glocks"), (None, None)),
        (("loop1/glocks", "loop2/glocks"), (None, None)),
        (("cap1/post1/glocks", "cap1/post2/glocks", "cap2/post1/glocks"), ("post1", "post2", "post1")),
        (("run1/sun01/glocks", "run1/sun02/glocks"), ("sun01", "sun02")),
        (("pre/post1/glocks", "pre/post2/glocks"), (None, None)),
        (("cap1/run1/glocks", "cap1/run2/glocks"), (None, None)),
        (("pre1/glocks", "post1/glocks"), (None, None)),
        (("waiters-mon.txt", "waiters-tue.txt"), (None, None)),
        (("ps_aux.txt", "ps_auxwwwm.txt", "ps_ef.txt"), (None, None, None)),
        (("iostat_xk.txt", "iostat-xz.txt"), (None, None)),
        (("sos/netstat_rn", "sos/netstat_agn"), (None, None)),
        (("ps_dale.txt", "ps_fred.txt"), ("dale", "fred")),
        (("glocks.home.carp", "glocks.home.pike", "stack-pike.txt"), ("carp", "pike", "pike")),
        (("lltstat-carp.out", "lltstat-pike.out", "carp/messages"), ("carp", "pike", "carp")),
        (("glocks-carp.txt", "glocks-pike.txt", "carp_and_pike.txt"), ("carp", "pike", None)),
        (("glocks-carp.txt", "glocks-pike.txt", "stack-perch.txt"), ("carp", "pike", None)),
        (("case4711.tar!lltstat", "case4712.tar!lltstat"), (None, None)),
    ],
)
def test_paths_that_differ_in_one_name_bear_each_other_out(
    paths: tuple[str, ...], nodes: tuple[str | None, ...]
) -> None:
    found = nodes_of_paths(dict(enumerate(paths)), ())
    assert tuple(found.get(number) for number in range(len(paths))) == nodes


def test_two_nodes_of_one_short_name_are_not_guessed_at() -> None:
    assert nodes_of_paths({1: "alpha/waiters"}, ["alpha.east.lab", "alpha.west.lab"]) == {}


def written(folder: Path, *records: object) -> Path:
    out = Output(FactsWriter(folder))
    for record in records:
        out.add(record)  # type: ignore[arg-type]
    out.close()
    return folder


def test_only_rows_without_a_node_take_it_and_only_in_files_where_nobody_else_speaks(tmp_path: Path) -> None:
    silent = written(tmp_path / "0", Section(line=1), Waiter(line=2), DiskName(line=3, name="data04"))
    spoken = written(
        tmp_path / "1", Section(line=1, node="beta"), Section(line=5), Waiter(line=6), Waiter(line=7, node="beta")
    )
    table = written(tmp_path / "2", NodeAlias(line=1, node="alpha", alias="10.0.0.1", kind="address"))
    facts = Facts(
        [Source(0, "snap/alpha/waiters", silent), Source(1, "alpha/all.txt", spoken), Source(2, "mmlscluster", table)]
    )
    assert facts.frame(Waiter).select("artifact", "node").rows() == [(0, "alpha"), (1, None), (1, "beta")]
    assert facts.frame(Section)["node"].to_list() == ["alpha", "beta", None]
    assert facts.frame(DiskName)["node"].to_list() == [None]


@pytest.mark.parametrize(
    ("named", "node"), [("alpha", "alpha"), ("alpha.east.lab", "alpha.east.lab"), ("Alpha", "Alpha"), ("beta", None)]
)
def test_a_file_that_names_the_node_of_its_path_in_one_section_is_of_it_in_all(
    tmp_path: Path, named: str, node: str | None
) -> None:
    text = written(tmp_path / "0", Section(line=1, node=named), Section(line=5), Waiter(line=6))
    other = written(tmp_path / "1", Section(line=1, node="gamma"))
    table = written(tmp_path / "2", NodeAlias(line=1, node="alpha", alias="10.0.0.1", kind="address"))
    facts = Facts(
        [Source(0, "snap/alpha/all.txt", text), Source(1, "snap/gamma/all.txt", other), Source(2, "list", table)]
    )
    assert facts.frame(Waiter)["node"].to_list() == [node]


@pytest.mark.parametrize(
    "file", ["hostname", "etc/hostname", "sos_commands/host/hostname", "sos_commands/host/hostname_-f"]
)
def test_the_file_with_the_name_of_the_host_names_all_beside_and_below_it(file: str) -> None:
    paths = {
        1: f"x.tar.gz!a/{file}",
        2: "x.tar.gz!a/sos_commands/dlm/ls",
        3: "x.tar.gz!b/sos_commands/dlm/ls",
        4: "notes",
    }
    spoken: dict[int, set[str]] = {1: {"plum4"}, 2: set(), 3: set(), 4: set()}
    assert nodes_of_trees(paths, spoken) == {2: "plum4"}


def test_the_nearest_name_counts_and_two_in_one_place_are_none() -> None:
    paths = {1: "hostname", 2: "sub/hostname", 3: "sub/glocks", 4: "glocks", 5: "etc/hostname", 6: "sub/said"}
    spoken: dict[int, set[str]] = {1: {"fig"}, 2: {"plum"}, 3: set(), 4: set(), 5: {"fern"}, 6: {"moss"}}
    assert nodes_of_trees(paths, spoken) == {3: "plum", 6: "plum"}
    assert nodes_of_trees(paths, spoken | {5: {"fig"}}) == {3: "plum", 4: "fig", 6: "plum"}
