from __future__ import annotations

from typing import Any, ClassVar

from django import forms

from apps.cases.models import Artifact, Case, Note


class CaseForm(forms.ModelForm[Case]):
    class Meta:
        model = Case
        fields = ("title", "customer", "ticket", "state")
        help_texts: ClassVar = {"ticket": "The customer's or your own ticket number."}


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
        help_texts: ClassVar = {"text": "Markdown: **bold**, `code`, lists, tables, links."}
        widgets: ClassVar = {"text": forms.Textarea(attrs={"rows": 4, "maxlength": 20_000})}

    def __init__(self, *args: Any, case: Case, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        artifact = self.fields["artifact"]
        if isinstance(artifact, forms.ModelChoiceField):
            artifact.queryset = case.artifacts.all()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("line") and not values.get("artifact"):
            raise forms.ValidationError("A line needs the file it stands in.")
        return values


class NoteTextForm(forms.ModelForm[Note]):
    class Meta:
        model = Note
        fields = ("text",)
        labels = NoteForm.Meta.labels
        help_texts = NoteForm.Meta.help_texts
        widgets = NoteForm.Meta.widgets
