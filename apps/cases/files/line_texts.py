"""Single lines of files as they stand there, for pages that show them beside what was drawn from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final

from apps.cases import storage
from apps.cases.files.window import SIGNS
from apps.cases.models import Artifact, Case
from apps.cases.storage.textblob import BadTextBlobError, TextBlob
from parsers.dataclass import dataclass

LINE_BYTES: Final = 400
"""Enough to recognise a line; its page has the rest."""
FILES_OPENED: Final = 24


@dataclass(frozen=True, slots=True)
class LineText:
    path: str
    text: str


def line_texts(case: Case, places: Iterable[tuple[int, int]]) -> Mapping[tuple[int, int], LineText]:
    """By artifact and line; without those whose file cannot be read any more."""
    wanted: dict[int, set[int]] = defaultdict(set)
    for number, line in places:
        wanted[number].add(line)
    found: dict[tuple[int, int], LineText] = {}
    kept = Artifact.objects.filter(case=case, pk__in=list(wanted)[:FILES_OPENED])
    for artifact in kept.select_related("duplicate_of"):
        source = artifact.duplicate_of or artifact
        if not source.blob:
            continue
        with suppress(FileNotFoundError, BadTextBlobError), storage.open_file(source.blob) as file:
            blob = TextBlob.open(file)
            for line in sorted(wanted[artifact.pk]):
                for _, raw in blob.lines(line, 1, line_bytes=LINE_BYTES):
                    text = raw.decode("utf-8", "replace").translate(SIGNS).strip()
                    found[artifact.pk, line] = LineText(artifact.path, text)
    return found
