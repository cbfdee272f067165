"""Names of a case that a masked page must not show, from the records themselves: each field says what it discloses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Final

import polars as pl

from apps.cases.models import Case
from apps.diagnosis.engine.core.facts.case import Case as EngineCase
from apps.diagnosis.engine.core.facts.nodes import Nodes, is_address, is_index
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.numbering import stored_facts
from apps.sharing.shapes import forms
from apps.sharing.textmask import LEAST_KNOWN, is_harmless
from parsers.dataclass import dataclass
from parsers.records import Record, Setting
from parsers.records.kinds import RECORD_TYPES

KIND_OF: Final = {"host": "node", "address": "addr", "disk": "disk", "path": "fs", "user": "user"}
SURE: Final = frozenset(("node", "fs", "lockspace"))
"""Columns that hold nothing but names: a file system called `mail` is one, though the word is harmless elsewhere."""
NAMES_PER_COLUMN: Final = 20_000
NAME_CHARS: Final = 200
NOT_NAMES: Final = frozenset(
    ("", "-", "none", "unknown", "local", "localhost", "all", "any", "root", "n/a", "null", "default", "yes", "no")
)
NUMBERED: Final = frozenset((("DlmLock", "resource"), ("Waiter", "object"), ("GlmLock", "resource")))
"""Columns that hold numbers of locks by the million: their text is masked where it is shown."""
LONG_NUMBER: Final = re.compile(r"\d{6,}")
"""The number of a cluster."""
NAMING: Final = re.compile(
    r"(?i)cluster_?(?:name|id)|domain(?:name)?|subnets?|nodeid|(?:host|node)_?name|bindnetaddr"
    r"|serial(?:[ _]?(?:number|num|no))?|s/?n|ww(?:id|[pn]?n)|[ug]uid|asset[ _]?tag"
    r"|pmr|sr|ticket|incident|case(?:[ _]?(?:number|no|id))?"
)
"""Settings whose value names somebody or something, or is the number of a device or of a ticket."""
WORDS: Final = re.compile(r"[^\s,;|]+")


@dataclass(frozen=True, slots=True)
class Name:
    """A spelling, and what it is a spelling of."""

    spelling: str
    kind: str
    canonical: str


def names_of(case: Case) -> dict[str, tuple[str, str]]:
    """(kind, canonical name) by folded spelling. Names of nodes win over all others; all spellings of a node
    are one.
    """
    artifacts = case.artifacts.exclude(facts="").order_by("pk").only("pk", "path", "facts")
    facts = stored_facts((one.pk, one.path, one.facts, None) for one in artifacts).facts()
    found: dict[str, tuple[str, str]] = {}
    for name in (*_node_names(facts), *_record_names(facts), *_setting_names(facts), *_case_names(case)):
        if _is_name(name.spelling):
            found.setdefault(name.spelling.casefold(), (name.kind, name.canonical.casefold()))
    for spelling, (kind, canonical) in list(found.items()):
        for form in forms(spelling) if kind == "addr" else ():
            found.setdefault(form, (kind, canonical))
    return found


def _is_name(text: str) -> bool:
    """Too short, or a number: replacing it everywhere would say nothing and spoil the figures."""
    return (
        LEAST_KNOWN <= len(text) <= NAME_CHARS
        and text.casefold() not in NOT_NAMES
        and not re.fullmatch(r"[\d.:+-]*\d", text)
    ) or (is_address(text) or LONG_NUMBER.fullmatch(text) is not None)


def _node_names(facts: Facts) -> Iterator[Name]:
    for node in EngineCase(facts, PRODUCTS).get(Nodes).all():
        for spelling in (node.name, *node.aliases):
            yield _host(spelling, node.name)


def _host(spelling: str, node: str) -> Name:
    if is_address(spelling) or is_index(spelling):
        return Name(spelling, "addr", spelling)
    return Name(spelling, "node", node)


def _record_names(facts: Facts) -> Iterator[Name]:
    for kind, column, sort, is_sure in sorted(_columns(facts), key=lambda one: (not one[3], one[2] == "node")):
        for value in _values(facts, kind, column):
            yield from _spelt(value, sort, is_sure=is_sure)


def _setting_names(facts: Facts) -> Iterator[Name]:
    for part in facts.parts(Setting):
        rows = part.rows.select("name", "value").unique().head(NAMES_PER_COLUMN).collect()
        for name, value in rows.sort("name", "value").iter_rows():
            if NAMING.fullmatch((name or "").rsplit(".", 1)[-1]):
                yield from (Name(word, "word", word) for word in WORDS.findall(value or "")[:64])


def _columns(facts: Facts) -> Iterator[tuple[type[Record], str, str, bool]]:
    """Columns that name somebody or something, and whether that is sure: others hold groups, words and numbers too."""
    for kind in RECORD_TYPES:
        for field in fields(kind):
            sort = KIND_OF.get(field.metadata.get("discloses", ""))
            if sort and facts.has(kind) and (kind.__name__, field.name) not in NUMBERED:
                yield kind, field.name, sort, field.name in SURE


def _values(facts: Facts, kind: type[Record], column: str) -> Iterator[str]:
    for part in facts.parts(kind):
        unique = part.rows.select(pl.col(column).drop_nulls().unique().head(NAMES_PER_COLUMN)).collect()[column]
        yield from unique.cast(pl.String).sort().to_list()


def _spelt(value: str, kind: str, *, is_sure: bool) -> Iterator[Name]:
    """Members of a list one by one; a path by its folders; words of the products are no names, save where names alone
    stand.
    """
    for word in WORDS.findall(value)[:64]:
        word = word.strip("\"'()[]<>")
        if is_address(word) or is_index(word):
            yield Name(word, "addr", word)
        elif word.startswith("/"):
            yield from (Name(part, "path", part) for part in word.split("/") if not _is_plain(part))
        elif is_sure or _is_telling(word, kind):
            yield Name(word, kind, word)
            yield from _parts(word, kind, is_sure=is_sure)


def _is_telling(word: str, kind: str) -> bool:
    """Whether it names something: dm-17 names a disk, though both its parts are harmless."""
    return not _is_plain(word) or (kind in {"node", "disk"} and any(letter.isdigit() for letter in word))


def _parts(word: str, kind: str, *, is_sure: bool) -> Iterator[Name]:
    """The first label of a host; cluster and file system where one stands behind the other."""
    if kind == "node":
        yield from _first_label(word)
    elif ":" in word:
        yield from (Name(part, kind, part) for part in word.split(":") if part and (is_sure or not _is_plain(part)))


def _first_label(word: str) -> Iterator[Name]:
    label, dot, _ = word.partition(".")
    if dot:
        yield Name(label, "node", label)


def _is_plain(word: str) -> bool:
    """A thread's name, a number, a word of the products: no name of the customer's."""
    return all(is_harmless(part) for part in re.split(r"[._\-:/@+]+", word) if part)


def _case_names(case: Case) -> Iterator[Name]:
    """What people wrote about the customer, and the names of the uploads."""
    words: Iterable[str] = (
        case.customer,
        case.title,
        case.ticket,
        case.key,
        *case.bundles.values_list("filename", flat=True)[:1000],
    )
    for text in words:
        for word in WORDS.findall(text):
            if not _is_plain(word):
                yield Name(word, "word", word)
