"""Figures that people state, against each other and against the records beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.core.claims import Claims, Sentence, place
from apps.diagnosis.engine.core.model import Figure, Ref
from apps.diagnosis.engine.core.wording import listed
from apps.diagnosis.engine.gfs2.profiles import Profile, ProfileRow, Profiles
from apps.diagnosis.engine.prose.rules.contradictions import Note, note
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.claims import REMARK, is_name
from parsers.records import Claim, Counter, Setting

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

FRAME_BYTES: Final = 64.0
"""The least size of a frame of Ethernet, without preamble."""
_RATES: Final = {"kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "kB/s": 1e3, "MB/s": 1e6, "KB/s": 1e3, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}
_OF_TIME: Final = re.compile(r"(\d{1,3}(?:\.\d{1,4})?) ?(?:%|per ?cent) of (?:\w+ ){0,2}(?:time|run ?time|duration)\b", re.IGNORECASE)
_NOT_NOW: Final = re.compile(
    r"\b(?:default|recommend\w*|should|must|could|would|may|might|if|when|whenever|unless|until|once|assum\w+|suppos\w+|instead|was|were|will)\b",
    re.IGNORECASE,
)
"""A sentence with one of these does not say how a value stands in the records beside it."""


@note("CONTRADICTION")
def packets_too_small(facts: CaseFacts) -> Iterator[Note]:
    """A data rate and a packet rate of one sentence, of which no frame can be that small."""
    for sentence in facts.get(Claims).sentences:
        packets = next((claim for claim in sentence.claims if claim.unit in ("packets/s", "frames/s") and claim.value), None)
        rate = next((claim for claim in sentence.claims if claim.unit in _RATES), None)
        if packets is not None and rate is not None:
            per_frame = (rate.value or 0.0) * _RATES[rate.unit] / (packets.value or 1.0)
            if per_frame < FRAME_BYTES:
                yield _small_frames(rate, packets, per_frame)


def _small_frames(rate: Claim, packets: Claim, per_frame: float) -> Note:
    bits = f", {per_frame / 8:.3g} if bits are" if "B" not in rate.unit else ""
    read_as = f"{per_frame:.3g} bytes for each packet if bytes are meant{bits}" if bits else f"{per_frame:.3g} bytes for each packet"
    return Note(
        title=f"Two figures of the network exclude each other: {rate.value:g} {rate.unit} and {packets.value:g} packets/s",
        explanation=(
            f"That is {read_as}; a frame of Ethernet has at least {FRAME_BYTES:g} bytes, so {packets.value:g} of them are at least "
            f"{(packets.value or 0) * FRAME_BYTES / 1e3:g} kB/s. One of the two was read wrongly: nothing is derived from either."
        ),
        evidence=tuple(dict.fromkeys((place(rate), place(packets)))),
        disproved_by="The two peaks were not taken at the same time.",
        figures=(Figure("Bytes per packet", round(per_frame, 2), "B", f"limit {FRAME_BYTES:g} B"),),
    )


@note("CONTRADICTION")
def share_of_what(facts: CaseFacts) -> Iterator[Note]:
    """A share that a profile prints, taken for a share of the time."""
    for sentence in facts.get(Claims).sentences:
        stated = _OF_TIME.search(sentence.text)
        if stated is not None and (row := _meant(facts, sentence, float(stated[1]))) is not None:
            profile, found = row
            if facts.get(Claims).speaker_at(found.ref) == sentence.speaker:
                yield _not_time(sentence, float(stated[1]), profile, found)


def _meant(facts: CaseFacts, sentence: Sentence, percent: float) -> tuple[Profile, ProfileRow] | None:
    """The row of a profile that the sentence names, with a share that reads so when it is rounded or cut."""
    for profile in facts.get(Profiles).all:
        for row in profile.rows:
            if (
                profile.module
                and profile.artifact == sentence.ref.artifact
                and row.symbol in sentence.text
                and abs(row.percent - percent) < 1
            ):
                return profile, row
    return None


def _not_time(sentence: Sentence, stated: float, profile: Profile, row: ProfileRow) -> Note:
    spent = f" In CPU time it is {row.seconds:.1f} s." if row.seconds is not None else ""
    return Note(
        title=f"{stated:g} % for {row.symbol} is a share of the samples inside {profile.module}, not of the time that passed",
        explanation=(
            f"The report prints {row.percent:g} %, and its rows add up to the samples of {profile.module} alone.{spent} How long the "
            "command waited is not to be seen in a profile of the CPU: compare the CPU time with its duration."
        ),
        evidence=(sentence.ref, row.ref),
        disproved_by="The report was made over all images of the machine.",
        figures=(Figure("As stated", stated, "%"), Figure("In the report", row.percent, "%")),
        sure=0.85,
        why="the base of the report follows from its rows",
    )


@note("CONTRADICTION")
def remarks_against_rows(facts: CaseFacts) -> Iterator[Note]:
    """A remark behind a row of counters with a figure that the row does not have. The figure itself is shown in the line only."""
    remarks: dict[Ref, list[float]] = {}
    for claim in facts.get(Claims).all:
        if claim.what == REMARK and claim.value is not None:
            remarks.setdefault(place(claim), []).append(claim.value)
    for ref, values in remarks.items():
        at = (pl.col("artifact") == ref.artifact) & (pl.col("line") == ref.line) & pl.col("value").is_not_null()
        own = facts.facts.scan(Counter).filter(at).select("name", "value").collect()
        if own.height and not set(values) & set(own["value"].to_list()) and max(values) >= 1000:
            names = [f"{name} {value:g}" for name, value in own.iter_rows()]
            yield Note(
                title=f"A remark names another figure than its row: {listed(names)}",
                explanation="What somebody wrote behind the row does not agree with the row. The row counts; the remark is not used.",
                evidence=(ref,),
                disproved_by="The remark speaks of another sample or another node.",
            )


@note("CONTRADICTION")
def values_against_records(facts: CaseFacts) -> Iterator[Note]:
    """``name is 12`` where the record above has another value, and none in the text has this one."""
    named = [claim for claim in facts.get(Claims).all if is_name(claim.what) and not claim.unit and not _NOT_NOW.search(claim.text)]
    shown = _records_of(facts, {claim.what for claim in named}) if named else []
    for claim in named:
        own = [row for row in shown if (row["name"], row["artifact"]) == (claim.what, claim.artifact)]
        above = [row for row in own if row["line"] < claim.line]
        if above and all(row["value"] != claim.value for row in own):
            yield _unlike(claim, above[-1])


def _records_of(facts: CaseFacts, names: set[str]) -> list[dict[str, Any]]:
    """Counters and settings of these names with a number, in the order of the text."""
    chosen = pl.col("name").is_in(sorted(names))
    counters = (
        facts.facts.scan(Counter).filter(chosen & pl.col("value").is_not_null()).select("artifact", "line", "name", "value").collect()
    )
    numbers = pl.col("value").str.strip_chars().cast(pl.Float64, strict=False)
    settings = facts.facts.scan(Setting).filter(chosen).select("artifact", "line", "name", numbers).collect().drop_nulls("value")
    return list(pl.concat([counters, settings]).sort("artifact", "line").iter_rows(named=True))


def _unlike(claim: Claim, row: dict[str, Any]) -> Note:
    return Note(
        title=f"The text says that {claim.what} is {claim.value:g}; the record above it says {row['value']:g}",
        explanation="The record counts: the sentence rounds, or speaks of another moment.",
        evidence=(place(claim), Ref(row["artifact"], row["line"])),
        disproved_by="The sentence speaks of a reading that is not in the text.",
        figures=(Figure("As stated", claim.value or 0.0), Figure("In the record", row["value"])),
    )


@note("CONTRADICTION")
def labels_against_counters(facts: CaseFacts) -> Iterator[Note]:
    """Headings that name the nodes, and counters that say it was the other way round."""
    by_mount: dict[str | None, list[Any]] = {}
    for role in facts.get(LockRoles).all:
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
