"""Nodes that Corosync hears over fewer links than it has (NW-17), by each way of listing them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

WAYS: Final = {
    "up": ("connected", "enabled connected mtu: 1397"),
    "down": ("disconnected", "enabled disconnected mtu: 0"),
}
Links = tuple[tuple[str, str], tuple[str, str]]


def _by_links(links: Links) -> str:
    rows = ["[root@yew2 ~]# corosync-cfgtool -s", "Local node ID 2, transport knet"]
    for number, of in enumerate(links):
        rows += [f"LINK ID {number} udp", f"\taddr\t= 10.{number}.0.2", "\tstatus:"]
        rows += [f"\t\tnodeid:          {peer}:\t{WAYS[state][0]}" for peer, state in zip((1, 3), of, strict=True)]
        rows.insert(-1, "\t\tnodeid:          2:\tlocalhost")
    return "\n".join(rows) + "\n"


def _by_nodes(links: Links) -> str:
    rows = ["[root@yew2 ~]# corosync-cfgtool -n", "Local node ID 2, transport knet"]
    for at, peer in enumerate((1, 3)):
        rows.append(f"nodeid: {peer} reachable")
        rows += [
            f"   LINK: {number} udp (10.{number}.0.2->10.{number}.0.{peer}) {WAYS[of[at]][1]}"
            for number, of in enumerate(links)
        ]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("listing", [_by_links, _by_nodes])
@pytest.mark.parametrize(
    ("links", "title"),
    [
        ((("down", "up"), ("down", "up")), "hears node 1 over none of 2 links"),
        ((("up", "up"), ("down", "down")), "Link 1 of yew2 reaches none of its peers"),
        ((("up", "down"), ("up", "up")), "hears node 3 over fewer links: 1 of 2 down"),
    ],
)
def test_nw_17_what_is_not_heard_is_named_once(tmp_path: Path, listing: object, links: Links, title: str) -> None:
    assert callable(listing)
    found = diagnosis_of(tmp_path, listing(links)).findings
    assert [(one.ref, one.severity) for one in found] == [("NW-17", "medium")]
    assert title in found[0].title.replace("\xa0", " ")


@pytest.mark.parametrize("listing", [_by_links, _by_nodes])
def test_links_that_all_reach_their_peers_are_none(tmp_path: Path, listing: object) -> None:
    assert callable(listing)
    assert diagnosis_of(tmp_path, listing((("up", "up"), ("up", "up")))).findings == ()
