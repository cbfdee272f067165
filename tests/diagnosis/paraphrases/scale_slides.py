"""Slides on Spectrum Scale: a log that does not get written, a waiter that is a test, settings of deadlock
detection.
"""

from __future__ import annotations

REFS = {"SC-04", "SC-11", "SC-16"}


def _old(times: float, peer: str, disk: str) -> str:
    return (
        f"0x1207DA6A0 waiting {4.11 * times:.9f} seconds, Msg handler mnMsgForceInodeFlags: on ThMutex "
        f"0x120617A30 (0x120617A30) (LogFile instance)\n0x1207CDFB0 waiting {3.02 * times:.9f} seconds, "
        f"SG mgr log migrate: for open disk device on disk {disk}\n0x12077C8F0 waiting {33.2 * times:.9f} "
        "seconds, SG Exception LogBufferFull: on ThMutex 0x120617A30 (0x120617A30) (LogFile instance)\n"
        f"0x12009FE50 waiting {33.4 * times:.9f} seconds, Sync handler: on ThCond 0x120617A98 "
        "(0x120617A98) (LogFile buffer state), reason 'force wait for write complete'\n0x12009FB90 "
        f"waiting {33.3 * times:.9f} seconds, BRT handler: on ThCond 0x120621A38 (0x120621A38) "
        f"(MsgRecord), reason 'waiting for RPC replies' for tmMsgRevoke on node {peer}\n"
    )


def _test(host: str, seconds: float) -> str:
    return (
        f"[root@{host} ~]# mmfsadm dump deadlock\n"
        f"Waiting {seconds:.4f} sec since 09:20:11, on node {host}, thread 88123 MMFSADMDumpCmdThread: for mercy\n"
    )


_CONFIG = (
    "mmfsadm dump config |grep dead\ndeadlockBreakupDelay 0\ndeadlockDataCollectionDailyLimit 10\n"
    "deadlockDetectionThreshold 300\ndeadlockDetectionThresholdIfOverloaded 1800\n"
)

FIRST = f"""# Waiters, page 12

How does one read these? Look for the oldest ones that stand in each other's way.

{_old(1.0, "10.3.7.12", "nsdA07")}
# Page 30

The thresholds as they were:

{_CONFIG}
A drill shows that the watch is awake:

{_test("gull4", 401.5)}
"""

SECOND = f"""# Deadlock detection

Long waits are noticed by 2 thresholds. One of them holds where the cluster has too much to do.

{_CONFIG}
The command for an exercise leaves a thread behind that nobody has to fear:

{_test("stork2", 377.25)}
# An example from last spring

A mount of 40 clients hung for half a minute. The list of one server:

{_old(1.2, "10.9.0.77", "meta_03")}
"""

THIRD = f"""# What we learnt

Every client asks for tokens, and one client that keeps silent for 25 seconds can stop the rest.

{_old(0.8, "192.168.40.5", "DISK_22")}
# Exercise

{_test("tern11", 512.0)}
{_CONFIG}
With 300 seconds as the limit most of the false alarms are gone.
"""

TEXTS = (FIRST, SECOND, THIRD)
