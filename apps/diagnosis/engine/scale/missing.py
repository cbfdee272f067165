"""What tables and histories of Spectrum Scale the next bundle must hold, where a rule had to leave its question open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import Missing, Root
from apps.diagnosis.engine.scale.evidence import other_disks

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

ENDS: Final = 2
BATCHING: Final = "dioSmallSeqWriteBatching"
GATE: Final = "5.0.4.2"


def missing(case: CaseFacts) -> tuple[Missing, ...]:
    """Nearest to the cause first."""
    return (*_disks(case), *_release(case))


def _disks(case: CaseFacts) -> Iterator[Missing]:
    """A device at the end of the chains: which NSD it is, and how quick it is against its neighbours."""
    if not case.scale.any:
        return
    tables = case.scale_tables
    for behind in [one for one in case.scale.chains.behind if one.end.kind == "disk" and one.end.node][:ENDS]:
        node, disk = behind.end.node, behind.end.what
        is_device = disk.startswith(("dm-", "sd", "hdisk", "nvme", "/dev/"))
        if is_device and tables.nsds.name_of(node, disk) is None:
            yield Missing(f"the NSD that {disk} of {node} is", "device names differ from node to node", node, ("mmlsnsd -X",))
        code = case.scale.spans.nodes.code(node or "")
        others = other_disks(case.scale.spans, code, disk, 0.0)[0] if code is not None else 0
        if not others and not tables.io.served_by(node):
            yield Missing(
                f"the I/O history of {node}",
                f"it tells whether {disk} alone is slow, or all disks of the server",
                node,
                ("mmdiag --iohist",),
            )


def _release(case: CaseFacts) -> Iterator[Missing]:
    """Small direct writes of a node whose release is not shown: whether they can be batched is open."""
    bounds = limits("SC-12")
    for writes in case.scale_tables.io.small_writes(bounds.wider_bytes, bounds.writes)[:1]:
        if writes.rising and case.scale_tables.settings.reaches(GATE, writes.node, BATCHING) is None:
            yield Missing(
                f"the release of {writes.node or 'the node that writes'}", f"{BATCHING} needs {GATE}", writes.node,
                ("mmdiag --version", f"mmdiag --config | grep {BATCHING}"),
            )  # fmt: skip


def open_ends(roots: Sequence[Root]) -> Iterator[Missing]:
    """Dumps of the nodes where chains leave these files."""
    for root in roots:
        if root.leaves_data and root.kind != "lock":
            yield Missing(
                what=f"waiters of {root.what}",
                why=f"{root.waiters} waits end there and no dump of it is in these files",
                node=root.what,
                commands=("mmdiag --waiters", "mmdiag --network"),
            )
