"""The one way into a session, whatever proved who somebody is: password, link, invitation, passkey, single sign-on.

All pass through django-allauth's stages, so that whoever has a second factor is asked for it on every way.
"""

from __future__ import annotations

from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import perform_login
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.models import SocialAccount
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url

from apps.accounts.models import User
from apps.audit.services import record
from apps.web.errors import error_response

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
METHOD: Final = "lockscope_signed_in_by"
BY_LINK: Final = "one-time link"
NO_WAY_BACK: Final = "lockscope_no_way_back"
"""In the session of somebody who could not come back after signing out."""
SILENT: Final = frozenset({"account/messages/logged_in.txt", "account/messages/logged_out.txt"})
CLOSED: Final = "This account is closed. An administrator can open it."


def sign_in_as(request: HttpRequest, user: User, *, method: str, to: str = "cases:list") -> HttpResponse:
    """Leads to the page wanted, or to the question for the second factor first."""
    request.session[METHOD] = method
    response: HttpResponse = perform_login(request, user, redirect_url=resolve_url(to))
    return response


def has_a_way_back(user: User) -> bool:
    """Whether somebody can sign in without another link: by password, passkey or single sign-on."""
    return (
        user.has_usable_password()
        or Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN).exists()
        or SocialAccount.objects.filter(user=user).exists()
    )


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # the package tells no types
    """How allauth behaves here."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Accounts come from administrators, invitations and the provider's own rules."""
        del request
        return False

    def login(self, request: HttpRequest, user: User) -> None:
        """The session names Django's own backend, whichever of them found the account."""
        method = request.session.pop(METHOD, "")
        user.backend = BACKEND
        super().login(request, user)
        if method == BY_LINK and not has_a_way_back(user):
            request.session[NO_WAY_BACK] = True
        record("account.signed_in", request=request, method=method or _method_of(request))

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """For everything that changes how an account is opened."""
        del app, kwargs
        return True

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """The first one is asked for: a passkey before a code, where recovery codes are the only codes there are."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if is_mfa_enabled(user, [Authenticator.Type.TOTP]):
            return methods
        return sorted(methods, key=lambda one: one["id"] == "mfa_reauthenticate")

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        del user
        return error_response(request, CLOSED, status=403)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Our middleware has put the client's own address there; on a unix socket there is none."""
        return str(request.META.get("REMOTE_ADDR") or "127.0.0.1")

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        """A message that one has signed in helps nobody."""
        if message_template not in SILENT:
            super().add_message(request, level, message_template, *args, **kwargs)


def _method_of(request: HttpRequest) -> str:
    records = request.session.get("account_authentication_methods") or [{}]
    names = [str(one.get("type") or one.get("method") or "") for one in records if isinstance(one, dict)]
    return " and ".join(dict.fromkeys(name for name in names if name))
