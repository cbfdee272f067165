"""A table as a CSV file, written while it is sent."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from django.http import StreamingHttpResponse


class _Echo:
    """A file for the csv module that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def csv_response(rows: Iterable[list[object]], filename: str) -> StreamingHttpResponse:
    """As a download."""
    response = StreamingHttpResponse(_lines(rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def _lines(rows: Iterable[list[object]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    for row in rows:
        yield writer.writerow(row)
