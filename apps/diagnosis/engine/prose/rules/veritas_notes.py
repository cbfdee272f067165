"""Notes on Veritas texts: what remarks, headings and sentences say against the data, sums worked out by hand, what is left open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Figure, Ref
from apps.diagnosis.engine.core.wording import listed
from apps.diagnosis.engine.prose.rules.contradictions import Note, note
from apps.diagnosis.engine.storage.disk_requests import traces
from parsers.records import Claim, CommandRun, Counter

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

REMARK: Final = "remark behind the row"
_COUNTER_IS: Final = re.compile(r"\b(vxi_[a-z0-9_]{1,60}) is ")
_PRODUCT: Final = re.compile(r"(\d{1,12}(?:\.\d{1,12})?) \* (\d{1,12}(?:\.\d{1,12})?)$")
_ERASES: Final = re.compile(
    r"(?:^|[\s;&|/])(vxfenclearpre|vxfentsthdw|vxdg\s.{0,80}?\bdestroy|vxdiskunsetup|vxassist\s.{0,80}?\bremove|vxedit\s.{0,80}?\brm\b"
    r"|vxrlink\s.{0,80}?\b(?:det|dis)\b|vxsd\s.{0,80}?\bdis\b|fsck\S{0,6}\s.{0,80}?(?:-o\s{0,3}full|-y\b))"
)


def _claims(facts: CaseFacts) -> pl.DataFrame:
    return facts.facts.frame(Claim).sort("artifact", "line")


@note("CONTRADICTION")
def remarks_against_rows(facts: CaseFacts) -> Iterator[Note]:
    """A remark behind a row of counters with a figure that the row does not have. The figure itself is shown in the line only."""
    remarks = _claims(facts).filter(pl.col("what") == REMARK)
    if remarks.is_empty():
        return
    rows = facts.facts.scan(Counter).filter(pl.col("source").str.starts_with("vxfsstat") & pl.col("value").is_not_null())
    places = remarks.select("artifact", "line").unique()
    values = rows.select("artifact", "line", "name", "value").collect().join(places, on=["artifact", "line"], how="semi")
    for (artifact, line), claimed in remarks.group_by("artifact", "line", maintain_order=True):
        own = values.filter((pl.col("artifact") == artifact) & (pl.col("line") == line))
        shown = set(own["value"].to_list())
        if (
            not own.is_empty()
            and not any(value in shown for value in claimed["value"].to_list())
            and any(value >= 1000 for value in claimed["value"].to_list())
        ):
            names = [f"{name} {value:g}" for name, value in own.select("name", "value").iter_rows()]
            yield Note(
                title=f"A remark names another figure than its row: {listed(names)}",
                explanation="What somebody wrote behind the row does not agree with the row. The row counts; the remark is not used.",
                evidence=(Ref(int(str(artifact)), int(str(line))),),
                disproved_by="The remark speaks of another sample or another node.",
            )


@note("CONTRADICTION")
def sentences_against_readings(facts: CaseFacts) -> Iterator[Note]:
    """``vxi_icache_inuseino is 0`` where the last reading above says otherwise."""
    for row in _claims(facts).filter(pl.col("what") != REMARK).iter_rows(named=True):
        named = _COUNTER_IS.search(row["text"])
        if named is None or row["value"] is None or row["unit"] or named[0] + f"{row['value']:g}" not in row["text"].replace("now ", ""):
            continue
        above = (pl.col("artifact") == row["artifact"]) & (pl.col("name") == named[1]) & (pl.col("line") < row["line"])
        readings = facts.facts.scan(Counter).filter(above & pl.col("value").is_not_null()).select("line", "value").collect().sort("line")
        if readings.height and readings["value"][-1] != row["value"]:
            line, value = readings.row(-1)
            yield Note(
                title=f"The text says that {named[1]} is {row['value']:g}; the record above it says {value:g}",
                explanation="The record counts: the sentence rounds, or speaks of another moment.",
                evidence=(Ref(row["artifact"], row["line"]), Ref(row["artifact"], line)),
                disproved_by="The sentence speaks of a reading that is not in the text.",
                figures=(Figure("As stated", row["value"]), Figure("In the record", value)),
            )


@note("CONTRADICTION")
def labels_against_counters(facts: CaseFacts) -> Iterator[Note]:
    """Headings that name the nodes, and counters that say it was the other way round."""
    by_mount: dict[str | None, list[Any]] = {}
    for role in facts.lock_roles:
        if role.label_conflict:
            by_mount.setdefault(role.scope, []).append(role)
    for scope, roles in by_mount.items():
        does = listed(dict.fromkeys(f"{role.node} is headed as the {role.role.replace('_', '-')}" for role in roles))
        yield Note(
            title=f"Headings and counters of {scope or 'the file system'} contradict each other: {does}",
            explanation=(
                "A node that owned the inodes already cannot pull all of them again from a node that owned none. The counters decide who "
                "pulls and who loses; which node that was is open."
            ),
            evidence=tuple(role.ref for role in roles[:4]),
            disproved_by="A walk from the other node between the two phases, which is not in the text.",
            nodes=tuple(sorted({role.node for role in roles if role.node})),
            sure=0.85,
            why="ownership follows from the phase before",
        )


@note("ARITHMETIC")
def products(facts: CaseFacts) -> Iterator[Note]:
    """A product worked out on a line of its own that is not what its factors give, as exactly as they are printed."""
    for row in _claims(facts).iter_rows(named=True):
        match = _PRODUCT.fullmatch(row["what"] or "")
        if match is None or row["value"] is None:
            continue
        one, other = float(match[1]), float(match[2])
        right, slack = one * other, 0.5 * 10.0 ** -max(0, len(str(row["text"]).partition("= ")[2].split(" ")[0].partition(".")[2]))
        if abs(right - row["value"]) <= slack:
            continue
        exact = _measured_near(facts, row["artifact"], one, other, row["value"])
        yield Note(
            title=f"A product in the text is not what its factors give: {match[1]} \u00d7 {match[2]} is {right:g}, not {row['value']:.10g}",
            explanation=(
                f"The printed result is {other:g} times {exact:.10g}, the measured figure before it was cut to {match[1]}: "
                "the result is right, the factor is short."
                if exact is not None
                else "One of the three figures is wrong, or a factor was rounded before it was printed."
            ),
            evidence=(Ref(row["artifact"], row["line"]),),
            disproved_by="Other factors than those printed were meant.",
            figures=(Figure("Computed anew", round(right, 6)), Figure("As printed", row["value"])),
            sure=0.97,
        )


def _measured_near(facts: CaseFacts, artifact: int, one: float, other: float, result: float) -> float | None:
    """A figure in the text that gives the result exactly and begins as the factor does."""
    claims = _claims(facts).filter((pl.col("artifact") == artifact) & pl.col("value").is_not_null())["value"].to_list()
    return next(
        (value for value in claims if value != one and abs(value * other - result) < 1e-6 * result and abs(value - one) < 0.01 * one), None
    )


@note("OPEN")
def stated_factor(facts: CaseFacts) -> Iterator[Note]:
    """``up to a factor of 4`` beside a trace that shows less."""
    found = [trace for trace in traces(facts) if trace.calls]
    if len(found) < 2:
        return
    slow, fast = max(found, key=lambda trace: trace.calls[0].ms), min(found, key=lambda trace: trace.calls[0].ms)
    shown = slow.calls[0].ms / fast.calls[0].ms if fast.calls[0].ms else 0.0
    times = _claims(facts).filter((pl.col("unit") == "times") & (pl.col("artifact") == slow.refs[0].artifact))
    for row in times.iter_rows(named=True):
        if shown > 1 and row["value"] is not None and row["value"] > 1.2 * shown:
            yield Note(
                title=f"The text speaks of a factor of {row['value']:g}; its trace shows {shown:.2f}",
                explanation=(
                    f"The first calls took {slow.calls[0].ms:.1f} and {fast.calls[0].ms:.1f} ms for the same bytes, {shown:.2f} times. "
                    "The rest is not in the text: other copies, other files, or another moment."
                ),
                evidence=(Ref(row["artifact"], row["line"]), slow.calls[0].ref, fast.calls[0].ref),
                disproved_by="A trace of the copy that took so much longer.",
                figures=(Figure("As stated", row["value"], "\u00d7"), Figure("In the trace", round(shown, 2), "\u00d7")),
            )


@note("DESTRUCTIVE")
def veritas_commands(facts: CaseFacts) -> Iterator[Note]:
    """Commands of the volume manager, of fencing and of fsck that lose data or protection where they are repeated."""
    if not facts.facts.has(CommandRun):
        return
    for row in facts.facts.frame(CommandRun).sort("artifact", "line").iter_rows(named=True):
        match = _ERASES.search(row["command"] or "")
        if match is None:
            continue
        yield Note(
            title=f"A command in the text destroys data or protection where it is repeated: {' '.join(match[1].split())[:60]}",
            explanation=(
                "It removes volumes, keys or replication, or repairs a file system by force. On disks that another node has open this "
                "costs data: leave it to support, and do not copy it from here."
            ),
            evidence=(Ref(row["artifact"], row["line"]),),
            disproved_by="It was run on a test system without data.",
            nodes=(row["node"],) if row["node"] else (),
            basis="recalled",
        )
