"""What still serves where a part is lost: a disk whose group has no volume that stands still, or whose array goes on
without it, took a copy with it, and no data.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from parsers.headings.node_sets import nodes_meant
from parsers.messages.catalogue import meanings
from parsers.records import Event
from parsers.records.states import HealthState, StorageState

_NSD: Final = "NSD "
_RDMA: Final = "RDMA of the daemon"
_SERVES = ("healthy", "hint")
_OF_DISABLED: Final = "dgdisabled"
"""In the state of a disk whose whole group is disabled on its node: none of its volumes serves there."""
_DISK: Final = re.compile(r"\b(?:sd|hd|vd|xvd)[a-z]{1,3}(?=\d|\b)|\bnvme\d{1,4}n\d{1,4}")


def with_what_is_left(states: Iterable[StorageState]) -> Iterator[StorageState]:
    """The states; a failed or missing disk is one of a mirror where volumes of its group are listed on its node and all
    work, or where copies of volumes are listed as lost with it, and no volume.
    """
    found = list(states)
    volumes = defaultdict[tuple[str | None, str], set[str]](set)
    lost = defaultdict[int, set[str]](set)
    for one in found:
        if one.sort in ("plex", "volume") and one.standing in ("degraded", "failed"):
            lost[one.artifact].add(one.sort)
        if one.sort == "volume" and one.of:
            volumes[one.node, one.of].add(one.standing)
    for one in found:
        standings = volumes.get((one.node, one.of or ""), set())
        serves = standings <= set(_SERVES) if standings else one.of is None and lost[one.artifact] == {"plex"}
        is_lost = one.sort == "disk" and one.standing in ("failed", "missing") and _OF_DISABLED not in (one.state or "")
        if is_lost and serves:
            yield replace(one, sort="mirrored disk", standing="failed")
        else:
            yield one


def with_servers_left(states: Iterable[HealthState]) -> Iterator[HealthState]:
    """The states; a disk that one of its servers does not find is lost to all where no other one of them finds it, and
    RDMA that is off where most other nodes use it is missed there.
    """
    found = list(states)
    served = {(one.artifact, one.component) for one in found if one.standing == "healthy"}
    missed = _nodes_without_rdma(found)
    for one in found:
        is_of_server = (one.component or "").startswith(_NSD) and "server node" in (one.state or "")
        if is_of_server and one.standing == "degraded" and (one.artifact, one.component) not in served:
            yield replace(one, standing="failed")
        elif one.node in missed and one.component == _RDMA and one.standing == "hint":
            yield replace(one, standing="degraded")
        else:
            yield one


def _nodes_without_rdma(states: Iterable[HealthState]) -> frozenset[str]:
    """Nodes whose last look shows it off, if more nodes than they use it; that others never had it is a matter of
    roles, such as nodes for backups beside servers.
    """
    last = {one.node: one.standing for one in states if one.component == _RDMA and one.node is not None}
    off = frozenset(node for node, standing in last.items() if standing == "hint")
    without, all_nodes = sum(map(nodes_meant, off)), sum(map(nodes_meant, last))
    return off if 2 * without < all_nodes - without else frozenset()


class Spares:
    """Disks of which an array holds a copy elsewhere and goes on without them."""

    def __init__(self, records: Records) -> None:
        self._records = records

    def is_spared(self, kind: str, node: str | None, about: str | None) -> bool:
        """Whether what a kind takes with it is there once more, as its node says of the same disk."""
        meaning = meanings().get(kind)  # some kinds have none of their own, such as labels of an error log
        disk = _DISK.search(about or "") if meaning is not None and meaning.spared_by else None
        return disk is not None and (node, disk[0]) in self._spared

    @cached_property
    def _spared(self) -> frozenset[tuple[str | None, str]]:
        """Disks that an array does without, each the only one of its array."""
        lacking = defaultdict[tuple[str | None, str | None], set[str]](set)
        kinds = {kind for meaning in meanings().values() for kind in meaning.spared_by}
        rows = self._records.frame(Event, pl.col("kind").is_in(sorted(kinds)))
        for node, about, text in rows.select("node", "about", "text").iter_rows():
            lacking[node, about].update(_DISK.findall(text or ""))
        states = list(self._records.of(StorageState))
        stands = {(one.node, one.name) for one in states if one.sort == "array" and one.standing == "failed"}
        for one in states:
            is_bad = one.sort == "disk" and one.standing in ("degraded", "failing", "missing")
            if is_bad and one.of and (one.node, one.of) not in stands:
                lacking[one.node, one.of].update(_DISK.findall(one.name or ""))
        return frozenset((node, next(iter(disks))) for (node, _), disks in lacking.items() if len(disks) == 1)
