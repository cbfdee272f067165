"""One's own account: password, second factors, single sign-on, and where one is signed in."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.accounts import sessions, sso
from apps.accounts.access import person, signed_in
from apps.accounts.second_factor import can_have_passkeys
from apps.accounts.sso_address import connect_url


@never_cache
@require_GET
@signed_in
def security(request: HttpRequest) -> HttpResponse:
    user = person(request)
    factors = list(Authenticator.objects.filter(user=user).order_by("pk"))
    by_type = {one.type: one for one in factors}
    codes = by_type.get(Authenticator.Type.RECOVERY_CODES)
    connected = (
        SocialAccount.objects.filter(user=user, provider=settings.OIDC.provider_id).first()
        if settings.OIDC.is_on
        else None
    )
    context = {
        "has_password": user.has_usable_password(),
        "has_mail": bool(settings.MAIL_HOST),
        "totp": by_type.get(Authenticator.Type.TOTP),
        "codes_left": len(codes.wrap().get_unused_codes()) if codes else None,
        "passkeys": [
            {"row": one, "name": one.wrap().name} for one in factors if one.type == Authenticator.Type.WEBAUTHN
        ],
        "can_have_passkeys": can_have_passkeys(request),
        "sso": settings.OIDC if settings.OIDC.is_on else None,
        "connected": connected,
        "connect_url": connect_url(),
        "sessions": sessions.open_sessions(user, request.session.session_key),
    }
    return render(request, "accounts/security.html", context)


@require_POST
@signed_in
def session_end(request: HttpRequest, session_id: int) -> HttpResponse:
    """Somebody else's session is not there."""
    if sessions.end_session(person(request), session_id):
        messages.success(request, "That browser is signed out.")
    return redirect("accounts:security")


@require_POST
@signed_in
def sessions_end(request: HttpRequest) -> HttpResponse:
    count = sessions.end_other_sessions(person(request), request.session.session_key)
    messages.success(request, f"{count} other browser{' is' if count == 1 else 's are'} signed out.")
    return redirect("accounts:security")


@require_POST
@signed_in
def sso_disconnect(request: HttpRequest) -> HttpResponse:
    user = person(request)
    account = get_object_or_404(SocialAccount, user=user, provider=settings.OIDC.provider_id)
    sso.disconnect(account, by=user)
    messages.success(request, f"{settings.OIDC.name} no longer opens this account.")
    return redirect("accounts:security")
