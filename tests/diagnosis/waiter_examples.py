"""At least one invented waiter for every row of the taxonomy that a single line can show."""

from __future__ import annotations

from typing import Any

from apps.diagnosis.engine.gfs2.taxonomy import GlockView
from parsers.records.waits import WaiterShape


def on(kind: str, thread: str | None, name: str, reason: str | None = None, **more: Any) -> WaiterShape:
    """A wait for a condition variable (``cond``) or mutex."""
    return WaiterShape(
        thread=thread, wait_kind={"cond": "ThCond", "mutex": "ThMutex"}[kind], wait_name=name, reason=reason, **more
    )


def rpc(thread: str, message: str | None, target: str | None = "192.0.2.7", **more: Any) -> WaiterShape:
    """A new-style wait for the reply to a message."""
    return on("cond", thread, "MsgRecordCondvar", "RPC wait", rpc=message, target=target, **more)


def old_rpc(thread: str, message: str, target: str = "192.0.2.8") -> WaiterShape:
    return on("cond", thread, "MsgRecord", "waiting for RPC replies", style="old", rpc=message, target=target)


def aux(thread: str, text: str, **more: Any) -> WaiterShape:
    """A wait that is told by an auxiliary text; the parser repeats it as the reason."""
    return WaiterShape(thread=thread, reason=text, aux=text, **more)


IO = "for I/O completion"
NSD = "for NSD I/O completion"
CUT: dict[str, Any] = {"complete": False}

