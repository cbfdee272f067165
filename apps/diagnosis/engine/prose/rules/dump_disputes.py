"""Dumps that contradict each other or the lock manager: both lines are shown, none of them is taken for the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.cluster import short_fs
from apps.diagnosis.engine.gfs2.disputes import Disputes
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from parsers.dataclass import dataclass

SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class ViewWords:
    """How two views of one thing differ; further: how many others differ that are not shown."""

    what: str
    differ: str
    further: int


def lock_views(glocks: GlockFacts) -> Iterator[Seen]:
    """The glock dump of a node and the lock manager's tables cannot both be true."""
    found = glocks.manager.disagreements if glocks.any else []
    further = max(0, len(found) - SHOWN)
    for one in found[:SHOWN]:
        lock, granted = one.lock, one.manager
        nodes = {lock.node, granted.owner} - {None, ""}
        yield Seen(
            level="manager",
            words=ViewWords(
                phrase("compared.one-of", name=lock.object, whole=short_fs(lock.fs)),
                one.words,
                further if one is found[0] else 0,
            ),
            lines=(Ref(lock.artifact, lock.line), Ref(granted.artifact, granted.line)),
            borne_by=(2, max(1, len(nodes))),
            nodes=nodes,
            parts=("files" if lock.at is not None and granted.at is not None else "files-any-time",),
        )


def node_views(disputes: Disputes) -> Iterator[Seen]:
    """Dumps of two nodes that cannot both be true."""
    further = max(0, len(disputes.all) - SHOWN)
    for one in disputes.all[:SHOWN]:
        yield Seen(
            level="nodes",
            words=ViewWords(one.what, one.words, further if one is disputes.all[0] else 0),
            lines=one.refs,
            borne_by=(len(one.refs), max(1, len(one.nodes))),
            nodes=one.nodes,
            parts=("dumps" if one.timed else "dumps-any-time",),
        )
