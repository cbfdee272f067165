"""The products that a diagnosis knows, in the order in which their parts are put together."""

from __future__ import annotations

from typing import Final

from apps.diagnosis.engine.core.facts.case import Case, Product
from apps.diagnosis.engine.core.findings.registry import Rule, RuleNotes, load, run
from apps.diagnosis.engine.core.model import Finding
from apps.diagnosis.engine.gfs2.product import GFS2
from apps.diagnosis.engine.prose.product import PROSE
from apps.diagnosis.engine.scale.product import SCALE
from apps.diagnosis.engine.storage.product import STORAGE
from apps.diagnosis.engine.veritas.product import VERITAS

PRODUCTS: Final[tuple[Product, ...]] = (SCALE, GFS2, VERITAS, STORAGE, PROSE)
IN_STACKS: Final[dict[str, str]] = {
    "gfs2": r"(?:^| )(?:gfs2|g?dlm)_",
    "veritas": r"(?:^| )vxg?_",
    "spectrum-scale": r"(?:^| )(?:cxi|kx)[A-Z]",
}
"""By which functions of the kernel a product is known."""
IN_KINDS: Final[dict[str, str]] = {
    "gfs2": r"(?:gfs2|dlm|totem|corosync|knet|pacemaker|fenced?|resource|stonith|sbd|qdevice|votequorum|quorum|sanlock"
    r"|lvm-lock|lvm-no-lock|self-fenced|coordinator-left|cluster-not-running|node-(?:fenced|left|standby|unclean))"
    r"(?:-|$)",
    "storage": r"(?:drbd|nvme|md|iscsi|paths?|map|multipath|hba|fc|rport|scsi|sense|io|medium|buffer|ata|smart|disk"
    r"|thin-pool|dm|lvm|xfs|ext|btrfs|journal|nfs|ctdb|backup|hsm|ceph|cifs|lustre|ocfs2|o2net|tcmu|reservation|solaris)"
    r"(?:-|$)",
}
"""By which kinds of messages, that no product has for itself, a product is known where nothing else tells it."""


IN_PLACES: Final[dict[str, str]] = {
    "gfs2": r"\bfs/(?:gfs2|dlm)/|\[(?:gfs2|dlm)\]",
    "veritas": r"\[(?:vxfs|vxio|vxdmp|vxglm|vxgms|vxodm|gab|llt|vxfen|fdd|vxportal)\]",
    "spectrum-scale": r"\[(?:mmfs\w{0,8}|tracedev)\]",
    "storage": r"\bdrivers/(?:md|scsi|nvme|block/drbd)/|\[(?:dm_\w{1,24}|drbd|nvme\w{0,8}|lpfc|qla2xxx)\]",
}
"""By which places in the kernel's source, and modules, that a message names a product is known."""


def rules() -> dict[str, Rule]:
    """All rules by ref; a rule without words stops the first diagnosis."""
    return load(tuple(product.rules for product in PRODUCTS if product.rules))


def run_rules(case: Case, notes: RuleNotes) -> list[Finding]:
    """Findings of all rules; one that fails is noted."""
    return run(rules().values(), case, notes)
