"""The blocks of a text as they go by: counted, looked through for credentials, and only as long as the lease holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apps.ingest import leases
from apps.privacy.credentials import CredentialScan
from parsers.text import Block


class Watched:
    """What went by so far: ``bytes`` of text, ``credentials``."""

    def __init__(self) -> None:
        self.bytes = 0
        self.credentials = CredentialScan()

    def blocks(self, source: Iterable[Block], check: leases.Check) -> Iterator[Block]:
        """The same blocks."""
        for block in source:
            check()
            self.credentials.take(block.data, block.first_line)
            yield block
            self.bytes += len(block.data)

    def progress(self) -> dict[str, int]:
        """For the row that is held."""
        return {"read_bytes": self.bytes}
