"""Notes on texts about GFS2 clusters: figures that exclude each other, sentences that the profile beside them excludes, open questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.model import Figure, Ref
from apps.diagnosis.engine.core.wording import listed
from apps.diagnosis.engine.gfs2.profiles import Profiles
from apps.diagnosis.engine.prose.rules.contradictions import NUMBER, Note, Sentence, note, sentences, speaker_at
from parsers.records import Claim, DlmLock, Glock, Version

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

FRAME_BYTES: Final = 64.0

# Figures that exclude each other.

_BITS: Final = {"kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "kB/s": 1e3, "MB/s": 1e6, "KB/s": 1e3, "kbit/s": 1e3, "Mbit/s": 1e6}


@note("CONTRADICTION")
def packets_too_small(facts: CaseFacts) -> Iterator[Note]:
    """A data rate and a packet rate of one sentence, of which no frame can be that small."""
    if not facts.facts.has(Claim):
        return
    rows = facts.facts.frame(Claim).filter(pl.col("value").is_not_null()).sort("artifact", "line")
    packets = rows.filter(pl.col("unit").is_in(["packets/s", "pps", "frames/s"]))
    for row in packets.iter_rows(named=True):
        beside = rows.filter((pl.col("artifact") == row["artifact"]) & (pl.col("text") == row["text"]) & pl.col("unit").is_in(list(_BITS)))
        for rate in beside.head(1).iter_rows(named=True):
            per_frame = rate["value"] * _BITS[rate["unit"]] / row["value"] if row["value"] else FRAME_BYTES
            if per_frame < FRAME_BYTES:
                yield _small_frames(row["artifact"], rate, row, per_frame)


def _small_frames(artifact: int, rate: dict[str, object], packets: dict[str, object], per_frame: float) -> Note:
    bits = str(rate["unit"])[1:2] == "b"
    shown = f"{rate['value']:g} {rate['unit']} and {packets['value']:g} packets/s"
    reading = (
        f"{per_frame:.3g} bytes for each packet if bytes are meant, {per_frame / 8:.3g} if bits are" if bits else f"{per_frame:.3g} bytes"
    )
    return Note(
        title=f"Two figures of the network exclude each other: {shown}",
        explanation=(
            f"That is {reading}; a frame of Ethernet has at least {FRAME_BYTES:g} bytes, so {packets['value']:g} of them are at least "
            f"{float(str(packets['value'])) * FRAME_BYTES / 1e3:g} kB/s. One of the two was read wrongly: nothing is derived from either."
        ),
        evidence=tuple(dict.fromkeys((Ref(artifact, int(str(rate["line"]))), Ref(artifact, int(str(packets["line"])))))),
        disproved_by="The two peaks were not taken at the same time.",
        figures=(Figure("Bytes per packet", round(per_frame, 2), "B", f"limit {FRAME_BYTES:g} B"),),
    )


def _same_voice(everything: list[Sentence], sentence: Sentence, ref: Ref) -> bool:
    return ref.artifact == sentence.ref.artifact and speaker_at(everything, ref) == sentence.speaker


_ALONE: Final = re.compile(
    r"\b(?:only|just) (?:tested|tried|mounted|used|ran|run)\b.{0,30}\b(?:one|a single|1) node|independent(?:ly)? o[nf] .{0,40}nodes",
    re.IGNORECASE,
)
_SENDS: Final = frozenset((
    "process_send_sockets", "receive_from_sock", "_receive_message", "_create_message", "dlm_lowcomms_get_buffer",
    "send_to_sock", "dlm_send",
))  # fmt: skip


@note("CONTRADICTION")
def alone_but_sending(facts: CaseFacts) -> Iterator[Note]:
    """``only with one node``, and a profile in which the lock manager talks to others."""
    everything = sentences(facts)
    for sentence in everything:
        if _ALONE.search(sentence.text) is None:
            continue
        for profile in facts.get(Profiles).all:
            rows = [row for row in profile.rows if row.symbol in _SENDS and row.module == "dlm"]
            if not rows or not _same_voice(everything, sentence, rows[0].ref):
                continue
            share = sum(row.percent for row in rows)
            yield Note(
                title=f"The profiled run was not alone in the cluster: {share:.4g} % of the samples of the lock manager are messages",
                explanation=(
                    f"The text says that the number of nodes did not matter and the last test was on one node; but "
                    f"{listed([row.symbol for row in rows], 6)} ran, which send to and receive from other nodes. At least one other "
                    f"member took part, "
                    "or the profile is of another run."
                ),
                evidence=(sentence.ref, *(row.ref for row in rows[:5])),
                disproved_by="The profile belongs to another run than the one of which the sentence speaks.",
                figures=(Figure("Share of the message functions", round(share, 4), "%"),),
                sure=0.8,
                why="that these functions run only with other members follows from their names",
            )
            break


_PERCENT: Final = re.compile(rf"({NUMBER}) ?%")


@note("CONTRADICTION")
def share_of_what(facts: CaseFacts) -> Iterator[Note]:
    """A per cent figure of a profile that a sentence takes for a share of the time."""
    everything = sentences(facts)
    for sentence in everything:
        stated = _PERCENT.search(sentence.text)
        if stated is None or " time" not in sentence.text:
            continue
        for profile in facts.get(Profiles).all:
            rows = [row for row in profile.rows if row.symbol in sentence.text and abs(row.percent - float(stated[1])) < 1.0]
            if rows and profile.module is not None and _same_voice(everything, sentence, rows[0].ref):
                yield _not_time(sentence, rows[0].symbol, float(stated[1]), rows[0].percent, profile.module, rows[0].seconds, rows[0].ref)
                break


def _not_time(sentence: Sentence, symbol: str, stated: float, percent: float, module: str, seconds: float | None, ref: Ref) -> Note:
    spent = f" In CPU time it is {seconds:.1f} s." if seconds is not None else ""
    return Note(
        title=f"{stated:g} % for {symbol} is a share of the samples inside {module}, not of the time that passed",
        explanation=(
            f"The report prints {percent:g} %, and its rows add up to the samples of {module} alone.{spent} How long the "
            f"command waited is not "
            "to be seen in a profile of the CPU: compare the CPU time with its duration."
        ),
        evidence=(sentence.ref, ref),
        disproved_by="The report was made over all images of the machine.",
        figures=(Figure("As stated", stated, "%"), Figure("In the report", percent, "%")),
        sure=0.85,
        why="the base of the report follows from its rows",
    )


# What the text leaves open.

_LOCALITY: Final = re.compile(r"\b(?:imap|maildir|dovecot|courier|mail spool)\b", re.IGNORECASE)
_BACKUP: Final = re.compile(r"\b(?:backup|backups)\b", re.IGNORECASE)


@note("OPEN")
def undecided_workload(facts: CaseFacts) -> Iterator[Note]:
    """Complaints about a shared file system in prose, without the data that would decide."""
    told = sentences(facts)
    asked: list[tuple[str, Sentence]] = []
    for pattern, question in (
        (_LOCALITY, "is a user kept on one node, or do several nodes serve one mailbox tree?"),
        (_BACKUP, "is the backup a single pass, and does each node scan what it serves?"),
        (re.compile(r"\bfiles in a directory\b"), "how is the data spread over directories and nodes?"),
        (re.compile(r"pps\b|\bpackets\b"), "was the traffic measured during the work or during the lock test?"),
    ):
        if hits := [one for one in told if pattern.search(one.text)]:
            asked.append((question, next((one for one in hits if one.has_figures), hits[0])))
    if len(asked) < 2:
        return
    data = facts.facts
    lacking = [
        name
        for name, there in (
            ("glocks of all nodes", data.has(Glock)),
            ("the lock manager's locks", data.has(DlmLock)),
            ("iostat -x or sar -d of the bad time", facts.disks.measured),
            ("table sizes from configfs", _has_setting(facts, "rsbtbl_size")),
            ("kernel release", data.has(Version)),
            ("start and end of the profiled run", not facts.get(Profiles).all),
        )
        if not there
    ]
    yield Note(
        title=f"Open: {' '.join(question[:1].upper() + question[1:] for question, _ in asked)}",
        explanation=f"The text does not answer these. Not here: {listed(lacking, 8)}." if lacking else "The text does not answer these.",
        evidence=tuple(dict.fromkeys(sentence.ref for _, sentence in asked)),
        disproved_by="The answers stand in a part of the text that was not sent.",
        why="questions follow from what is complained of",
        sure=0.8,
    )


def _has_setting(facts: CaseFacts, name: str) -> bool:
    return facts.settings.filter(pl.col("name").str.contains(name, literal=True)).height > 0
