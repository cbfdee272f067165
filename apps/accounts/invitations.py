"""Links that put somebody on a team: made by its owners, used once, ended by a date, kept only as a keyed hash."""

from __future__ import annotations

import secrets
from datetime import timedelta
from smtplib import SMTPException
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.crypto import salted_hmac

from apps.accounts.models import Invitation, Role, Team, TeamMembership, User
from apps.accounts.services import TOKEN_BYTES
from apps.accounts.teams import put_on_team, refuse_own_entry
from apps.audit.services import record
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

DAYS_DEFAULT: Final = 7
DAYS_MOST: Final = 30
TOKEN_CHARS: Final = 64


class InvitationGoneError(DomainError):
    def __init__(self) -> None:
        super().__init__(
            "This invitation has been used, withdrawn, has ended, or was never given out. Ask an owner "
            "of the team for a new one.",
            status=410,
        )


@dataclass(frozen=True, slots=True)
class FreshInvitation:
    """With its token: the one moment at which the token is known."""

    invitation: Invitation
    token: str


def token_hash(token: str) -> str:
    return salted_hmac("lockscope.accounts.invitation", token, algorithm="sha256").hexdigest()


@transaction.atomic
def invite(*, team: Team, role: str, days: int, by: User, email: str = "") -> FreshInvitation:
    if not 1 <= days <= DAYS_MOST:
        raise DomainError(f"An invitation ends after 1 to {DAYS_MOST} days.", status=422)
    now = timezone.now()
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        token_hash=token_hash(token),
        team=team,
        role=Role(role),
        email=email.strip(),
        created_by=by,
        created_at=now,
        ends_at=now + timedelta(days=days),
    )
    record(
        "team.invited",
        user=by,
        team=team.slug,
        role=invitation.role,
        to=invitation.email,
        ends_at=invitation.ends_at.isoformat(),
    )
    return FreshInvitation(invitation, token)


def open_invitation(token: str) -> Invitation:
    """The invitation of a token while it can be used."""
    if len(token) > TOKEN_CHARS:
        raise InvitationGoneError
    waiting = Invitation.objects.filter(token_hash=token_hash(token), used_at__isnull=True, ends_at__gt=timezone.now())
    found = waiting.select_related("team", "created_by").first()
    if found is None:
        raise InvitationGoneError
    return found


def was_invitation(token: str) -> bool:
    """Whether there is such an invitation, open or not."""
    return len(token) <= TOKEN_CHARS and Invitation.objects.filter(token_hash=token_hash(token)).exists()


@transaction.atomic
def accept(invitation: Invitation, *, user: User) -> None:
    """Of two at once only one changes the row. Somebody on the team already keeps their role, and the link stays for
    another.
    """
    if TeamMembership.objects.filter(team=invitation.team_id, user=user).exists():
        raise DomainError(f"You are on {invitation.team.name} already.", status=409)
    if invitation.created_by is not None:
        refuse_own_entry(invitation.team, user, by=invitation.created_by)
    now = timezone.now()
    unused = Invitation.objects.filter(pk=invitation.pk, used_at__isnull=True, ends_at__gt=now)
    if not unused.update(used_at=now, used_by=user):
        raise InvitationGoneError
    put_on_team(invitation.team, user, Role(invitation.role), by=user)
    record("team.invitation_used", user=user, team=invitation.team.slug, role=invitation.role)


@transaction.atomic
def withdraw(invitation: Invitation, *, by: User) -> None:
    if invitation.used_at is None:
        invitation.delete()
        record("team.invitation_withdrawn", user=by, team=invitation.team.slug, to=invitation.email)


def send_by_mail(fresh: FreshInvitation, *, link: str) -> bool:
    """Whether the mail server took it. The link goes to the one address it is meant for, and into no queue or log."""
    invitation = fresh.invitation
    context = {"invitation": invitation, "link": link}
    body = render_to_string("accounts/invitation_mail.txt", context)
    mail = EmailMessage(
        f"Invitation to {_one_line(invitation.team.name)} on Lockscope",
        body,
        settings.DEFAULT_FROM_EMAIL,
        [invitation.email],
    )
    try:
        return bool(mail.send())
    except (OSError, SMTPException):
        return False


def _one_line(text: str) -> str:
    return " ".join(text.split())
