"""Figures that people state, against each other and against the records beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.facts.claims import Claims, Sentence, place
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import LockRole, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.gfs2.profiles import Profile, ProfileRow, Profiles
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.dataclass import dataclass
from parsers.prose.claims import REMARK, is_name
from parsers.records import Claim, Counter, Setting

_RATES: Final = {
    "kb/s": 1e3,
    "Mb/s": 1e6,
    "Gb/s": 1e9,
    "kB/s": 1e3,
    "MB/s": 1e6,
    "KB/s": 1e3,
    "kbit/s": 1e3,
    "Mbit/s": 1e6,
    "Gbit/s": 1e9,
}
_OF_TIME: Final = re.compile(
    r"(\d{1,3}(?:\.\d{1,4})?) ?(?:%|per ?cent) of (?:\w+ ){0,2}(?:time|run ?time|duration)\b", re.IGNORECASE
)
# A sentence with one of these does not say how a value stands in the records beside it.
_NOT_NOW: Final = re.compile(
    r"\b(?:default|recommend\w*|should|must|could|would|may|might|if|when|whenever|unless|until|once"
    r"|assum\w+|suppos\w+|instead|was|were|will)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameWords:
    """A data rate in ``unit`` and a packet rate in a second, as stated, with the bytes, or bits, that are left for each
    packet.

    least_kb: what so many of the smallest frames make at least, in kB/s.
    """

    rate: float
    unit: str
    packets: float
    per_frame: float
    in_bits: bool
    bits: float
    least_kb: float


def packets_too_small(claims: Claims, limits: Limits) -> Iterator[Seen]:
    """A data rate and a packet rate of one sentence, of which no frame can be that small."""
    for sentence in claims.sentences:
        packets = next(
            (claim for claim in sentence.claims if claim.unit in ("packets/s", "frames/s") and claim.value), None
        )
        rate = next((claim for claim in sentence.claims if claim.unit in _RATES), None)
        if packets is not None and rate is not None:
            per_frame = (rate.value or 0.0) * _RATES[rate.unit] / (packets.value or 1.0)
            if per_frame < limits.frame_bytes:
                yield _small_frames(rate, packets, per_frame, limits)


def _small_frames(rate: Claim, packets: Claim, per_frame: float, limits: Limits) -> Seen:
    many = packets.value or 0.0
    lines = tuple(dict.fromkeys((place(rate), place(packets))))
    return Seen(
        level="frames",
        words=FrameWords(
            rate=rate.value or 0.0,
            unit=rate.unit,
            packets=many,
            per_frame=per_frame,
            in_bits="B" not in rate.unit,
            bits=per_frame / 8,
            least_kb=many * limits.frame_bytes / 1e3,
        ),
        lines=lines,
        borne_by=(len(lines), 1),
        parts=("text",),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareWords:
    """Per cent as stated and as the report on a module prints it for a symbol; timed: whether the report also has its
    CPU seconds.
    """

    stated_pct: float
    report_pct: float
    symbol: str
    module: str | None
    timed: bool
    cpu_s: float | None


def share_of_what(claims: Claims, profiles: Profiles) -> Iterator[Seen]:
    """A share that a profile prints, taken for a share of the time."""
    for sentence in claims.sentences:
        stated = _OF_TIME.search(sentence.text)
        if stated is not None and (row := _meant(profiles, sentence, float(stated[1]))) is not None:
            profile, found = row
            if claims.speaker_at(found.ref) == sentence.speaker:
                yield _not_time(sentence, float(stated[1]), profile, found)


def _meant(profiles: Profiles, sentence: Sentence, percent: float) -> tuple[Profile, ProfileRow] | None:
    """The row of a profile that the sentence names, with a share that reads so when it is rounded or cut."""
    for profile in profiles.all:
        if profile.module and profile.artifact == sentence.ref.artifact:
            for row in profile.rows:
                if row.symbol in sentence.text and abs(row.percent - percent) < 1:
                    return profile, row
    return None


def _not_time(sentence: Sentence, stated: float, profile: Profile, row: ProfileRow) -> Seen:
    return Seen(
        level="share",
        words=ShareWords(
            stated_pct=stated,
            report_pct=row.percent,
            symbol=row.symbol,
            module=profile.module,
            timed=row.seconds is not None,
            cpu_s=row.seconds,
        ),
        lines=(sentence.ref, row.ref),
        borne_by=(2, 1),
        parts=("base",),
    )


@dataclass(frozen=True, slots=True)
class RemarkWords:
    """The figures of a row, each with its name."""

    row: tuple[str, ...]


def remarks_against_rows(claims: Claims, records: Records, limits: Limits) -> Iterator[Seen]:
    """A remark behind a row of counters with a figure that the row does not have. The figure itself is shown in the
    line only.
    """
    remarks: dict[Ref, list[float]] = {}
    for claim in claims.all:
        if claim.what == REMARK and claim.value is not None:
            remarks.setdefault(place(claim), []).append(claim.value)
    for ref, values in remarks.items():
        at = (pl.col("artifact") == ref.artifact) & (pl.col("line") == ref.line) & pl.col("value").is_not_null()
        own = records.scan(Counter).filter(at).select("name", "value").collect()
        if own.height and not set(values) & set(own["value"].to_list()) and max(values) >= limits.remark:
            words = RemarkWords(tuple(f"{name} {value:g}" for name, value in own.iter_rows()))
            yield Seen(level="remark", words=words, lines=(ref,), borne_by=(1, 1), parts=("text",))


@dataclass(frozen=True, slots=True)
class RecordWords:
    """A value as a sentence states it and as the record above has it."""

    name: str
    stated: float
    record: float


def values_against_records(claims: Claims, records: Records) -> Iterator[Seen]:
    """``name is 12`` where the record above has another value, and none in the text has this one."""
    named = [
        claim for claim in claims.all if is_name(claim.what) and not claim.unit and not _NOT_NOW.search(claim.text)
    ]
    shown = _records_of(records, {claim.what for claim in named}) if named else []
    for claim in named:
        own = [row for row in shown if (row["name"], row["artifact"]) == (claim.what, claim.artifact)]
        above = [row for row in own if row["line"] < claim.line]
        if above and all(row["value"] != claim.value for row in own):
            yield _unlike(claim, above[-1])


def _records_of(records: Records, names: set[str]) -> list[dict[str, Any]]:
    """Counters and settings of these names with a number, in the order of the text."""
    chosen = pl.col("name").is_in(sorted(names))
    counters = (
        records.scan(Counter)
        .filter(chosen & pl.col("value").is_not_null())
        .select("artifact", "line", "name", "value")
        .collect()
    )
    numbers = pl.col("value").str.strip_chars().cast(pl.Float64, strict=False)
    settings = (
        records.scan(Setting).filter(chosen).select("artifact", "line", "name", numbers).collect().drop_nulls("value")
    )
    return list(pl.concat([counters, settings]).sort("artifact", "line").iter_rows(named=True))


def _unlike(claim: Claim, row: dict[str, Any]) -> Seen:
    return Seen(
        level="record",
        words=RecordWords(claim.what, claim.value or 0.0, row["value"]),
        lines=(place(claim), Ref(row["artifact"], row["line"])),
        borne_by=(2, 1),
        parts=("text",),
    )


@dataclass(frozen=True, slots=True)
class HeadingWords:
    """Which node is headed as which, on one mount."""

    mount: str | None
    headed: tuple[str, ...]


def labels_against_counters(roles: LockRoles) -> Iterator[Seen]:
    """Headings that name the nodes, and counters that say it was the other way round."""
    by_mount: dict[str | None, list[LockRole]] = {}
    for role in roles.all:
        if role.label_conflict:
            by_mount.setdefault(role.scope, []).append(role)
    for mount, own in by_mount.items():
        nodes = {role.node for role in own if role.node}
        headed = (phrase("headings.node", node=role.node, role=role.role.replace("_", "-")) for role in own)
        yield Seen(
            level="headings",
            words=HeadingWords(mount, tuple(dict.fromkeys(headed))),
            lines=[role.ref for role in own[:4]],
            borne_by=(len(own[:4]), max(1, len(nodes))),
            nodes=nodes,
            parts=("before",),
        )
