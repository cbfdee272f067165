"""Rules on settings: units of statfs (SC-13), deadlock detection (SC-14), format level (SC-18), differences (SC-19),
disableDIO (SC-20).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.events import Events, refs
from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.facts.setting_history import plain
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.detector import SHORT_THRESHOLD, THRESHOLD, Detector
from apps.diagnosis.engine.scale.nsds import ScaleNsds
from apps.diagnosis.engine.scale.settings import Held, ScaleSettings, shell_word
from apps.diagnosis.engine.scale.symptoms import Symptoms
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass
from parsers.records import Section

UNITS: Final = "linuxStatfsUnits"
BLOCK, UNIT = "f_bsize", "f_frsize"
DETECTION: Final = "deadlockDetectionThreshold"
BREAKUP: Final = "deadlockBreakupDelay"
MIB: Final = 1 << 20
KIB: Final = 1 << 10
LINES: Final = 6
HARMLESS: Final = frozenset((
    "long-waiter", "long-waiter-ended", "deadlock-detection-on", "deadlock-data-on", "debug-data", "connecting",
    "connected", "node-joined",
    "rdma-connected", "rdma-started", "daemon-starting", "daemon-ready", "deadlock-notified", "unknown-config-name",
))  # fmt: skip
OF_A_CLUSTER: Final = ("clustername", "clusterid")
ALIKE: Final = (
    "cipherlist", "deadlockbreakupdelay", "deadlockdetectionthreshold", "failuredetectiontime", "leaserecoverywait",
    "maxblocksize",
    "maxmissedpingtimeout", "maxtcpconnspernodeconn", "minmissedpingtimeout", "tsctcpport", "usepersistentreserve",
)  # fmt: skip
ALIKE_ON_SERVERS: Final = (
    "nsdbufspace", "nsdmaxworkerthreads", "nsdminworkerthreads", "nsdmultiqueue", "nsdsmallthreadratio",
    "nsdthreadsperqueue", "verbsrdma",
    "workerthreads",
)  # fmt: skip

OF_CLUSTER: Final = (
    "adminmode", "ccrenabled", "cipherlist", "clusterid", "clustername",
    "dmapifilehandlesize", "failuredetectiontime", "leaserecoverywait", "maxblocksize", "maxmissedpingtimeout",
    "minmissedpingtimeout", "minquorumnodes", "minreleaselevel", "tiebreakerdisks", "tsctcpport",
    "uiddomain", "usepersistentreserve",
)  # fmt: skip
# A cluster has these once: no list of nodes may have a value of its own.


def _holders(held: Iterable[Held]) -> tuple[str, ...]:
    """Who holds a value, in words."""
    return tuple(one.holder or phrase("scale-settings.whole-cluster") for one in held)


def _single(held: Iterable[Held]) -> list[str]:
    """Holders that are one node."""
    return [one.holder for one in held if one.holder and "," not in one.holder]


@dataclass(frozen=True, slots=True)
class UnitWords:
    """size: the block in MiB; unit: the subblock in KiB; value: of linuxStatfsUnits; block_bytes, unit_bytes: as statfs
    prints them.
    """

    mount: str | None
    size: int
    unit: int
    value: str
    block_bytes: int
    unit_bytes: int


@rule("SC-13", needs=(Settings, ScaleSettings), words=UnitWords)
def statfs_units(shown: Settings, settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """Symptom: df, du or a data base takes the block of the file system for the smallest unit.

    Reasoning: statfs prints f_bsize = f_frsize = the block, and linuxStatfsUnits is fullblock or not shown.
    Source: IBM Spectrum Scale performance talk, user group, about 2020.
    """
    sizes = shown.shown(None, pl.col("name").is_in([BLOCK, UNIT])) if shown.all.height else ()
    for (node, mount), found in grouped(sizes, lambda one: (one.node, one.scope)).items():
        last = {one.name: one for one in found}
        held, block, unit = settings.of_node(UNITS, node), last.get(BLOCK), last.get(UNIT)
        if held is None or block is None or unit is None or int(block.value) < MIB:
            continue
        is_whole, is_mended = block.value == unit.value, held.value.lower() != "fullblock"
        # A row before, in which the unit was the whole block.
        before = next((one for one in found if one.name == UNIT and one.value == block.value), None)
        if is_mended == is_whole or (is_mended and before is None):
            continue
        size, part = int(block.value), int(unit.value)
        shown_by = (block.ref, unit.ref)
        yield Seen(
            level="repaired" if is_mended else "whole",
            words=UnitWords(mount, size // MIB, part // KIB, held.value, size, part),
            lines=(before.ref, held.ref, *shown_by) if before is not None and is_mended else (*shown_by, held.ref),
            nodes=(node,),
            times=(block.at,),
            parts=() if is_mended else ("harm_unknown",),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionWords:
    """holders: for whom it is set; threshold, short: in force as dumps print them, in s; delay: of breakup; alarms,
    longest: that ended.
    """

    holders: tuple[str, ...] = ()
    threshold: float | None = None
    short: float | None = None
    delay: float | None = None
    value: str = ""
    alarms: int | None = None
    longest: float | None = None


@rule("SC-14", needs=(ScaleSettings, Detector, Events, Symptoms, ScaleWaits), words=DetectionWords)
def detection_settings(
    settings: ScaleSettings, detector: Detector, events: Events, symptoms: Symptoms, waits: ScaleWaits, limits: Limits
) -> Iterator[Seen]:
    """Symptom: a hang leaves no debug data, or long waiters are reported and go away by themselves.

    Reasoning: the threshold is 0, or all alarms ended on their own while the logs show no fault.
    Source: IBM Storage Scale documentation, deadlockDetectionThreshold, automated deadlock detection.
    """
    force = DetectionWords(threshold=detector.value_in_force(THRESHOLD), short=detector.value_in_force(SHORT_THRESHOLD))
    off = [held for held in settings.held(DETECTION) if plain(held.value) == "0"]
    if off:
        yield Seen(
            level="off",
            words=replace(force, holders=_holders(off)),
            lines=[*(held.ref for held in off[:LINES]), *(ref for _, ref in detector.in_force.values())],
            nodes=_single(off),
        )
        return
    yield from _switched_off(events, force)
    yield from _early_breakup(settings, force, limits)
    if not waits.any:
        yield from _false_alarms(events, symptoms, force, limits)


def _early_breakup(settings: ScaleSettings, force: DetectionWords, limits: Limits) -> Iterator[Seen]:
    """Deadlocks that are broken up before the waits can end by themselves."""
    early = [
        held
        for held in settings.held(BREAKUP)
        if (text := plain(held.value)).isdigit() and 0 < int(text) < limits.breakup_s
    ]
    if early:
        yield Seen(
            level="breakup",
            words=replace(force, holders=_holders(early), value=early[0].value, delay=float(plain(early[0].value))),
            lines=[held.ref for held in early[:LINES]],
            nodes=_single(early),
        )


def _false_alarms(events: Events, symptoms: Symptoms, force: DetectionWords, limits: Limits) -> Iterator[Seen]:
    """Waits that were reported and all ended on their own, while the logs show no fault."""
    rows = events.of(("long-waiter-ended",))
    still = events.of(("long-waiter",)).height > rows.height
    is_calm = "long-waiter-ended" in symptoms.daemon_log_kinds <= HARMLESS
    if rows.height >= limits.false_alarms and is_calm and not still:
        seconds = rows["value"].drop_nulls().to_list()
        yield Seen(
            level="false_alarms",
            words=replace(force, alarms=rows.height, longest=max(seconds, default=0.0)),
            lines=refs(rows)[:5],
            nodes=rows["node"].to_list(),
            times=rows["at"].to_list(),
            parts=("waits_unknown",),
        )


def _switched_off(events: Events, force: DetectionWords) -> Iterator[Seen]:
    """Nodes whose log says last that detection is off."""
    rows = events.of(("deadlock-detection-off", "deadlock-detection-on"))
    if rows.is_empty():
        return
    rows = rows.unique("node", keep="last", maintain_order=True)
    off = rows.filter(pl.col("kind") == "deadlock-detection-off")
    if off.height:
        nodes = tuple(node for node in off["node"] if node)
        yield Seen(
            level="off",
            words=replace(force, holders=nodes or (phrase("scale-states.no-name"),)),
            lines=refs(off)[:LINES],
            nodes=nodes,
        )


@dataclass(frozen=True, slots=True)
class LevelWords:
    """feature: what the files show in use or wanted; wanted: the level that brought it; disk: one of that kind, as the
    table says.
    """

    fs: str
    level_shown: str
    feature: Literal["thin", "subblocks"]
    wanted: str
    disk: str


@rule("SC-18", needs=(ScaleSettings, ScaleNsds), words=LevelWords)
def format_level(settings: ScaleSettings, nsds: ScaleNsds, limits: Limits) -> Iterator[Seen]:
    """Symptom: a feature of the release is missing on an old file system.

    Reasoning: mmlsfs shows a level below the one that brought the feature, and the files show that feature in use or
    wanted. Source: IBM Spectrum Scale performance talk, user group, about 2020: table of levels.
    """
    for fs, (number, _, ref, text) in settings.levels.items():
        lines: tuple[Ref, ...]
        if number < limits.thin and (found := nsds.thin.get(fs)) is not None:
            wanted = phrase("scale-settings.thin")
            words, lines = LevelWords(fs, text, "thin", wanted, found[0]), (ref, found[1])
        elif number < limits.small_subblocks and (large := _large_block(settings, fs, limits)) is not None:
            wanted = phrase("scale-settings.subblocks")
            words, lines = LevelWords(fs, text, "subblocks", wanted, ""), (ref, *large)
        else:
            continue
        advice = (Advice("format-level", None, (("fs", shell_word(fs)), ("wanted", wanted))),)
        yield Seen(level="old", words=words, lines=lines, advice=advice)


def _large_block(settings: ScaleSettings, fs: str, limits: Limits) -> tuple[Ref, Ref] | None:
    block, part = settings.attribute(fs, "-B", "blockSize"), settings.attribute(fs, "-f", "minFragmentSize")
    if block is None or part is None or not (block.value.isdigit() and part.value.isdigit()) or int(part.value) == 0:
        return None
    large = int(block.value) >= limits.large_bytes and int(block.value) == limits.parts * int(part.value)
    return (block.ref, part.ref) if large else None


@dataclass(frozen=True, slots=True)
class DifferWords:
    """names: of the settings; servers: whether only NSD servers are compared; values: who has which; configured: the
    configuration itself sets them so; nodes: that have these values.
    """

    names: tuple[str, ...]
    number: int
    several: bool
    servers: bool
    values: str
    configured: bool = False
    nodes: tuple[str, ...] = ()


@rule("SC-19", needs=(ScaleSettings, ScaleNsds, Records), words=DifferWords)
def settings_differ(settings: ScaleSettings, nsds: ScaleNsds, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: one node behaves differently from its like.

    Reasoning: nodes of one class show different values of a setting that should be equal, and no list of nodes in
    mmlsconfig explains it; or mmlsconfig has two values of what a cluster has once; or a daemon runs with another
    value than is configured for all, with which others run. Source: inferred from the values shown; which settings
    should be equal is judged here.
    """
    if contradicting := [own for name in OF_CLUSTER if (own := _contradicting(settings.held(name)))]:
        yield _differ(contradicting, limits, level="configured")
    yield from _copies_differ(settings, records, int(limits.most))
    behind = {name: own for name in settings.names if (own := _behind(settings, name))}
    if behind:
        yield _differ([*behind.values()], limits, level="running")
    servers = {name for names, _ in nsds.servers.values() for name in names}
    for names, members in ((ALIKE, None), (ALIKE_ON_SERVERS, servers)):
        found = [own for name in names if name not in behind and (own := _differing(settings.held(name), members))]
        if not found:
            continue
        yield _differ(found, limits, level="differ", servers=members is not None)


