"""A word in the raw text of every line of a case: looked for file by file, as a stream, in bounded time, memory and
number of hits.

One answer holds what a few seconds find. Where it ends before the last file does, it says where to go on.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from django.db.models import Q, QuerySet, Sum
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from apps.cases import storage
from apps.cases.files.window import NEEDLE_CHARS, SIGNS, Piece, needle_pattern, pieces_of
from apps.cases.models import Artifact, Case
from apps.cases.storage.textblob import BadTextBlobError, TextBlob, lines_with
from parsers.dataclass import dataclass
from parsers.text import Block

logger = logging.getLogger(__name__)

HITS: Final = 200
HITS_OF_FILE: Final = 50
SECONDS: Final = 2.0
LINE_CHARS: Final = 320
BEFORE: Final = 120
PLACE: Final = re.compile(r"([0-9]{1,18})-([0-9]{1,15})")
FILE_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class RawQuery:
    """What an address asks for; `at` is the file and line to go on from, `seen` the bytes looked through before."""

    needle: str = ""
    is_case_kept: bool = False
    file: str = ""
    at: tuple[int, int] | None = None
    seen: int = 0

    @classmethod
    def from_query(cls, query: QueryDict) -> RawQuery:
        place = PLACE.fullmatch(query.get("at", ""))
        seen = query.get("seen", "")
        return cls(
            needle=query.get("q", "").split("\n", 1)[0].strip("\r\0")[:NEEDLE_CHARS],
            is_case_kept=query.get("case") == "1",
            file=query.get("file", "").strip().replace("\0", "")[:FILE_CHARS],
            at=(int(place[1]), max(1, int(place[2]))) if place else None,
            seen=int(seen) if seen.isascii() and seen.isdigit() and len(seen) <= 15 else 0,
        )

    def address(self, **more: str | int) -> str:
        pairs: dict[str, str | int] = {
            "q": self.needle,
            "case": "1" if self.is_case_kept else "",
            "file": self.file,
            **more,
        }
        return urlencode({name: value for name, value in pairs.items() if value != ""})

    @property
    def bytes(self) -> bytes:
        raw = self.needle.encode("utf-8", "replace")
        return raw if self.is_case_kept else raw.lower()


@dataclass(frozen=True, slots=True)
class Hit:
    line: int
    pieces: list[Piece]
    url: str


@dataclass(slots=True)
class FileHits:
    """A file with its first hits; `more_url` opens the file's own search where there are more."""

    path: str
    url: str
    hits: list[Hit] = field(default_factory=list)
    more_url: str = ""
    is_unreadable: bool = False


@dataclass(slots=True)
class RawFound:
    files: list[FileHits] = field(default_factory=list)
    hits_n: int = 0
    seen: int = 0
    total: int = 0
    go_on: str = ""
    """Query of the rest; empty where the last line has been looked through."""
    is_short_of_time: bool = False


def search_lines(case: Case, query: RawQuery, *, seconds: float = SECONDS) -> RawFound:
    """The next hits, in the order of the paths."""
    artifacts = _files(case, query)
    found = RawFound(seen=query.seen, total=artifacts.aggregate(total=Sum("size"))["total"] or 0)
    end = time.monotonic() + seconds
    for artifact in _from(artifacts, query).iterator(chunk_size=200):
        first = query.at[1] if query.at and query.at[0] == artifact.pk else 1
        stopped = _search_file(case, artifact, query, found, first, end)
        if stopped is not None:
            found.go_on = query.address(at=f"{artifact.pk}-{stopped}", seen=found.seen)
            break
    found.seen = min(found.seen, found.total) if found.go_on else found.total
    return found


def _files(case: Case, query: RawQuery) -> QuerySet[Artifact]:
    files = (
        case.artifacts.originals().exclude(blob="").order_by("path", "pk").only("pk", "path", "blob", "size", "case_id")
    )
    return files.filter(path__icontains=query.file) if query.file else files


def _from(files: QuerySet[Artifact], query: RawQuery) -> QuerySet[Artifact]:
    """Without the files that an earlier answer has dealt with. A file that is gone meanwhile is as good as
    dealt with.
    """
    here = files.filter(pk=query.at[0]).first() if query.at else None
    return files if here is None else files.filter(Q(path__gt=here.path) | Q(path=here.path, pk__gte=here.pk))


def _search_file(
    case: Case, artifact: Artifact, query: RawQuery, found: RawFound, first: int, end: float
) -> int | None:
    """Adds the hits of one file; the line to go on from where the answer has to end inside of it."""
    url = reverse("cases:file", args=[case.key, artifact.pk])
    here = FileHits(artifact.path, url)
    stopped: int | None = None
    try:
        with storage.open_file(artifact.blob) as file:
            stopped = _search_blocks(TextBlob.open(file).blocks(first), query, found, here, end)
    except (BadTextBlobError, OSError):
        logger.warning("the text of artifact %s can not be read", artifact.pk)
        here.is_unreadable = True
    if here.hits or here.is_unreadable:
        found.files.append(here)
    return stopped


def _search_blocks(blocks: Iterator[Block], query: RawQuery, found: RawFound, here: FileHits, end: float) -> int | None:
    for block in blocks:
        if time.monotonic() > end and found.seen > query.seen:  # one block at least, so that it comes to an end
            found.is_short_of_time = True
            return block.first_line
        for number, text in _hits(block, query):
            if found.hits_n == HITS:
                return number
            if len(here.hits) == HITS_OF_FILE:
                here.more_url = f"{here.url}?{_viewer(query)}&line={number}#L{number}"
                return None
            here.hits.append(Hit(number, _pieces(text, query), f"{here.url}?{_viewer(query)}&line={number}#L{number}"))
            found.hits_n += 1
        found.seen += len(block.data)
    return None


def _viewer(query: RawQuery) -> str:
    return urlencode({"q": query.needle} | ({"case": "1"} if query.is_case_kept else {}))


def _hits(block: Block, query: RawQuery) -> Iterator[tuple[int, bytes]]:
    """Numbers and texts of the lines of a block that hold the needle; each text is the part around the first hit."""
    data = block.data if query.is_case_kept else block.data.lower()
    for number, at in lines_with(query.bytes, data, block.first_line):
        start, stop = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        stop = len(data) if stop < 0 else stop
        first = start if at - start < LINE_CHARS - len(query.bytes) else at - BEFORE
        yield (
            number,
            (b"\xe2\x80\xa6" if first > start else b"")
            + block.data[first : min(stop, first + LINE_CHARS + len(query.bytes))],
        )


def _pieces(raw: bytes, query: RawQuery) -> list[Piece]:
    return pieces_of(
        raw.decode("utf-8", "replace").translate(SIGNS), needle_pattern(query.needle, is_case_kept=query.is_case_kept)
    )
