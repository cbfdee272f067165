"""A new password by mail: for open accounts that have a confirmed address and a password to forget."""

from __future__ import annotations

from hashlib import sha256
from smtplib import SMTPException
from typing import Final

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from apps.accounts.models import User
from apps.accounts.services import password_ended
from apps.accounts.sessions import end_other_sessions
from apps.audit.services import record
from apps.web.addresses import whole
from apps.web.errors import DomainError
from apps.web.queueing import send_or_leave

MAIL: Final = "accounts.mail_reset"
MAILS_MOST: Final = 3
WINDOW_S: Final = 3600
TOKEN_CHARS: Final = 100
GONE: Final = "This link has been used or has ended, or the account was used meanwhile. Ask for a new one."


def is_on() -> bool:
    """The link in the mail needs the address of this installation, which no request may make up."""
    return bool(settings.MAIL_HOST and settings.BASE_URL)


def ask(address: str) -> None:
    """The answer is the same, and as quick, whether there is such an account: the mail is a task's."""
    accounts = User.objects.filter(email__iexact=address.strip(), is_active=True).exclude(email="")
    chosen = [user.pk for user in accounts if user.has_usable_password()]
    if chosen and _is_within_limit(address):
        for user_id in chosen:
            send_or_leave(MAIL, user_id)


def _is_within_limit(address: str) -> bool:
    """Nobody's mailbox is filled from here."""
    key = f"reset:{sha256(address.strip().lower().encode()).hexdigest()}"
    cache.add(key, 0, WINDOW_S)
    try:
        return cache.incr(key) <= MAILS_MOST
    except ValueError:  # it ended between the two calls
        return True


class NotSentError(Exception):
    """The mail server did not take it; another time it may."""


def token_for(user: User) -> str:
    """One part of an address, so that the log hides all of it. Void after an hour, a new password, or the
    next sign-in.
    """
    return f"{user.pk}.{default_token_generator.make_token(user)}"


def account_of(token: str) -> User:
    number, _, rest = token[:TOKEN_CHARS].partition(".")
    user = (
        User.objects.filter(pk=number, is_active=True).first()
        if number.isascii() and number.isdecimal() and len(number) < 19
        else None
    )
    if user is None or not user.has_usable_password() or not default_token_generator.check_token(user, rest):
        raise DomainError(GONE, status=410)
    return user


def send(user_id: int) -> None:
    user = User.objects.filter(pk=user_id, is_active=True).exclude(email="").first()
    if user is None:
        return
    link = whole(reverse("accounts:password_new", args=[token_for(user)]))
    body = render_to_string(
        "accounts/reset_mail.txt", {"account": user, "link": link, "minutes": settings.PASSWORD_RESET_TIMEOUT // 60}
    )
    try:
        EmailMessage("A new password for Lockscope", body, settings.DEFAULT_FROM_EMAIL, [user.email]).send()
    except (OSError, SMTPException) as error:
        raise NotSentError from error


@transaction.atomic
def set_password(user: User, password: str) -> None:
    """Whoever is signed in to the account is signed out, and its API tokens end."""
    user.set_password(password)
    user.save(update_fields=["password"])
    password_ended.send(User, user=user)
    end_other_sessions(user, None)
    record("account.password_reset", user=user, account=user.get_username())
