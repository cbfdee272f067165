"""Notes on a text that contradicts itself or the data in it: CONTRADICTION, ARITHMETIC, OPEN, DESTRUCTIVE; always of severity info.

A note is a function ``(facts) -> Iterable[Note]`` under ``@note(kind)``, in this file or in another file of this folder. Notes are for
what people write beside the data: a claim never outweighs a measurement, and a slip in one sum does not make the rest wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from apps.diagnosis.engine.model import Basis, Figure, Part, Ref
from apps.diagnosis.engine.profiles import profiles
from apps.diagnosis.engine.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.wording import listed
from parsers.records import Claim, CommandRun, DlmLock, Glock, Version

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.knowledge import Limits

Kind = Literal["CONTRADICTION", "ARITHMETIC", "OPEN", "DESTRUCTIVE"]
FRAME_BYTES: Final = 64.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One remark on a text. ``sure`` is how certain it is that both sides speak of the same thing."""

    title: str
    explanation: str
    evidence: tuple[Ref, ...]
    disproved_by: str
    figures: tuple[Figure, ...] = ()
    nodes: tuple[str, ...] = ()
    sure: float = 0.9
    why: str = "both figures stand in the text"
    basis: Basis | None = None


NoteFunction = Callable[["CaseFacts"], Iterable[Note]]
_NOTES: Final[dict[str, list[NoteFunction]]] = {"CONTRADICTION": [], "ARITHMETIC": [], "OPEN": [], "DESTRUCTIVE": []}


def note(kind: Kind) -> Callable[[NoteFunction], NoteFunction]:
    """Register a function that yields notes of a kind."""

    def register(function: NoteFunction) -> NoteFunction:
        _NOTES[kind].append(function)
        return function

    return register


def _drafts(facts: CaseFacts, kind: Kind) -> Iterator[Draft]:
    """All notes of a kind, in the order of their modules and then of the text."""
    for function in sorted(_NOTES[kind], key=lambda f: (f.__module__, f.__qualname__)):
        for one in function(facts):
            yield Draft(
                severity="info",
                evidence=one.evidence,
                words={"title": one.title, "explanation": one.explanation, "disproved_by": one.disproved_by},
                nodes=one.nodes,
                figures=one.figures,
                parts=(evidence_part(len(one.evidence), max(1, len(one.nodes))), Part("agreement", one.sure, one.why)),
                basis=one.basis,
                tunings=(),
            )


