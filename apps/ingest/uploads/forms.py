"""What the upload page asks for besides the files."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import Q, QuerySet

from apps.accounts.models import Role, Team, User
from apps.cases.models import Case

CASES_OFFERED = 50
NO_TEAM = "You are in no team that may open cases. Ask an administrator for the role editor."


class NewCaseForm(forms.Form):
    """A new case, or the key of one that the person may add to."""

    case = forms.ModelChoiceField(
        Case.objects.none(),
        to_field_name="key",
        required=False,
        empty_label="A new case",
        label="Case",
        help_text="Or add the files to an existing case.",
    )
    title = forms.CharField(
        max_length=200,
        required=False,
        label="Title of a new case",
        help_text="What the customer reports, in a few words.",
    )
    customer = forms.CharField(max_length=120, required=False, label="Customer")
    ticket = forms.CharField(max_length=80, required=False, label="Ticket of the customer")
    team = forms.ModelChoiceField(Team.objects.none(), to_field_name="slug", label="Team", empty_label=None)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = teams_to_open_cases_in(user)
        case: Any = self.fields["case"]
        case.queryset = _recent_cases(user, teams, str(self.initial.get("case", "")))
        case.label_from_instance = lambda one: f"{one.key} {one.title}"
        team: Any = self.fields["team"]
        team.queryset = teams
        if not self.is_bound and (last := team_last_used(user)) is not None:
            team.initial = last.slug

    def refusal(self) -> str:
        """Why the form can't be taken, in one line."""
        team: Any = self.fields["team"]
        if not team.queryset.exists():
            return NO_TEAM
        return " ".join(
            f"{self.fields[name].label}: {' '.join(map(str, errors))}" for name, errors in self.errors.items()
        )


def teams_to_open_cases_in(user: User) -> QuerySet[Team]:
    writable = Team.objects.filter(memberships__user=user, memberships__role__in=(Role.EDITOR, Role.OWNER))
    return writable.order_by("name").distinct()


def team_last_used(user: User) -> Team | None:
    """The team of the case that the person opened last; before the first one, the first team by name."""
    teams = teams_to_open_cases_in(user)
    opened = Case.objects.filter(created_by=user, team__in=teams).order_by("-created_at", "-pk")
    last = opened.select_related("team").first()
    return last.team if last is not None else teams.first()


def _recent_cases(user: User, teams: QuerySet[Team], named: str) -> QuerySet[Case]:
    """Those changed last, and the one that the address names: a list of thousands would help nobody."""
    addable = Case.objects.visible_to(user).live().filter(team__in=teams)
    recent = list(addable.order_by("-updated_at").values_list("pk", flat=True)[:CASES_OFFERED])
    return addable.filter(Q(pk__in=recent) | Q(key=named)).order_by("-updated_at").distinct()


class KnownForm(forms.Form):
    """A file by its hash, before it is sent."""

    case = forms.CharField(max_length=40)
    filename = forms.CharField(max_length=4096)
    size = forms.IntegerField(min_value=0)
    sha256 = forms.RegexField(r"^[0-9a-f]{64}$")