SCALE: dict[str, list[WaiterShape]] = {
    "scale-W01": [
        rpc("WritebehindWorkerThread", "nsdMsgWriteExt"),
        on("cond", "WritebehindWorkerThread", "MsgRecordCondvar", target="192.0.2.7", **CUT),
        old_rpc("Writebehind worker", "nsdMsgWriteExt"),
    ],
    "scale-W02": [rpc("PrefetchWorkerThread", "nsdMsgReadExt"), old_rpc("Prefetch worker", "nsdMsgReadExt")],
    "scale-W03": [
        on("cond", "WritebehindWorkerThread", "IOBundleNSPDCondvar", "waiting for bundle"),
        on("cond", "WritebehindWorkerThread", "IOBundleNSPDCon"),
        on("cond", "WritebehindWorkerThread", "IOBundleNSP", **CUT),
    ],
    "scale-W04": [
        aux("PrefetchWorkerThread", NSD, target="192.0.2.7"),
        aux("Prefetch worker", NSD + " on node 192.0.2.7"),
    ],
    "scale-W05": [aux("WritebehindWorkerThread", NSD, target="192.0.2.7")],
    "scale-W06": [
        aux("LookupHandlerThread", NSD, target="192.0.2.7"),
        aux("LookupHandlerThread", "for NSD I/O comple", **CUT),
    ],
    "scale-W07": [
        on("cond", "SendWorkerThread", "SomeCondvar", "waiting for exclusive use of connection for sending msg")
    ],
    "scale-W08": [
        on("cond", None, "PitCondvar", "Waiting until pit work is complete", style="note"),
        on("cond", "PitWorkerThread", "PitCondvar", **CUT),
    ],
    "scale-W09": [
        on("mutex", "Msg handler mnMsgForceInodeFlags", "LogFile instance", style="old"),
        on("mutex", "MsgHandlerThread", "LogFileMutex"),
    ],
    "scale-W10": [
        on("mutex", "SG Exception LogBufferFull", "LogFile instance", style="old"),
        on("mutex", "SGExceptionLogBufferFullThread", "LogFileMutex"),
        on("mutex", "SG Exception LogBufferFull", "LogFile insta", style="old", **CUT),
    ],
    "scale-W11": [
        on("cond", "Sync handler", "LogFile buffer state", "force wait for write complete", style="old"),
        on("cond", "SyncHandlerThread", "LogFileBufferStateCondvar", "force wait for write complete"),
        on("cond", "SyncHandlerThread", "LogFileBufferStateCondvar", "force wait for wr", **CUT),
    ],
    "scale-W12": [old_rpc("BRT handler", "tmMsgRevoke"), rpc("BRTHandlerThread", "tmMsgRevoke")],
    "scale-W13": [old_rpc("Mount handler", "sgmMsgSGMount")],
    "scale-W14": [aux("SG mgr log migrate", "for open disk device on disk plum_D7", object="plum_D7", style="old")],
    "scale-W15": [aux("MMFSADMDumpCmdThread", "for mercy", style="deadlock")],
    "scale-W16": [
        on("mutex", "LookupHandlerThread", "InodeCacheObjMutex"),
        on("mutex", "Open handler", "DM session", style="old"),
    ],
    "scale-W17": [on("cond", "LookupHandlerThread", "InodeCacheObjCondvar", "waiting for inode to be released")],
    "scale-W18": [aux("LookupHandlerThread", IO), aux("Lookup handler", IO, object="sdq")],
    "scale-W19": [
        on("cond", "LookupHandlerThread", "MsgRecordCondvar", target="192.0.2.7", **CUT),
        on("cond", "LookupHandlerThread", "VerbsSendCondvar"),
        aux("LookupHandlerThread", "for RDMA something on node 192.0.2.7", target="192.0.2.7"),
    ],
    "scale-W20": [
        aux("LookupHandlerThread", "delaying for 4 more seconds"),
        WaiterShape(thread="LookupHandlerThread", delay_s=2.5),
    ],
    "scale-W21": [
        aux("LookupHandlerThread", "for ioThing calling io_getevents"),
        aux("LookupHandlerThread", "calling fsync"),
    ],
    "scale-W22": [on("cond", "FsckClientReaperThread", "FsckReaperCondvar", "Waiting to reap fsck pointer")],
    "scale-W23": [on("cond", "FsckWorkerThread", "FsckWorkCondvar", "Waiting for work"), aux("Fsck client reaper", IO)],
    "scale-W24": [
        aux("EventsExporterSenderThread", "for poll on sock 27"),
        aux("Events exporter sender", "for poll on sock 9"),
    ],
    "scale-W25": [aux("NSDThread", IO), aux("NSD I/O Worker", IO + " on disk dm-3", object="dm-3", style="old")],
    "scale-W26": [aux("RebuildWorkThread", IO), aux("Rebuild work", IO)],
    "scale-W27": [
        on("cond", "RebuildWorkThread", "VdiskPGDrainCondvar", "waiting for PG drain"),
        on("cond", "Rebuild work", "VdiskPGDrain", **CUT),
    ],
    "scale-W28": [aux("VerbsDeleteConnThread", "for verbsPutCT calling ibv_destroy_qp")],
    "scale-W29": [
        rpc("SharedHashTabFetchHandlerThread", "tmMsgTellAcquire1"),
        old_rpc("SharedHashTab fetch handler", "tmMsgTellAcquire1"),
    ],
    "scale-W30": [on("cond", "FsyncHandlerThread", "QosIoTbtCondvar", "tbtGetTokens")],
    "scale-W31": [
        on("cond", "CleanBufferThread", "QosIoTbtCondvar", "tbtGetTokens"),
        on("cond", "Clean buffer", "QosIoTbt", "tbtGetTokens"),
    ],
    "scale-W32": [
        on("cond", "PrefetchWorkerThread", "QosIoTbtCondvar", "tbtGetTokens"),
        on("cond", "FsyncHandlerThread", "QosIoTbtCon", **CUT),
    ],
    "scale-W33": [aux("NSDThread", "waiting for stateful NSD server error takeover (3)")],
    "scale-W34": [on("cond", "NSDThread", "SomeCondvar", "Until disk availability stabilizes")],
    "scale-W36": [rpc("LookupHandlerThread", "getData")],
    "scale-W37": [rpc("LookupHandlerThread", "nsdMsgReadExt"), old_rpc("Truncate handler", "nsdMsgWriteExt")],
    "scale-W38": [aux("Lookup handler", IO + " on disk dm-14", object="dm-14", style="old")],
    "scale-W39": [
        rpc("LookupHandlerThread", "tmMsgRevoke"),
        on("cond", "Msg handler tmMsgRevoke", "SomeCondvar", style="old"),
        on("cond", "QuotaClientThread", "TokenCondvar", "waiting for token revoke"),
    ],
    "scale-W40": [aux("AioWorkerThread", IO), aux("AIO worker", NSD)],
    "scale-W41": [aux("DirBlockReadFetchHandlerThread", NSD), aux("DirBlock read fetch handler", IO)],
    "scale-W42": [aux("CreateHandlerThread", NSD), aux("Create handler", IO)],
    "scale-W53": [
        rpc("LookupHandlerThread", "ccMsgFsck"),
        old_rpc("Quota client", "ibMsgAllocRegion"),
        rpc("OpenHandlerThread", None, None),
    ],
    "scale-W56": [
        on("cond", "SharedHashTabFetchHandlerThread", "InodeCacheObjCondvar"),
        on("cond", "TokenRecoveryThread", "SomeCondvar"),
    ],
    "scale-R01": [
        aux("NSDThread", "for RDMA write completion fast on node 192.0.2.7"),
        aux("NSDThread", "for RDMA read completion fast"),
    ],
    "scale-R02": [on("cond", "NSDThread", "VERBSConnCondvar", "waiting for conn rdmas < conn maxrdmas")],
    "scale-R03": [
        on("cond", "PrefetchWorkerThread", "VERBSEventWaitCondvar", "waiting for RDMA read DTO completion"),
        on("cond", "NSDThread", "VERBSEventWait", "waiting for RDMA write DTO completion", style="old"),
    ],
    "scale-R04": [
        on("cond", "OpenHandlerThread", "LkObjCondvar", "waiting for LX lock"),
        on("cond", "Open handler", "LkObj", "waiting for WW lock"),
    ],
    "scale-R05": [
        on("cond", "OpenHandlerThread", "LkObjCondvar", "change_lock_shark waiting to set acquirePending flag")
    ],
    "scale-R06": [on("cond", "OpenHandlerThread", "TokenCondvar", "wait for SubToken to become stable")],
    "scale-R07": [
        on("cond", "WriteHandlerThread", "RangeCondvar", "waiting because of local byte range lock conflict")
    ],
    "scale-R08": [
        on("cond", "FsyncHandlerThread", "InodeFlushCondVar", "waiting for the flush flag to commit metadata"),
        on("cond", "FsyncHandlerThread", "InodeFlushCondVar", "waiting for the flush flag"),
    ],
    "scale-R09": [
        on("cond", "SyncHandlerThread", "LogFileBufferDescriptorCondvar", "force wait for buffer write to complete"),
        on("cond", "LookupHandlerThread", "LogFileBufferDescriptorCondvar", "force wait on force active buffer write"),
    ],
    "scale-R10": [on("cond", "CreateHandlerThread", "LogAppendCondvar", "waiting for permission to append to log")],
    "scale-R11": [aux("SGExceptionLogBufferFullThread", IO), on("cond", "SG Exception LogBufferFull", "SomeCondvar")],
    "scale-R12": [rpc("PitThread", "sgmMsgExeTMPhase")],
    "scale-R13": [rpc("SnapshotThread", "sgmMsgQuiesceOps")],
    "scale-R14": [rpc("OpenHandlerThread", "tmMsgBRRevoke")],
    "scale-R15": [
        aux("InodeRevokeWorkerThread", IO),
        on("cond", "Range revoke worker", "SomeCondvar"),
        rpc("SharedHashTabRevokeWorkerThread", "getData"),
    ],
    "scale-R16": [aux("InodeAllocRevokeWorkerThread", NSD), on("mutex", "InodeAlloc revoke worker", "SomeMutex")],
    "scale-R17": [rpc("QuotaClientThread", "quotaMsgRequestShare")],
    "scale-R18": [
        rpc("WriteHandlerThread", "allocMsgTypeRequestRegion"),
        rpc("WriteHandlerThread", "allocMsgTypeRelinquishRegion"),
    ],
    "scale-R19": [rpc("CheckThread", "commMsgCheckMessages"), rpc("CheckThread", "ccMsgPing")],
    "scale-R20": [aux("FileBlockReadFetchHandlerThread", IO), aux("FileBlockWriteFetchHandlerThread", NSD)],
    "scale-R21": [
        aux("FsyncHandlerThread", IO),
        aux("Sync handler", NSD),
        aux("SyncFSWorkerThread", IO),
        aux("FlushBufferWorkerThread", IO),
    ],
    "scale-R22": [aux("InodePrefetchWorkerThread", NSD)],
    "scale-R23": [
        aux("EEWatchDogThread", "delaying for 30 more seconds"),
        aux("NSD Disk Event Monitor", "delaying for 5 more seconds"),
    ],
    "scale-R24": [
        WaiterShape(thread="DeleteThread", reason="waiting for deferred deletion", aux="delaying for 2 more seconds")
    ],
    "scale-R25": [on("cond", "MountHandlerThread", "HelperCondvar", "waiting for helper threads")],
    "scale-R26": [rpc("MountHandlerThread", "sgmMsgSGMount")],
    "scale-R27": [
        on("cond", "LookupHandlerThread", "PcacheQueueCondvar"),
        rpc("LookupHandlerThread", "pcacheMsgQueue"),
    ],
    "scale-R28": [
        on("mutex", "NSDThread", "VdiskTrackMutex"),
        on("cond", "PrefetchWorkerThread", "IOBundleNSPDCondvar"),
        on("cond", "NSDThread", "RGTableCondvar"),
    ],
    "scale-R29": [
        on("cond", "LookupHandlerThread", "QuotaEntryCondvar"),
        on("mutex", "LookupHandlerThread", "QuotaMutex"),
    ],
    "scale-R30": [
        on("cond", "LookupHandlerThread", "SnapListCondvar"),
        on("cond", "LookupHandlerThread", "FsQuiesceCondvar"),
    ],
    "scale-R31": [on("cond", "RunnerThread", "LeaseRenewCondvar"), on("cond", "RunnerThread", "CcrCacheCondvar")],
    "scale-R32": [on("cond", "WriteHandlerThread", "BufferPoolCondvar", "waiting for free buffers")],
    "scale-R33": [on("cond", "OpenHandlerThread", "DMEventCondvar", "waiting for the answer")],
    "scale-R34": [on("cond", "LogWrapThread", "SomeCondvar"), on("mutex", "Log wrap", "SomeMutex")],
    "scale-R35": [on("cond", "CreateHandlerThread", "SomeCondvar", "waiting for log space")],
    "scale-R36": [on("cond", "OpenHandlerThread", "SomeCondvar", "waiting for fetch-n-lock to complete")],
    "scale-R37": [
        on("cond", "AcquireBRTHandlerThread", "LkObjCondvar", "change_lock_brl waiting to set acquirePending flag")
    ],
    "scale-R38": [on("cond", "NSDThread", "SomeCondvar", "wait for GNR buffers from steal thread")],
    "scale-R39": [on("cond", "NSDThread", "VdiskLogAppendCondvar", "waiting for permission to append to log")],
}


