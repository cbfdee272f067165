"""Whether a case holds anything of Veritas."""

from __future__ import annotations

from functools import cached_property

from apps.diagnosis.engine.core.facts.store import Facts
from parsers.lookup import parsers


class VeritasFiles:
    """Formats of Veritas in a case: the commands of the system alone are none."""

    def __init__(self, store: Facts) -> None:
        self._store = store

    @cached_property
    def are_there(self) -> bool:
        """Whether a section has such a format."""
        return bool(self._records)

    @cached_property
    def are_read(self) -> bool:
        """Whether such a section gave records."""
        return any(self._records)

    @cached_property
    def _records(self) -> list[int]:
        """How many each format gave."""
        names = {parser.name for parser in parsers().values() if parser.product == "veritas"}
        return [one.records for one in self._store.formats if one.name in names]
