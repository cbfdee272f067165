"""The form of an entry, beside the choice of its words."""

from __future__ import annotations

from typing import Any

from django import forms

from apps.diagnosis.pages.learning.words import Word, match_of
from parsers.site_entries import COMMANDS_MOST, NAMED, TEXT_MOST, TITLE_MOST

WEIGHTS = (
    ("trouble", "trouble: a finding of medium severity"),
    ("disaster", "disaster: a finding of high severity"),
    ("notice", "notice: kept, no finding"),
    ("everyday", "everyday: no alarm"),
)
OBJECTS = (("", "the first one"), *((name, f"the {name}") for name in NAMED if name != "figure"))


class LineForm(forms.Form):
    """A message that no stored file holds: as it stands in the log, or its text alone."""

    line = forms.CharField(
        max_length=2000, label="Line", widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    )


class EntryForm(forms.Form):
    """All of an entry but its match."""

    program = forms.CharField(
        max_length=64,
        label="Program",
        help_text="That writes it to the system log; mmfs for the log of IBM Storage Scale.",
    )
    weight = forms.ChoiceField(choices=WEIGHTS, label="How grave it is")
    title = forms.CharField(max_length=TITLE_MOST, help_text="One clause; {about} stands for what the message names.")
    object = forms.ChoiceField(
        choices=OBJECTS, required=False, label="What it is about", help_text="Of the words that are named above."
    )
    meaning = forms.CharField(
        max_length=TEXT_MOST,
        label="What it means",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    next = forms.CharField(
        max_length=TEXT_MOST, required=False, label="What to do next", help_text="Needed for trouble and disaster."
    )
    commands = forms.CharField(
        max_length=COMMANDS_MOST * TEXT_MOST,
        required=False,
        label="Commands",
        help_text="One a line. They look only: what may change something is refused.",
        widget=forms.Textarea(attrs={"rows": 2, "class": "mono", "spellcheck": "false"}),
    )
    source = forms.CharField(
        max_length=TEXT_MOST, label="How that is known", help_text="A support note, a manual, a case."
    )
    product = forms.CharField(max_length=60, required=False, label="Product")
    name = forms.CharField(
        max_length=60, help_text="Small letters, digits and hyphens; one of a kind in the team. It stays as it is."
    )
    why = forms.CharField(max_length=300, required=False, label="Why this version", help_text="For the history.")

    def row(self, words: list[Word]) -> dict[str, Any]:
        """The entry as a file would hold it, once the form is valid; what is empty is left out."""
        said = self.cleaned_data
        commands = [line.strip() for line in said["commands"].splitlines() if line.strip()]
        meaning = " ".join(said["meaning"].split())
        row = {"name": said["name"].strip(), "from": said["program"].strip(), "match": match_of(words)}
        row |= {"weight": said["weight"], "title": said["title"], "meaning": meaning, "source": said["source"]}
        also = {"object": said["object"], "next": said["next"], "commands": commands}
        return row | {key: value for key, value in also.items() if value}
