"""Uploads for tests: texts that a parser reads, packed in good and in bad ways."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case

WAIT = "for I/O completion"
NODES = ("oulu-n1", "oulu-n2", "oulu-n3")


def waiters(node: str = "oulu-n1", *, lines: int = 20, first: float = 40.0, disk: str = "oulu_nsd") -> bytes:
    """Waiters of one node, as `mmdiag --waiters` prints them, behind the prompt that names the node."""
    rows = [
        (
            f"Waiting {first + n:.4f} sec since 09:12:40, monitored, thread {4100 + n} NSDThread: {WAIT} on "
            f"disk {disk}{n % 3:02d}\n"
        )
        for n in range(lines)
    ]
    clock = f"[root@{node} ~]# date\nTue Jun 15 09:13:40 EEST 2027\n"
    return f"{clock}[root@{node} ~]# mmdiag --waiters\n\n=== mmdiag: waiters ===\n{''.join(rows)}".encode()


def tar(members: Mapping[str, bytes], *, mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def bundle(nodes: int = 3, *, lines: int = 20) -> bytes:
    """One waiter dump per node."""
    return tar(
        {f"{node}/waiters.txt": waiters(node, lines=lines, first=40.0 + i) for i, node in enumerate(NODES[:nodes])}
    )


def send(
    client: Client, content: bytes, name: str = "oulu-snap.tar.gz", *, to: Case | None = None, **fields: str
) -> Any:
    """As the upload page sends it: one file, JSON back."""
    url = reverse("ingest:add", args=[to.key]) if to else reverse("ingest:upload")
    data = {"file": SimpleUploadedFile(name, content), "relative_path": name, "remaining": "0", **fields}
    return client.post(url, data, headers={"Accept": "application/json"})
