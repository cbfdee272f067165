"""What the address of a request may ask for: strict, so that a typing error is reported and not answered with
everything.
"""

from __future__ import annotations

from datetime import UTC
from typing import Any, Final, NoReturn, cast

from django.core.exceptions import ValidationError as StoredValueError
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.dateparse import parse_datetime
from rest_framework import exceptions, serializers
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.serializers import INSTANT_MOST
from apps.cases.models import Case, Severity
from apps.diagnosis.models import Tuning
from parsers.grammars.cells import is_whole

PAGES_MOST: Final = 999_999
AGES: Final = ("0", "1", "10", "60")
LIMIT_WORDS: Final = "A number of rows from 1 to 500."
BAD_CURSOR: Final = "This cursor leads nowhere. Start again without one."


class CaseQuery(serializers.Serializer[Any]):
    q = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="Words in key, title, customer, ticket, verdict."
    )
    state = serializers.ChoiceField(choices=Case.State.choices, required=False)
    severity = serializers.ChoiceField(choices=Severity.choices, required=False)
    assignee = serializers.CharField(required=False, max_length=150, help_text="User name of whom it is assigned to.")


class FindingQuery(serializers.Serializer[Any]):
    severity = serializers.ChoiceField(choices=Severity.choices, required=False)


class TuningQuery(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=Tuning.Status.choices, required=False)


class WaiterQuery(serializers.Serializer[Any]):
    category = serializers.RegexField(
        r"^[0-4](,[0-4])*$", required=False, help_text="Categories, separated by commas; 0 is unknown."
    )
    age = serializers.ChoiceField(choices=AGES, required=False, help_text="Shortest age in seconds.")
    node = serializers.CharField(required=False, max_length=200)
    text = serializers.CharField(
        required=False, max_length=200, help_text="Words in thread, reason, node or what is waited for."
    )
    page = serializers.IntegerField(min_value=1, max_value=PAGES_MOST, required=False)


class GraphQuery(serializers.Serializer[Any]):
    age = serializers.ChoiceField(choices=AGES, required=False, help_text="Shortest age in seconds.")
    at = serializers.IntegerField(
        min_value=0, max_value=INSTANT_MOST, required=False, help_text="Start of a round of dumps, one of `moments`."
    )
    name = serializers.CharField(
        required=False, max_length=100, help_text="Part of the name of a node, process, lock or disk."
    )


def _moment(words: str) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=0, max_value=INSTANT_MOST, required=False, help_text=words)


class SeriesQuery(serializers.Serializer[Any]):
    width = serializers.IntegerField(
        min_value=240, max_value=4000, required=False, help_text="Pixels of the plot: a bucket for each three of them."
    )
    nodes = serializers.CharField(required=False, max_length=2000, help_text="Names of nodes, separated by commas.")
    open = serializers.RegexField(
        r"^\d{1,12}(-\d{1,12})?(,\d{1,12}(-\d{1,12})?)*$",
        required=False,
        max_length=1000,
        help_text="Silences that are not folded, as first-last in seconds, separated by commas.",
    )

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of the language and no name of an attribute."""
        start = _moment("First moment, microseconds of the clock as printed.")
        end = _moment("Last moment; with `from` only.")
        return {"from": start, "to": end, **super().get_fields()}


def query_of(request: Request, query: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """The parameters that are named; 422 for a value that is none."""
    form = query(data=request.query_params.dict())
    form.is_valid(raise_exception=True)
    return dict(form.validated_data)


def as_query(values: dict[str, Any]) -> QueryDict:
    """The same as the pages take it."""
    query = QueryDict(mutable=True)
    for name, value in values.items():
        query[name] = str(value)
    return query


class Pages(CursorPagination):
    """Rows in a fixed order; `next` and `previous` are addresses."""

    page_size = 50
    max_page_size = 500
    page_size_query_param = "limit"
    ordering: Any = ("-updated_at", "-id")

    def get_page_size(self, request: Request) -> int:
        """What is no number is refused, not passed over."""
        text = request.query_params.get("limit")
        if text is None:
            return self.page_size
        if not (text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= self.max_page_size):
            raise exceptions.ValidationError({"limit": [LIMIT_WORDS]})
        return int(text)

    def decode_cursor(self, request: Request) -> Any:
        """A place that no row can have leads nowhere: databases do not take each moment that can be written."""
        cursor = super().decode_cursor(request)
        if cursor is None or cursor.position is None:
            return cursor
        place = str(cursor.position)
        if self.ordering[0].lstrip("-") == "id":
            return cursor if is_whole(place) else _nowhere()
        at = parse_datetime(place)
        place = str(at.astimezone(UTC)) if at is not None and at.tzinfo is not None else _nowhere()
        return Cursor(cursor.offset, cursor.reverse, cast(Any, place))


def _nowhere() -> NoReturn:
    raise exceptions.NotFound(BAD_CURSOR)


class NewestFirst(Pages):
    ordering = ("-created_at", "-id")


class OldestFirst(Pages):
    ordering = ("id",)


def paged(request: Request, rows: QuerySet[Any], serializer: Any, pages: type[Pages]) -> Response:
    """One page of rows."""
    paginator = pages()
    try:
        page = paginator.paginate_queryset(rows, request)
    except (StoredValueError, ValueError, OverflowError):  # a cursor that somebody made up
        raise exceptions.NotFound(BAD_CURSOR) from None
    return paginator.get_paginated_response(serializer(page, many=True).data)
