"""Who may come in by the provider of single sign-on (docs/adr/0011-sign-in-by-allauth.md has the rules)."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter as account_adapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse

from apps.accounts.models import Role, Team, TeamMembership, User
from apps.audit.services import record
from apps.web.errors import DomainError

NAME_CHARS = 150
ONLY_WAY_IN = "This is the only way into your account. Set a password first."


class SsoAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # the package tells no types
    """An unknown person gets an account only where the settings say so, and is never joined to one that is there."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Addresses are not kept as such: nothing here is looked up by mail address."""
        del request
        sociallogin.claimed = [(one.email.lower(), bool(one.verified)) for one in sociallogin.email_addresses]
        sociallogin.email_addresses = []

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        del request
        return may_get_account(getattr(sociallogin, "claimed", []))

    def is_auto_signup_allowed(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """There is no form in between: name and user name come from the provider."""
        del request, sociallogin
        return True

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        user: User = super().populate_user(request, sociallogin, data)
        address = user.email
        user.username = (user.username or address.partition("@")[0])[:NAME_CHARS]
        user.display_name = str(data.get("name") or "")[:NAME_CHARS]
        user.email = ""
        return user

    @transaction.atomic
    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        user: User = sociallogin.user
        user.username = account_adapter().generate_unique_username([user.username, user.display_name, "user"])
        super().save_user(request, sociallogin, form)
        team = Team.objects.filter(slug=settings.OIDC.team).first() if settings.OIDC.team else None
        if team is not None:
            TeamMembership.objects.create(user=user, team=team, role=Role.VIEWER)
        record(
            "account.created",
            request=request,
            user=user,
            account=user.get_username(),
            by="single sign-on",
            team=team.slug if team else "",
        )
        return user

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: SocialAccount) -> str:
        del request, socialaccount
        return reverse("accounts:security")


def may_get_account(addresses: list[tuple[str, bool]]) -> bool:
    """Only an address that the provider has verified counts for a domain."""
    if not settings.OIDC.creates:
        return False
    domains = settings.OIDC.domains
    return not domains or any(is_verified and _domain(email) in domains for email, is_verified in addresses)


def _domain(email: str) -> str:
    """Empty for what is no address."""
    name, at, domain = email.rpartition("@")
    return domain if name and at else ""


@transaction.atomic
def disconnect(account: SocialAccount, *, by: User) -> None:
    if not by.has_usable_password():
        raise DomainError(ONLY_WAY_IN, status=409)
    account.delete()
    record("account.sso_disconnected", user=by, account=by.get_username())


def note_connected(request: HttpRequest, sociallogin: SocialLogin, **_kwargs: Any) -> None:
    record("account.sso_connected", request=request, user=sociallogin.user, account=sociallogin.user.get_username())
