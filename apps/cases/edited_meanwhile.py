"""A form on a row that somebody else, or another tab, may change while it is open: the second to save is told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final, TypeVar

from django import forms
from django.db.models import Model
from django.http import QueryDict

M = TypeVar("M", bound=Model)
DIGITS: Final = 12
SHOWN_CHARS: Final = 120
READ: Final = "read"


class EditedMeanwhileForm(forms.ModelForm[M]):
    """Holds what its sender read, a mark for each field. Where the row has changed since, the form is refused once with
    what stands there now; the same form sent again replaces it. A form without marks is taken as it is.
    """

    read = forms.CharField(required=False, max_length=2000, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._now = ",".join(_mark(self.initial.get(name)) for name in self._edited())
        self.initial[READ] = self._now

    def clean(self) -> dict[str, Any]:
        """Refuses a form whose sender has not read what it would replace."""
        values = super().clean() or {}
        read = values.pop(READ, "")
        if read and read != self._now:
            self.data = {**self.data.dict(), READ: self._now} if isinstance(self.data, QueryDict) else self.data
            self.add_error(None, self._refusal(read.split(",")))
        return values

    def _edited(self) -> list[str]:
        return [name for name in self.fields if name != READ]

    def _refusal(self, read: list[str]) -> str:
        changed = "; ".join(self._changed(read))
        return f"This was changed after you opened it{': ' if changed else ''}{changed}. Save again to replace it."

    def _changed(self, read: list[str]) -> Iterator[str]:
        for name, before, now in zip(self._edited(), read, self._now.split(","), strict=False):
            if before != now:
                field = self.fields[name]
                yield f"{field.label} is now \u201c{_shown(field, self.initial.get(name))}\u201d"


def _mark(value: Any) -> str:
    text = "" if value is None else str(value).replace("\r\n", "\n")
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:DIGITS]


def _shown(field: forms.Field, value: Any) -> str:
    """As the form shows it: the words of a choice, the start of a long text."""
    choices = dict(getattr(field, "choices", ()))
    found = next((label for key, label in choices.items() if str(key) == str(value if value is not None else "")), None)
    text = str(found if found is not None else value or "")
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}\u2026"
