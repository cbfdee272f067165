"""The tus protocol 1.0.0 (tus.io): creation, termination, checksum, expiration. Words and numbers of the protocol only;
the rest is in partial_uploads.py.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import reverse
from django.utils.http import http_date

from apps.accounts.access import person
from apps.cases.models import Bundle
from apps.ingest.models import PartialUpload
from apps.ingest.tasks import queue_bundle
from apps.ingest.uploads import partial_uploads
from apps.ingest.uploads.pieces import Piece
from apps.ingest.views import landing
from apps.web.errors import DomainError
from apps.web.policy import with_policy

VERSION: Final = "1.0.0"
EXTENSIONS: Final = "creation,termination,checksum,expiration"
ALGORITHMS: Final = ("sha256", "sha1", "md5")
OFFSET_TYPE: Final = "application/offset+octet-stream"
METADATA_CHARS: Final = 16_384
SILENCE_S: Final = 30
"""A sender that says nothing for so long is gone, such as a closed laptop: the upload is free for its next
connection.
"""

SIGN_IN = "Your session has ended. Sign in again."
FIELD = re.compile(r"[!-+\--~]+")
SHA256 = re.compile(r"[0-9a-f]{64}")

View = Callable[..., HttpResponse]


class RefusedError(DomainError):
    """With headers of its own."""

    def __init__(self, message: str, status: int = 400, **headers: str) -> None:
        super().__init__(message, status)
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def speaks_tus(*methods: str) -> Callable[[View], View]:
    """Answers in the protocol's words whatever happens: its clients take a page, or the way to one, for success."""

    def decorate(view: View) -> View:
        @wraps(view)
        def answered(request: HttpRequest, **kwargs: str) -> HttpResponse:
            return _headed(_answer(view, request, methods, kwargs))

        return with_policy(answered, "signed_in")

    return decorate


def _answer(view: View, request: HttpRequest, methods: tuple[str, ...], kwargs: dict[str, str]) -> HttpResponse:
    if not request.user.is_authenticated:
        return _refusal(SIGN_IN, 401)
    method = _method(request)
    if method not in methods:
        return HttpResponseNotAllowed(methods)
    if method == "OPTIONS":
        return _options()
    try:
        return view(request, method=method, **kwargs)
    except RefusedError as refused:
        return _refusal(refused.message, refused.status, **refused.headers)
    except DomainError as error:
        return _refusal(error.message, error.status, **({"Tus-Max-Size": _max_size()} if error.status == 413 else {}))
    except PermissionDenied:
        return _refusal("You may not add files to this case.", 403)
    except Http404:
        return _refusal("There is no such upload, or no such case.", 404)


def _headed(response: HttpResponse) -> HttpResponse:
    response["Tus-Resumable"] = VERSION
    response["Cache-Control"] = "no-store"
    return response


def refused(message: str, status: int) -> HttpResponse:
    """For who may not even ask."""
    return _headed(_refusal(message, status))


def _refusal(message: str, status: int, **headers: str) -> HttpResponse:
    reason = "Checksum Mismatch" if status == 460 else None
    return HttpResponse(
        f"{message}\n", status=status, reason=reason, headers=headers, content_type="text/plain; charset=utf-8"
    )


def _method(request: HttpRequest) -> str:
    """The protocol lets a header name the method. Only of a POST: a GET would get past the check of forged requests."""
    named = request.headers.get("X-HTTP-Method-Override", "")
    return named.upper() if named and request.method == "POST" else str(request.method)


def _max_size() -> str:
    return str(settings.LIMITS.upload_bytes)


def _options() -> HttpResponse:
    headers = {
        "Tus-Version": VERSION,
        "Tus-Extension": EXTENSIONS,
        "Tus-Max-Size": _max_size(),
        "Tus-Checksum-Algorithm": ",".join(ALGORITHMS),
    }
    return HttpResponse(status=204, headers=headers)


def _refuse_other_version(request: HttpRequest) -> None:
    if request.headers.get("Tus-Resumable") != VERSION:
        raise RefusedError(f"Only version {VERSION} of the tus protocol is spoken here.", 412, Tus_Version=VERSION)


@speaks_tus("POST", "OPTIONS")
def resumable(request: HttpRequest, *, method: str) -> HttpResponse:
    """Begin an upload. Metadata: filename, case or team, title, customer, ticket; sha256 where the sender knows it."""
    del method
    _refuse_other_version(request)
    metadata = request.headers.get("Upload-Metadata", "")
    size = _number(request, "Upload-Length")
    upload = partial_uploads.begin(person(request), _fields(metadata), size=size, metadata=metadata)
    _queue(upload.bundle)
    there = request.resolver_match.namespace if request.resolver_match else "ingest"  # programs go on below /api/
    headers = {"Location": request.build_absolute_uri(reverse(f"{there}:resumable_one", args=[upload.name]))}
    return HttpResponse(status=201, headers=headers | _facts(upload))


