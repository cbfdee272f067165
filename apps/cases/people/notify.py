"""Who is notified when something happens to a case: people by notice and mail, programs of the team by webhook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.urls import reverse

from apps.accounts.models import User
from apps.cases.models import Bundle, Case, Note
from apps.notices.models import Kind
from apps.notices.services import tell
from apps.webhooks.services import Happening, announce

FORMS: Final = {
    "healthy": "nothing wrong found",
    "not_judged": "not judged",
    "unexplained": "severity {severity}, not explained by a rule",
}
"""What a verdict is worth, where that is not a finding of its severity."""


def _page(case: Case) -> str:
    return reverse("diagnosis:timeline", args=[case.key])


def _followers(case: Case, *more: User | None) -> list[User]:
    """Whose case it is and who opened it, as far as they may still see it."""
    people = {one.pk: one for one in (case.assignee, case.created_by, *more) if one is not None}
    return [user for user in people.values() if Case.objects.visible_to(user).filter(pk=case.pk).exists()]


def tell_note(note: Note, people: Sequence[User], by: User) -> None:
    """`people`: those whom it names."""
    tell_mentioned(note, people, by)
    what = Happening("note.added", f"note-{note.pk}", f"{by} wrote a note", by=by.get_username())
    announce(note.case, what, path=f"{reverse('cases:notes', args=[note.case.key])}#note-{note.pk}")


def tell_mentioned(note: Note, people: Sequence[User], by: User) -> None:
    """Each once for a note, however often it is changed."""
    tell(people, Kind.MENTION, case=note.case, key=f"note-{note.pk}", by=by, anchor=f"note-{note.pk}")


def tell_assigned(case: Case, assignee: User | None, by: User, number: int) -> None:
    """`number`: of the event in the trail, which names this change."""
    if assignee is not None:
        tell([assignee], Kind.ASSIGNED, case=case, key=f"event-{number}", by=by)
    words = f"assigned to {assignee}" if assignee is not None else "assigned to nobody"
    what = Happening(
        "case.assigned", f"event-{number}", words, by.get_username(), {"assignee": assignee and assignee.get_username()}
    )
    announce(case, what, path=_page(case))


def tell_state(case: Case, by: User | None, number: int) -> None:
    words = case.get_state_display()
    tell(_followers(case), Kind.STATE, case=case, key=f"event-{number}", by=by, words=words)
    what = Happening("case.state", f"event-{number}", f"state is now {words}", by.get_username() if by else "")
    announce(case, what, path=_page(case))


def tell_read(bundle: Bundle, *, is_sampled: bool) -> None:
    """``is_sampled``: one of many samples of a live watch, of which the team's chat hears what blocks."""
    case = bundle.case
    words = f"severity {case.severity}" if case.severity else "without a verdict"
    words = FORMS.get(case.verdict_form, words).format(severity=case.severity)
    people = _followers(case, bundle.uploaded_by)
    tell(people, Kind.READ, case=case, key=f"read-{bundle.pk}", words=words, renews=True)
    if not is_sampled:
        what = Happening("bundle.read", f"read-{bundle.pk}", f"an upload has been read, {words}")
        announce(case, what, path=_page(case))


def tell_failed(bundle: Bundle) -> None:
    case = bundle.case
    key = f"failed-{bundle.pk}-{bundle.told_at:%Y%m%d%H%M%S}"  # tried again, it may fail again
    tell(_followers(case, bundle.uploaded_by), Kind.FAILED, case=case, key=key)
    announce(
        case, Happening("bundle.failed", key, "an upload cannot be read"), path=reverse("cases:files", args=[case.key])
    )


def tell_blocked(case: Case, blocker: str, samples: int) -> None:
    """``blocker``: names what blocks without saying it; told once."""
    words = f"live: the same root for {samples} samples"
    what = Happening("case.blocked", f"blocked-{case.pk}-{blocker}", words, more={"samples": samples})
    announce(case, what, path=_page(case))
