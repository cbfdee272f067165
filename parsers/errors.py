"""What can be wrong with an input; each error names where and which limit, never the text of the customer."""

from __future__ import annotations


class InputError(ValueError):
    """The input can't be read, wholly or in part. ``path`` is the display name inside the bundle."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None, limit: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.limit = limit


class UnrecognisedFormat(InputError):  # noqa: N818  the word of the domain, see the base class
    """No parser claims any line of the text."""


class MalformedArtifact(InputError):  # noqa: N818  the word of the domain, see the base class
    """A text that begins well and can't be read to its end (cut stream, broken encoding)."""


class BundleError(InputError):
    """The archive as a whole, or one member of it, can't be opened."""


class UnsafePath(BundleError):  # noqa: N818  the word of the domain, see the base class
    """A member name that tries to leave the archive, or that is no name at all."""


class BundleTooLarge(BundleError):  # noqa: N818  the word of the domain, see the base class
    """A limit on size, count, ratio or depth was reached; ``limit`` is its value."""


class UnsupportedArchive(BundleError):  # noqa: N818  the word of the domain, see the base class
    """An encrypted archive or a compression that can't be opened here."""
