"""Messages in the wording of the documents of their makers, each beside one that is none."""

from __future__ import annotations

import pytest

from parsers.catalogue import find

KIND = {
    ("mmfs", "Could not initialize inter-node communication"): "network-error",
    ("mmfs", "Could not initialize internode communication"): "network-error",
    ("mmfs", "Old server with PID 8123 still running."): "old-daemon-runs",
    ("mmfs", "Cannot open configuration file /var/mmfs/gen/mmfs.cfg."): "daemon-unconfigured",
    ("mmfs", "Could not execute /var/mmfs/etc/mmfsup"): "callback-failed",
    ("mmfs", "/var/mmfs/etc/syncfsconfig ended abnormally"): "callback-failed",
    ("mmfs", "preunmount.sh killed by signal 15"): "callback-failed",
    ("mmfs", "Error: daemon and kernel extension do not match."): "kernel-extension-differs",
    ("mmfs", "File system scratch has some disks that are in a non-ready state."): "disks-not-ready",
    ("mmfs", "Warning: mount detected unavailable disks. Use mmlsdisk scratch to see details."): "disks-not-ready",
    (
        "mmfs",
        "NSD n4lun2 is using Persistent Reserve, this will require an NSD server on an AIX node.",
    ): "reserve-failed",
    (
        "vxvm",
        "Disk group oradg,Disk disk_7: Cannot auto-import group: Invalid magic number",
    ): "disk-group-not-auto-imported",
    ("vxvm", "Disk group oradg: Disabled by errors"): "disk-group-disabled",
    ("vxvm", "RAID-5 raidvol entering degraded mode operation"): "raid5-degraded",
}
NONE = (
    ("mmfs", "mmfsd killed by signal 9"),
    ("mmfs", "Disks of file system scratch are all ready"),
    ("mmfs", "mmfsd shutting down; kernel extension unloaded"),
    ("vxvm", "Disk group oradg imported"),
)


@pytest.mark.parametrize(("group", "text"), KIND)
def test_a_documented_message_is_known_for_what_it_says(group: str, text: str) -> None:
    found = find(group, text)
    assert found is not None
    assert found.kind == KIND[group, text]


@pytest.mark.parametrize(("group", "text"), NONE)
def test_words_beside_it_are_another_message(group: str, text: str) -> None:
    found = find(group, text)
    assert found is None or found.kind not in KIND.values()
