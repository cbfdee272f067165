"""Rules on settings: units of statfs (SC-13), deadlock detection (SC-14), format level (SC-18), differences (SC-19), disableDIO (SC-20)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, Part, Ref
from apps.diagnosis.engine.core.readings import plain
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed, node_words, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.detector import Detector
from apps.diagnosis.engine.scale.nsds import ScaleNsds
from apps.diagnosis.engine.scale.settings import DUMPS, Held, ScaleSettings, shell_word
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.records import DeadlockFact, Event

UNITS: Final = "linuxStatfsUnits"
THRESHOLD: Final = "deadlockDetectionThreshold"
BREAKUP: Final = "deadlockBreakupDelay"
MIB: Final = 1 << 20
KIB: Final = 1 << 10
HARMLESS: Final = frozenset((
    "long-waiter", "long-waiter-ended", "deadlock-detection-on", "deadlock-data-on", "debug-data", "connecting", "connected", "node-joined",
    "rdma-connected", "rdma-started", "daemon-starting", "daemon-ready", "deadlock-notified", "unknown-config-name",
))  # fmt: skip
ALIKE: Final = (
    "cipherlist", "deadlockbreakupdelay", "deadlockdetectionthreshold", "failuredetectiontime", "leaserecoverywait", "maxblocksize",
    "maxmissedpingtimeout", "maxtcpconnspernodeconn", "minmissedpingtimeout", "tsctcpport", "usepersistentreserve",
)  # fmt: skip
ALIKE_ON_SERVERS: Final = (
    "nsdbufspace", "nsdmaxworkerthreads", "nsdminworkerthreads", "nsdmultiqueue", "nsdsmallthreadratio", "nsdthreadsperqueue", "verbsrdma",
    "workerthreads",
)  # fmt: skip


@rule("SC-13")
def statfs_units(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: df, du or a data base takes the block of the file system for the smallest unit.

    Reasoning: statfs prints f_bsize = f_frsize = the block, and linuxStatfsUnits is fullblock or not shown.
    Source: IBM Spectrum Scale performance talk, user group, about 2020.
    """
    rows = facts.in_force.filter(pl.col("source") == "statfs")
    last: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = defaultdict(dict)
    for row in rows.iter_rows(named=True):
        last[row["node"], row["scope"]][row["name"]] = row
    for (node, mount), sizes in last.items():
        held = facts.get(ScaleSettings).of_node(UNITS, node)
        size, unit = sizes.get("f_bsize"), sizes.get("f_frsize")
        if held is None or size is None or unit is None or int(size["value"]) < MIB:
            continue
        if held.value.lower() != "fullblock":
            yield from _mended(held, (size, unit), _earlier(rows, size))
            continue
        if size["value"] != unit["value"]:
            continue
        refs = [Ref(row["artifact"], row["line"]) for row in (size, unit)]
        yield draft(
            "low", [*refs, held.ref],
            {
                "mount": mount or "A mount point that is not named", "size": f"{int(size['value']) // MIB} MiB",
                "setting": f" The last value shown is {held.value}.",
            },
            nodes=(node,), times=(size["at"],), lacks="whether a program suffers from it is not in the files",
            figures=(Figure("f_bsize", int(size["value"]), "B"), Figure("f_frsize", int(unit["value"]), "B")),
        )  # fmt: skip


def _earlier(rows: pl.DataFrame, size: dict[str, Any]) -> dict[str, Any] | None:
    """The row before in which the unit of the same mount was the whole block."""
    same = pl.col("node").eq_missing(pl.lit(size["node"])) & pl.col("scope").eq_missing(pl.lit(size["scope"]))
    before = rows.filter(same & (pl.col("name") == "f_frsize") & (pl.col("value") == size["value"]))
    return before.row(0, named=True) if before.height else None


def _mended(held: Held, now: tuple[dict[str, Any], dict[str, Any]], before: dict[str, Any] | None) -> Iterator[Draft]:
    """The setting was changed in these files, and statfs answers otherwise since."""
    size, unit = now
    if before is None or size["value"] == unit["value"]:
        return
    yield draft(
        "info", [Ref(before["artifact"], before["line"]), held.ref, *(Ref(row["artifact"], row["line"]) for row in now)],
        {
            "mount": size["scope"] or "A mount point that is not named", "size": f"{int(size['value']) // MIB} MiB", "setting": held.value,
            "unit": f"{int(unit['value']) // KIB} KiB",
        },
        variant="mended", nodes=(size["node"],), times=(size["at"],),
        figures=(Figure("f_bsize", int(size["value"]), "B"), Figure("f_frsize", int(unit["value"]), "B")),
    )  # fmt: skip


