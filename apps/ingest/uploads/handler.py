"""How the bytes of an upload arrive: into a temporary file on the data volume, hashed on the way, and refused where too
large.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, TemporaryFileUploadHandler
from django.http import HttpRequest, HttpResponse

from apps.web.errors import error_response
from parsers.archives.wording import size

FORM_BYTES = 1 << 20  # the other fields of the form and the marks between them
ANONYMOUS_BYTES = 1 << 20
TOO_LARGE = "This upload is larger than the limit of {limit} for one upload. Send it in parts."
SIGN_IN = "Sign in before sending files."


class HashedUpload(TemporaryUploadedFile):
    """An upload whose hash is known when its last byte is there."""

    sha256 = ""


class HashingUploadHandler(TemporaryFileUploadHandler):
    """Hashes while receiving: a bundle of many gigabytes is not read once more for that."""

    file: HashedUpload

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        FileUploadHandler.new_file(self, *args, **kwargs)
        self._hash = hashlib.sha256()
        self.file = HashedUpload(self.file_name or "", self.content_type, 0, self.charset, self.content_type_extra)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._hash.update(raw_data)
        super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> Any:
        self.file.sha256 = self._hash.hexdigest()
        return super().file_complete(file_size)


def refuse_too_large(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """By the announced length, before a byte of the body is read; who is not signed in may send forms, not files."""

    def middleware(request: HttpRequest) -> HttpResponse:
        announced = _announced(request)
        limit = settings.LIMITS.upload_bytes
        if announced > limit + FORM_BYTES:
            return error_response(request, TOO_LARGE.format(limit=size(limit)), status=413)
        if announced > ANONYMOUS_BYTES and not request.user.is_authenticated:
            return error_response(request, SIGN_IN, status=401)
        return get_response(request)

    return middleware


def _announced(request: HttpRequest) -> int:
    """Without a length, or with a malformed one, Django reads no body at all."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 0
