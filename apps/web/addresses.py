"""Whole addresses for what leaves the program: mails and messages to other programs."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings


def whole(path: str) -> str:
    """The address of one of our paths as people type it; empty where the settings do not tell it."""
    base = urlsplit(settings.BASE_URL)
    return f"{base.scheme}://{base.netloc}{path}" if settings.BASE_URL else ""