@rule("CONTRADICTION")
def contradiction(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a sentence says what the data beside it, or another figure of the same sentence, excludes.

    Reasoning: data wins; the claim is shown with it.
    Source: the text itself.
    """
    yield from _drafts(facts, "CONTRADICTION")


@rule("ARITHMETIC")
def arithmetic(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a sum printed in the text gives another result.

    Reasoning: computed anew from the figures that the text prints.
    Source: the text itself.
    """
    yield from _drafts(facts, "ARITHMETIC")


@rule("OPEN")
def open_question(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the text leaves open what would decide its question.

    Reasoning: named, with the data that would answer it.
    Source: the text itself.
    """
    yield from _drafts(facts, "OPEN")


@rule("DESTRUCTIVE")
def destructive(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a command in the text erases data where it is repeated.

    Reasoning: dd to a block device and mkfs overwrite what was there.
    Source: dd(1), mkfs(8).
    """
    yield from _drafts(facts, "DESTRUCTIVE")


# Sums in sentences.

_NUMBER: Final = r"\d{1,9}(?:\.\d{1,6})?"
_SHARE: Final = re.compile(
    rf"({_NUMBER}) ?/ ?({_NUMBER}) ?\)? ?(?:\*|x|\u00d7) ?100 ?(?:%|percent)? ?=> ?({_NUMBER})|"
    rf"({_NUMBER}) ?/ ?({_NUMBER}) ?\)? ?(?:\*|x|\u00d7) ?100 ?= ?({_NUMBER}) ?%"
)
_FROM_TO: Final = re.compile(
    rf"(?:dropp?ed|fell|decreased|reduced|lost)\b.{{0,60}}?({_NUMBER}) ?(?:%|percent)\b.{{0,40}}?\bfrom ({_NUMBER}) ?\S{{1,12}} to ({_NUMBER})"
)
_SLOWER: Final = re.compile(rf"({_NUMBER}) ?(?:%|percent) slower")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence in which figures are claimed, once."""

    ref: Ref
    text: str
    speaker: str | None


def sentences(facts: CaseFacts) -> list[_Sentence]:
    """Sentences with claims, each once, in the order of the text."""
    if not facts.facts.has(Claim):
        return []
    rows = facts.facts.frame(Claim).sort("artifact", "line").select("artifact", "line", "text", "speaker").iter_rows()
    found: dict[tuple[int, str], _Sentence] = {}
    for artifact, line, text, speaker in rows:
        found.setdefault((artifact, text), _Sentence(Ref(artifact, line), text, speaker))
    return [*found.values()]


def speaker_at(everything: list[_Sentence], ref: Ref) -> str | None:
    """Who speaks where a line stands: the speaker of the nearest sentence above. Data of one speaker is no data of another."""
    above = [one for one in everything if one.ref.artifact == ref.artifact and one.ref.line <= ref.line]
    return above[-1].speaker if above else None


def _rounding(text: str) -> float:
    """Half of the last digit printed."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


@note("ARITHMETIC")
def shares(facts: CaseFacts) -> Iterator[Note]:
    """A quotient printed with a result that it does not give."""
    everything = sentences(facts)
    for sentence in everything:
        for match in _SHARE.finditer(sentence.text):
            above, below, printed = match[1] or match[4], match[2] or match[5], match[3] or match[6]
            if float(below) == 0:
                continue
            right = 100 * float(above) / float(below)
            if abs(right - float(printed)) > _rounding(printed) + 0.05:
                yield _wrong_share(sentence, everything, (above, below, printed), right)


def _wrong_share(sentence: _Sentence, everything: list[_Sentence], figures: tuple[str, str, str], right: float) -> Note:
    """The slip, and the sentences of the same text that build on it."""
    above, below, printed = figures
    rest = 100 - float(printed)
    echo = [
        other
        for other in everything
        if other.ref.artifact == sentence.ref.artifact and any(abs(float(m[1]) - rest) < 0.05 for m in _SLOWER.finditer(other.text))
    ]
    repeated = [other for other in echo if other is not sentence]
    follows = f" The text builds on it where it says {rest:g} % slower: that is {100 - right:.1f} %." if echo else ""
    return Note(
        title=f"A sum in the text is wrong: {above} / {below} is {right:.1f} %, not {printed} %",
        explanation=(
            f"The text prints ({above} / {below}) * 100 = {printed} %; computed anew it is {right:.1f} %, and {100 - right:.1f} % less than the whole."
            f"{follows} Both figures are shown; ratios here use the measured rates."
        ),
        evidence=(sentence.ref, *(other.ref for other in repeated[:4])),
        disproved_by="Other figures than those printed in the sentence were meant.",
        figures=(Figure("Computed anew", round(right, 2), "%"), Figure("As printed", float(printed), "%")),
        sure=0.97,
    )


@note("ARITHMETIC")
def drops(facts: CaseFacts) -> Iterator[Note]:
    """``dropped N percent, from A to B``."""
    for sentence in sentences(facts):
        for match in _FROM_TO.finditer(sentence.text):
            before, after = float(match[2]), float(match[3])
            right = 100 * (1 - after / before) if before else 0.0
            if before and abs(right - float(match[1])) > max(1.0, _rounding(match[1])):
                yield Note(
                    title=f"A sum in the text is wrong: from {match[2]} to {match[3]} is a drop of {right:.1f} %, not {match[1]} %",
                    explanation=f"The drop is (1 - {match[3]} / {match[2]}) * 100 = {right:.1f} %.",
                    evidence=(sentence.ref,),
                    disproved_by="Other figures than those printed in the sentence were meant.",
                    figures=(Figure("Computed anew", round(right, 2), "%"), Figure("As printed", float(match[1]), "%")),
                )


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
    reading = f"{per_frame:.3g} bytes for each packet if bytes are meant, {per_frame / 8:.3g} if bits are" if bits else f"{per_frame:.3g} bytes"
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


def _same_voice(everything: list[_Sentence], sentence: _Sentence, ref: Ref) -> bool:
    return ref.artifact == sentence.ref.artifact and speaker_at(everything, ref) == sentence.speaker


_ALONE: Final = re.compile(r"\b(?:only|just) (?:tested|tried|mounted|used|ran|run)\b.{0,30}\b(?:one|a single|1) node|independent(?:ly)? o[nf] .{0,40}nodes", re.IGNORECASE)
_SENDS: Final = frozenset((
    "process_send_sockets", "receive_from_sock", "_receive_message", "_create_message", "dlm_lowcomms_get_buffer", "send_to_sock", "dlm_send",
))  # fmt: skip


@note("CONTRADICTION")
def alone_but_sending(facts: CaseFacts) -> Iterator[Note]:
    """``only with one node``, and a profile in which the lock manager talks to others."""
    everything = sentences(facts)
    for sentence in everything:
        if _ALONE.search(sentence.text) is None:
            continue
        for profile in profiles(facts):
            rows = [row for row in profile.rows if row.symbol in _SENDS and row.module == "dlm"]
            if not rows or not _same_voice(everything, sentence, rows[0].ref):
                continue
            share = sum(row.percent for row in rows)
            yield Note(
                title=f"The profiled run was not alone in the cluster: {share:.4g} % of the samples of the lock manager are messages",
                explanation=(
                    f"The text says that the number of nodes did not matter and the last test was on one node; but "
                    f"{listed([row.symbol for row in rows], 6)} ran, which send to and receive from other nodes. At least one other member took part, "
                    "or the profile is of another run."
                ),
                evidence=(sentence.ref, *(row.ref for row in rows[:5])),
                disproved_by="The profile belongs to another run than the one of which the sentence speaks.",
                figures=(Figure("Share of the message functions", round(share, 4), "%"),),
                sure=0.8,
                why="that these functions run only with other members follows from their names",
            )
            break


_PERCENT: Final = re.compile(rf"({_NUMBER}) ?%")


@note("CONTRADICTION")
def share_of_what(facts: CaseFacts) -> Iterator[Note]:
    """A per cent figure of a profile that a sentence takes for a share of the time."""
    everything = sentences(facts)
    for sentence in everything:
        stated = _PERCENT.search(sentence.text)
        if stated is None or " time" not in sentence.text:
            continue
        for profile in profiles(facts):
            rows = [row for row in profile.rows if row.symbol in sentence.text and abs(row.percent - float(stated[1])) < 1.0]
            if rows and profile.module is not None and _same_voice(everything, sentence, rows[0].ref):
                yield _not_time(sentence, rows[0].symbol, float(stated[1]), rows[0].percent, profile.module, rows[0].seconds, rows[0].ref)
                break


def _not_time(sentence: _Sentence, symbol: str, stated: float, percent: float, module: str, seconds: float | None, ref: Ref) -> Note:
    spent = f" In CPU time it is {seconds:.1f} s." if seconds is not None else ""
    return Note(
        title=f"{stated:g} % for {symbol} is a share of the samples inside {module}, not of the time that passed",
        explanation=(
            f"The report prints {percent:g} %, and its rows add up to the samples of {module} alone.{spent} How long the command waited is not "
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
    asked: list[tuple[str, _Sentence]] = []
    for pattern, question in (
        (_LOCALITY, "is a user kept on one node, or do several nodes serve one mailbox tree?"),
        (_BACKUP, "is the backup a single pass, and does each node scan what it serves?"),
        (re.compile(r"\bfiles in a directory\b"), "how is the data spread over directories and nodes?"),
        (re.compile(r"pps\b|\bpackets\b"), "was the traffic measured during the work or during the lock test?"),
    ):
        if hits := [one for one in told if pattern.search(one.text)]:
            asked.append((question, next((one for one in hits if any(char.isdigit() for char in one.text)), hits[0])))
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
            ("start and end of the profiled run", not profiles(facts)),
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


# Commands that erase.

_RAW: Final = re.compile(r"\bdd\b.{0,400}\bof=/dev/(?!null\b|zero\b|stdout\b)\S")
_MKFS: Final = re.compile(r"(?:^|[\s;/])(?:mkfs(?:\.\w{2,10})?|mke2fs|newfs)\s")


@note("DESTRUCTIVE")
def erasing_commands(facts: CaseFacts) -> Iterator[Note]:
    """dd to a block device, or a new file system, among the commands of the text: one note for all of them."""
    if not facts.facts.has(CommandRun):
        return
    rows = facts.facts.frame(CommandRun).sort("artifact", "line").select("artifact", "line", "command").iter_rows()
    hits = [(Ref(artifact, line), command) for artifact, line, command in rows if _RAW.search(command) or _MKFS.search(command)]
    if not hits:
        return
    yield Note(
        title=f"{len(hits)} commands of the text erase what is on the device" if len(hits) > 1 else "A command of the text erases what is on the device",
        explanation=(
            "dd to a block device and mkfs overwrite it. Before one of them is repeated: back the data up, unmount the file system on all nodes and "
            "look into the mount table of each, or use a spare LUN."
        ),
        evidence=tuple(ref for ref, _ in hits[:8]),
        disproved_by="The device held nothing that is needed.",
        sure=0.97,
        why="the commands stand in the text",
    )