@rule("SC-14")
def detection_settings(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a hang leaves no debug data, or long waiters are reported and go away by themselves.

    Reasoning: the threshold is 0, or all alarms ended on their own while the logs show no fault.
    Source: IBM Storage Scale documentation, deadlockDetectionThreshold, automated deadlock detection.
    """
    off = [held for held in facts.get(ScaleSettings).held(THRESHOLD) if plain(held.value) == "0"]
    printed, refs = _printed(facts)
    if off:
        holders = [held.holder or "the whole cluster" for held in off]
        yield draft(
            "low", [*(held.ref for held in off[:6]), *refs[:2]], {"nodes": listed(holders), "printed": printed},
            nodes=_single(off),
        )  # fmt: skip
        return
    yield from _breakup(facts, limits, printed)
    yield from _false_alarms(facts, limits, printed)


def _single(held: list[Held]) -> list[str]:
    """Holders that are one node."""
    return [one.holder for one in held if one.holder and "," not in one.holder]


def _printed(facts: CaseFacts) -> tuple[str, list[Ref]]:
    """The thresholds in force as dumps print them: they are tuned by load and differ from what is configured."""
    if not facts.facts.has(DeadlockFact):
        return "", []
    rows = facts.get(Detector).rows.filter(pl.col("what").is_in(["threshold", "threshold_short"]) & pl.col("value").is_not_null())
    last: dict[str, dict[str, Any]] = {row["what"]: row for row in rows.sort("artifact", "line").iter_rows(named=True)}
    words = [
        f"{seconds(last[what]['value'])}{tail}"
        for what, tail in (("threshold", ""), ("threshold_short", " for short waiters"))
        if what in last
    ]
    return (f" The thresholds in force were printed as {listed(words)}." if words else ""), [
        Ref(row["artifact"], row["line"]) for row in last.values()
    ]


def _breakup(facts: CaseFacts, limits: Limits, printed: str) -> Iterator[Draft]:
    """A deadlock would be broken up before its cause is known."""
    early = [
        held for held in facts.get(ScaleSettings).held(BREAKUP)
        if (text := plain(held.value)).isdigit() and 0 < int(text) < limits.breakup_s
    ]  # fmt: skip
    if early:
        yield draft(
            "low", [held.ref for held in early[:6]],
            {"nodes": listed([held.holder or "the whole cluster" for held in early]), "value": early[0].value, "printed": printed},
            variant="breakup", nodes=_single(early), tunings=("deadlockbreakupdelay",),
            figures=(Figure(BREAKUP, float(plain(early[0].value)), "s", limits.words("breakup_s")),),
        )  # fmt: skip


def _false_alarms(facts: CaseFacts, limits: Limits, printed: str) -> Iterator[Draft]:
    events = facts.facts.frame(Event).filter(pl.col("source").is_in(["mmfs.log", "mmchconfig"]))
    ended = events.filter(pl.col("kind") == "long-waiter-ended")
    if ended.height < limits.false_alarms or not set(events["kind"].to_list()) <= HARMLESS:
        return
    if events.filter(pl.col("kind") == "long-waiter").height > ended.height or facts.get(ScaleWaits).any:
        return
    rows = facts.named(ended).sort("artifact", "line")
    longest = float(rows["value"].max() or 0.0)  # type: ignore[arg-type]
    yield draft(
        "low", [Ref(artifact, line) for artifact, line in rows.select("artifact", "line").head(5).iter_rows()],
        {"count": plural(ended.height, "long waiter"), "longest": seconds(longest), "printed": printed},
        variant="false_alarms", nodes=rows["node"].drop_nulls().unique().to_list(), times=rows["at"].to_list(),
        lacks="what waited is not known", basis="inferred", tunings=(),
        figures=(Figure("Alarms that ended", ended.height, "", limits.words("false_alarms")), Figure("Longest", longest, "s")),
    )  # fmt: skip


@rule("SC-18")
def format_level(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a feature of the release is missing on an old file system.

    Reasoning: mmlsfs shows a level below the one that brought the feature, and the files show that feature in use or wanted.
    Source: IBM Spectrum Scale performance talk, user group, about 2020: table of levels.
    """
    settings = facts.get(ScaleSettings)
    thin = facts.get(ScaleNsds).thin
    for fs, (number, _, ref, text) in settings.levels.items():
        if number < limits.thin and (found := thin.get(fs)) is not None:
            yield _level(
                fs, text, (ref, found[1]), feature="thin provisioning and NVMe", wanted="22.00 (5.0.4.0)",
                seen=f"mmlsdisk shows a disk of that kind ({found[0]}).", also="",
            )  # fmt: skip
        elif number < limits.small_subblocks and (large := _large_block(settings, fs, limits)) is not None:
            yield _level(
                fs, text, (ref, *large), feature="more than 32 subblocks per block", wanted="18.00 (5.0.0.0)",
                seen="Its blocks are large and have 32 subblocks each, so small files take much room.",
                also=" The subblocks of an existing file system stay as they are (recalled): only a new one has small ones.",
            )  # fmt: skip


def _level(fs: str, text: str, refs: tuple[Ref, ...], *, feature: str, wanted: str, seen: str, also: str) -> Draft:
    words = {"fs": fs, "level": text, "feature": feature, "wanted": wanted, "seen": seen, "also": also}
    return draft("info", refs, words, advice=(Advice("format-level", None, (("fs", shell_word(fs)), ("wanted", wanted))),))


def _large_block(settings: ScaleSettings, fs: str, limits: Limits) -> tuple[Ref, ...] | None:
    block, part = settings.attribute(fs, "-B", "blockSize"), settings.attribute(fs, "-f", "minFragmentSize")
    if block is None or part is None or not (block.value.isdigit() and part.value.isdigit()) or int(part.value) == 0:
        return None
    large = int(block.value) >= limits.large_bytes and int(block.value) == limits.parts * int(part.value)
    return (block.ref, part.ref) if large else None


@rule("SC-19")
def settings_differ(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one node behaves differently from its like.

    Reasoning: nodes of one class show different values of a setting that should be equal, and no list of nodes in mmlsconfig explains it.
    Source: inferred from the values shown; which settings should be equal is judged here.
    """
    servers = {name for names, _ in facts.get(ScaleNsds).servers.values() for name in names}
    yield from _differing(facts, ALIKE, None, "the nodes shown", limits)
    yield from _differing(facts, ALIKE_ON_SERVERS, servers, "NSD servers", limits)


def _differing(facts: CaseFacts, names: tuple[str, ...], members: set[str] | None, class_name: str, limits: Limits) -> Iterator[Draft]:
    found: list[tuple[str, list[Held]]] = []
    for name in names:
        held = facts.get(ScaleSettings).held(name)
        own = [one for one in held if one.source in DUMPS and one.holder is not None and (members is None or one.holder in members)]
        wanted = any(one.source in ("mmlsconfig", "mmchconfig") and one.holder is not None for one in held)
        if len({plain(one.value) for one in own}) > 1 and not wanted:
            found.append((own[0].name, own))
    if not found:
        return
    shown = found[: int(limits.most)]
    refs = [one.ref for _, own in shown for one in _samples(own)]
    yield draft(
        "low", refs,
        {
            "names": listed([name for name, _ in found], 3), "verb": "differs" if len(found) == 1 else "differ", "class_name": class_name,
            "values": " ".join(_values(name, own) for name, own in shown),
        },
        nodes={one.holder for _, own in shown for one in own}, lacks="classes of nodes are known only as far as the tables tell",
        figures=(Figure("Settings that differ", len(found)),),
    )  # fmt: skip


def _samples(own: list[Held]) -> list[Held]:
    """A node for each value."""
    return list({plain(one.value): one for one in reversed(own)}.values())[:3]


def _values(name: str, own: list[Held]) -> str:
    by_value: dict[str, list[str]] = defaultdict(list)
    for one in own:
        by_value[one.value].append(one.holder or "")
    return f"{name}: {listed([f'{value} on {listed(nodes)}' for value, nodes in by_value.items()])}."


@rule("SC-20")
def disable_dio_set(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: an old work-around is still in the configuration.

    Reasoning: disableDIO is shown as set.
    Source: IBM Spectrum Scale performance talk, user group, about 2020: it should not be used.
    """
    held = [one for one in facts.get(ScaleSettings).held("disableDIO") if one.is_on]
    if not held:
        return
    holders = [one.holder for one in held]
    where = node_words(holders) if all(holders) else "the whole cluster"
    evidence = tuple(one.ref for one in held[:6])
    yield Draft(
        severity="low",
        evidence=evidence,
        words={"nodes": where},
        nodes=tuple(sorted(holder for holder in holders if holder and "," not in holder)),
        figures=(Figure("Places where it is set", float(count(len(held)))),),
        parts=(evidence_part(len(evidence), len(held)), Part("completeness", 1.0, "the setting itself is shown")),
    )
