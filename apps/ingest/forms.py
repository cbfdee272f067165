"""What the upload page asks for besides the files."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.accounts.models import Role, Team, User
from apps.cases.models import Case


class NewCaseForm(forms.Form):
    """A new case, or the key of one that the person may add to."""

    case = forms.ModelChoiceField(
        Case.objects.none(),
        to_field_name="key",
        required=False,
        empty_label="A new case",
        label="Case",
        help_text="New files can join a case that is there.",
    )
    title = forms.CharField(
        max_length=200, required=False, label="Title of a new case", help_text="What the customer reports, in a few words."
    )
    customer = forms.CharField(max_length=120, required=False, label="Customer")
    ticket = forms.CharField(max_length=80, required=False, label="Ticket of the customer")
    team = forms.ModelChoiceField(Team.objects.none(), to_field_name="slug", label="Team", empty_label=None)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = Team.objects.filter(memberships__user=user, memberships__role__in=(Role.EDITOR, Role.OWNER)).order_by("name").distinct()
        case: Any = self.fields["case"]
        case.queryset = Case.objects.visible_to(user).live().filter(team__in=teams).order_by("-updated_at").distinct()
        case.label_from_instance = lambda one: f"{one.key} {one.title}"
        team: Any = self.fields["team"]
        team.queryset = teams
        if not self.is_bound and (first := teams.first()) is not None:
            team.initial = first.slug
