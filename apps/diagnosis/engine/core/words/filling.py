"""Sentences with names in braces, filled from the typed words of a rule.

``{nodes:nodes}`` formats the field ``nodes`` of the words. A name that the text lists under ``when`` or ``unless`` is
an optional sentence: the one of ``when`` where the field is true (or the one for its value, where ``when`` is a table),
else the one of ``unless``, else nothing. Inside such a sentence its own name is the plain field, and with a format
(``{age:seconds}``) it is everywhere; ``{what:first}`` begins with a large letter. A field may decide about several
sentences: ``{disk.alias}`` hangs on ``disk``. ``{level}`` is the level that the rule chose, ``{limit.x}`` a limit of
the rule, ``{limit.group.x}`` one of a shared fact.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from apps.diagnosis.engine.core.words.wording import (
    bit_rate,
    count,
    exact_size,
    figure,
    gib,
    listed,
    milliseconds,
    moment,
    node_words,
    per_s,
    percent,
    plural,
    process_words,
    seconds,
    size,
    span,
    time_in_words,
)
from parsers.dataclass import dataclass

Clause = str | Mapping[str, str]
NOT_SHOWN: Final = "not shown"


def _plural(value: float, rest: str) -> str:
    one, _, many = rest.partition("|")
    return plural(round(value), one, many or None)


def _nodes(value: Any) -> str:
    return node_words([value] if value is None or isinstance(value, str) else value)


def _list(value: Any, rest: str) -> str:
    return listed([value] if isinstance(value, str) else value, int(rest or 4))


def _names(value: Any, rest: str) -> str:
    return _list([value] if isinstance(value, str) else [name or _nodes(None) for name in value or ()], rest) or _nodes(
        None
    )


def _on(value: Any, rest: str) -> str:
    return listed((f"{what} on {_nodes(node)}" for what, node in value), int(rest or 4))


def _each(values: Any, rest: str) -> str:
    """A list of numbers, or of names with a number each, in one format, with a unit behind it."""
    form, _, unit = rest.partition(" ")
    pairs = (value if isinstance(value, tuple) else ("", value) for value in values)
    return listed((f"{name} {printed(number, form)} {unit}".strip() for name, number in pairs), 6)


def _first(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


SPECS: Final[dict[str, Callable[[Any, str], str]]] = {
    "count": lambda value, _: count(value),
    "seconds": lambda value, _: seconds(value),
    "time": lambda value, _: time_in_words(value),
    "size": lambda value, _: size(value),
    "gib": lambda value, _: gib(value),
    "figure": lambda value, _: figure(value),
    "range": lambda value, _: span(*value),
    "milliseconds": lambda value, _: milliseconds(value),
    "per_s": lambda value, _: per_s(value),
    "moment": lambda value, _: moment(value),
    "percent": lambda value, _: percent(value),
    "share": lambda value, _: f"{100 * value:g} %",
    "fixed": lambda value, rest: f"{value:.{rest}f} %",
    "bytes": lambda value, _: exact_size(value),
    "parts": lambda value, _: "; ".join(value),
    "commas": lambda value, _: ", ".join(value),
    "mbit": lambda value, _: bit_rate(value),
    "on": _on,
    "each": _each,
    "nodes": lambda value, _: _nodes(value),
    "list": _list,
    "or": lambda value, rest: str(value) if value else rest,
    "plural": _plural,
    "arrows": lambda value, _: " \u2192 ".join(value),
    "steps": lambda value, _: " -> ".join(f"{one:g}" for one in value),
    "names": _names,
    "process": lambda value, _: process_words(value),
    "quoted": lambda value, rest: _list([f"\u201c{one}\u201d" for one in value], rest),
    "verb": lambda value, rest: rest.split("|")[len(value) != 1],
    "members": lambda value, rest: _list([f"node {name}" if name.isdigit() else name for name in value], rest),
    "first": lambda value, rest: (
        printed(value, rest) if rest and value else _first(printed(value, rest) if rest else value)
    ),
}
"""Ways to print a value: ``{waiters:plural blocked task|blocked tasks}``; any other format is Python's own.

