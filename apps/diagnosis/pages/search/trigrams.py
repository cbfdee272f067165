"""Parts of words through an index. PostgreSQL uses its own (pg_trgm) for a plain LIKE; SQLite must be asked for its
rows by MATCH.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from apps.diagnosis.models import SearchDocument

INDEX: Final = "search_document_trigrams"
LEAST_CHARS: Final = 3
MATCHING: Final = "SELECT rowid FROM search_document_trigrams WHERE search_document_trigrams MATCH %s"


def containing(rows: QuerySet[SearchDocument], word: str) -> QuerySet[SearchDocument]:
    """Documents with these letters, in lower case, anywhere in their text."""
    found = rows.filter(folded__contains=word)
    if connection.vendor != "sqlite" or len(word) < LEAST_CHARS or not _is_there(str(connection.settings_dict["NAME"])):
        return found
    letters = '"' + word.replace('"', '""') + '"'
    return found.filter(pk__in=RawSQL(MATCHING, [letters]))  # noqa: S611  a constant with one parameter


@cache
def _is_there(_database: str) -> bool:
    """A SQLite that was built without trigrams has no such table."""
    with connection.cursor() as cursor:
        return INDEX in connection.introspection.table_names(cursor)
