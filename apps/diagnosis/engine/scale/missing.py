"""What dumps, tables and histories of Spectrum Scale the next bundle must hold, where a question had to stay open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Missing, Root
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.steps import lacking
from apps.diagnosis.engine.scale.awaited import UNGIVEN, UNNAMED_DISK
from apps.diagnosis.engine.scale.evidence import other_disks
from apps.diagnosis.engine.scale.io import ScaleIo
from apps.diagnosis.engine.scale.nsds import ScaleNsds
from apps.diagnosis.engine.scale.settings import BATCHING, BATCHING_SINCE, ScaleSettings
from apps.diagnosis.engine.scale.taxonomy import Taxonomy
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.records import Quotation

ENDS: Final = 2
DEVICES: Final = ("dm-", "sd", "hdisk", "nvme", "/dev/")


def missing(case: Case, roots: Sequence[Root]) -> Iterator[Missing]:
    """Nearest to the cause first. roots: ends of the chains of all products."""
    yield from _open_ends(roots)
    yield from _holders(case)
    yield from _disks(case)
    yield from _release(case)
    yield from _quoted(case)


def _open_ends(roots: Sequence[Root]) -> Iterator[Missing]:
    """Dumps of the nodes where chains leave these files."""
    for root in roots:
        if root.leaves_data and root.kind != "lock":
            yield lacking("scale-open-end", node=root.what, waiters=root.waiters)


def _holders(case: Case) -> Iterator[Missing]:
    """The next dump of a node that asked for a token shows whom it asks to give it up. Where several nodes have no
    answer of one token server, its own dump tells whether it stands still.
    """
    waits = case.get(ScaleWaits)
    asking: dict[str, set[str]] = defaultdict(set)
    for behind in waits.behind:
        if behind.end.what == UNGIVEN and behind.end.kind == "lock" and behind.end.node is not None:
            yield lacking("scale-token-holder", node=behind.end.node, waiters=behind.waiters)
            for group in behind.groups:
                if group.to.place == "acquire" and group.to.node:
                    asking[group.to.node].update(behind.nodes)
    unseen = {edge.to for edge in waits.edges if not edge.resolved}
    for server, nodes in asking.items():
        if len(nodes) > 1 and server in unseen:
            yield lacking("scale-token-server", node=server, nodes=len(nodes))


def _disks(case: Case) -> Iterator[Missing]:
    """A device at the end of the chains: which NSD it is, and how quick it is against its neighbours."""
    waits, nsds, io = case.get(ScaleWaits), case.get(ScaleNsds), case.get(ScaleIo)
    for behind in [one for one in waits.behind if one.end.kind == "disk" and one.end.node][:ENDS]:
        node, disk = behind.end.node, behind.end.what
        if disk.startswith(DEVICES) and nsds.name_of(node, disk) is None:
            yield lacking("scale-nsd-of-device", node=node, disk=disk)
        code = waits.spans.nodes.code(node or "")
        others = other_disks(waits.spans, code, disk, 0.0)[0] if code is not None else 0
        if not others and not io.served_by(node):
            yield lacking("scale-io-history", node=node, disk="this disk" if disk == UNNAMED_DISK else disk)


def _release(case: Case) -> Iterator[Missing]:
    """Small direct writes of a node whose release is not shown: whether they can be batched is open."""
    bounds = limits("SC-12")
    for writes in case.get(ScaleIo).small_writes(bounds.wider_bytes, bounds.writes)[:1]:
        if writes.rising and case.get(ScaleSettings).reaches(BATCHING_SINCE, writes.node, BATCHING) is None:
            yield lacking("scale-release", node=writes.node)


def _quoted(case: Case) -> Iterator[Missing]:
    """Reasons of waits that people quote, where no list of waiters shows such a wait: what they mean, and what shows
    them.
    """
    shown = {kind.kind_id for kind in case.get(ScaleWaits).kinds}
    quoted = {one.words: Taxonomy.load().quoted(one.words) for one in case.get(Records).of(Quotation)}
    for words, kind in [(words, kind) for words, kind in quoted.items() if kind][:ENDS]:
        if kind.kind_id not in shown:
            yield lacking("scale-quoted-wait", words=words, meaning=kind.meaning)
