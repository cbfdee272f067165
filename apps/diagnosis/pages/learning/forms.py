"""The form of an entry, beside the choice of its words."""

from __future__ import annotations

from typing import Any, Final

from django import forms

from apps.diagnosis.pages.learning.words import Word, match_of
from parsers.messages.site_entries import (
    COMMANDS_MOST,
    NAMED,
    OPERATORS,
    TEXT_MOST,
    TITLE_MOST,
    VALUE_MOST,
    EntryOf,
    columns_of,
    tables,
)

WEIGHTS = (
    ("trouble", "trouble: a finding of medium severity"),
    ("disaster", "disaster: a finding of high severity"),
    ("notice", "notice: kept, no finding"),
    ("everyday", "everyday: no alarm"),
)
OBJECTS = (("", "the first one"), *((name, f"the {name}") for name in NAMED if name != "figure"))
OPERATOR_WORDS: Final = {
    "is": "is",
    "is not": "is not",
    "holds": "holds the letters",
    "above": "is above",
    "below": "is below",
}
_FIELDS_OF: Final[dict[EntryOf, tuple[str, ...]]] = {
    "log": ("program",),
    "output": ("output",),
    "waits": (),
    "table": ("table", "column", "operator", "value"),
}


def of_sent(text: str) -> EntryOf:
    """What an entry of a form speaks of; anything unknown is a message of a log."""
    return next((of for of in _FIELDS_OF if of == text), "log")


class LineForm(forms.Form):
    """A message that no stored file holds: as it stands in the log, or its text alone."""

    line = forms.CharField(
        max_length=2000, label="Line", widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    )


class EntryForm(forms.Form):
    """All of an entry but its match. ``of``: what it speaks of; fields of other sorts are taken out."""

    program = forms.CharField(
        max_length=64,
        label="Program",
        help_text="That writes it to the system log; mmfs for the log of IBM Storage Scale.",
    )
    output = forms.CharField(
        max_length=64,
        label="Output of",
        help_text="The tool that prints the line; unknown where nothing names it.",
    )
    table = forms.CharField(max_length=40, widget=forms.HiddenInput)
    column = forms.ChoiceField(label="Column")
    operator = forms.ChoiceField(choices=[(one, OPERATOR_WORDS[one]) for one in OPERATORS], label="Condition")
    value = forms.CharField(max_length=VALUE_MOST, label="Value")
    weight = forms.ChoiceField(choices=WEIGHTS, label="How grave it is")
    title = forms.CharField(max_length=TITLE_MOST, help_text="One clause; {about} is what the message names.")
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

    def __init__(self, *args: Any, of: EntryOf, table: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.of = of
        for other in {name for names in _FIELDS_OF.values() for name in names} - set(_FIELDS_OF[of]):
            del self.fields[other]
        if of == "table":
            self._of_table(table)

    def _of_table(self, table: str) -> None:
        columns = columns_of(table)
        choices = [(name, name.replace("_", " ")) for name in columns]
        column, about = self.fields["column"], self.fields["object"]
        if isinstance(column, forms.ChoiceField) and isinstance(about, forms.ChoiceField):
            column.choices, about.choices = choices, [("", "nothing"), *choices]
        about.help_text = "A column of the row; {about} in the title stands for its value."
        self.fields["table"].initial = table if table in tables() else ""

    def row(self, words: list[Word]) -> dict[str, Any]:
        """The entry as a file would hold it, once the form is valid; what is empty is left out."""
        fields = self.cleaned_data
        commands = [line.strip() for line in fields["commands"].splitlines() if line.strip()]
        meaning = " ".join(fields["meaning"].split())
        row = {"name": fields["name"].strip()} | self._keyed(words)
        row |= {"weight": fields["weight"], "title": fields["title"], "meaning": meaning, "source": fields["source"]}
        also = {"object": fields["object"], "next": fields["next"], "commands": commands}
        return row | {key: value for key, value in also.items() if value}

    def _keyed(self, words: list[Word]) -> dict[str, Any]:
        fields = self.cleaned_data
        if self.of == "table":
            return {key: fields[key].strip() for key in ("table", "column", "operator", "value")}
        keys = {"log": ("from", "program"), "output": ("output", "output")}
        match = {"match": match_of(words)}
        if self.of == "waits":
            return {"waits": True} | match
        key, name = keys[self.of]
        return {key: fields[name].strip()} | match
