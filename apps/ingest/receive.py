"""Taking an upload in: to the storage, hashed, as a row. What it holds is read by tasks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from tempfile import TemporaryFile
from typing import IO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases import storage
from apps.cases.models import Bundle, Case
from apps.web.errors import DomainError

PASTED_NAME = "pasted-transcript.txt"
ALREADY_HERE = "Already in this case: the same bytes as {name}. It is not read again."


def store_upload(case: Case, upload: UploadedFile, *, filename: str, user: User | None) -> Bundle:
    """Keep an uploaded file under its hash; a file that the case holds already is said so and not kept twice."""
    if (upload.size or 0) > settings.LIMITS.upload_bytes:
        raise DomainError(f"This file is larger than the limit of {settings.LIMITS.upload_bytes} bytes for one upload.", status=413)
    return store_stream(case, upload.chunks(1 << 20), filename=filename, user=user)


def store_text(case: Case, text: str, *, user: User | None) -> Bundle:
    """Keep a pasted console transcript as a file."""
    if not text.strip():
        raise DomainError("The transcript is empty. Paste the output of commands, with their prompts if possible.")
    return store_stream(case, [text.encode("utf-8", "surrogateescape")], filename=PASTED_NAME, user=user)


def store_stream(case: Case, chunks: Iterable[bytes], *, filename: str, user: User | None) -> Bundle:
    """Spool, hash, then store: the name in the storage is ours, the customer's name is only shown."""
    digest = hashlib.sha256()
    size = 0
    with TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as spool:
        for chunk in chunks:
            digest.update(chunk)
            size += len(chunk)
            spool.write(chunk)
        spool.seek(0)
        return _keep(case, cast(IO[bytes], spool), filename[: settings.LIMITS.name_chars] or "unnamed", size, digest.hexdigest(), user)


def _keep(case: Case, spool: IO[bytes], filename: str, size: int, sha256: str, user: User | None) -> Bundle:
    known = case.bundles.filter(sha256=sha256, duplicate_of__isnull=True).exclude(state=Bundle.State.FAILED).first()
    if known is not None:
        return Bundle.objects.create(
            case=case, filename=filename, size=size, sha256=sha256, uploaded_by=user, duplicate_of=known,
            state=Bundle.State.SKIPPED, message=ALREADY_HERE.format(name=known.filename)[:500],
        )  # fmt: skip
    stored = storage.save(f"{storage.case_prefix(case.pk)}bundles/", spool)
    with transaction.atomic():
        bundle = Bundle.objects.create(case=case, filename=filename, size=size, sha256=sha256, stored=stored, uploaded_by=user)
        record("bundle.uploaded", case=case, user=user, filename=filename, size=size, sha256=sha256)
    return bundle
