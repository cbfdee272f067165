from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib.auth.forms import BaseUserCreationForm, PasswordChangeForm

from apps.accounts.invitations import DAYS_DEFAULT, DAYS_MOST
from apps.accounts.models import Role, Team, User


def refuse_taken_name(username: str) -> None:
    if User.objects.filter(username__iexact=username).exists():
        raise forms.ValidationError("There is an account with this name.")


class NewUserForm(forms.ModelForm[User]):
    team = forms.ModelChoiceField(Team.objects.all(), required=False, empty_label="no team")
    role = forms.ChoiceField(
        choices=Role.choices, initial=Role.EDITOR, help_text="What the person may do with the team's cases."
    )
    is_administrator = forms.BooleanField(
        required=False,
        label="Administrator",
        help_text="Runs accounts and teams; reads cases of others only after stating a reason.",
    )

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
        refuse_taken_name(username)
        return username


class InvitedForm(BaseUserCreationForm[User]):
    """An account of one's own, made with an invitation."""

    class Meta:
        model = User
        fields = ("username", "display_name")
        labels: ClassVar = NewUserForm.Meta.labels
        help_texts: ClassVar = NewUserForm.Meta.help_texts

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        refuse_taken_name(username)
        return username


class NewPasswordForm(PasswordChangeForm):
    """In the place of the one that is set."""

    keeps_tokens = forms.BooleanField(
        required=False,
        label="Keep my API tokens",
        help_text="They end with the old password otherwise, and programs that use them need new ones.",
    )


class TeamForm(forms.Form):
    name = forms.CharField(max_length=100, label="Name")


class NewTeamForm(TeamForm):
    is_owner = forms.BooleanField(required=False, initial=True, label="Make me an owner")


class MemberForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name", widget=forms.TextInput(attrs={"autocomplete": "off"}))
    role = forms.ChoiceField(
        choices=Role.choices,
        initial=Role.EDITOR,
        help_text="A viewer reads, an editor changes, an owner shares and removes.",
    )


class InvitationForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices, initial=Role.EDITOR)
    days = forms.IntegerField(min_value=1, max_value=DAYS_MOST, initial=DAYS_DEFAULT, label="Expires in (days)")
    email = forms.EmailField(
        required=False, label="Mail address", help_text="The invitation is sent there. Empty: only the link is made."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.MAIL_HOST:
            del self.fields["email"]
