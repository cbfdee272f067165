"""From files, folders, archives or standard input to a report: the parsers and the engine, and nothing else.

Facts go to a temporary folder and are gone afterwards; nothing is written beside the input. The lines that findings
show are fetched in a second pass over those inputs that hold them.
"""

from __future__ import annotations

import hashlib
import logging
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.small_files import SmallFiles, Writer
from apps.diagnosis.engine.core.facts.store import Facts, Source
from apps.diagnosis.engine.core.model import Diagnosis, Ref
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.report import Clock, InputRow, ProblemRow, Report, clip
from parsers.archives.bundle import BundleLimits, Member, joined, walk
from parsers.archives.sniff import ARCHIVES, COMPRESSED, SNIFF_BYTES, sniff
from parsers.beside import Beside
from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.sections.reader import Hints, Reader, ReadResult
from parsers.sections.windows import Place
from parsers.text import Block, LongLines, Readable, blocks, looks_binary

logger = logging.getLogger(__name__)

DRAIN_BYTES: Final = 1 << 20
YEAR_1990_S: Final = 631_152_000
YEAR_2200_S: Final = 7_258_118_400


class HashingStream:
    """Counts and hashes what is read through it."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self._beside = Beside()
        self.bytes = 0

    def read(self, size: int = -1, /) -> bytes:
        """Read from the stream below."""
        data = self._stream.read(size)
        self._beside.call(self._hash.update, data)
        self.bytes += len(data)
        return data

    def drain(self) -> None:
        """Read to the end without keeping anything."""
        while self.read(DRAIN_BYTES):
            pass

    @property
    def sha256(self) -> str:
        """Digest of what was read so far."""
        self._beside.wait()
        return self._hash.hexdigest()


@dataclass(frozen=True, slots=True)
class Input:
    """A file to analyse: the path to show and a way to open it, again and again."""

    path: str
    open: Callable[[], BinaryIO]


class StoredBlock(NamedTuple):
    """A stretch of whole lines of a file that is read as it lies there."""

    first_line: int
    offset: int
    size: int


@dataclass(slots=True)
class Analysis:
    """What was read, and what it means."""

    small: SmallFiles
    inputs: list[InputRow] = field(default_factory=list)
    problems: list[ProblemRow] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    origins: list[tuple[int, int]] = field(default_factory=list)
    blocks: list[list[StoredBlock]] = field(default_factory=list)


def stored(path: Path, name: str) -> Input:
    """A file of this machine under the name to show."""
    return Input(name, lambda: path.open("rb"))


def inputs_of(paths: Sequence[str]) -> Iterator[Input]:
    """Files in the order given; a folder gives its files sorted by path, named relative to it."""
    for name in paths:
        path = Path(name)
        if not path.is_dir():
            yield stored(path, name)
            continue
        for inner in sorted(p for p in path.rglob("*") if p.is_file() and not p.is_symlink()):
            yield stored(inner, inner.relative_to(path).as_posix())


def analyse(
    inputs: Sequence[Input],
    workspace: Path,
    *,
    node: str | None = None,
    clock: Clock,
    limits: BundleLimits | None = None,
    summary: bool = False,
) -> Report:
    """Read all inputs into facts below ``workspace``, diagnose, and prepare the report."""
    found = Analysis(SmallFiles(workspace))
    for index, one in enumerate(inputs):
        _read_input(found, index, one, workspace, node, limits or BundleLimits())
    numbers = _number_by_path(found)
    facts = Facts(found.sources, found.small.batches(numbers), for_tables=not summary)
    case = Case(facts, PRODUCTS)
    diagnosis = diagnose(facts, case)
    texts = EvidenceTexts(inputs, found.origins, limits or BundleLimits(), found.blocks)
    texts.fetch(refs_of(diagnosis))
    return Report(case, diagnosis, found.inputs, found.problems, texts.text, clock, summary)


def _number_by_path(found: Analysis) -> dict[int, int]:
    """Texts of an input in the order of their paths: what is found does not depend on how an archive happens to be
    packed. Gives the number as read -> the number in this order.
    """
    order = sorted(range(len(found.sources)), key=lambda n: (found.origins[n][0], found.sources[n].path, n))
    number = {old: new for new, old in enumerate(order)}
    found.sources = [replace(found.sources[old], artifact=new) for new, old in enumerate(order)]
    found.origins = [found.origins[old] for old in order]
    found.blocks = [found.blocks[old] for old in order]
    found.inputs = [
        row if row.artifact is None else replace(row, artifact=number[row.artifact]) for row in found.inputs
    ]
    return number


def _read_input(
    found: Analysis, index: int, one: Input, workspace: Path, node: str | None, limits: BundleLimits
) -> None:
    """Read one input. An archive gets a row of its own; a compressed file is described as it was given."""
    first, texts = len(found.inputs), len(found.blocks)
    with one.open() as stream:
        packed = sniff(stream.read(SNIFF_BYTES)) in (*COMPRESSED, *ARCHIVES)
        stream.seek(0)
        for ordinal, member in enumerate(walk(stream, limits=limits)):
            _read_member(found, (index, ordinal), member, joined(one.path, member.path), workspace, node)
    if packed:
        found.blocks[texts:] = [[] for _ in found.blocks[texts:]]  # they lie in the archive
    mine = next((i for i in range(first, len(found.inputs)) if found.inputs[i].path == one.path), None)
    if mine is None:
        found.inputs.insert(first, _described(InputRow(one.path, 0, None, None), one))
    elif packed:
        found.inputs[mine] = _described(found.inputs[mine], one)


def _described(row: InputRow, one: Input) -> InputRow:
    """The row with size and digest of the file as given."""
    with one.open() as stream:
        whole = HashingStream(stream)
        whole.drain()
    return replace(row, bytes=whole.bytes, sha256=whole.sha256)


def _read_member(
    found: Analysis, origin: tuple[int, int], member: Member, path: str, workspace: Path, node: str | None
) -> None:
    if member.problem:
        found.problems.append(ProblemRow(path, None, member.problem))
    if member.kind == "archive":
        found.inputs.append(InputRow(path, member.size or 0, None, None))
    if member.kind != "file" or member.stream is None:
        return
    artifact = len(found.sources)
    directory = workspace / f"{artifact:06d}"
    found.sources.append(Source(artifact, path, directory, modified_us(member)))
    found.origins.append(origin)
    hashing = HashingStream(member.stream)
    writer = found.small.writer(artifact, directory)
    index: list[StoredBlock] = []
    result = read_text(hashing, writer, Hints(path_hint(path), node), found.problems, index)
    found.blocks.append(index)
    hashing.drain()
    found.inputs.append(
        InputRow(
            path,
            hashing.bytes,
            hashing.sha256,
            artifact,
            total=result.total,
            understood=result.understood,
            ignored=result.ignored,
            not_understood=result.not_understood,
            recognised=result.recognised,
        )
    )


def modified_us(member: Member) -> int | None:
    """When a member was last written; archives that are made without it say 1970, and some say a year beyond
    calendars.
    """
    is_known = member.mtime is not None and YEAR_1990_S <= member.mtime < YEAR_2200_S
    return member.mtime * 1_000_000 if is_known and member.mtime is not None else None


def path_hint(path: str) -> str:
    """Where a text lies inside the input: a folder above it, on this machine, says nothing about the
    customer's nodes.
    """
    given, mark, inside = path.partition("!")
    return f"{given.rsplit('/', 1)[-1] if given.startswith('/') else given}{mark}{inside}"


NUMBERS_OF_WINDOW: Final = 1_000_000_000
NOTHING: Final = ReadResult(0, 0, 0, 0, 0, 0, {})


def read_text(
    stream: HashingStream,
    writer: Writer,
    hints: Hints,
    problems: list[ProblemRow],
    index: list[StoredBlock] | None = None,
) -> ReadResult:
    """Read one text of an input into facts, and say what could not be read of it. index: gets where its blocks lie,
    where they are what lies there.
    """
    long, index = LongLines(), [] if index is None else index
    try:
        result, failure = read_blocks(_indexed(_text_blocks(stream, long), index), writer, hints)
    except NotTextError:
        problems.append(ProblemRow(hints.path, None, phrase("input.not-text")))
        return NOTHING
    if failure:
        problems.append(ProblemRow(hints.path, None, phrase("input.parser-failed", error=failure)))
    elif not result.total:
        problems.append(ProblemRow(hints.path, None, phrase("input.empty")))
    if long.recounted:
        problems.append(ProblemRow(hints.path, None, phrase("input.recounted")))
    if not long.as_stored:
        index.clear()
    if long.count:
        message = phrase("input.long-lines", lines=long.count, lost=long.lost_bytes)
        problems.append(ProblemRow(hints.path, long.first_line, message))
    return result


def read_blocks(
    source: Iterator[Block], writer: Writer, hints: Hints, *, passing: tuple[type[Exception], ...] = ()
) -> tuple[ReadResult, str]:
    """Read one text into facts. A parser that fails costs this text only: the class of its error comes back, the
    traceback is logged.

    Nothing of such a text is used, as half of its facts could contradict themselves. passing: errors that come from the
    caller's own stream and are not to be taken for a parser's failure.
    """
    result, failure, _ = read_window(source, writer, hints, Place(), passing=passing)
    return result, failure


def read_window(
    source: Iterator[Block],
    writer: Writer,
    hints: Hints,
    place: Place,
    *,
    passing: tuple[type[Exception], ...] = (),
) -> tuple[ReadResult, str, str]:
    """The same for a part of a text; and the mark of where its reader ended (``Standing.mark``)."""
    not_the_parser: tuple[type[Exception], ...] = (NotTextError, OSError, MemoryError, *passing)
    out = Output(writer, numbers_from=1 + place.number * NUMBERS_OF_WINDOW)
    try:
        reader = Reader(source, out, hints, place.above, place.opening)
        result = reader.read()
        out.close()
    except not_the_parser:
        raise
    except Exception as error:
        logger.exception("a parser failed")
        writer.discard()
        return NOTHING, type(error).__name__, ""
    return result, "", reader.carried().mark


class NotTextError(ValueError):
    """The content is no text."""


def _text_blocks(stream: HashingStream, long: LongLines) -> Iterator[Block]:
    for block in blocks(stream, long=long):
        if block.first_line == 1 and looks_binary(block.data):
            raise NotTextError
        yield block


def _indexed(source: Iterator[Block], index: list[StoredBlock]) -> Iterator[Block]:
    """Blocks, noting where each lies in a file that they make up."""
    offset = 0
    for block in source:
        index.append(StoredBlock(block.first_line, offset, len(block.data)))
        offset += len(block.data)
        yield block


def refs_of(diagnosis: Diagnosis) -> set[Ref]:
    """Lines that the report shows."""
    return {ref for finding in diagnosis.findings for ref in finding.evidence}


class EvidenceTexts:
    """Texts of evidence lines: out of the blocks that hold them, where it is known where these lie; else fetched in
    one further pass over the inputs.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        origins: Sequence[tuple[int, int]],
        limits: BundleLimits,
        stored: Sequence[Sequence[StoredBlock]],
    ) -> None:
        self._inputs = inputs
        self._origins = origins
        self._limits = limits
        self._stored = stored
        self._texts: dict[tuple[int, int], str] = {}

    def text(self, ref: Ref) -> str:
        """The line as it stands in the customer's file."""
        return self._texts.get((ref.artifact, ref.line), "")

    def fetch(self, refs: set[Ref]) -> None:
        """Read the lines of all refs."""
        wanted: dict[int, dict[int, tuple[int, set[int]]]] = defaultdict(dict)
        for ref in refs:
            index, ordinal = self._origins[ref.artifact]
            wanted[index].setdefault(ordinal, (ref.artifact, set()))[1].add(ref.line)
        for index, members in wanted.items():
            with self._inputs[index].open() as stream:
                known = [one for one in members.values() if self._stored[one[0]]]
                if len(known) == len(members) == 1:
                    self._pick(*known[0], _blocks_at(stream, self._stored[known[0][0]], known[0][1]))
                else:
                    self._fetch_input(stream, members)

    def _pick(self, artifact: int, lines: set[int], source: Iterator[Block]) -> None:
        for number, text in pick_lines(source, lines):
            self._texts[artifact, number] = clip(text)

    def _fetch_input(self, stream: BinaryIO, members: dict[int, tuple[int, set[int]]]) -> None:
        left = len(members)
        for ordinal, member in enumerate(walk(stream, limits=self._limits)):
            if ordinal in members and member.stream is not None:
                self._pick(*members[ordinal], blocks(member.stream))
                left -= 1
            if not left:
                return


