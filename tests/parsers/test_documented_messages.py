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
    ("serviceguard", "Member ftsys11 seems unhealthy, not receiving heartbeats from it."): "sg-node-timed-out",
    ("serviceguard", "Warning: cmcld was unable to run for the last 2.3 seconds. Consult"): "sg-daemon-late",
    ("serviceguard", "This node is at risk of being evicted from the running cluster."): "sg-daemon-late",
    ("serviceguard", "Cluster lock was denied. Lock was obtained by another node."): "sg-lock-denied",
    ("errpt", "UNKN S LVDD: BAD BLOCK DIRECTORY OVER 90% FULL"): "aix-lvm-error",
    ("errpt", "UNKN H LVDD: BAD BLOCK RELOCATION FAILURE"): "aix-lvm-error",
    ("kernel", "qla2xxx [0000:05:00.1]-d04d:6: Mailbox cmd timeout occurred, cmd=0x54"): "fc-link-errors",
    (
        "vxvm",
        "Volume r5arch is not startable; RAID-5 plex does not map entire volume length.",
    ): "raid5-not-startable",
    (
        "vxvm",
        "Volume r5arch is not startable; some subdisks are unusable and the parity is stale.",
    ): "raid5-not-startable",
    (
        "vxfen",
        "Got the serial number of 60a98 for coordinator disk from remote node. Corresponding value for local",
    ): "fencing-odd-disks",
    ("vxfen", "List of coordinator disks in running cluster is different than local node."): "fencing-odd-disks",
    ("vxfen", "Issuing SCSI TEST UNIT READY to disk reserved by other node FAILED."): "fencing-disk-unfit",
    ("vxvm", "RAID-5 raidvol entering degraded mode operation"): "raid5-degraded",
}
NONE = (
    ("mmfs", "mmfsd killed by signal 9"),
    ("mmfs", "Disks of file system scratch are all ready"),
    ("mmfs", "mmfsd shutting down; kernel extension unloaded"),
    ("vxvm", "Disk group oradg imported"),
    ("vxfen", "Driver will use SCSI-3 compliant disks."),
    ("mmfs", "Enabled automated deadlock detection."),
    ("vxvm", "Volume r5arch started"),
    ("serviceguard", "Member ftsys11 joined the cluster"),
    ("errpt", "INFO O LVDD: PHYSICAL PARTITION RESYNCHRONIZED"),
    ("esx", "StorageApdHandler: 692: APD Handle Created with lock."),
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
