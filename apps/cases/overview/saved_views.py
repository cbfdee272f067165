"""Lists of cases by name: each reader has some, and nobody else sees them."""

from __future__ import annotations

from typing import Final

from django.http import QueryDict

from apps.accounts.models import User
from apps.cases.models import SavedView
from apps.cases.overview.listing import ListQuery, requested_list
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

MOST: Final = 30
NAME_CHARS: Final = 60
ADDRESS_CHARS: Final = 2000


@dataclass(frozen=True, slots=True)
class View:
    pk: int
    name: str
    address: str
    is_on: bool
    """The list that is shown is this one."""


def views_of(user: User, query: ListQuery) -> list[View]:
    here = query.address()
    return [View(one.pk, one.name, one.address, one.address == here) for one in user.saved_views.all()]


def save_view(user: User, name: str, address: str) -> SavedView:
    """Under a name that is there already it takes the place of the old one."""
    name = " ".join(name.replace("\0", "").split())[:NAME_CHARS]
    if not name:
        raise DomainError("A view needs a name.", status=422)
    query, _, _ = requested_list(user, QueryDict(address.removeprefix("?")[:ADDRESS_CHARS]))
    kept = query.address()
    if len(kept) > ADDRESS_CHARS:
        raise DomainError("This list has too many choices for a view.", status=422)
    if not user.saved_views.filter(name=name).exists() and user.saved_views.count() >= MOST:
        raise DomainError(f"You have {MOST} views: remove one first.", status=409)
    view, _ = SavedView.objects.update_or_create(user=user, name=name, defaults={"address": kept})
    return view
