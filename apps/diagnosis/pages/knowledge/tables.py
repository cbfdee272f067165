"""What the program knows, for people: rules, waiter kinds, tunings and messages, each with its source, and in how many
cases it was met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any, Final

from django.db.models import Count, Sum
from django.http import QueryDict
from django.utils.http import urlencode

from apps.accounts.models import User
from apps.cases.models import Case
from apps.cases.page.product_names import PRODUCTS
from apps.diagnosis.engine.core.words.knowledge import limit_groups, limits, rule_texts, tuning_texts
from apps.diagnosis.engine.core.words.wording import listed
from apps.diagnosis.engine.products import PRODUCTS as JUDGES
from apps.diagnosis.models import SearchDocument
from parsers.dataclass import dataclass
from parsers.messages.catalogue import Meaning, meanings

PARTS: Final = {"rules": "Rules", "kinds": "Waiter kinds", "tunings": "Tunings", "messages": "Messages"}
DOCUMENT_KINDS: Final = {
    "rules": SearchDocument.Kind.FINDING,
    "kinds": SearchDocument.Kind.WAITER_KIND,
    "tunings": SearchDocument.Kind.TUNING,
    "messages": SearchDocument.Kind.MESSAGE,
}
COUNTED: Final = {"kinds": "waiters", "messages": "lines"}
"""What is counted within a case."""
SEVERITIES: Final = {"disaster": "high", "trouble": "medium", "notice": "low", "everyday": "ok"}
"""Severity that a weight gives, for its colour."""
OF_LINUX: Final = "linux"
SHOWN: Final = 150
PRODUCT_NAMES: Final = PRODUCTS | {OF_LINUX: "Linux and its clusters"}
OF_ALL: Final = "any product"
RECALLED: Final = "no public text was at hand"
CATEGORIES: Final = {1: "1 normal", 2: "2 may be long", 3: "3 never long", 4: "4 overload", None: "open"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the page."""

    part: str
    id: str
    title: str
    text: str
    basis: str
    source: str
    product: str = ""
    category: int | None = None
    aside: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    limits: tuple[dict[str, Any], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    weight: str = ""
    folded: str = field(default="", repr=False)


@cache
def entries() -> tuple[Entry, ...]:
    """All of it; the files are read once."""
    found = [
        *(_rule(text) for text in rule_texts().values()),
        *(_kind(kind) for product in JUDGES for kind in product.wait_kinds()),
        *_tunings(),
        *(_message(meaning) for meaning in meanings().values()),
    ]
    return tuple(found)


def _entry(part: str, key: str, title: str, text: str, **fields: Any) -> Entry:
    words = [
        key,
        title,
        text,
        fields.get("aside", ""),
        fields.get("source", ""),
        *(value for _, value in fields.get("facts", ())),
        *((PRODUCT_NAMES.get(fields["product"], ""), fields["weight"]) if "weight" in fields else ()),
    ]
    return Entry(part, key, title, text, folded=" ".join(words).lower(), **fields)


def _rule(text: Any) -> Entry:
    group = text.rule if text.rule in limit_groups() else ""
    shown = [
        {
            "name": name.replace("_", " "),
            "value": f"{one.value:g} {one.unit}".strip(),
            "basis": one.basis,
            "source": one.source,
        }
        for name, one in (limits(group).all().items() if group else ())
    ]
    return _entry(
        "rules",
        text.ref,
        text.name,
        _plain(text.words.explanation),
        aside=text.rule,
        basis=text.basis,
        source=text.source,
        product=text.product,
        facts=tuple(
            (name, _plain(words))
            for name, words in (("A finding says", text.words.title), ("What would disprove it", text.disproved_by))
            if words
        ),
        limits=tuple(shown),
        links=tuple(("tunings", key) for key in text.tunings),
    )


def _plain(text: str) -> str:
    """Places that a case fills, such as ``{node}``, as words in brackets."""
    return text.replace("{", "‹").replace("}", "›").replace("_", " ") if "{" in text else text


def _kind(kind: Any) -> Entry:
    facts = [
        ("Resource", kind.resource),
        ("Next step", kind.next_step),
        ("Suggests", kind.suggests),
        ("Category", kind.category_note),
    ]
    return _entry(
        "kinds",
        kind.kind_id,
        kind.meaning,
        "",
        aside=_spelled(kind),
        basis=kind.basis,
        source=kind.source,
        product=kind.product,
        category=kind.category,
        facts=tuple((name, value) for name, value in facts if value),
    )


def _spelled(kind: Any) -> str:
    """What a dump must show for the kind, in lower case as it is compared."""
    words = dict.fromkeys(literal.strip() for pattern in kind.patterns for literal in pattern.literals)
    return listed([f"“{word}”" for word in words if word], 4)


def _tunings() -> list[Entry]:
    rows = []
    for text in tuning_texts().values():
        parts = [
            ("Why no rule offers it", text.not_offered),
            ("Recommended", _plain(text.recommended)),
            ("Default", text.default),
            ("To keep it", _plain(text.persist)),
            ("What to mind", text.caution),
            ("Way back", _plain(text.way_back)),
            ("How to verify", _plain(text.verify)),
            ("Since", text.since),
        ]
        users = tuple(("rules", rule.ref) for rule in rule_texts().values() if text.id in rule.tunings)
        rows.append(
            _entry(
                "tunings",
                text.id,
                text.parameter,
                _plain(text.why),
                basis=text.basis,
                source="; ".join(text.sources),
                facts=tuple((name, value) for name, value in parts if value),
                commands=tuple(_plain(command) for command in text.commands),
                links=users,
            )
        )
    return rows


def _message(meaning: Meaning) -> Entry:
    ended_by = listed([meanings()[kind].title.replace("{about}", "it") for kind in meaning.ended_by])
    meant_by = listed([meanings()[kind].title.replace("{about}", "it") for kind in meaning.meant_by])
    facts = [
        ("Codes", ", ".join(dict.fromkeys(meaning.codes))),
        ("Next step", meaning.next),
        ("Takes with it", meaning.loses),
        ("It is over when", ended_by),
        ("It was meant when", meant_by),
    ]
    return _entry(
        "messages",
        meaning.kind,
        meaning.title.replace("{about}", "‹what›"),
        meaning.meaning,
        basis=meaning.basis,
        source=meaning.source or RECALLED,
        product=meaning.product or OF_LINUX,
        weight=meaning.weight,
        facts=tuple((name, value) for name, value in facts if value),
        commands=meaning.commands,
    )


def knowledge_context(user: User, query: QueryDict) -> dict[str, Any]:
    """One part of the knowledge, searched, with the number of cases among those that the reader may see."""
    part = query.get("part", "rules")
    part = part if part in PARTS else "rules"
    text = query.get("q", "")[:200].strip()
    chosen = {"product": query.get("product", ""), "basis": query.get("basis", "")}
    chosen |= {"weight": query.get("weight", "")} if part == "messages" else {}
    words = text.lower().split()
    matching = [entry for entry in entries() if all(word in entry.folded for word in words)]
    here = [entry for entry in matching if entry.part == part]
    shown = [entry for entry in here if all(wish in ("", getattr(entry, name)) for name, wish in chosen.items())]
    return chosen | {
        "part": part,
        "text": text,
        "tabs": _tabs(part, text, matching),
        "products": [
            {"value": name, "label": PRODUCT_NAMES.get(name, name)}
            for name in sorted({entry.product for entry in here if entry.product})
        ],
        "bases": sorted({entry.basis for entry in here}),
        "weights": list(SEVERITIES) if part == "messages" else [],
        "counted": COUNTED.get(part, ""),
        "found": len(shown),
        "rows": _rows(shown[:SHOWN] if part == "messages" else sorted(shown, key=_by_product), _met(user, part)),
        "total": sum(entry.part == part for entry in entries()),
    }


def _by_product(entry: Entry) -> str:
    """Rules stand by product, those of all products last; other parts have an order of their own."""
    name = PRODUCT_NAMES.get(entry.product, entry.product)
    return (name or OF_ALL) if entry.part == "rules" else ""


def _tabs(part: str, text: str, matching: Sequence[Entry]) -> list[dict[str, Any]]:
    """The parts, each with how much of it fits the words."""
    return [
        {
            "label": label,
            "count": sum(entry.part == name for entry in matching),
            "is_current": name == part,
            "url": "?" + urlencode({"part": name} | ({"q": text} if text else {})),
        }
        for name, label in PARTS.items()
    ]


def _rows(shown: Sequence[Entry], met: Mapping[str, dict[str, int]]) -> list[dict[str, Any]]:
    return [
        {
            "entry": entry,
            "group": (PRODUCT_NAMES.get(entry.product, entry.product) or OF_ALL) if entry.part == "rules" else "",
            "met": met.get(entry.id),
            "category": CATEGORIES[entry.category],
            "severity": SEVERITIES.get(entry.weight),
        }
        for entry in shown
    ]


def _met(user: User, part: str) -> dict[str, dict[str, int]]:
    """By id: in how many cases, and how often in all of them. Cases that the reader may not see do not count."""
    cases = Case.objects.visible_to(user).live()
    rows = SearchDocument.objects.filter(kind=DOCUMENT_KINDS[part], case__in=cases).exclude(name="").order_by()
    counted = rows.values("name").annotate(cases=Count("case", distinct=True), times=Sum("count"))
    return {row["name"]: {"cases": row["cases"], "times": row["times"] or 0} for row in counted}
