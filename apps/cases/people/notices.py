"""What a person has been told, as far as the cases may still be seen; and the mail that says it."""

from __future__ import annotations

from smtplib import SMTPException
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from apps.accounts.models import User
from apps.cases.models import Case
from apps.notices.models import Kind, Notice
from apps.notices.services import mail_kinds
from apps.web.addresses import whole

SHOWN: Final = 200
COUNTED: Final = 99
LOOKED_AT: Final = 500
"""Unread ones that the bell looks at, newest first."""
SENTENCES: Final = {
    Kind.MENTION: "{by} mentions you in a note",
    Kind.ASSIGNED: "{by} assigned this case to you",
    Kind.STATE: "{by} set the state to “{words}”",
    Kind.READ: "An upload has been read, {words}",
    Kind.FAILED: "An upload cannot be read",
}


def shown_to(user: User) -> QuerySet[Notice]:
    """Who left a case, or whose case is in the trash, gets no more notices of it."""
    return Notice.objects.filter(user=user, case__in=Case.objects.visible_to(user).live())


def unread_text(user: User) -> str:
    """For the bell; empty where there is nothing new."""
    about = list(
        Notice.objects.filter(user=user, read_at__isnull=True)
        .order_by("-pk")
        .values_list("case_id", flat=True)[:LOOKED_AT]
    )
    if not about:
        return ""
    # The few cases first: the database would go through all that the person may see, on every page.
    seen = set(Case.objects.visible_to(user).live().filter(pk__in=set(about)).values_list("pk", flat=True))
    count = sum(1 for case in about if case in seen)
    return "" if not count else str(count) if count <= COUNTED else f"{COUNTED}+"


def bell(request: HttpRequest) -> dict[str, object]:
    """For every page; asked only where a page shows it."""
    user = request.user
    return {"unread_notices": SimpleLazyObject(lambda: unread_text(user) if user.is_authenticated else "")}


def sentence(notice: Notice) -> str:
    who = " ".join(str(notice.by or "Somebody").split())  # a subject of a mail is one line
    return SENTENCES[Kind(notice.kind)].format(by=who, words=notice.words)


def target(notice: Notice) -> str:
    """The path that it is about."""
    key = notice.case.key
    if notice.kind == Kind.MENTION:
        return f"{reverse('cases:notes', args=[key])}#{notice.anchor}"
    return reverse("cases:files" if notice.kind == Kind.FAILED else "diagnosis:timeline", args=[key])


class NotSentError(Exception):
    """The mail server did not take it; another time it may."""


def mail_notice(notice_id: int) -> None:
    """Looked at again when it is sent: the person may have left the case, read the notice, or wants no mail
    any more.
    """
    notice = Notice.objects.select_related("user", "case", "by").filter(pk=notice_id, read_at__isnull=True).first()
    if (
        notice is None
        or not notice.user.is_active
        or not notice.user.email
        or notice.kind not in mail_kinds(notice.user)
    ):
        return
    if not shown_to(notice.user).filter(pk=notice.pk).exists():
        return
    unsent = Notice.objects.filter(pk=notice.pk, mailed_at__isnull=True)
    if unsent.update(mailed_at=timezone.now()):
        try:
            _message(notice).send()
        except (OSError, SMTPException) as error:
            Notice.objects.filter(pk=notice.pk).update(mailed_at=None)
            raise NotSentError from error


def _message(notice: Notice) -> EmailMessage:
    """No word of a customer: a mail goes through other people's servers."""
    context = {
        "key": notice.case.key,
        "sentence": sentence(notice),
        "address": whole(target(notice)),
        "settings_address": whole(reverse("notices:settings")),
    }
    body = render_to_string("notices/mail.txt", context)
    return EmailMessage(
        f"{notice.case.key}: {sentence(notice)}", body, settings.DEFAULT_FROM_EMAIL, [notice.user.email]
    )
