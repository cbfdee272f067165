"""A message of the kernel that names a place in its source names the product that the place is of; a loss of the
membership stands before what follows from it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

WARNING = "[ 1234.567891] WARNING: CPU: 3 PID: 4242 at {place} {function}+0x1c5/0x2a0{module}\n"


@pytest.mark.parametrize(
    ("place", "function", "module", "products"),
    [
        ("fs/gfs2/glock.c:971", "do_xmote", " [gfs2]", ("gfs2",)),
        ("fs/dlm/lock.c:2510", "grant_lock", " [dlm]", ("gfs2",)),
        ("drivers/md/dm-mpath.c:310", "pg_init", " [dm_multipath]", ("storage",)),
        ("fs/ntfs/inode.c:12", "read_it", " [ntfs]", ()),
        ("kernel/rcu/tree.c:12", "rcu_check", "", ()),
    ],
)
def test_a_warning_of_the_kernel_names_its_product(
    place: str, function: str, module: str, products: tuple[str, ...], tmp_path: Path
) -> None:
    text = WARNING.format(place=place, function=function, module=module)
    assert diagnosis_of(tmp_path, dmesg_dot_txt=text).products == products


LOST = (
    "Mar  4 10:00:01 {node} corosync[1200]: [TOTEM ] A processor failed, forming new configuration.\n"
    "Mar  4 10:00:03 {node} corosync[1200]: [TOTEM ] A new membership (10.0.0.2:24) was formed. Members left: 1\n"
)
DIED = "Mar  4 {clock} {node} pacemakerd[1290]: error: Connection to the CPG API failed: Library error (2)\n"


@pytest.mark.parametrize(
    ("node", "teller", "clock", "first"),
    [
        ("larch", "larch", "10:00:04", "The cluster lost its token"),
        ("cod3", "cod3", "10:01:40", "The cluster lost its token"),
        ("larch", "rowan", "10:00:04", "A daemon of pacemaker ended"),
        ("larch", "larch", "09:20:04", "A daemon of pacemaker ended"),
    ],
)
def test_a_loss_of_the_token_stands_before_daemons_that_end_behind_it(
    node: str, teller: str, clock: str, first: str, tmp_path: Path
) -> None:
    text = LOST.format(node=node) + DIED.format(node=teller, clock=clock)
    verdict = diagnosis_of(tmp_path, messages=text).verdict
    assert verdict is not None
    assert verdict.title.startswith(first)
    assert verdict.severity == "high"
