"""The facts of a case with what the knowledge of its team says of the stored lines."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from django.conf import settings

from apps.cases import storage
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.engine.learned import LOGS, events_of, lines_spoken_of, with_events
from apps.diagnosis.numbering import FileNumbers, StoredFacts
from apps.web.kept import Kept
from parsers.dataclass import dataclass
from parsers.messages.catalogue import entries_in_force, judging_with
from parsers.messages.site_entries import Entries
from parsers.text import Block

ROOM_BYTES: Final = 8 << 20
KEPT_S: Final = 24 * 3600


@contextmanager
def learned(files: FileNumbers, entries: Entries) -> Iterator[StoredFacts]:
    """Facts of the files; within it the entries of the team speak beside those of the site."""
    stored = files.stored()
    if not entries.all:
        yield stored
        return
    both = _beside(entries_in_force(), entries)
    workspace = Path(mkdtemp(prefix="learned-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        with judging_with(both):
            yield _learned(files, stored, both, workspace)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


@lru_cache(maxsize=8)
def _beside(of_site: Entries, own: Entries) -> Entries:
    """Thousands of entries are put in order once, not for each diagnosis."""
    return Entries((*of_site.all, *own.all))


def _learned(files: FileNumbers, stored: StoredFacts, entries: Entries, workspace: Path) -> StoredFacts:
    """Files of which entries speak have a folder of their own from then on."""
    held_in = {now: batch for batch in stored.batches for now in batch.numbers.values()}
    sources, apart = [], set()
    for source in stored.sources:
        held = files.files[source.artifact].held
        folder = workspace / str(source.artifact)
        if LOGS.isdisjoint(held.formats) or not held.blob:
            sources.append(source)
            continue
        text = Text(held.blob)
        events = events_of(source.path, text, entries, folder, _spoken_of(text, entries))
        if not events.is_empty() and source.directory is None:
            held_in[source.artifact].write_apart(source.artifact, folder / "apart")
            source = replace(source, directory=folder / "apart")
            apart.add(source.artifact)
        sources.append(with_events(source, events, folder))
    return StoredFacts(sources, [batch.without(apart) for batch in stored.batches])


@dataclass(frozen=True, slots=True)
class Text:
    """A stored text, as often as it is gone through."""

    blob: str

    def __iter__(self) -> Iterator[Block]:
        with storage.open_file(self.blob) as file:
            yield from TextBlob.open(file).blocks()


_spoken: Final = Kept(ROOM_BYTES, KEPT_S)


def _spoken_of(text: Text, entries: Entries) -> Sequence[int]:
    """Lines of which the entries may speak: a stored text never changes, so one look serves what this process diagnoses
    later on. Numbers only, no text.
    """
    return _spoken.part((text.blob, entries.version), lambda: tuple(lines_spoken_of(text, entries)))
