"""What is asked for a new link."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

DAYS = (1, 7, 14, 30, 90)


class LinkForm(forms.Form):
    """End date is on by default."""

    days = forms.TypedChoiceField(coerce=int, label="Ends after", widget=forms.RadioSelect)
    note = forms.CharField(max_length=200, required=False, label="Note to yourself", help_text="For whom is this link?")
    view = forms.CharField(max_length=2000, required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = sorted({d for d in (*DAYS, settings.LIMITS.link_days) if d <= settings.LIMITS.link_days_max})
        days: Any = self.fields["days"]
        days.choices = [(d, f"{d} day{'' if d == 1 else 's'}") for d in offered]
        days.initial = settings.LIMITS.link_days
