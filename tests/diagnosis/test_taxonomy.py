"""Every row of the taxonomy is found by a waiter of its own, and by nothing that another row describes better."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.engine.core.model import BASES
from apps.diagnosis.engine.core.words.wait_kinds import TaxonomyError, WaiterKind
from apps.diagnosis.engine.gfs2 import taxonomy as of_gfs2
from apps.diagnosis.engine.gfs2.taxonomy import GlockView
from apps.diagnosis.engine.scale import taxonomy as of_scale
from apps.diagnosis.engine.scale.taxonomy import Taxonomy
from parsers.records.waits import WaiterShape
from tests.diagnosis.waiter_examples import (
    CUT,
    GFS2,
    INODE,
    IO,
    NSD,
    RGRP,
    SCALE,
    aux,
    holder,
    old_rpc,
    on,
    rpc,
    waiter,
)
from tests.every import every

TAXONOMY = Taxonomy.load()
GLOCK_KINDS = of_gfs2.Taxonomy.load()
KINDS: list[WaiterKind[Any]] = [*TAXONOMY.kinds.values(), *GLOCK_KINDS.kinds.values()]
ONLY_WITH_AGE = {"scale-W35"}


def ids(kinds: list[WaiterKind[Any]]) -> set[str]:
    return {kind.kind_id for kind in kinds}


def kind_of(shape: WaiterShape, seconds: float | None = None) -> str | None:
    kind = TAXONOMY.classified(shape).at(seconds).kind
    return kind.kind_id if kind else None


def gfs2_kind_of(seen: GlockView) -> str | None:
    return GLOCK_KINDS.classified(seen).kind_id


# --- the file -------------------------------------------------------------------------------------------------------


def test_all_rows_of_the_references_are_there() -> None:
    assert ids(KINDS) == {
        *(f"scale-W{n:02d}" for n in range(1, 61)),
        *(f"scale-R{n:02d}" for n in range(1, 40)),
        *(f"gfs2-K{n:02d}" for n in range(1, 37)),
    }
    assert len(KINDS) == 135
    assert len(TAXONOMY.names) == 14


@every(KINDS, lambda kind: kind.kind_id)
def test_row_says_what_it_is_and_where_it_is_from(kind: WaiterKind[Any]) -> None:
    assert kind.source.strip()
    assert kind.basis in BASES
    for words in (kind.meaning, kind.next_step):
        assert words.endswith((".", "?", ".)"))
    assert kind.meaning[0].isupper()
    assert kind.product == ("gfs2" if kind.kind_id.startswith("gfs2-") else "spectrum-scale")
    if kind.kind_id.startswith("scale-R"):
        assert kind.basis == "recalled"


def test_every_row_that_a_line_can_show_has_an_example() -> None:
    assert ids([k for k in KINDS if k.detect == "waiter"]) == set(SCALE) | ONLY_WITH_AGE
    assert ids([k for k in KINDS if k.detect == "glock"]) == set(GFS2)


def test_two_categories_of_a_note_start_with_the_one_in_force() -> None:
    doubled = [k for k in KINDS if "/" in k.category_note]
    assert len(doubled) == 33
    assert all(k.category_note.partition("/")[0] == str(k.category) for k in doubled)


# --- Spectrum Scale: which row ---------------------------------------------------------------------------------------

EXAMPLES = [(kind_id, shape) for kind_id, shapes in SCALE.items() for shape in shapes]


@every(EXAMPLES)
def test_example_hits_exactly_its_row(example: tuple[str, WaiterShape]) -> None:
    kind_id, shape = example
    found = TAXONOMY.classified(shape)
    assert found.kind_id == kind_id
    assert found.category == TAXONOMY.kind(kind_id).category
    assert found.meaning == TAXONOMY.kind(kind_id).meaning


@every(EXAMPLES)
def test_flags_change_the_category_and_never_the_row(example: tuple[str, WaiterShape]) -> None:
    kind_id, shape = example
    ignored = TAXONOMY.classified(replace(shape, monitored=False))
    long = TAXONOMY.classified(replace(shape, long=True, monitored=True))
    assert (ignored.kind_id, ignored.category, ignored.by_flag) == (kind_id, 1, True)
    assert (long.kind_id, long.category, long.by_flag) == (kind_id, 2, True)


@pytest.mark.parametrize(
    ("shape", "kind_id"),
    [
        pytest.param(
            aux("NSDThread", IO + " on disk dm-3", object="dm-3"), "scale-W25", id="thread and text above the device"
        ),
        pytest.param(
            rpc("WritebehindWorkerThread", "tmMsgRevoke"),
            "scale-W01",
            id="thread and condition above a part of a message",
        ),
        pytest.param(
            rpc("SharedHashTabFetchHandlerThread", "nsdMsgReadExt"),
            "scale-W37",
            id="reason and message above part of a thread",
        ),
        pytest.param(aux("SharedHashTabFetchHandlerThread", NSD), "scale-W06", id="text above a part of a thread"),
        pytest.param(aux("RangeRevokeWorkerThread", IO), "scale-R15", id="whole thread above the catch-all for I/O"),
        pytest.param(
            on("mutex", "Msg handler tmMsgRevoke", "LogFile instance"), "scale-W09", id="thread and mutex above a part"
        ),
        pytest.param(rpc("BRTHandlerThread", "tmMsgBRRevoke"), "scale-R14", id="whole message above a part of it"),
        pytest.param(
            on("mutex", "RebuildWorkThread", "VdiskPGDrainMutex"), "scale-R28", id="wrong wait, so only the general row"
        ),
        pytest.param(
            on("cond", "FsyncHandlerThread", "LogFileBufferStateCondvar"),
            "scale-W17",
            id="a log buffer is no page-pool buffer",
        ),
        pytest.param(
            on("cond", "OpenHandlerThread", "LargeAdminCondvar"),
            "scale-W17",
            id="dm and rg in small letters are no words",
        ),
    ],
)
def test_the_row_with_the_most_literal_characters_wins(shape: WaiterShape, kind_id: str) -> None:
    assert kind_of(shape) == kind_id


def test_equal_rows_keep_the_order_of_the_file(tmp_path: Path) -> None:
    row = (
        '[[kind]]\nkind_id="{id}"\ncategory=4\ndetect="waiter"\n'
        'match=[{{thread="{thread}*"}}]\nmeaning="M."\nresource="r"\nnext_step="N."\nsuggests="s"\n'
        'source="t"\nbasis="proposed"\n'
    )
    longer, equal = tmp_path / "longer.toml", tmp_path / "equal.toml"
    longer.write_text("schema = 1\n" + row.format(id="short", thread="Alph") + row.format(id="long", thread="Alpha"))
    equal.write_text("schema = 1\n" + row.format(id="first", thread="Alpha") + row.format(id="second", thread="AlphA"))
    assert (kinds_found(longer), kinds_found(equal)) == ("long", "first")


def kinds_found(path: Path) -> str | None:
    return Taxonomy.load(path).classified(WaiterShape(thread="AlphabetThread")).kind_id


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (old_rpc("BRT handler", "tmMsgRevoke"), rpc("BRTHandlerThread", "tmMsgRevoke")),
        (old_rpc("Open handler", "tmMsgTellAcquire1"), rpc("OpenHandlerThread", "tmMsgTellAcquire1")),
        (
            on("cond", "Clean buffer", "QosIoTbt", "tbtGetTokens"),
            on("cond", "CleanBufferThread", "QosIoTbtCondvar", "tbtGetTokens"),
        ),
        (on("mutex", "Sync handler", "LogFile instance"), on("mutex", "SyncHandlerThread", "LogFileMutex")),
        (aux("Fsync handler", IO), aux("FsyncHandlerThread", IO)),
    ],
)
def test_old_and_new_spelling_are_one_kind(old: WaiterShape, new: WaiterShape) -> None:
    assert kind_of(old) == kind_of(new)
    assert kind_of(old) is not None


def test_both_spellings_of_a_waiting_mount_are_the_same_wait() -> None:
    old, new = (
        TAXONOMY.classified(old_rpc("Mount handler", "sgmMsgSGMount")),
        TAXONOMY.classified(rpc("MountHandlerThread", "sgmMsgSGMount")),
    )
    assert (old.category, old.meaning) == (new.category, new.meaning) == (2, TAXONOMY.kind("scale-W13").meaning)


def test_a_cut_name_matches_only_where_the_line_is_cut() -> None:
    fragment = on("cond", "WritebehindWorkerThread", "IOBundleNS")
    assert kind_of(replace(fragment, complete=False)) == "scale-W03"
    assert kind_of(fragment) == "scale-W17"
    assert kind_of(replace(fragment, wait_name="IOBun", complete=False)) == "scale-W17", "too short to tell"


def test_a_reason_is_requested_where_the_line_is_whole() -> None:
    assert kind_of(on("cond", "SomeThread", "PitCondvar", "Waiting for something else")) == "scale-W17"
    assert kind_of(on("cond", "SomeThread", "PitCondvar")) == "scale-W17"


# --- Spectrum Scale: which category ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "category", "name"),
    [
        (on("cond", "WritebehindWorkerThread", "MsgRecordCondvar", target="192.0.2.7", **CUT), 4, "overload indicator"),
        (on("cond", "WritebehindWorkerThread", "IOBundleNSPDCon", **CUT), 4, "overload indicator"),
        (aux("PrefetchWorkerThread", NSD, target="192.0.2.7"), 4, "overload indicator"),
        (on("mutex", "Msg handler mnMsgForceInodeFlags", "LogFile instance", style="old"), 3, "never long"),
        (on("mutex", "SG Exception LogBufferFull", "LogFile instance", style="old"), 3, "never long"),
        (aux("MMFSADMDumpCmdThread", "for mercy"), 1, "normal"),
        (on("cond", None, "PitCondvar", "Waiting until pit work is complete", long=True), 2, "legitimately long"),
        (on("cond", "SomeThread", "NovelCondvar", "never seen"), None, "unknown"),
        (WaiterShape(thread="SomeThread"), None, "unknown"),
        (WaiterShape(), None, "unknown"),
    ],
)
def test_category(shape: WaiterShape, category: int | None, name: str) -> None:
    found = TAXONOMY.classified(shape)
    assert (found.category, found.category_name) == (category, name)
    assert found.meaning


def test_ignored_goes_before_long() -> None:
    assert TAXONOMY.classified(aux("NSDThread", IO, monitored=False, long=True)).category == 1


def test_what_fits_no_row_has_no_kind_but_keeps_its_flag() -> None:
    assert TAXONOMY.classified(WaiterShape(thread="SomeThread")).kind_id is None
    flagged = TAXONOMY.classified(WaiterShape(thread="SomeThread", monitored=False))
    assert (flagged.kind_id, flagged.category, flagged.meaning) == (None, 1, TAXONOMY.kind("scale-W51").meaning)


def test_an_open_disk_becomes_category_3_after_ten_seconds() -> None:
    found = TAXONOMY.classified(SCALE["scale-W14"][0])
    assert [found.at(s).category for s in (None, 2.84, 10.0, 10.1)] == [4, 4, 4, 3]
    assert found.at(60).kind_id == "scale-W14"
    assert TAXONOMY.classified(replace(SCALE["scale-W14"][0], long=True)).at(60).category == 2


def test_flow_control_is_a_row_of_its_own_after_ten_minutes_only() -> None:
    shape = on("cond", "SendThread", "FlowControlCondvar", "waiting for flow control")
    found = TAXONOMY.classified(shape)
    assert (found.kind_id, found.category) == ("scale-W17", None)
    assert found.later_after_s == 600
    assert (found.at(601).kind_id, found.at(601).category) == ("scale-W35", 3)
    assert kind_of(shape, 601) == "scale-W35"
    assert kind_of(on("cond", "Send", "FlowControl", style="old"), 601) == "scale-W35"


def test_a_wait_for_a_reply_inherits_and_is_an_overload_sign_without_a_target() -> None:
    kind = TAXONOMY.kind("scale-W53")
    assert (kind.inherits, kind.category) == (True, 4)
    assert (GLOCK_KINDS.kind("gfs2-K33").inherits, GLOCK_KINDS.kind("gfs2-K33").category) == (True, 3)
    assert [k.kind_id for k in KINDS if k.inherits] == ["scale-W53", "scale-W55", "gfs2-K33"]


def test_throttled_waits_are_marked() -> None:
    assert [k.kind_id for k in KINDS if k.throttling] == ["scale-W30", "scale-W31", "scale-W32"]


@pytest.mark.parametrize(
    ("name", "resource"),
    [
        ("LogFileBufferStateCondvar", "recovery log"),
        ("LogFile buffer state", "recovery log"),
        ("VERBSEventWaitCondvar", "RDMA"),
        ("LkObjCondvar", "lock of one object inside the node"),
        ("InodeCacheObjMutex", "inode"),
        ("Logistics", None),
        ("", None),
        (None, None),
    ],
)
def test_the_name_of_a_condition_tells_its_resource(name: str | None, resource: str | None) -> None:
    assert TAXONOMY.resource_of(name) == resource


def test_a_catch_all_takes_its_resource_from_the_name() -> None:
    assert TAXONOMY.classified(on("mutex", "OpenHandlerThread", "InodeCacheObjMutex")).resource == "inode"
    assert (
        TAXONOMY.classified(on("mutex", "OpenHandlerThread", "NovelMutex")).resource
        == TAXONOMY.kind("scale-W16").resource
    )


# --- Spectrum Scale: many and hostile --------------------------------------------------------------------------------

OLD_THREADS = [
    "Prefetch worker",
    "Writebehind worker",
    "NSD I/O Worker",
    "SharedHashTab fetch handler",
    "Fsync handler",
    "Clean buffer",
    "AIO worker",
    "DirBlock read fetch handler",
    "Create handler",
    "Mount handler",
    "BRT handler",
    "Sync handler",
    "Rebuild work",
    "Fsck client reaper",
    "Events exporter sender",
    "Verbs delete conn",
    "SG Exception LogBufferFull",
    "Msg handler mnMsgForceInodeFlags",
    "InodeAlloc revoke worker",
    "Open handler",
    "Lookup handler",
    "Truncate handler",
    "Quota client",
    "Acquire token handler",
    "Range revoke worker",
]
NEW_THREADS = ["".join(w[0].upper() + w[1:] for w in name.replace("/", "").split()) + "Thread" for name in OLD_THREADS]
MESSAGES = [
    "nsdMsgReadExt",
    "nsdMsgWriteExt",
    "tmMsgRevoke",
    "tmMsgTellAcquire1",
    "sgmMsgSGMount",
    "getData",
    "ccMsgFsck",
    "ibMsgAllocRegion",
    "quMsgGetShare",
]
CONDITIONS = [
    "IOBundleNSPD",
    "QosIoTbt",
    "LogFileBufferState",
    "Pit",
    "FlowControl",
    "VdiskPGDrain",
    "InodeCacheObj",
    "Token",
]
MUTEXES = ["LogFile", "InodeCacheObj", "BufferDescriptor", "MBData", "DMSession"]


def corpus(thread: str) -> list[WaiterShape]:
    return [
        aux(thread, IO),
        aux(thread, NSD, target="192.0.2.7"),
        aux(thread, IO + " on disk dm-5", object="dm-5"),
        *(rpc(thread, message) for message in MESSAGES),
        *(on("cond", thread, name + "Condvar", "waiting for it") for name in CONDITIONS),
        *(on("mutex", thread, name + "Mutex") for name in MUTEXES),
    ]


@every(OLD_THREADS + NEW_THREADS)
def test_common_threads_with_common_waits_all_have_a_row(thread: str) -> None:
    found = [TAXONOMY.classified(shape) for shape in corpus(thread)]
    assert all(f.kind is not None for f in found)
    assert all(f.category is not None or f.kind_id == "scale-W17" for f in found)


def test_hostile_text_is_classified_and_quickly() -> None:
    text = "for " * 200_000
    shapes = [
        WaiterShape(
            thread="A" * 1_000_000,
            wait_name="A" * 1_000_000,
            reason=text,
            aux=text,
            rpc="x" * 1_000_000,
            complete=False,
        ),
        WaiterShape(thread="\x00<b>İ\u202e", wait_kind="ThCond", wait_name="", reason="", aux="*"),
    ]
    start = time.process_time()
    for shape in shapes:
        TAXONOMY.classified(shape)
    assert time.process_time() - start < 10


def test_a_shape_costs_little() -> None:
    shapes = [shape for thread in OLD_THREADS + NEW_THREADS for shape in corpus(thread)]
    best = min(timed(shapes) for _ in range(5))
    assert best / len(shapes) < 500e-6, "50 us on a quiet machine: ten times that is another algorithm"


def timed(shapes: list[WaiterShape]) -> float:
    """Seconds of CPU: the machine may be busy with something else."""
    start = time.process_time()
    for shape in shapes:
        TAXONOMY.classified(shape)
    return time.process_time() - start


# --- GFS2 ------------------------------------------------------------------------------------------------------------


@every((kind_id, seen) for kind_id, views in GFS2.items() for seen in views)
def test_glock_example_hits_exactly_its_row(example: tuple[str, GlockView]) -> None:
    kind_id, seen = example
    found = GLOCK_KINDS.classified(seen)
    assert (found.kind_id, found.category) == (kind_id, GLOCK_KINDS.kind(kind_id).category)


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(waiter(INODE, "EX", "gfs2_unlink"), id="an exclusive wait seen once"),
        pytest.param(waiter(INODE, "SH", "gfs2_open", min_hold=40), id="the hold time was shortened"),
        pytest.param(waiter(INODE, "SH", "gfs2_open", glock_flags="D"), id="asked to release"),
        pytest.param(waiter(RGRP, "EX", "gfs2_inplace_reserve_i", waited_rgrps=1), id="one resource group only"),
        pytest.param(
            waiter(INODE, "EX", "gfs2_open", waiting_nodes=3, held_somewhere=None), id="holder unknown, not absent"
        ),
        pytest.param(holder(INODE, "EX", "gfs2_write_begin"), id="an ordinary holder"),
    ],
)
def test_what_is_in_doubt_is_not_named(seen: GlockView) -> None:
    assert gfs2_kind_of(seen) is None
    assert GLOCK_KINDS.classified(seen).category_name == "unknown"


def test_the_freeze_lock_held_exclusively_is_no_mount_time_holder() -> None:
    assert gfs2_kind_of(holder((1, 2), "EX", "init_per_node", "mount")) == "gfs2-K14"
    assert gfs2_kind_of(holder((1, 2), "EX", "gfs2_glock_nq_num", "(ended)", flags="ecH")) == "gfs2-K14"


def test_a_repeated_wait_for_reading_has_a_category_and_a_named_row_goes_before_it() -> None:
    reader = waiter(INODE, "SH", "gfs2_open", captures=2)
    assert (gfs2_kind_of(reader), GLOCK_KINDS.classified(reader).category) == ("gfs2-K36", 3)
    assert gfs2_kind_of(waiter(INODE, "SH", "gfs2_permission", "find", captures=3)) == "gfs2-K11"
    assert gfs2_kind_of(waiter(INODE, "EX", "gfs2_open", captures=2)) == "gfs2-K16"


def test_the_gravest_of_several_rows_wins() -> None:
    scan = waiter(INODE, "SH", "gfs2_permission", "find", min_hold=200)
    assert gfs2_kind_of(scan) == "gfs2-K11", "[2] beats [1]"
    assert gfs2_kind_of(replace(scan, waiting_nodes=2, held_somewhere=False)) == "gfs2-K18", "[3] beats [2]"


# --- faults of the file ----------------------------------------------------------------------------------------------

GOOD = {name: one.KNOWLEDGE.read_text(encoding="utf-8") for name, one in (("scale", of_scale), ("gfs2", of_gfs2))}


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('basis = "stated"', 'basis = "guessed"', "basis must be one of"),
        ('suggests = "overload"', 'sugests = "overload"', "scale-W06: unknown key 'sugests'"),
        ('suggests = "overload"', 'suggests = " "', "scale-W06: suggests is empty"),
        ("category = 4", "category = 5", "scale-W01: category must be"),
        ("category = 4", "category = true", "scale-W01: category has the wrong type"),
        ('kind_id = "scale-W02"', 'kind_id = "scale-W01"', "scale-W01 stands twice"),
        ('wait_kind = "ThCond"', 'wait_kind = "ThCondition"', "scale-W01: wait_kind must be"),
        ('text = "for mercy"', 'text = ".*mercy"', "scale-W15: text: '.*mercy'"),
        ('text = "for mercy"', 'text = "for*a*b"', "stars in"),
        ("escalate_to = 3", "", "escalate_after_s and escalate_to go together"),
        ("otherwise = 4", "", "otherwise goes with"),
        ('flag = "ignored"', 'flag = "quiet"', "scale-W51: flag"),
        ("schema = 1", "schema = 2", "schema must be 1"),
        ("schema = 1", "schema = ", "Invalid value"),
        ('role = "holder"', 'role = "owner"', "gfs2-K01: role must be"),
        ('detect = "situation"', 'detect = "waiter"', "scale-W43: match and detect"),
        ('word = "Log"', 'word = ""', "a text is empty"),
        ("[[name]]", "[[nmae]]", "unknown key 'nmae'"),
    ],
)
def test_a_fault_stops_the_load_and_is_named(tmp_path: Path, old: str, new: str, fault: str) -> None:
    product = "gfs2" if fault.startswith("gfs2-") else "scale"
    assert old in GOOD[product]
    path = tmp_path / "kinds.toml"
    path.write_text(GOOD[product].replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TaxonomyError) as raised:
        (of_gfs2.Taxonomy if product == "gfs2" else Taxonomy).load(path)
    assert fault in str(raised.value)


def test_the_file_is_read_once() -> None:
    assert Taxonomy.load() is Taxonomy.load()


def test_an_absent_file_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"absent\.toml"):
        Taxonomy.load(tmp_path / "absent.toml")