def _differ(
    found: list[list[Held]], limits: Limits, *, level: Literal["differ", "configured", "running"], servers: bool = False
) -> Seen:
    """found: the values of each setting that differs."""
    shown = found[: int(limits.most)]
    configured = level == "configured"
    nodes = {one.holder for own in shown for one in own if one.holder and not (configured and "," in one.holder)}
    return Seen(
        level=level,
        words=DifferWords(
            tuple(own[0].name for own in found),
            len(found),
            len(found) > 1,
            servers,
            " ".join(_values(own) for own in shown),
            configured,
            tuple(sorted(nodes)),
        ),
        lines=[one.ref for own in shown for one in _samples(own)],
        nodes=nodes,
        parts=("classes_unknown",) if level == "differ" else (),
    )


def _contradicting(held: Iterable[Held]) -> list[Held]:
    """Values of one setting that one listing of the configuration shows for different lists of nodes."""
    by_listing = grouped((one for one in held if one.is_configured), lambda one: one.ref.artifact)
    return next((own for own in by_listing.values() if len({plain(one.value) for one in own}) > 1), [])


def _behind(settings: ScaleSettings, name: str) -> list[Held]:
    """Of a setting that is configured once for the whole cluster: that, and the daemons that run with another value,
    where others run with it.
    """
    configured = settings.configured(name)
    if len(configured) != 1 or configured[0].holder is not None:
        return []
    value = plain(configured[0].value)
    own = [one for one in settings.held(name) if one.is_dumped and one.holder is not None]
    behind = [one for one in own if plain(one.value) != value]
    return [configured[0], *behind] if 0 < len(behind) < len(own) else []


