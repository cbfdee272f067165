"""The facts of a case with what the knowledge of its team says of the stored lines."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings

from apps.cases import storage
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.engine.learned import LOGS, events_of, with_events
from apps.diagnosis.numbering import FileNumbers, StoredFacts
from parsers.catalogue import entries_in_force, judging_with
from parsers.site_entries import Entries
from parsers.text import Block


@contextmanager
def learned(files: FileNumbers, entries: Entries) -> Iterator[StoredFacts]:
    """Facts of the files; within it the entries of the team speak beside those of the site."""
    stored = files.stored()
    if not entries.all:
        yield stored
        return
    both = Entries((*entries_in_force().all, *entries.all))
    workspace = Path(mkdtemp(prefix="learned-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        with judging_with(both):
            yield _learned(files, stored, both, workspace)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


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
        events = events_of(source.path, _text(held.blob), entries, folder)
        if not events.is_empty() and source.directory is None:
            held_in[source.artifact].write_apart(source.artifact, folder / "apart")
            source = replace(source, directory=folder / "apart")
            apart.add(source.artifact)
        sources.append(with_events(source, events, folder))
    return StoredFacts(sources, [batch.without(apart) for batch in stored.batches])


def _text(blob: str) -> Iterator[Block]:
    with storage.open_file(blob) as file:
        yield from TextBlob.open(file).blocks()
