"""Accounts and the links that open them."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.crypto import salted_hmac

from apps.accounts.models import Role, SignInToken, Team, TeamMembership, User
from apps.audit.services import record
from apps.web.errors import DomainError

TOKEN_BYTES = 20
LINK_HOURS = 72
SIGN_IN_PATH = "/accounts/enter/{token}"
"""Of the address "accounts:enter". Asking the table of addresses would import every page, seconds of each start."""
FIRST_TEAM = ("Support", "support")

password_ended: Final = Signal()
"""Sent with ``user`` in the transaction that ends their password: what else opens the account ends with it."""


class LinkGoneError(DomainError):
    def __init__(self) -> None:
        super().__init__(
            "This sign-in link has been used, has ended, or was never given out. Ask an administrator for a new one.",
            status=410,
        )


def token_hash(token: str) -> str:
    return salted_hmac("lockscope.accounts.sign_in", token, algorithm="sha256").hexdigest()


@transaction.atomic
def make_sign_in_token(user: User) -> str:
    """A fresh link takes the place of those not used yet."""
    now = timezone.now()
    SignInToken.objects.filter(user=user, used_at__isnull=True).delete()
    token = secrets.token_urlsafe(TOKEN_BYTES)
    SignInToken.objects.create(
        hash=token_hash(token), user=user, created_at=now, expires_at=now + timedelta(hours=LINK_HOURS)
    )
    return token


def was_sign_in_token(token: str) -> bool:
    """Whether there is such a link, open or not: who comes late does not guess."""
    return SignInToken.objects.filter(hash=token_hash(token)).exists()


@transaction.atomic
def use_sign_in_token(token: str) -> User:
    now = timezone.now()
    fresh = SignInToken.objects.filter(
        hash=token_hash(token), used_at__isnull=True, expires_at__gt=now, user__is_active=True
    )
    found = fresh.select_related("user").first()
    # Of two requests at once only one changes the row.
    if found is None or not fresh.update(used_at=now):
        raise LinkGoneError
    return found.user


@transaction.atomic
def create_user(
    *,
    username: str,
    display_name: str = "",
    team: Team | None = None,
    role: str = Role.EDITOR,
    is_administrator: bool = False,
    by: User | None = None,
) -> User:
    """Without a password: the person comes in by a one-time link and sets one."""
    user = User(username=username, display_name=display_name, is_staff=is_administrator)
    user.set_unusable_password()
    user.save()
    if team is not None:
        TeamMembership.objects.create(user=user, team=team, role=role)
    record("account.created", user=by, account=username, team=team.slug if team else "", administrator=is_administrator)
    return user


@transaction.atomic
def set_active(user: User, *, is_active: bool, by: User) -> None:
    if user.pk == by.pk:
        raise DomainError("You cannot close your own account. Another administrator can.", status=409)
    user.is_active = is_active
    user.save(update_fields=["is_active"])
    SignInToken.objects.filter(user=user, used_at__isnull=True).delete()
    record("account.opened" if is_active else "account.closed", user=by, account=user.get_username())


@transaction.atomic
def reset_link(user: User, *, by: User) -> str:
    """The old password, every open session and API token end; the link is the only way in until a new password is
    set.
    """
    if not user.is_active:
        raise DomainError("This account is closed. Open it first.", status=409)
    user.set_unusable_password()
    user.save(update_fields=["password"])
    password_ended.send(User, user=user)
    record("account.link_made", user=by, account=user.get_username())
    return make_sign_in_token(user)


def _set_first_password(user: User, password: str) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise DomainError(f"LOCKSCOPE_ADMIN_PASSWORD is too easy to guess: {' '.join(error.messages)}") from error
    user.set_password(password)
    user.save(update_fields=["password"])


@transaction.atomic
def first_user() -> User:
    """The local administrator, made where there is nobody yet; afterwards the first active administrator."""
    if not User.objects.exists():
        team, _ = Team.objects.get_or_create(slug=FIRST_TEAM[1], defaults={"name": FIRST_TEAM[0]})
        user = create_user(
            username=settings.FIRST_ADMIN,
            display_name="Administrator",
            team=team,
            role=Role.OWNER,
            is_administrator=True,
        )
        if settings.FIRST_ADMIN_PASSWORD:
            _set_first_password(user, settings.FIRST_ADMIN_PASSWORD)
        return user
    found = User.objects.filter(is_staff=True, is_active=True).order_by("pk").first()
    if found is None:
        raise DomainError("No active administrator is left; name an account with --user.")
    return found