def _copies_differ(settings: ScaleSettings, records: Records, most: int) -> Iterator[Seen]:
    """Copies of one configuration, each from another node, that have different values for the whole cluster."""
    copies = {name: some for name in settings.names if len(some := settings.copies(name)) > 1}
    own = _own_nodes(records) if copies else {}
    found = []
    for some_copies in copies.values():
        by_node = {own[at]: one for at, one in some_copies.items() if at in own}
        if len({plain(one.value) for one in by_node.values()}) > 1:
            found.append([replace(one, holder=node) for node, one in sorted(by_node.items())])
    if not found or any(some[0].name.lower() in OF_A_CLUSTER for some in found):
        return  # of two clusters
    shown = found[:most]
    yield Seen(
        level="copies",
        words=DifferWords(
            tuple(some[0].name for some in found),
            len(found),
            len(found) > 1,
            False,
            " ".join(_values(some) for some in shown),
        ),
        lines=[one.ref for some in shown for one in _samples(some)],
        nodes={one.holder for some in shown for one in some},
        parts=("times_unknown",),
    )


def _own_nodes(records: Records) -> dict[int, str]:
    """By artifact the node that all of its sections are of, where they are of one."""
    nodes: dict[int, set[str]] = defaultdict(set)
    for artifact, node in records.scan(Section).select("artifact", "node").drop_nulls().unique().collect().iter_rows():
        nodes[artifact].add(node)
    return {artifact: some.pop() for artifact, some in nodes.items() if len(some) == 1}