def waiter(glock: tuple[int, int], state: str, function: str, command: str = "postgres", **more: Any) -> GlockView:
    return GlockView(
        role="waiter",
        type=glock[0],
        number=glock[1],
        state=state,
        flags="W",
        function=function,
        command=command,
        **more,
    )


def holder(
    glock: tuple[int, int], state: str, function: str, command: str = "postgres", flags: str = "H", **more: Any
) -> GlockView:
    return GlockView(
        role="holder",
        type=glock[0],
        number=glock[1],
        state=state,
        flags=flags,
        function=function,
        command=command,
        **more,
    )


INODE = (2, 0x51C07)
RGRP = (3, 0x20011)

GFS2: dict[str, list[GlockView]] = {
    "gfs2-K01": [
        holder((9, 2), "EX", "init_inodes", "mount"),
        holder((1, 1), "SH", "gfs2_glock_nq_num"),
        holder((1, 2), "SH", "gfs2_glock_nq_num"),
    ],
    "gfs2-K02": [holder((5, 0x51C07), "SH", "gfs2_inode_lookup", "cat", flags="EH")],
    "gfs2-K03": [holder((6, 0x51C07), "EX", "do_flock", "(ended)"), holder((5, 0x51C07), "SH", "gfs2_open", "(none)")],
    "gfs2-K04": [waiter(INODE, "SH", "gfs2_open", min_hold=200), waiter(INODE, "SH", "gfs2_open")],
    "gfs2-K05": [GlockView(role="idle", type=2, number=7, state="UN", glock_flags="o")],
    "gfs2-K06": [GlockView(role="idle", type=2, number=7, state="SH", glock_flags="LIq")],
    "gfs2-K07": [GlockView(role="lkb", lkb_status=2, lkb_converting=True)],
    "gfs2-K08": [holder((9, 1), "EX", "gfs2_recover_func", "kworker/1:2")],
    "gfs2-K09": [
        holder(INODE, "EX", "gfs2_fsync"),
        GlockView(role="idle", type=2, number=7, state="EX", glock_flags="yfI"),
    ],
    "gfs2-K10": [
        waiter(INODE, "EX", "gfs2_evict_inode+0x1b4/0x5a0", "rm"),
        holder(INODE, "EX", "gfs2_write_begin", "delete_workqueu"),
    ],
    "gfs2-K11": [
        waiter(INODE, "SH", "gfs2_permission", "find"),
        waiter(INODE, "SH", "gfs2_getattr", "backup-nightly", captures=3),
    ],
    "gfs2-K12": [waiter(INODE, "SH", "gfs2_drop", "umount")],
    "gfs2-K13": [holder((8, 3), "EX", "do_sync", "gfs2_quotad"), waiter(INODE, "SH", "gfs2_statfs_sync", "postgres")],
    "gfs2-K14": [
        holder((1, 2), "EX", "gfs2_freeze_lock", "fsfreeze"),
        holder(INODE, "EX", "gfs2_write_begin", "gfs2_grow"),
    ],
    "gfs2-K16": [
        waiter(INODE, "EX", "gfs2_unlink", captures=2),
        waiter(INODE, "EX", "gfs2_permission", "find", captures=4),
    ],
    "gfs2-K17": [
        waiter((1, 3), "EX", "gfs2_rename2"),
        waiter((1, 2), "EX", "gfs2_freeze_lock"),
        waiter((8, 3), "EX", "do_sync", "gfs2_quotad"),
    ],
    "gfs2-K18": [waiter(INODE, "SH", "gfs2_open", waiting_nodes=3, held_somewhere=False)],
    "gfs2-K26": [
        waiter(RGRP, "EX", "gfs2_inplace_reserve_i", waited_rgrps=2),
        waiter(RGRP, "EX", "gfs2_rlist_alloc", waited_rgrps=4, holder_function="get_local_rgrp"),
    ],
    "gfs2-K36": [
        waiter(INODE, "SH", "gfs2_open", captures=2),
        waiter(RGRP, "EX", "gfs2_open", captures=4, min_hold=20),
    ],
}
