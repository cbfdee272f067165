"""Every address says who may call it: a view without `policy` fails here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from tests.every import every

KNOWN = {
    "public",
    "signed_in",
    "administrator",
    "link",
    "case:viewer",
    "case:editor",
    "case:owner",
    "case:administrator",
    "team:viewer",
    "team:editor",
    "team:owner",
}
# What is open to everybody is listed by hand, so that a new entry is a decision.
PUBLIC = {
    "web:healthz", "web:readyz", "web:version", "operations:metrics", "accounts:sign_in", "accounts:sign_out",
    "accounts:enter",
    "accounts:invitation",
    "account_login", "account_logout", "mfa_authenticate", "mfa_login_webauthn", "openid_connect_login",
    "openid_connect_callback",
    "socialaccount_login_cancelled", "api_not_found", "accounts:password_forgotten", "accounts:password_new",
}  # fmt: skip


def patterns(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            name = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
            yield from patterns(entry, name)
        else:
            yield f"{prefix}{entry.name}", entry


ALL = list(patterns(get_resolver()))


@every(ALL, lambda address: address[0])
def test_every_address_has_a_policy(address: tuple[str, URLPattern]) -> None:
    name, pattern = address
    policy: Any = getattr(pattern.callback, "policy", None)
    assert policy in KNOWN
    assert (policy == "public") == (name in PUBLIC)


def test_addresses_with_a_case_get_it_through_the_decorator() -> None:
    for name, pattern in ALL:
        if "key" in pattern.pattern.converters:
            assert str(getattr(pattern.callback, "policy", "")).startswith("case:"), name
        if "slug" in pattern.pattern.converters:
            assert str(getattr(pattern.callback, "policy", "")).startswith("team:"), name
