"""A table as a CSV file, written while it is sent. Text that a spreadsheet would run as a formula is made harmless."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from django.http import StreamingHttpResponse

FORMULA_STARTS: Final = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
CONTROL_STARTS: Final = ("\t", "\r", "\n")


class _Echo:
    """A file for the csv module that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def csv_response(rows: Iterable[Sequence[Any]], filename: str) -> StreamingHttpResponse:
    """As a download."""
    response = StreamingHttpResponse(csv_lines(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def csv_lines(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    for row in rows:
        yield writer.writerow([formula_safe(value) for value in row])


def formula_safe(value: object) -> object:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front; blanks before it and wide forms do
    not hide it.
    """
    if not isinstance(value, str) or not value:
        return value
    runs = value[0] in CONTROL_STARTS or value.lstrip()[:1] in FORMULA_STARTS
    return f"'{value}" if runs else value
