"""Messages in the wording of the documents of their makers, each beside one that is none."""

from __future__ import annotations

import pytest

from parsers.messages.catalogue import find

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
    ("pacemaker", "Remote node r1 will be fenced: remote connection is unrecoverable"): "node-unclean",
    (
        "pacemaker",
        "fs1 cannot run on node1 due to reaching migration threshold (clean up resource to allow again)",
    ): "resource-failed",
    ("pacemaker", "Stopping fs1 until node1 can be unfenced"): "unfencing-failed",
    ("pacemaker", "Unfencing of node1 by node2 failed (timeout) with exit status 1"): "unfencing-failed",
    ("pacemaker", "Cannot fence node1 because of vip: blocked (vip_stop_0)"): "resource-blocked",
    (
        "pacemaker",
        "No further recovery can be attempted for fs1 because stop on node1 failed (error) at Nov 28",
    ): "resource-blocked",
    ("pacemaker", "rsc_op 12: fs1_start_0 on node1 timed out"): "resource-timeout",
    ("pacemaker", "Lost connection to Pacemaker Remote node r1"): "remote-node-lost",
    (
        "pacemaker",
        "Rejecting join-3 request from node n2 because feature set 3.1 is incompatible with ours",
    ): "pacemaker-join-refused",
    ("pacemaker", "Timeout waiting for reply from scheduler."): "pacemaker-daemon-stalls",
    ("pacemaker", "Lost fencer connection (will attempt to reconnect)"): "pacemaker-died",
    (
        "pacemaker",
        "Ignoring request because cluster configuration is invalid (please repair and restart)",
    ): "pacemaker-config-invalid",
    ("pacemaker", "Disabling disk writes after fork failure: Out of memory"): "cluster-configuration-unwritten",
    ("pacemaker", "Fence operation 12 for node2 failed: No route to host (aborting transition)"): "fence-failed",
    (
        "pacemaker",
        "Shutting down: stonith-watchdog-timeout configured (10) but SBD not active",
    ): "pacemaker-without-watchdog",
    ("pacemaker", "Panicking the system directly: reboot"): "pacemaker-panics",
    ("pacemaker", "Nodes 1 and 2 share the same name 'node1'"): "node-names-shared",
    ("pacemaker", "Resource start-up disabled since no fencing resources have been defined."): "stonith-off",
    ("pacemaker", "ocf resource fs1 might be active on 2 nodes (attempting recovery)"): "resource-too-active",
    ("pacemaker", "Could not connect to Corosync CFG: CS_ERR_LIBRARY"): "cluster-not-running",
    ("kernel", "dlm: dlm user daemon not available"): "dlm-not-started",
    ("kernel", "dlm: gfs1: no userland control daemon, stopping lockspace"): "dlm-down",
    ("kernel", "dlm: dlm_plock_callback: lock granted after lock request failed; dangling lock!"): "plock-left",
    ("kernel", "GFS2: fsid=alpha:gfs.0: free data mismatch:  12 != 14"): "gfs2-inconsistent",
    ("kernel", "GFS2: rgd: 123456 lvb free mismatch 12/14"): "gfs2-inconsistent",
    ("fencing", "Lost connection to cluster layer, shutting down"): "pacemaker-died",
    (
        "fencing",
        "servant_md: Found fencing message - aborting start-up. Manual intervention required!",
    ): "sbd-start-refused",
    ("fencing", "inquisitor_child: /dev/sdc requested a reset"): "sbd-reset",
    ("fencing", "watchdog_tickle: Watchdog write failure: /dev/watchdog!"): "watchdog-unwritable",
    ("fencing", "servant_md: Header on /dev/sdc changed since start-up!"): "sbd-unreadable",
    ("fencing", "Message is not delivered via more then a half of devices"): "fence-failed",
    ("fencing", "DEBUG MODE 1 IS ACTIVE - DO NOT RUN IN PRODUCTION!"): "sbd-debug-mode",
    ("fencing", "inquisitor_child: pcmk health check: UNHEALTHY"): "sbd-unhealthy",
    (
        "fencing",
        "Assuming ipmi2 cannot fence node2 because status could not be executed: Timed Out",
    ): "fence-agent-failed",
    (
        "totem",
        "Received config version (5) is different than my config version (4)! Exiting",
    ): "corosync-config-version",
    ("totem", "Unable to reload config file: x"): "corosync-reload-refused",
    (
        "totem",
        "Message received from 10.0.0.2 has bad magic number (probably sent by unknown).. Ignoring",
    ): "totem-member-mismatch",
    ("totem", 'watchdog resource "memory_used" failed!'): "corosync-watchdog-unfed",
    ("multipath", "sdc: path wwid change detected. Removing"): "path-of-another-disk",
    ("multipath", "mpatha: wwid '360a' doesn't match wwid '360b' from device"): "path-of-another-disk",
    ("multipath", "mpatha: failed to add new path sdc, device size mismatch"): "path-of-another-size",
    ("multipath", "sdc: size 2097152, expected 4194304. Discard"): "path-of-another-size",
    ("multipath", "sdc: not initialized after 3 udev retriggers"): "path-not-usable",
    ("multipath", "mpatha: timed out waiting for active path"): "map-waits-for-udev",
    (
        "multipath",
        "path checkers took longer than 32 seconds, consider increasing max_polling_interval",
    ): "path-checks-late",
    ("multipath", "configure failed at path discovery"): "multipath-daemon-refused",
    ("multipath", "DM multipath kernel driver not loaded"): "multipath-daemon-refused",
    ("multipath", "mpatha: sdc reservation registration failed. Error: 5"): "path-without-reservation",
    ("multipath", "mpatha: problem assembling map"): "multipath-not-made",
    ("multipath", 'mpatha: can\'t use alias "data" used by 360a, falling back to WWID'): "alias-not-used",
    ("kernel", "device-mapper: cache: 253:5: aborting current metadata transaction"): "dm-metadata-given-up",
    ("kernel", "device-mapper: block manager: btree_node validator check failed for block 12"): "dm-metadata-damaged",
    ("kernel", "device-mapper: crypt: dm-3: INTEGRITY AEAD ERROR, sector 1000"): "dm-error",
    ("kernel", "device-mapper: persistent snapshot: write_header failed"): "dm-error",
    (
        "kernel",
        "device-mapper: dm-log-userspace: [AbCdEfGh] Request timed out: [15/33] - retrying",
    ): "cluster-mirror-log-late",
    ("kernel", "md/raid:md0: read error not correctable (sector 123 on sdb1)."): "md-read-lost",
    ("kernel", "md/raid:md0: read error NOT corrected!! (sector 123 on sdb1)."): "md-failed",
    ("kernel", "md/raid:md0: starting dirty degraded array - data corruption possible."): "md-dirty-degraded",
    ("kernel", "md/raid:md0: journal disk is missing, force array readonly"): "md-journal-missing",
    ("kernel", "md0: disabling internal bitmap due to errors"): "md-bitmap-off",
    ("kernel", "md-cluster: Could not gather bitmaps from slot 3"): "md-cluster-failed",
    ("kernel", "md-cluster(md0:3): failed to get EX on TOKEN (-5)"): "md-cluster-failed",
    ("kernel", "md/raid10:md0: insufficient working devices for recovery."): "md-recovery-interrupted",
    ("kernel", "nvme nvme0: qid 1: controller authentication failed"): "nvme-authentication-failed",
    ("kernel", "nvme nvme0: Duplicate cntlid 3 with nvme1, subsys nqn.x, rejecting"): "nvme-controller-refused",
    ("kernel", "nvme nvme0: duplicate IDs in subsystem for nsid 3"): "nvme-same-identity",
    ("kernel", "connection1:0: pdu (op 0x1 itt 0x3) rejected due to DataDigest error."): "iscsi-digest-wrong",
}
NONE = (
    ("kernel", "nvme nvme0: queue 1: data digest flag is cleared"),
    ("kernel", "md: md0 still in use."),
    ("kernel", "sd 1:0:0:1: [sdb] Synchronizing SCSI cache"),
    ("multipath", "mpatha: map is still the same size (4194304)"),
    ("multipath", "checked 4 paths in 0.000120 secs"),
    ("kernel", "device-mapper: raid: Device 2 specified for rebuild; clearing superblock"),
    ("fencing", "Message successfully delivered."),
    ("fencing", "pcmk health check: OK"),
    ("fencing", "Using watchdog device '/dev/watchdog'"),
    ("totem", "Configuration reload requested by node 1"),
    ("pacemaker", "node1 was unfenced by node2 at the request of pacemaker-controld.2@node1"),
    ("pacemaker", "fs1 cannot run on node1: node not allowed"),
    ("pacemaker", "Fence operation 12 for node2 passed"),
    ("pacemaker", "Connection to Pacemaker Remote node r1 established"),
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
