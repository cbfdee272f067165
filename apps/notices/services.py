"""Telling people: a row for the page, and a mail where the person wants one and mail is set up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.notices.models import Kind, MailChoice, Notice
from apps.web.queueing import send_or_leave
from apps.web.unlocked import nobody_waited_for

if TYPE_CHECKING:
    from apps.cases.models import Case

MAIL: Final = "cases.mail_notice"
BY_MAIL: Final = (Kind.MENTION, Kind.ASSIGNED, Kind.FAILED)
"""Where a person has chosen nothing yet."""
KEPT_DAYS: Final = 90


@transaction.atomic
def tell(
    people: Iterable[User],
    kind: Kind,
    *,
    case: Case,
    key: str,
    by: User | None = None,
    words: str = "",
    anchor: str = "",
    renews: bool = False,
) -> list[Notice]:
    """Each of them once, whoever did it left out. That they may see the case is for the caller to know. ``renews``: one
    of this kind and case that nobody has read yet says it from now on, in place of a second one.
    """
    made = []
    for user in {one.pk: one for one in people if by is None or one.pk != by.pk}.values():
        if renews and _renewed(user, kind, case, key, words):
            continue
        notice, is_new = Notice.objects.get_or_create(
            user=user, key=key, defaults={"case": case, "kind": kind, "by": by, "words": words[:200], "anchor": anchor}
        )
        if is_new:
            made.append(notice)
            _mail(notice, user)
    return made


def _renewed(user: User, kind: Kind, case: Case, key: str, words: str) -> bool:
    if Notice.objects.filter(user=user, key=key).exists():
        return True
    unread = Notice.objects.filter(user=user, kind=kind, case=case, read_at__isnull=True)
    last = unread.order_by("-pk").values_list("pk", flat=True).first()
    changed = {"key": key, "words": words[:200], "created_at": timezone.now()}
    return last is not None and unread.filter(pk=last).update(**changed) > 0


def _mail(notice: Notice, user: User) -> None:
    if settings.MAIL_HOST and user.email and notice.kind in mail_kinds(user):
        transaction.on_commit(partial(send_or_leave, MAIL, notice.pk))  # the page tells it in any case


def mail_kinds(user: User) -> list[str]:
    choice = MailChoice.objects.filter(user=user).first()
    return list(BY_MAIL) if choice is None else [kind for kind in Kind.values if kind in choice.kinds]


def choose_mail(user: User, kinds: Sequence[str]) -> None:
    MailChoice.objects.update_or_create(user=user, defaults={"kinds": [kind for kind in Kind.values if kind in kinds]})


def mark_read(user: User, notice_id: int | None = None) -> None:
    """One of one's own, or all."""
    rows = Notice.objects.filter(user=user, read_at__isnull=True)
    with nobody_waited_for(rows if notice_id is None else rows.filter(pk=notice_id)) as free:
        free.update(read_at=timezone.now())


def forget_old() -> int:
    """Nobody goes through what is older than a quarter."""
    with nobody_waited_for(Notice.objects.filter(created_at__lt=timezone.now() - timedelta(days=KEPT_DAYS))) as free:
        return free.delete()[0]
