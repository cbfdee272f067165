from __future__ import annotations

from typing import Any, ClassVar

from django import forms

from apps.accounts.models import Role, Team, User


class NewUserForm(forms.ModelForm[User]):
    team = forms.ModelChoiceField(Team.objects.all(), required=False, empty_label="no team")
    role = forms.ChoiceField(choices=Role.choices, initial=Role.EDITOR, help_text="What the person may do with the team's cases.")
    is_administrator = forms.BooleanField(required=False, label="Administrator", help_text="Runs accounts; sees cases of own teams only.")

    class Meta:
        model = User
        fields = ("username", "display_name")
        labels: ClassVar = {"username": "User name", "display_name": "Full name"}
        help_texts: ClassVar = {"username": "Letters, digits and @ . + - _"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].widget.attrs["autocomplete"] = "off"

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError("There is an account with this name.")
        return username