``figure`` prints a number of any size without an exponent. ``each`` prints numbers, or pairs of a name and a number, in
one format with a unit: ``{drops:each .2f %}``. ``names`` is a list of nodes that is cut, those without a name among
them; in ``members`` an id is called a node. ``verb`` is what a list does, alone and as several: ``verb was|were``.
``first`` makes the first letter large: with another format only of what
stands for no node, for names stay as they are (``{node:first nodes}``). ``quoted`` is a list of what others wrote.
"""
ARTICLES: Final = frozenset(("a", "an", "the"))
SORTS: Final = frozenset(("group", "resource", "mount"))
OF_NONE: Final = frozenset(("nodes", "names", "or"))
"""Those that have words of their own for what is not known."""


def printed(value: Any, spec: str) -> str:
    """One value as its format asks; None is "not shown" save where the format has words of its own for it."""
    name, _, rest = spec.partition(" ")
    if value is None and name not in OF_NONE and not (name == "first" and rest):
        return NOT_SHOWN
    return SPECS[name](value, rest) if name in SPECS else format(value, spec)


@dataclass(frozen=True, slots=True)
class Clauses:
    """Optional sentences of one text by the name of the field that decides."""

    when: Mapping[str, Clause]
    unless: Mapping[str, str]

    def names(self) -> set[str]:
        """Fields that decide about a sentence."""
        return {*self.when, *self.unless}

    def chosen(self, name: str, value: Any) -> str:
        """The sentence for a value."""
        clause = self.when.get(name, "")
        if not isinstance(clause, str):
            return clause[str(value)] if value is not None else self.unless.get(name, "")
        return clause if value else self.unless.get(name, "")

    def sentences(self) -> Iterator[tuple[str, str]]:
        """All of them with the field that decides."""
        for name, clause in self.when.items():
            yield from ((name, text) for text in ([clause] if isinstance(clause, str) else clause.values()))
        yield from self.unless.items()


@lru_cache(maxsize=4096)
def _parts_of(text: str) -> tuple[tuple[str, str | None, str | None], ...]:
    """Literals of a text, each with the name behind it and its format: texts are few, and filled again and again."""
    return tuple((literal, name, spec) for literal, name, spec, _ in string.Formatter().parse(text))


def fill(text: str, words: Mapping[str, Any], clauses: Clauses, inside: frozenset[str] = frozenset()) -> str:
    """The text with all its names filled. Raises KeyError for a name that nobody gives."""
    parts: list[str] = []
    for literal, name, spec in _parts_of(text):
        parts.append(literal)
        if name is None:
            continue
        root, *path = name.split(".")
        if name in clauses.names() - inside and spec in ("", "first"):
            sentence = fill(clauses.chosen(name, words[root]), words, clauses, inside | {name})
            parts.append(printed(sentence, spec) if spec else sentence)
            continue
        value = words[root].of(".".join(path)) if root == "limit" else words[root]
        for attribute in path if root != "limit" else ():
            value = getattr(value, attribute)
        parts.append(printed(value, spec or ""))
    return "".join(parts)


def headed(text: str, words: Mapping[str, Any]) -> str:
    """A filled title: one that begins with words for what has no name ("an unnamed node"), or with the sort of a thing
    before its name, begins with a large letter; a name stays as it is, also where it is a word like these.
    """
    opening = text.partition(" ")[0]
    is_name = any(
        opening == value or (isinstance(value, (list, tuple)) and opening in value) for value in words.values()
    )
    return _first(text) if opening in ARTICLES | SORTS and not is_name else text


@dataclass(frozen=True, slots=True)
class Given:
    """What a rule gives to its sentences: the dataclasses of its words (one for each wording), its limits and its
    levels.
    """

    words: tuple[type[Any], ...]
    limits: frozenset[str]
    levels: frozenset[str]

    def names(self) -> set[str]:
        """What may stand in braces."""
        return {"level", "limit", *(field.name for kind in self.words for field in fields(kind))}

    def _hint(self, name: str) -> Any:
        return next((hints[name] for kind in self.words if name in (hints := get_type_hints(kind))), None)

    def reaches(self, name: str, path: list[str]) -> bool:
        """Whether what a field holds has an attribute: ``{holder.place}``."""
        hint = self._hint(name)
        kinds = [kind for kind in (hint, *get_args(hint)) if isinstance(kind, type) and kind is not type(None)]
        return len(path) == 1 and any(hasattr(kind, path[0]) or path[0] in get_type_hints(kind) for kind in kinds)

    def choices(self, name: str) -> frozenset[str]:
        """The values that a field may have, where its type lists them."""
        return self.levels if name == "level" else _choices(self._hint(name))


def faults(texts: Mapping[str, str], clauses: Clauses, given: Given) -> Iterator[str]:
    """What would fail when a text is filled: names that the words lack, limits that are not there, values without their
    sentence.
    """
    for where, text in [*texts.items(), *((f"sentence for {name}", text) for name, text in clauses.sentences())]:
        for _, name, spec, _ in string.Formatter().parse(text):
            if name is not None:
                yield from (f"{where}: {fault}" for fault in _faults_of(name, spec or "", given, clauses))
    fields_named = {name.partition(".")[0] for name in clauses.names()}
    yield from (f"a sentence hangs on {name}, which is no field of its words" for name in fields_named - given.names())
    for name, clause in clauses.when.items():
        if not isinstance(clause, str):
            wanted = given.choices(name.partition(".")[0])
            yield from (f"no sentence for {name} = {value}" for value in sorted(wanted - set(clause)))
            yield from (f"{name} is never {value}" for value in sorted(set(clause) - wanted) if wanted)


def _faults_of(name: str, spec: str, given: Given, clauses: Clauses) -> Iterator[str]:
    root, *path = name.split(".")
    if root not in given.names() or (
        path and root != "limit" and name not in clauses.names() and not given.reaches(root, path)
    ):
        yield f"{{{name}}} is no field of its words"
    if root == "limit" and ".".join(path) not in given.limits:
        yield f"{{{name}}} is no limit of the rule"
    if len(spec) > 1 and spec[0].isalpha() and spec.partition(" ")[0] not in SPECS:
        yield f"{spec!r} is no format"


def _choices(hint: Any) -> frozenset[str]:
    """The values of a Literal, also of one that may be None."""
    if get_origin(hint) is Literal:
        return frozenset(str(value) for value in get_args(hint))
    return frozenset(value for part in get_args(hint) for value in _choices(part))
