"""Writing notes: who may change which, and what one may be pinned to."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases.lifetime.keeping import refuse_held
from apps.cases.models import Artifact, Case, Note
from apps.cases.notes.mentions import mentioned
from apps.cases.people.notify import tell_mentioned, tell_note
from apps.cases.services import lock_case


@transaction.atomic
def add_note(
    *,
    case: Case,
    author: User,
    text: str,
    at_us: int | None = None,
    artifact: Artifact | None = None,
    line: int | None = None,
    finding_ref: str = "",
    span: str = "",
    end_us: int | None = None,
) -> Note:
    pins = {
        "at_us": at_us,
        "artifact": artifact,
        "line": line,
        "finding_ref": finding_ref,
        "span": span,
        "end_us": end_us,
    }
    lock_case(case.pk)
    note = Note.objects.create(case=case, author=author, text=text, **pins)
    Case.objects.filter(pk=case.pk).update(updated_at=timezone.now())
    record("note.added", case=case, user=author, note=note.pk)
    tell_note(note, mentioned(case, text)[0], author)
    return note


@transaction.atomic
def edit_note(note: Note, *, text: str, by: User) -> None:
    _refuse_others(note, by)
    lock_case(note.case_id)
    note.text = text
    note.edited_at = timezone.now()
    note.save(update_fields=["text", "edited_at"])
    record("note.edited", case=note.case, user=by, note=note.pk)
    tell_mentioned(note, mentioned(note.case, text)[0], by)


@transaction.atomic
def delete_note(note: Note, *, by: User) -> None:
    _refuse_others(note, by)
    lock_case(note.case_id)
    refuse_held(note.case)
    record("note.deleted", case=note.case, user=by, note=note.pk)
    note.delete()


def _refuse_others(note: Note, by: User) -> None:
    if note.author_id != by.pk:
        raise PermissionDenied
