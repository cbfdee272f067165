"""A parser that fails on purpose, for as long as a test needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from parsers import lookup
from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection

CLAIM = "BROKEN-ON-PURPOSE"
WHOLE_FILE = "BROKEN-AS-A-WHOLE"


class UnforeseenError(Exception):
    """Nothing that a line could bring about."""


def _read(section: OpenSection, out: Output) -> None:
    """Breaks."""
    for line in section:
        out.add(Setting(line=line.number, source="test", name="half", value="read"))
        raise KeyError("a name of the customer")


def _read_nothing(section: OpenSection, out: Output) -> None:
    """Breaks as no line can make it."""
    for line in section:
        out.add(Setting(line=line.number, source="test", name="half", value="read"))
        raise UnforeseenError("a name of the customer")


@contextmanager
def broken_parser_registered() -> Iterator[str]:
    """Registered inside, gone afterwards. Gives the first line that it claims; below ``WHOLE_FILE`` the file fails."""
    parser("broken_on_purpose", version=1, product="", claims=CLAIM)(_read)
    parser("broken_as_a_whole", version=1, product="", claims=WHOLE_FILE)(_read_nothing)
    _forget()
    try:
        yield f"{CLAIM}\n"
    finally:
        del lookup._PARSERS["broken_on_purpose"], lookup._PARSERS["broken_as_a_whole"]
        _forget()


def _forget() -> None:
    for name in ("parsers", "_claims", "claimed"):
        getattr(lookup, name).cache_clear()