def _blocks_at(stream: BinaryIO, stored: Sequence[StoredBlock], lines: set[int]) -> Iterator[Block]:
    """The blocks that hold some lines, each with an empty one behind it that ends it."""
    firsts = [block.first_line for block in stored]
    for place in sorted({bisect_right(firsts, line) - 1 for line in lines} - {-1}):
        first_line, offset, size = stored[place]
        stream.seek(offset)
        yield Block(stream.read(size), first_line)
        if place + 1 < len(stored):
            yield Block(b"", firsts[place + 1])


def pick_lines(source: Iterator[Block], wanted: set[int]) -> Iterator[tuple[int, str]]:
    """Single lines out of a text, in one pass that stops at the last one."""
    numbers = sorted(wanted)
    at, above = 0, None
    for block in source:
        if above is not None:
            yield from _picked(above, numbers[at:], block.first_line)
            while at < len(numbers) and numbers[at] < block.first_line:
                at += 1
            if at == len(numbers):
                return
        above = block
    if above is not None:
        yield from _picked(above, numbers[at:], None)


def _picked(block: Block, numbers: Sequence[int], end: int | None) -> Iterator[tuple[int, str]]:
    """Lines of a block that are wanted; ``end`` is the first line behind it."""
    if not numbers or (end is not None and numbers[0] >= end):
        return
    data = block.data
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    for number in numbers:
        place = number - block.first_line
        if place > len(ends) or (end is not None and number >= end):
            return
        begin = int(ends[place - 1]) + 1 if place else 0
        yield number, data[begin : int(ends[place]) if place < len(ends) else len(data)].decode("utf-8", "replace")
