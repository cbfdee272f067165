"""The facts of a case with what the knowledge of its team says of the stored lines."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from django.conf import settings

from apps.cases import storage
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.engine.core.store import Source
from apps.diagnosis.engine.learned import LOGS, with_entries
from apps.diagnosis.numbering import FileNumbers, ReadFile
from parsers.catalogue import entries_in_force, judging_with
from parsers.site_entries import Entries
from parsers.text import Block


@contextmanager
def learned(files: FileNumbers, entries: Entries) -> Iterator[list[Source]]:
    """Sources of the files; within it the entries of the team speak beside those of the site."""
    if not entries.all:
        yield files.sources()
        return
    both = Entries((*entries_in_force().all, *entries.all))
    workspace = Path(mkdtemp(prefix="learned-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        with judging_with(both):
            yield [_learned(files.files[one.artifact], one, both, workspace) for one in files.sources()]
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def _learned(file: ReadFile, source: Source, entries: Entries, workspace: Path) -> Source:
    if LOGS.isdisjoint(file.held.formats) or not file.held.blob:
        return source
    folder = workspace / str(source.artifact)
    folder.mkdir()
    return with_entries(source, lambda: _text(file.held.blob), entries, folder)


def _text(blob: str) -> Iterator[Block]:
    with storage.open_file(blob) as file:
        yield from TextBlob.open(file).blocks()
