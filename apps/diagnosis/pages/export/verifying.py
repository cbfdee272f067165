"""Does a report still hold? Its lines looked for in a bundle: by hash of the file, else by its path, and compared as
they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.analysis import HashingStream, Input, pick_lines
from apps.diagnosis.engine.report import EVIDENCE_CHARS, clip
from apps.diagnosis.pages.export.report_reader import Place, Sentence
from parsers.archives.bundle import BundleLimits, joined, walk
from parsers.dataclass import dataclass
from parsers.text import blocks

Outcome = Literal["holds", "fails", "open"]
SHOWN_CHARS: Final = 160


@dataclass(frozen=True, slots=True)
class Seen:
    """A file of the bundle: its hash, and those of its lines that the report speaks of."""

    path: str
    sha256: str
    lines: dict[int, str]


@dataclass(frozen=True, slots=True)
class Checked:
    """A line of the report against the bundle; `why` is empty where nothing is to be said."""

    place: Place
    outcome: Outcome
    why: str


@dataclass(frozen=True, slots=True)
class Verified:
    """A sentence: holds when all its lines do, fails when one does not, open when it names none."""

    sentence: Sentence
    lines: list[Checked]

    @property
    def outcome(self) -> Outcome:
        if any(line.outcome == "fails" for line in self.lines):
            return "fails"
        return "holds" if self.lines else "open"


def verify(
    sentences: Sequence[Sentence], inputs: Iterable[Input], limits: BundleLimits | None = None
) -> list[Verified]:
    """Every sentence with its lines looked up; the bundle is read once, as a stream."""
    wanted = {place.line for sentence in sentences for place in sentence.places}
    files = list(_files(inputs, wanted, limits or BundleLimits())) if wanted else []
    return [Verified(sentence, [_check(place, files) for place in sentence.places]) for sentence in sentences]


def _files(inputs: Iterable[Input], wanted: set[int], limits: BundleLimits) -> Iterator[Seen]:
    for one in inputs:
        with one.open() as stream:
            for member in walk(stream, limits=limits):
                if member.stream is not None:
                    hashing = HashingStream(member.stream)
                    lines = {number: clip(text) for number, text in pick_lines(blocks(hashing), wanted)}
                    hashing.drain()
                    yield Seen(joined(one.path, member.path), hashing.sha256, lines)


def _check(place: Place, files: Sequence[Seen]) -> Checked:
    same = next((file for file in files if place.sha256 and file.sha256.startswith(place.sha256)), None)
    if same is not None:
        return _compare(place, same, "")
    named = [file for file in files if _is_named(file.path, place.path)]
    if not named:
        return Checked(place, "fails", f"no file of the bundle has this {'hash or path' if place.sha256 else 'path'}")
    changed = (
        f"the file has another hash ({named[0].sha256[:12]})"
        if place.sha256
        else "the report names no hash of this file"
    )
    checks = [_compare(place, file, changed) for file in named]
    return next((check for check in checks if check.outcome == "holds"), checks[0])


def _compare(place: Place, file: Seen, remark: str) -> Checked:
    text = file.lines.get(place.line)
    before = f"{remark}; " if remark else ""
    if text is None:
        return Checked(place, "fails", f"{before}it has no line {place.line}")
    if not _reads_alike(place.text, text):
        return Checked(place, "fails", f"{before}the line reads: {text[:SHOWN_CHARS] or '(empty)'}")
    if remark and place.last_line and place.last_line != place.line:
        return Checked(
            place, "holds", f"{remark}; the first line of the range reads the same, the others cannot be compared"
        )
    return Checked(place, "holds", f"{remark}; the line reads the same" if remark else "")


def _reads_alike(stated: str, found: str) -> bool:
    """Forms of a report set blanks in their own way, and a database has no sign for NUL."""
    cut = EVIDENCE_CHARS if len(found) >= EVIDENCE_CHARS else None
    stated_words, found_words = (" ".join(text.replace("\x00", "\ufffd").split()) for text in (stated, found))
    return stated_words == found_words or (
        cut is not None and found_words.startswith(stated_words) and bool(stated_words)
    )


def _is_named(path: str, stated: str) -> bool:
    """The archive may be called otherwise by now, or be unpacked: then what lies in it keeps its path."""
    inner, stated_inner = (one.partition("!")[2] or one for one in (path, stated))
    return (
        path == stated
        or inner == stated_inner
        or inner.endswith(f"/{stated_inner}")
        or stated_inner.endswith(f"/{inner}")
    )
