from __future__ import annotations

from typing import Any, ClassVar

from django import forms

from apps.accounts.models import Role
from apps.cases.edited_meanwhile import EditedMeanwhileForm
from apps.cases.models import Artifact, Case, Note
from apps.cases.people.members import workers_on
from apps.cases.people.visits import REASON_CHARS


class CaseForm(EditedMeanwhileForm[Case]):
    class Meta:
        model = Case
        fields = ("title", "customer", "ticket", "assignee", "state", "solution")
        labels: ClassVar = {"assignee": "Assigned to", "solution": "Solved by"}
        help_texts: ClassVar = {
            "ticket": "The customer's or your own ticket number.",
            "solution": "The setting, fix or advice that solved it; asked for with the state solved.",
        }
        widgets: ClassVar = {"solution": forms.Textarea(attrs={"rows": 3, "maxlength": 2000})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assignee = self.fields["assignee"]
        if isinstance(assignee, forms.ModelChoiceField):
            assignee.queryset = workers_on(self.instance)
            assignee.empty_label = "nobody"

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("state") == Case.State.SOLVED and not (values.get("solution") or "").strip():
            self.add_error(
                "solution", "Say by what it was solved: the next case of this kind will be compared with it."
            )
        return values


class PersonForm(forms.Form):
    username = forms.CharField(max_length=150, label="User name", widget=forms.TextInput(attrs={"autocomplete": "off"}))
    role = forms.ChoiceField(
        choices=Role.choices,
        initial=Role.VIEWER,
        help_text="A viewer reads, an editor changes, an owner shares and removes.",
    )


class TransferForm(forms.Form):
    team = forms.CharField(
        max_length=100,
        label="Team",
        help_text="One of your teams, or the exact name of another.",
        widget=forms.TextInput(attrs={"list": "own-teams", "autocomplete": "off"}),
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=500,
        min_length=REASON_CHARS,
        label="Why you need to read it",
        help_text="A request, a ticket, an incident. It is kept in the history of the case, with your name.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class HoldForm(forms.Form):
    case = forms.ModelChoiceField(
        Case.objects.not_held(),
        to_field_name="key",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        label="Key of the case",
    )
    reason = forms.CharField(max_length=500, label="Reason")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["case"].error_messages["invalid_choice"] = (
            "There is no case with this key, or it is under a hold already."
        )


class NoteForm(forms.ModelForm[Note]):
    """Text, and hidden fields that pin the note. `artifact` is looked for in the case only."""

    at_us = forms.IntegerField(required=False, widget=forms.HiddenInput, min_value=0, max_value=1 << 60)
    artifact = forms.ModelChoiceField(Artifact.objects.none(), required=False, widget=forms.HiddenInput)
    line = forms.IntegerField(required=False, widget=forms.HiddenInput, min_value=1, max_value=1 << 60)
    finding_ref = forms.CharField(required=False, widget=forms.HiddenInput, max_length=60)
    span = forms.CharField(required=False, widget=forms.HiddenInput, max_length=200)
    end_us = forms.IntegerField(required=False, widget=forms.HiddenInput, min_value=0, max_value=1 << 60)

    class Meta:
        model = Note
        fields = ("text", "at_us", "artifact", "line", "finding_ref", "span", "end_us")
        labels: ClassVar = {"text": "Note"}
        help_texts: ClassVar = {
            "text": "Markdown: **bold**, `code`, lists, tables, links. @name tells somebody who is on the case."
        }
        widgets: ClassVar = {"text": forms.Textarea(attrs={"rows": 4, "maxlength": 20_000})}

    def __init__(self, *args: Any, case: Case, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        artifact = self.fields["artifact"]
        if isinstance(artifact, forms.ModelChoiceField):
            artifact.queryset = case.artifacts.all()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("line") and not values.get("artifact"):
            raise forms.ValidationError("A line needs the file it is in.")
        return values


class NoteTextForm(EditedMeanwhileForm[Note]):
    class Meta:
        model = Note
        fields = ("text",)
        labels = NoteForm.Meta.labels
        help_texts = NoteForm.Meta.help_texts
        widgets = NoteForm.Meta.widgets
