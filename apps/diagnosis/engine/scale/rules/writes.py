"""Rules on writes: small direct ones (SC-12), held back on purpose (SC-07), several nodes on one object (SC-33)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.evidence import (
    dumps_of,
    lines_of,
    longest_of,
    nodes_of,
    repeated,
    span_of,
    waits_in,
    zone_of,
)
from apps.diagnosis.engine.scale.groups import Group
from apps.diagnosis.engine.scale.io import ScaleIo, SharedInode, SmallWrites
from apps.diagnosis.engine.scale.settings import BATCHING, BATCHING_SINCE, Held, ScaleSettings, shell_word
from apps.diagnosis.engine.scale.spans import Tally
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass

BATCHING_TUNING: Final = "diosmallseqwritebatching"
THRESHOLD_TUNING: Final = "diosmallseqwritethreshold"
LEAST_THRESHOLD: Final = 1 << 17
HOT_KINDS: Final = frozenset(("scale-R05", "scale-R07", "scale-R14", "scale-R37", "scale-W44"))
REVOKE: Final = "Revoke"


@dataclass(frozen=True, slots=True)
class WriteWords:
    """bytes: of each write; median in ms; value, holder: of the setting, as last shown; number: the node's release."""

    node: str | None
    bytes: int
    count: int
    inode: int
    median: float
    value: str
    holder: str | None
    release: Literal["shown", "new", "unknown"]
    number: str


