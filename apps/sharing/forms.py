"""What is asked for a new link."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from apps.sharing.levels import LEVELS
from apps.sharing.models import ShareLink
from apps.sharing.services import LEAST_PASSWORD, MOST_VIEWS

DAYS = (1, 7, 14, 30, 90)


class LinkForm(forms.Form):
    """End date is on by default."""

    level = forms.ChoiceField(initial=ShareLink.Level.DEVELOPMENT, widget=forms.RadioSelect, required=False)
    days = forms.TypedChoiceField(coerce=int, label="Ends after", widget=forms.RadioSelect)
    note = forms.CharField(max_length=200, required=False, label="Note to yourself")
    password = forms.CharField(
        max_length=200,
        required=False,
        min_length=LEAST_PASSWORD,
        label="Password",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    views_most = forms.IntegerField(required=False, min_value=1, max_value=MOST_VIEWS, label="Max. views")
    view = forms.CharField(max_length=2000, required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        levels: Any = self.fields["level"]
        levels.choices = [(level.name, level.label) for level in LEVELS.values()]
        days: Any = self.fields["days"]
        days.choices = [(d, f"{d} day{'' if d == 1 else 's'}") for d in offered_days()]
        days.initial = settings.LIMITS.link_days
        self.fields["note"].widget.attrs["placeholder"] = "for whom is this link?"
        self.fields["views_most"].widget.attrs |= {"placeholder": "any number", "inputmode": "numeric"}
        self.fields["password"].widget.attrs["placeholder"] = "none"

    def clean_level(self) -> str:
        """A form that names none means the narrowest audience with names of its own: the customer's."""
        return str(self.cleaned_data["level"] or ShareLink.Level.CUSTOMER)


class EndForm(forms.Form):
    """A new end of a link."""

    days = forms.TypedChoiceField(coerce=int)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        days: Any = self.fields["days"]
        days.choices = [(d, str(d)) for d in offered_days()]


def offered_days() -> list[int]:
    """Ends to choose from."""
    return sorted({d for d in (*DAYS, settings.LIMITS.link_days) if d <= settings.LIMITS.link_days_max})