def _differing(held: Iterable[Held], members: set[str] | None) -> list[Held]:
    """Values that nodes show for themselves, where they differ and nobody set them so for some nodes."""
    known = list(held)
    own = [
        one for one in known if one.is_dumped and one.holder is not None and (members is None or one.holder in members)
    ]
    is_wanted = any(one.is_configured and one.holder is not None for one in known)
    return own if len({plain(one.value) for one in own}) > 1 and not is_wanted else []


def _samples(own: list[Held]) -> list[Held]:
    """A node for each value."""
    return list({plain(one.value): one for one in reversed(own)}.values())[:3]


def _values(own: list[Held]) -> str:
    by_value: dict[str, list[str]] = defaultdict(list)
    for one in own:
        by_value[one.value].append(one.holder or phrase("scale-settings.whole-cluster"))
    values = [phrase("scale-settings.value-on", value=value, nodes=nodes) for value, nodes in by_value.items()]
    return phrase("scale-settings.values", name=own[0].name, values=values)


@dataclass(frozen=True, slots=True)
class DioWords:
    """everywhere: it is set for the whole cluster; places: how many settings of it are shown."""

    nodes: tuple[str, ...]
    everywhere: bool
    places: int


@rule("SC-20", needs=(ScaleSettings,), words=DioWords)
def disable_dio_set(settings: ScaleSettings, limits: Limits) -> Iterator[Seen]:
    """Symptom: an old work-around is still in the configuration.

    Reasoning: disableDIO is shown as set.
    Source: IBM Spectrum Scale performance talk, user group, about 2020: it should not be used.
    """
    held = [one for one in settings.held("disableDIO") if one.is_on]
    if held:
        holders = tuple(one.holder for one in held if one.holder)
        lines = [one.ref for one in held[:LINES]]
        yield Seen(
            level="set",
            words=DioWords(holders, len(holders) < len(held), len(held)),
            lines=lines,
            nodes=_single(held),
            borne_by=(len(lines), len(held)),
        )