@speaks_tus("HEAD", "PATCH", "DELETE", "OPTIONS")
def resumable_one(request: HttpRequest, *, method: str, name: str) -> HttpResponse:
    upload = partial_uploads.of_user(person(request), name)
    _refuse_other_version(request)
    if method == "HEAD":
        return _head(upload)
    if method == "DELETE":
        partial_uploads.discard(upload)
        return HttpResponse(status=204)
    return _patch(request, upload)


def _head(upload: PartialUpload) -> HttpResponse:
    headers = {"Upload-Offset": str(upload.offset), "Upload-Length": str(upload.size)}
    if upload.metadata:
        headers["Upload-Metadata"] = upload.metadata
    return HttpResponse(status=200, headers=headers | _facts(upload))


def _patch(request: HttpRequest, upload: PartialUpload) -> HttpResponse:
    if request.content_type != OFFSET_TYPE:
        raise RefusedError(f"Send bytes as {OFFSET_TYPE}.", 415)
    partial_uploads.writable_case(upload.user, upload.case.key)
    _end_silence(request)
    piece = Piece(request, _number(request, "Upload-Offset"), _length(request), _checksum(request))
    offset, bundle = partial_uploads.add(upload, piece)
    _queue(bundle)
    if offset < piece.at + piece.length:
        raise RefusedError("The connection was lost.", 408)
    return HttpResponse(status=204, headers={"Upload-Offset": str(offset)} | _facts(upload))


def _facts(upload: PartialUpload) -> dict[str, str]:
    """Where it goes, until when it can be gone on with, and once it is whole what is to be said of it."""
    upload.refresh_from_db(fields=["ends_at", "bundle"])
    message = upload.bundle.message if upload.bundle else ""
    return {
        "Upload-Expires": http_date(upload.ends_at.timestamp()),
        "Lockscope-Case": upload.case.key,
        "Lockscope-Case-Url": landing.url(upload.case),
        "Lockscope-Message": quote(message),
    }


def _queue(bundle: Bundle | None) -> None:
    if bundle is not None and bundle.state == Bundle.State.RECEIVED:
        queue_bundle(bundle)


def _number(request: HttpRequest, header: str) -> int:
    text = request.headers.get(header, "")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise RefusedError(f"{header} must be a number.")
    return int(text)


def _length(request: HttpRequest) -> int:
    """Without it Django reads no body."""
    if not request.META.get("CONTENT_LENGTH"):
        raise RefusedError("Send the Content-Length of the bytes.", 411)
    return _number(request, "Content-Length")


def _checksum(request: HttpRequest) -> tuple[str, bytes] | None:
    header = request.headers.get("Upload-Checksum")
    if header is None:
        return None
    algorithm, _, value = header.partition(" ")
    if algorithm not in ALGORITHMS:
        raise RefusedError(f"Known checksums: {', '.join(ALGORITHMS)}.")
    digest = _decoded(value)
    if len(digest) != hashlib.new(algorithm, usedforsecurity=False).digest_size:
        raise RefusedError("Upload-Checksum does not have the length of its algorithm.")
    return algorithm, digest


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise RefusedError("A value is not base64.") from None


def _fields(metadata: str) -> dict[str, str]:
    """`key base64,key base64`; a key alone has no value."""
    if len(metadata) > METADATA_CHARS:
        raise RefusedError("Upload-Metadata is too long.")
    fields: dict[str, str] = {}
    for pair in filter(None, (part.strip(" ") for part in metadata.split(","))):
        key, _, value = pair.partition(" ")
        if FIELD.fullmatch(key) is None or key in fields:
            raise RefusedError("A key of Upload-Metadata is malformed or there twice.")
        fields[key] = _decoded(value).decode("utf-8", "replace")
    if (sha256 := fields.get("sha256")) and SHA256.fullmatch(sha256) is None:
        raise RefusedError("sha256 must be 64 hexadecimal digits.")
    return fields


def _end_silence(request: HttpRequest) -> None:
    """gunicorn waits for ever for the rest of a body; its socket can be set otherwise. Its next use of it sets that
    again.
    """
    connection: Any = request.META.get("gunicorn.socket")
    if connection is not None:
        connection.settimeout(SILENCE_S)
