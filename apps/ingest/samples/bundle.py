"""Writes the text of a sample case as a ``tar.gz`` whose bytes depend on nothing but its content."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping


def tar_gz(texts: Mapping[str, str], *, folder: str, written_at: int) -> bytes:
    """``texts`` maps path to text; ``written_at`` (seconds since 1970) becomes the time of every member."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=written_at, compresslevel=6) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for path in sorted(texts):
            _add(archive, f"{folder}/{path}", texts[path].encode(), written_at)
    return buffer.getvalue()


def _add(archive: tarfile.TarFile, name: str, content: bytes, written_at: int) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    member.mtime = written_at
    member.mode = 0o644
    member.uname = member.gname = "root"
    archive.addfile(member, io.BytesIO(content))
