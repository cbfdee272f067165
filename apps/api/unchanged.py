"""If-Match: a change that its sender wants made only to what it has read. The ETag is that of a GET to the same
address.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from django.http import HttpResponseBase
from django.utils.http import parse_etags
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request, clone_request
from rest_framework.response import Response

from apps.cases.models import Case
from apps.web.errors import DomainError

HEADER: Final = "If-Match"
CHANGED: Final = "This has changed since you read it. Read it again, and send the change with its new ETag."


def tagged(response: HttpResponseBase) -> HttpResponseBase:
    """An answer of rows carries a tag of what it says, however it is written out."""
    if isinstance(response, Response) and response.status_code == 200 and "ETag" not in response:
        response["ETag"] = _tag(response.data)
    return response


def _tag(data: Any) -> str:
    return f'"{sha256(JSONRenderer().render(data)).hexdigest()[:32]}"'


def refuse_changed(
    request: Request, view: Callable[..., HttpResponseBase], case: Case, *args: Any, **kwargs: Any
) -> None:
    """412 where none of the tags in the header is that of now. The caller holds the case, so that nothing changes in
    between.
    """
    # A proxy that packs the answer marks its tag as weak; it still names the same rows.
    wanted = {tag.removeprefix("W/") for tag in parse_etags(request.headers[HEADER])}
    if wanted == {"*"}:
        return
    now = view(clone_request(request, "GET"), case, *args, **kwargs)
    if not isinstance(now, Response) or _tag(now.data) not in wanted:
        raise DomainError(CHANGED, status=412)
