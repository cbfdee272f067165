"""Next steps and what is missing: their sentences and commands stand in ``knowledge/<product>/steps*.toml`` and
``missing*.toml``.

    [disk-paths]
    why = "Bring the lost paths of {node:nodes} back, and save the logs of this time first."
    commands = ["multipath -ll", "multipathd show paths"]

What is missing has ``what`` beside ``why``. Values are filled in as in the sentences of findings; in commands they are
quoted for a shell, and None stands as the word in capitals that ``{mount:or MOUNT}`` names. Where commands hang on what
else a case lacks they stand in a table ``commands_of`` by that name, and the caller names those that it lacks. A key
that no file has, or a value that its text does not use, is an error.
"""

from __future__ import annotations

import shlex
import string
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from functools import cache
from typing import Any, Final

from apps.diagnosis.engine.core.model import Missing, NextStep
from apps.diagnosis.engine.core.words.filling import Clauses, fill
from apps.diagnosis.engine.core.words.knowledge import rows_of
from apps.diagnosis.engine.core.words.wording import node_words
from parsers.dataclass import dataclass

_PLAIN = Clauses({}, {})
UNNAMED: Final = node_words(())
WHERE_IT_COMES_FROM: Final = "the node that this comes from"
"""A place to go to, where its name is not known."""


@dataclass(frozen=True, slots=True)
class StepText:
    """One row of a file."""

    why: str
    commands: tuple[str, ...]
    what: str = ""
    commands_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self) -> set[str]:
        """The values that it needs."""
        parts = (
            self.why,
            self.what,
            *self.commands,
            *(one for several in self.commands_of.values() for one in several),
        )
        return {name for part in parts for _, name, _, _ in string.Formatter().parse(part) if name}


@cache
def step_texts(kind: str) -> dict[str, StepText]:
    """All rows of ``steps`` or ``missing`` by key."""
    return {key: _read(row) for key, row in rows_of(kind).items()}


def _read(row: dict[str, Any]) -> StepText:
    of = {name: tuple(commands) for name, commands in row.get("commands_of", {}).items()}
    return StepText(row["why"], tuple(row.get("commands", ())), row.get("what", ""), of)


def step(key: str, *, about: Iterable[str], **values: Any) -> NextStep:
    """A next step; ``about``: refs of the findings that it follows from."""
    text = _text("steps", key, values)
    why = fill(text.why, values, _PLAIN).replace(UNNAMED, WHERE_IT_COMES_FROM)
    return NextStep(why, _commands(text, values), tuple(about))


def merged(steps: Iterable[NextStep]) -> tuple[NextStep, ...]:
    """Each once, in the order in which they come first, with all that it follows from."""
    found: dict[NextStep, list[str]] = {}
    for one in steps:
        found.setdefault(one, []).extend(one.about)
    return tuple(replace(one, about=tuple(dict.fromkeys(about))) for one, about in found.items())


def lacking(
    key: str, *, node: str | None = None, more: tuple[str, ...] = (), parts: Collection[str] = (), **values: Any
) -> Missing:
    """Something that the next bundle must hold. node: where to take it, None for any; texts may name it. parts: of
    ``commands_of``.
    """
    values = values | ({"node": node} if "node" in step_texts("missing")[key].names() else {})
    text = _text("missing", key, values)
    if unknown := set(parts) - set(text.commands_of):
        raise ValueError(f"missing {key}: no commands of {sorted(unknown)}")
    chosen = tuple(_command(one, values) for name, own in text.commands_of.items() if name in parts for one in own)
    return Missing(
        fill(text.what, values, _PLAIN),
        fill(text.why, values, _PLAIN),
        node,
        (*_commands(text, values), *chosen, *more),
    )


def _text(kind: str, key: str, values: dict[str, Any]) -> StepText:
    text = step_texts(kind)[key]
    if text.names() != set(values):
        raise ValueError(f"{kind} {key}: its text needs {sorted(text.names())}, given are {sorted(values)}")
    return text


def _commands(text: StepText, values: dict[str, Any]) -> tuple[str, ...]:
    return tuple(_command(command, values) for command in text.commands)


def _command(command: str, values: dict[str, Any]) -> str:
    """Values come from the customer's text: each is quoted."""
    parts: list[str] = []
    for literal, name, spec, _ in string.Formatter().parse(command):
        parts.append(literal)
        if name is not None:
            value = values[name]
            parts.append((spec or "").removeprefix("or ") if value is None else shlex.quote(str(value)))
    return "".join(parts)
