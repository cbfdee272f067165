"""Single sign-on by OpenID Connect: one provider, named by environment variables."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from config.env import BadSetting, env_bool, env_list, env_required, env_secret, env_str

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Oidc:
    issuer: str = ""
    name: str = ""
    client_id: str = ""
    secret: str = ""
    creates: bool = False
    """Whether people of the provider who have no account get one."""
    domains: tuple[str, ...] = ()
    """Of verified mail addresses; only their people get one. Empty: all of the provider's."""
    team: str = ""
    """Slug of the team that new accounts are put on as viewers; empty for none."""

    @property
    def is_on(self) -> bool:
        return bool(self.issuer)

    @property
    def provider_id(self) -> str:
        """Another issuer is another provider: the numbers that one gives its people mean somebody else at the next."""
        return f"oidc-{sha256(self.issuer.encode()).hexdigest()[:12]}"

    def providers(self) -> dict[str, Any]:
        """As django-allauth's setting SOCIALACCOUNT_PROVIDERS wants it."""
        if not self.is_on:
            return {}
        options = {"server_url": self.issuer, "fetch_userinfo": True, "oauth_pkce_enabled": True}
        app = {
            "provider_id": self.provider_id,
            "name": self.name,
            "client_id": self.client_id,
            "secret": self.secret,
            "settings": options,
        }
        return {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}


def oidc_from_env() -> Oidc:
    issuer = env_str("LOCKSCOPE_OIDC_ISSUER", "").rstrip("/")
    if not issuer:
        return Oidc()
    address = urlsplit(issuer)
    is_local = address.hostname in LOCAL_NAMES
    if not address.hostname or not (address.scheme == "https" or (address.scheme == "http" and is_local)):
        raise BadSetting("LOCKSCOPE_OIDC_ISSUER", "must be an address that begins with https://")
    return Oidc(
        issuer=issuer,
        name=env_str("LOCKSCOPE_OIDC_NAME", "single sign-on"),
        client_id=env_required("LOCKSCOPE_OIDC_CLIENT_ID"),
        secret=env_secret("LOCKSCOPE_OIDC_SECRET"),
        creates=env_bool("LOCKSCOPE_OIDC_CREATES_ACCOUNTS", default=False),
        domains=tuple(domain.lower().lstrip("@") for domain in env_list("LOCKSCOPE_OIDC_DOMAINS", [])),
        team=env_str("LOCKSCOPE_OIDC_TEAM", ""),
    )
