"""Mails, tickets and logs about clusters with GFS2 from RHEL 5 to 9, SUSE and Debian: what a senior engineer would say
of each, and as many of healthy clusters, of which there is nothing to say.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from tests.diagnosis.host_tools_cases import diagnosed

LETTERS = Path(__file__).parent.parent / "fixtures" / "gfs2_letters"
SEVERITIES = ("info", "low", "medium", "high", "critical")
TROUBLE = {
    "clustat": ("high", "nfs_home", "failed"),
    "clvmd-hang": ("medium", "clvmd", "wait"),
    "cman-nodes": ("critical", "no quorum", "ash"),
    "corosync-quorumtool": ("critical", "no quorum", "1 of 3"),
    "crm-mon-failed": ("critical", "fencing", "hv-a", "failed"),
    "crm-standby-failcount": ("high", "stonith-ipmi", "does not work"),
    "crm-status-new": ("high", "fs1", "failed (blocked)", "iris"),
    "dlm-tool-kern-stop": ("critical", "stash", "fencing", "node 3"),
    "fence-ok": ("medium", "plum", "was fenced"),
    "fence-tool-el6": ("critical", "fencing", "2", "not ended"),
    "fencing-agent-log": ("critical", "fencing of pear failed"),
    "fencing-loop": ("critical", "fencing", "medlar", "failed"),
    "fsck-mount-fail": ("medium", "could not mount", "elm"),
    "french-forum": ("critical", "fencing of cerise", "not ended"),
    "dlm-controld-dump": ("critical", "stash", "fencing", "node 3", "failed"),
    "kernel-hang-flush": ("high", "gfs2_logd", "gull2", "4 m 05 s"),
    "crm-mon-xml-ish": ("critical", "fencing", "owl1", "owl2"),
    "memory-lowmem-32": ("high", "killed aisexec", "memory", "crow"),
    "panic-withdraw": ("critical", "cage withdrew", "ibex", "assertion"),
    "fence-scsi-reservation": ("critical", "cage withdrew", "lark", "reservation", "sdf"),
    "watchdog-reset": ("high", "watchdog", "moth1"),
    "lvm-shared-errors": ("medium", "no lock", "vgshared", "kiwi"),
    "glock-waiters-nodes": ("critical", "3/1d20f1", "habicht", "15 m 21 s"),
    "pcs-cluster-down": ("high", "corosync.service", "failed", "apricot"),
    "gfs2-bugon-sles": ("high", "crashed", "gfs2_evict_inode", "node-a"),
    "glocks-contention": ("medium", "2/1a3b0", "107440"),
    "group-tool-rhel5": ("critical", "clvmd", "home", "fencing"),
    "hung-rhel7": ("high", "httpd", "glock", "lime03"),
    "hung-writeback-mail": ("high", "rsync", "journal", "4 m 01 s"),
    "journal-stuck": ("high", "storage", "2 m 02 s"),
    "kernelbug-rhel5": ("high", "fs/gfs2/glock.c:1173", "ash"),
    "knet-link-down": ("high", "no link to node 2", "node-west"),
    "lvmlockctl": ("low", "vg", "lvm_vgshared", "waits"),
    "mcast-problem": ("critical", "no quorum"),
    "nocluster-conn": ("medium", "connection", "node 2"),
    "oom-ns": ("high", "killed pacemaker-based", "memory", "fern"),
    "oops-gfs2": ("high", "crashed", "gfs2_glock_free [gfs2]"),
    "pcs-quorum-status": ("critical", "no quorum", "2 of 5"),
    "pcs-status-stopped": ("critical", "no quorum", "apricot"),
    "pcs-stonith-history": ("critical", "fencing", "lily", "failed"),
    "qdevice": ("critical", "no quorum", "alder"),
    "qdisk": ("critical", "no quorum", "sorrel"),
    "rcu-stall": ("medium", "cpu", "stood still"),
    "sanlock": ("high", "lease", "s1", "kvm11"),
    "sbd": ("medium", "suse2", "reset", "slot"),
    "softlockup-vm": ("high", "cpu#2", "22 s", "vmnode1"),
    "split-brain-de": ("critical", "fencing", "nord"),
    "stonith-disabled": ("medium", "stonith-enabled=false"),
    "withdraw-sles": ("critical", "daten", "withdrew", "sles-n2", "dm-7"),
    "wrapped-withdraw": ("critical", "home withdrew", "invalid metadata", "129411"),
}
"""By the name of the letter: the least severity, and the words of one finding."""
HEALTHY = tuple(sorted(path.stem for path in (LETTERS / "healthy").glob("*.txt")))


def _judged(folder: Path, place: str, name: str) -> Diagnosis:
    return diagnosed(folder, (LETTERS / place / f"{name}.txt").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", TROUBLE)
def test_what_is_wrong_is_named_and_the_verdict_is_short(tmp_path: Path, name: str) -> None:
    least, *words = TROUBLE[name]
    found = _judged(tmp_path, "trouble", name).findings
    bad = [one.title.lower() for one in found if SEVERITIES.index(one.severity) >= SEVERITIES.index(least)]
    assert any(all(word in title for word in words) for title in bad), bad
    assert len(found[0].verdict) <= 140


@pytest.mark.parametrize("name", HEALTHY)
def test_of_a_healthy_cluster_there_is_nothing_to_say(tmp_path: Path, name: str) -> None:
    assert [one.title for one in _judged(tmp_path, "healthy", name).findings if one.severity != "info"] == []
