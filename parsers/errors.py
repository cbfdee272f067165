"""What can be wrong with an archive; the error names which limit, never the text of the customer."""

from __future__ import annotations


class BundleTooLarge(ValueError):  # noqa: N818  the word of the domain
    """A limit on size, count, ratio or depth was reached; ``limit`` is its value."""

    def __init__(self, message: str, *, limit: int) -> None:
        super().__init__(message)
        self.message = message
        self.limit = limit
