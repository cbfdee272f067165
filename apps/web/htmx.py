"""One view serves the page and its fragment; only the template differs."""

from __future__ import annotations

from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """A request that has passed django_htmx's middleware."""

    htmx: HtmxDetails


def is_fragment_request(request: HttpRequest) -> bool:
    """A request of htmx for a part of a page; going back in history and boosted links need the whole page."""
    htmx = cast("HtmxRequest", request).htmx
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def render_page(
    request: HttpRequest, page: str, *, partial: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    template = partial if is_fragment_request(request) else page
    response = render(request, template, context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response
