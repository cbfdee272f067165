"""The page of who waits for whom: the graph's data, the tree, the lines behind an arrow."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.pages.graph.clock_bars import clock_bars
from tests.builders import People, build_case, make_case
from tests.diagnosis.cases import read_into, summarise, with_table
from tests.ingest.material import bundle, tar, waiters
from tests.shown import shown

pytestmark = pytest.mark.django_db
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def real(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    read_into(case, bundle())
    client.force_login(folk.bob)
    return case


def page_of(client: Client, case: Case, **query: str) -> str:
    answer = client.get(reverse("diagnosis:graph", args=[case.key]), query)
    assert answer.status_code == 200
    return shown(answer)


def embedded(page: str) -> Any:
    found = re.search(r'<script id="graph-data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_boxes_arrows_and_the_tree_say_the_same(client: Client, real: Case) -> None:
    page = page_of(client, real)
    data = embedded(page)
    names = {box["id"] for box in data["boxes"]}
    assert {"oulu-n1", "oulu-n2", "oulu-n3"} <= names
    assert any(box["root"] and box["kind"] == "disk" for box in data["boxes"])
    for arrow in data["arrows"]:
        assert {arrow["from"], arrow["to"]} <= names
    tree = page[page.index('id="tree-title"') :]
    for name in names:
        assert name in tree


def test_an_arrow_opens_the_lines_that_it_is_drawn_from(client: Client, real: Case) -> None:
    arrow = embedded(page_of(client, real))["arrows"][0]
    page = page_of(client, real, **{"from": arrow["from"], "to": arrow["to"]})
    edge = page[page.index('id="edge"') :]
    address = re.search(r'href="(/cases/[^"]+/files/\d+/\?line=\d+#L\d+)"', edge)
    assert address is not None
    assert client.get(address[1]).status_code == 200
    assert "Waiting " in edge, "the line itself, and not only what it means"
    assert "waiters.txt:" in edge


def test_htmx_is_given_the_arrow_alone(client: Client, real: Case) -> None:
    answer = client.get(reverse("diagnosis:graph", args=[real.key]), headers={"HX-Request": "true"})
    assert shown(answer).lstrip().startswith('<section class="card" id="edge"')


def test_the_line_of_the_one_who_holds_a_lock_is_beside_those_who_wait(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    glocks = (
        "G:  s:SH n:2/71a9 f:lIqob t:SH d:EX/0 a:0 v:0 r:3 m:200\n"
        " H: s:SH f:eEH e:0 p:7733 [sorter] readdir+0x1/0x2 [gfs2]\n"
        " H: s:EX f:W e:0 p:9120 [mover] rename+0x1/0x2 [gfs2]\n"
    )
    read_into(
        case,
        tar(
            {"melon2/glocks.melon2": f"[root@melon2 ~]# cat /sys/kernel/debug/gfs2/pip:data/glocks\n{glocks}".encode()}
        ),
    )
    client.force_login(folk.bob)
    page = page_of(client, case)
    held = next(arrow for arrow in embedded(page)["arrows"] if arrow["label"].startswith("held"))
    wanted = next(arrow for arrow in embedded(page)["arrows"] if arrow["label"].startswith("wants"))
    for arrow in (held, wanted):
        edge = page_of(client, case, **{"from": arrow["from"], "to": arrow["to"]}).partition('id="edge"')[2]
        assert "p:7733 [sorter]" in edge
        assert "p:9120 [mover]" in edge


def test_the_slider_of_dumps_is_given_all_cards(client: Client, real: Case) -> None:
    head = {"HX-Request": "true", "HX-Target": "graph-cards"}
    answer = client.get(reverse("diagnosis:graph", args=[real.key]), headers=head)
    assert 'id="graph-data"' in shown(answer)


MALFORMED: tuple[dict[str, str], ...] = (
    {"from": "x", "to": "\x01"},
    {"at": "9" * 30},
    {"at": "-1"},
    {"at": "5", "name": "\x01%"},
    {"age": "abc"},
    {"open": "g1,,g99"},
    {"from": EVIL, "to": EVIL},
)


def test_a_malformed_address_is_no_error(client: Client, real: Case) -> None:
    for query in MALFORMED:
        assert EVIL not in page_of(client, real, **query), query


def test_an_age_that_no_wait_has_is_reported(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    edge = {"frm": "a", "to": "b", "via": "call", "count": 1, "longest_s": 5.0, "resolved": True}
    summarise(built.diagnosis, waits_for=[edge])
    client.force_login(folk.bob)
    assert "No wait fits" in page_of(client, built.case, age="60")
    assert "No wait fits" not in page_of(client, built.case)


def test_names_of_the_customer_stay_text(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    edge = {"frm": EVIL, "to": "</script>" + EVIL, "via": EVIL, "count": 1, "longest_s": 50.0, "resolved": False}
    summarise(built.diagnosis, waits_for=[edge], cycles=[[EVIL, "b"]])
    client.force_login(folk.bob)
    page = page_of(client, built.case)
    assert EVIL not in page
    assert "&lt;img src=x" in page


def test_a_case_without_chains_says_what_would_show_them(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    assert "No chain of waits" in page_of(client, built.case)


def chain(name: str, count: int) -> dict[str, Any]:
    return {"frm": name, "to": "hub", "via": "call", "count": count, "longest_s": 5.0, "resolved": True}


def test_too_many_arrows_are_counted_and_can_be_narrowed(client: Client, folk: People, tmp_path: Path) -> None:
    built = build_case(folk.team)
    edges = [chain(f"n{number:03d}", 1000 - number) for number in range(700)]
    summarise(built.diagnosis, waits_for=edges[:500], waits_for_total=700)
    client.force_login(folk.bob)
    with with_table(built.diagnosis, tmp_path, edges=pl.DataFrame(edges)):
        page = page_of(client, built.case)
        assert "200 of 700 arrows are left out" in page
        assert "n699" not in page
        narrowed = page_of(client, built.case, name="N699")
        assert "n699" in narrowed
        assert "left out, those" not in narrowed


def test_a_name_keeps_its_chain_to_the_end(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    edges = [chain("a", 1), {**chain("hub", 2), "to": "disk"}, {**chain("x", 3), "to": "y"}]
    summarise(built.diagnosis, waits_for=edges)
    client.force_login(folk.bob)
    data = embedded(page_of(client, built.case, name="a"))
    assert {box["id"] for box in data["boxes"]} == {"a", "hub", "disk"}


def test_a_dump_shows_the_waits_of_its_moment_only(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    early = waiters("oulu-n1", lines=3, disk="early_nsd").replace(b"09:1", b"07:1")
    read_into(case, tar({"oulu-n1/a.txt": early, "oulu-n1/b.txt": waiters("oulu-n1", lines=5, disk="late_nsd")}))
    client.force_login(folk.bob)
    page = page_of(client, case)
    moments = re.findall(r'<option value="(\d{12,17})"', page)
    assert len(moments) == 2
    together = {box["id"] for box in embedded(page)["boxes"]}
    assert any("early" in name for name in together)
    assert any("late" in name for name in together)
    first = embedded(page_of(client, case, at=moments[0]))
    assert not any("late" in box["id"] for box in first["boxes"])
    assert sum(arrow["count"] for arrow in first["arrows"]) == 3
    last = embedded(page_of(client, case, at=moments[1]))
    assert not any("early" in box["id"] for box in last["boxes"])


NODES: list[dict[str, Any]] = [
    {"name": "a", "clock_offset_s": 2.0, "clock_error_s": 0.2},
    {"name": "b", "clock_offset_s": 0.0, "clock_error_s": 0.3},
    {"name": "c", "clock_offset_s": None, "clock_error_s": None},
]


def wait(node: str, start_s: float | None) -> dict[str, Any]:
    return {"node": node, "start": None if start_s is None else round(start_s * 1_000_000)}


def test_the_order_of_two_starts_is_certain_only_beyond_the_error() -> None:
    near, far = clock_bars(NODES, wait("a", 103), wait("b", 102)), clock_bars(NODES, wait("a", 103), wait("b", 109))
    assert near is not None
    assert far is not None
    assert (near["is_certain"], near["apart_s"], near["error_s"]) == (False, 1.0, 2.5)
    assert (far["is_certain"], far["apart_s"], far["first"]) == (True, 8.0, "a")
    assert [bar.node for bar in far["corrected"]] == ["a"]
    unknown = clock_bars(NODES, wait("a", 1), wait("c", 900))
    assert unknown is not None
    assert unknown["error_s"] is None
    assert not unknown["is_certain"]


def test_without_two_starts_there_are_no_bars() -> None:
    assert clock_bars(NODES, wait("a", None), wait("b", 1)) is None
    assert clock_bars(NODES, None, wait("b", 1)) is None


def test_waits_of_one_node_need_no_comparison_of_clocks() -> None:
    bars = clock_bars(NODES, wait("c", 10), wait("c", 30))
    assert bars is not None
    assert bars["is_certain"]


def test_shares_are_of_all_waits_and_not_of_the_arrows_drawn(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    waits = {"via": "I/O", "count": 1, "resolved": True}
    edges = [{"frm": f"c{k}", "to": "dm-1", "longest_s": 900.0 - k, **waits} for k in range(300)]
    edges += [{"frm": f"m{k}", "to": f"h{k}", "longest_s": 100.0, **waits} for k in range(400)]
    roots = [{"what": "dm-1", "node": "n", "kind": "disk", "waiters": 300, "relieves": 300, "longest_s": 900.0}]
    summarise(built.diagnosis, waits_for=edges, roots=roots)
    client.force_login(folk.bob)
    page = page_of(client, built.case)
    assert embedded(page)["total"] == 700
    assert re.search(r"1\s101 names \u00b7 700 waits", page)


def test_a_node_among_a_thousand_is_drawn_as_a_node(client: Client, folk: People) -> None:
    """Also where its name comes last of more nodes than a diagnosis keeps with their spellings."""
    nodes = [f"calc{number:03}" for number in range(520)]
    table = "".join(
        f"{n:4}   {node}   10.4.{n // 250}.{n % 250 + 1}   {node}\n" for n, node in enumerate([*nodes, "zoo01"], 1)
    )
    cluster = f" Node  Daemon node name  IP address  Admin node name  Designation\n{'-' * 68}\n{table}"
    waits = "".join(
        f"{node}: Waiting 61.2 sec since 09:00:01, monitored, thread 41 NSDThread: on ThCond 0x1 (MsgRecordCondvar), "
        "reason 'RPC wait' for nsdMsgReadExt on node 10.4.2.22 <c0n520>\n"
        for node in nodes
    )
    disk = "zoo01: Waiting 62.3 sec since 09:00:00, monitored, thread 9 NSDThread: for I/O completion on disk dm-5\n"
    case = make_case(folk.team)
    read_into(case, tar({"mmlscluster.txt": cluster.encode(), "waiters.txt": (waits + disk).encode()}))
    client.force_login(folk.bob)
    boxes = {box["id"]: box for box in embedded(page_of(client, case))["boxes"]}
    assert boxes["zoo01"]["kind"] == "node"
    assert boxes["zoo01"]["sub"] == "1 wait"
