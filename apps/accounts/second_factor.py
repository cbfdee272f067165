"""Second factors: an authenticator app, passkeys, recovery codes. Their secrets lie encrypted in the database."""

from __future__ import annotations

import ipaddress
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest

from apps.accounts.models import User
from apps.audit.services import record


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # the package tells no types
    """What allauth asks of us for second factors."""

    def encrypt(self, text: str) -> str:
        return _fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Under another key the secret is gone: no code fits, and an administrator takes the factor away."""
        try:
            return _fernet().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return ""

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        number = Authenticator.objects.filter(user=user, type=type).count()
        return f"Passkey {number + 1}"


def _fernet() -> Fernet:
    key = sha256(b"second-factor:" + settings.SECRET_KEY.encode()).digest()
    return Fernet(urlsafe_b64encode(key))


def has_second_factor(user: User) -> bool:
    return bool(
        Authenticator.objects.filter(
            user=user, type__in=(Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
        ).exists()
    )


@transaction.atomic
def remove_second_factors(user: User, *, by: User | None) -> None:
    """For somebody who lost the device; password or link alone open the account then."""
    count, _ = Authenticator.objects.filter(user=user).delete()
    if count:
        record("account.factors_removed", user=by, account=user.get_username())


def note_added(request: HttpRequest, user: User, authenticator: Authenticator, **_kwargs: Any) -> None:
    record("account.factor_added", request=request, user=user, kind=str(authenticator.type))
    if authenticator.type == Authenticator.Type.WEBAUTHN:
        # The passkey was used a moment ago, so its owner is not asked once more before the recovery codes are shown.
        record_authentication(
            request, user, method="mfa", id=authenticator.pk, type=str(authenticator.type), reauthenticated=True
        )


def note_removed(request: HttpRequest, user: User, authenticator: Authenticator, **_kwargs: Any) -> None:
    record("account.factor_removed", request=request, user=user, kind=str(authenticator.type))


def can_have_passkeys(request: HttpRequest) -> bool:
    """Browsers bind a passkey to a host name; an address of numbers can have none."""
    host = request.get_host().rsplit(":", 1)[0].strip("[]")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return True
    return False
