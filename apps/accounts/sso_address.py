"""Addresses of single sign-on: where the way to the provider begins, and where the provider sends people back to."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode


def sign_in_url(target: str = "") -> str:
    """Empty where no provider is set."""
    if not settings.OIDC.is_on:
        return ""
    address = reverse("openid_connect_login", args=[settings.OIDC.provider_id])
    return f"{address}?{urlencode({'next': target})}" if target else address


def connect_url() -> str:
    address = sign_in_url()
    return f"{address}?{urlencode({'process': 'connect'})}" if address else ""


def callback_path() -> str:
    """To be registered with the provider."""
    return reverse("openid_connect_callback", args=[settings.OIDC.provider_id])
