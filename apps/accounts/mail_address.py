"""The mail address of an account: it counts once a link that was sent there has been opened by its person."""

from __future__ import annotations

from smtplib import SMTPException
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string

from apps.accounts.models import User
from apps.audit.services import record
from apps.web.errors import DomainError

SALT: Final = "lockscope.accounts.mail"
HOURS: Final = 24
TOKEN_CHARS: Final = 600
GONE: Final = (
    "This link has been used, has ended, or is for another account. Sign in to the account that it is for, "
    "or ask for a new link."
)


def token_for(user: User, address: str) -> str:
    """Void once the account has another address: it names the one before."""
    return signing.dumps({"user": user.pk, "address": address, "before": user.email}, salt=SALT)


def address_in(token: str, user: User) -> str:
    """The address that the link was sent to."""
    try:
        claims: dict[str, Any] = signing.loads(token[:TOKEN_CHARS], salt=SALT, max_age=HOURS * 3600)
    except signing.BadSignature:
        raise DomainError(GONE, status=410) from None
    if claims["user"] != user.pk or claims["before"] != user.email or claims["address"] == user.email:
        raise DomainError(GONE, status=410)
    return str(claims["address"])


@transaction.atomic
def confirm(token: str, *, user: User) -> None:
    user.email = address_in(token, user)
    user.save(update_fields=["email"])
    record("account.mail_set", user=user, account=user.get_username())


@transaction.atomic
def remove(user: User) -> None:
    if user.email:
        user.email = ""
        user.save(update_fields=["email"])
        record("account.mail_removed", user=user, account=user.get_username())


def send_link(user: User, address: str, *, link: str) -> bool:
    """Whether the mail server took it."""
    body = render_to_string("accounts/address_mail.txt", {"account": user, "link": link, "hours": HOURS})
    try:
        return bool(EmailMessage("Your mail address on Lockscope", body, settings.DEFAULT_FROM_EMAIL, [address]).send())
    except (OSError, SMTPException):
        return False