@rule("SC-12", needs=(ScaleIo, ScaleSettings), words=WriteWords)
def small_direct_writes(io: ScaleIo, settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """Symptom: a data base or a log writes large files slowly although each request is quick.

    Reasoning: the I/O history shows small direct writes of AioWorkerThread, one behind the other in one block of a
    file. Source: IBM Spectrum Scale performance talk, user group, about 2020.
    """
    seen: set[str | None] = set()
    for writes in io.small_writes(limits.wider_bytes, limits.writes):
        if writes.node not in seen and writes.rising and writes.median_ms <= limits.good_ms:
            seen.add(writes.node)
            yield _small_writes(writes, settings, limits)


def _small_writes(writes: SmallWrites, settings: ScaleSettings, limits: Limits) -> Seen:
    held, reaches = settings.of_node(BATCHING, writes.node), settings.reaches(BATCHING_SINCE, writes.node, BATCHING)
    known = settings.release(writes.node)
    number = ".".join(map(str, known[0])) if known else ""
    level = "before" if held is not None and held.is_on else "release" if reaches is False else "now"
    is_wide = level != "release" and writes.bytes > limits.most_bytes  # then the threshold must be raised too
    return Seen(
        level=level,
        words=WriteWords(
            writes.node,
            writes.bytes,
            writes.count,
            writes.inode,
            writes.median_ms,
            held.value if held else "",
            held.holder if held else None,
            "unknown" if reaches is None else "shown" if number else "new",
            number,
        ),
        lines=(*writes.refs[:5], *((held.ref,) if held else ()), *((known[1],) if known else ())),
        nodes=(writes.node,),
        times=(writes.first, writes.last),
        borne_by=(len(writes.refs), 1),
        parts=("owner_unknown" if writes.node is None else "release_unknown" if reaches is None else "all_shown",),
        tunings=(BATCHING_TUNING, THRESHOLD_TUNING) if is_wide else (BATCHING_TUNING,),
        advice=_too_old() if level == "release" else _batching(writes, held),
        weight=float(writes.count),
    )


def _too_old() -> tuple[Advice, ...]:
    """The gate: releases that do not know the setting."""
    return (Advice(BATCHING_TUNING, None, (("where", ""), ("bytes", "")), unfit="too_old"),)


def _batching(writes: SmallWrites, held: Held | None) -> tuple[Advice, ...]:
    """For the node that writes; one that shows no value is known to lack it."""
    where = f" -N {shell_word(writes.node)}" if writes.node else ""
    words = (("where", where), ("bytes", str(max(2 * writes.bytes, LEAST_THRESHOLD))))
    lacking = (writes.node,) if held is None and writes.node else ()
    return tuple(Advice(key, None, words, lacking) for key in (BATCHING_TUNING, THRESHOLD_TUNING))


@dataclass(frozen=True, slots=True)
class ThrottleWords:
    """limited: classes with a limit, each with its value."""

    waits: int
    nodes: int
    longest: float
    limited: tuple[str, ...]


@rule("SC-07", needs=(ScaleWaits, ScaleSettings), words=ThrottleWords)
def qos_throttle(waits: ScaleWaits, settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """Symptom: fsync, write-behind or a snapshot hangs while the disks idle.

    Reasoning: the threads wait for tokens of the quality-of-service budget, not for a disk.
    Source: IBM APAR IJ27087; meaning of the classes from the mmlsqos documentation.
    """
    throttled = (tally for tally in waits.tallies if _is_throttled(waits, tally))
    rows = sorted(throttled, key=lambda tally: -(tally.longest_s or 0.0))
    if not rows:
        return
    longest = rows[0].longest_s or 0.0
    names = waits.nodes_of(rows)
    classes = settings.classes_of_service
    limited = [held for held in classes if held.value.lower() not in ("inf", "unlimited")]
    fs = settings.throttled_file_system
    yield Seen(
        level="throttled",
        words=ThrottleWords(
            sum(tally.lines for tally in rows),
            len(names) or 1,
            longest,
            tuple(f"{held.name.removeprefix('qos ')} {held.value}" for held in limited),
        ),
        lines=(*(Ref(tally.artifact, tally.line) for tally in rows[:5]), *[held.ref for held in limited][:3]),
        nodes=names,
        parts=("no_class_limited",) if classes and not limited else (),
        advice=(Advice("qos-classes", None, (("fs", shell_word(fs) if fs else "FILESYSTEM"),)),),
        weight=longest,
    )


def _is_throttled(waits: ScaleWaits, tally: Tally) -> bool:
    kind = waits.spans.texts.texts[tally.text].at(float("inf") if tally.aged else None).kind
    return kind is not None and kind.throttling


@dataclass(frozen=True, slots=True, kw_only=True)
class HotWords:
    """pairs: nodes that ask each other for tokens. inode, writers, disk: of a file or directory that several histories
    show written.
    """

    nodes: tuple[str, ...]
    waits: int | None = None
    longest: float | None = None
    pairs: tuple[str, ...] = ()
    dumps: int = 0
    inode: int | None = None
    writers: tuple[str, ...] = ()
    number: int | None = None
    writes: int | None = None
    disk: str = ""
    thing: Literal["file", "directory"] = "file"
    same_block: bool = False


@rule("SC-33", needs=(ScaleWaits, ScaleIo), words=HotWords)
def write_hot_spot(waits: ScaleWaits, io: ScaleIo, limits: Limits) -> Iterator[Seen]:
    """Symptom: jobs that write one file or one directory from several nodes crawl, and revokes go back and forth.

    Reasoning: over several dumps the same nodes ask each other to give up tokens, or several histories show writes to
    one inode. Source: wordings of the waits partly recalled; that parting the work is the remedy follows from how
    tokens work.
    """
    shared = [one for one in io.shared_inodes() if len(one.nodes) >= limits.nodes and one.writes >= limits.writes]
    groups = _hot_groups(waits)
    pairs = _pairs(groups)
    nodes = tuple(sorted({node for pair in pairs for node in pair})) or nodes_of(groups)
    if len(nodes) >= limits.nodes and dumps_of(groups) >= limits.dumps:
        yield _hot_spot(groups, pairs, nodes, shared, limits)
    elif shared:
        yield _shared_inode(shared[0])


def _is_revoke(group: Group) -> bool:
    return group.awaited.is_rpc and REVOKE in group.awaited.name


def _hot_groups(waits: ScaleWaits) -> list[Group]:
    """Waits for tokens of one object whose chains end at no disk."""
    ours = [g for g in waits.groups if _is_revoke(g) or _is_hot(g)]
    found = [g for g in ours if not any(end.kind == "disk" or end.leaves_data for end in waits.chains.ends[g.to])]
    return found if any(_is_hot(group) for group in found) or _pairs(found) else []


def _is_hot(group: Group) -> bool:
    return group.text.at(group.longest_s).kind_id in HOT_KINDS


def _pairs(groups: list[Group]) -> list[tuple[str, str]]:
    """Nodes that ask each other to give up tokens."""
    revokes = {(group.node, group.to.node) for group in groups if _is_revoke(group) and group.node}
    return sorted({(str(a), b) for a, b in revokes if str(a) < b and (b, a) in revokes})


def _hot_spot(
    groups: list[Group], pairs: list[tuple[str, str]], nodes: tuple[str, ...], shared: list[SharedInode], limits: Limits
) -> Seen:
    longest, asking = longest_of(groups), tuple(phrase("scale-tokens.each-other", a=a, b=b) for a, b in pairs)
    return Seen(
        level="high" if longest > limits.severe_s else "medium",
        words=HotWords(
            nodes=nodes,
            waits=waits_in(groups),
            longest=longest,
            pairs=asking,
            dumps=dumps_of(groups),
            inode=shared[0].inode if shared else None,
            writers=shared[0].nodes if shared else (),
        ),
        lines=(*lines_of(groups, most=6), *(ref for one in shared[:1] for ref in one.refs[:2])),
        nodes=nodes,
        times=span_of(groups),
        zone_min=zone_of(groups),
        parts=(repeated(groups),),
        causes=("SC-05",),
        weight=longest,
    )


def _shared_inode(one: SharedInode) -> Seen:
    return Seen(
        level="history",
        words=HotWords(
            nodes=one.nodes,
            thing="directory" if one.what == "metadata" else "file",
            inode=one.inode,
            number=len(one.nodes),
            writes=one.writes,
            disk=one.device,
            same_block=one.same_block,
        ),
        lines=one.refs,
        nodes=one.nodes,
        parts=("nobody_waits",),
    )
