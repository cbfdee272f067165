"""Notes on dumps that contradict each other or the lock manager: both lines are shown, none of them is taken for the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.case import Case
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.wording import plural
from apps.diagnosis.engine.gfs2.cluster import short_fs
from apps.diagnosis.engine.gfs2.disputes import Disputes
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.prose.rules.contradictions import Note, note

SHOWN: Final = 3


@note("CONTRADICTION")
def lock_views(case: Case) -> Iterator[Note]:
    """The glock dump of a node and the lock manager's tables cannot both be true: shown, with both lines."""
    glocks = case.get(GlockFacts)
    found = glocks.manager.disagreements if glocks.any else []
    for one in found[:SHOWN]:
        lock, granted = one.lock, one.manager
        rest = len(found) - SHOWN if one is found[0] else 0
        yield Note(
            title=f"The views of glock {lock.object} of {short_fs(lock.fs)} disagree: {one.words}",
            explanation=(
                f"Glock dump and lock manager are two files, read one after the other: either the lock moved between them, or one side has"
                f" lost track. The same in a second capture would be a fault.{f' {rest} further glocks disagree.' if rest > 0 else ''}"
            ),
            evidence=(Ref(lock.artifact, lock.line), Ref(granted.artifact, granted.line)),
            disproved_by="Both views equal in the next capture.",
            nodes=tuple(sorted({lock.node, granted.owner} - {""})),
            sure=0.8 if lock.at is not None and granted.at is not None else 0.5,
            why="read within seconds of each other"
            if lock.at is not None and granted.at is not None
            else "the times of the two files are not known",
            basis="derived",
        )


@note("CONTRADICTION")
def node_views(case: Case) -> Iterator[Note]:
    """Dumps of two nodes that cannot both be true: shown, with both lines; none of them is taken for the truth."""
    found = case.get(Disputes).all
    for one in found[:SHOWN]:
        more = len(found) - SHOWN if one is found[0] else 0
        rest = f" {plural(more, 'further sight disagrees', 'further sights disagree')}." if more > 0 else ""
        yield Note(
            title=f"The views of {one.what} disagree: {one.words}",
            explanation=(
                "The nodes' dumps are taken one after the other: either the lock moved between them, or one side has lost track. Take both"
                f" again in one second; the same in a second capture would be a fault.{rest}"
            ),
            evidence=one.refs,
            disproved_by="Both views equal in the next capture.",
            nodes=one.nodes,
            sure=0.8 if one.timed else 0.5,
            why="taken within seconds of each other" if one.timed else "the times of the two dumps are not known",
            basis="derived",
        )
