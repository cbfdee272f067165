"""Customers' bytes leave as attachments only: never shown by the browser, never run, kept nowhere."""

from __future__ import annotations

import re
from typing import Final, TypeVar

from django.http import HttpResponseBase
from django.utils.http import content_disposition_header

UNFIT: Final = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')
Response = TypeVar("Response", bound=HttpResponseBase)


def as_attachment(response: Response, path: str) -> Response:
    name = UNFIT.sub("_", path.rstrip("/").rsplit("/", 1)[-1])[:200].strip(". ") or "file"
    response.headers["Content-Type"] = "application/octet-stream"
    response.headers["Content-Disposition"] = (
        content_disposition_header(as_attachment=True, filename=name) or "attachment"
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response.headers["Cache-Control"] = "private, no-store"
    return response
