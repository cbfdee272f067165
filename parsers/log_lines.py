"""A single line of a log: who writes it, and its message as entries of a site are compared with it."""

from __future__ import annotations

from typing import NamedTuple

from parsers.formats.host import kernel_log
from parsers.formats.host.kernel_log_kinds import code_of
from parsers.formats.scale import log as scale_log
from parsers.formats.scale.log_kinds import GROUP


class Said(NamedTuple):
    """``program`` as ``from`` of an entry names it; host and code where the line has them."""

    program: str
    message: str
    host: str = ""
    code: str = ""


def said_in(line: str) -> Said | None:
    """What a line says; None where it is no line of a log that entries speak of."""
    if (said := scale_log.said_in(line)) is not None:
        return Said(GROUP, said[0], "", said[1])
    found = kernel_log.said_in(line)
    if found is None:
        return None
    program, message, host = found
    if program in _OF_SCALE and (said := scale_log.said_in(message)) is not None:
        return Said(GROUP, said[0], host, said[1])
    return Said(program, message, host, code_of(message))


_OF_SCALE = frozenset(("mmfs", "mmfsd"))
