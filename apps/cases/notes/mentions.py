"""@names in notes: those of people on the case, whatever the case of their letters; what stands in code is no name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.accounts.models import User
from apps.cases.models import Case
from apps.cases.notes.markdown import texts
from apps.cases.people.members import people_on

NAME: Final = re.compile(r"(?<![\w.@+-])@([\w.@+-]{1,150})")
MENTIONS_MOST: Final = 50


def names_in(text: str) -> list[str]:
    """As written, each once."""
    found = (match[1] for part in texts(text) for match in NAME.finditer(part))
    return list(dict.fromkeys(found))[:MENTIONS_MOST]


def mentioned(case: Case, text: str) -> tuple[list[User], list[str]]:
    """People on the case who are named, and names that are none of theirs. Whether such an account exists elsewhere is
    not told.
    """
    names = names_in(text)
    if not names:
        return [], []
    there = {line.user.get_username().lower(): line.user for line in people_on(case)}
    found: dict[int, User] = {}
    unknown = []
    for name in names:
        user = next((there[form] for form in _forms(name.lower()) if form in there), None)
        if user is None:
            unknown.append(name.rstrip(".+-@"))
        else:
            found[user.pk] = user
    return list(found.values()), unknown


def _forms(name: str) -> Iterator[str]:
    """A name at the end of a sentence has a dot that may or may not be its own."""
    yield name
    yield name.rstrip(".+-@")
