"""A single line of a log: who writes it, and its message as entries of a site are compared with it."""

from __future__ import annotations

from typing import NamedTuple

from parsers.formats.host.logs import log_heads
from parsers.formats.host.logs.kernel_log_kinds import code_of
from parsers.formats.scale.logs import log as scale_log
from parsers.formats.scale.logs.log_kinds import GROUP


class LoggedMessage(NamedTuple):
    """``program`` as ``from`` of an entry names it; host and code where the line has them."""

    program: str
    message: str
    host: str = ""
    code: str = ""


def message_in(line: str) -> LoggedMessage | None:
    """What a line says; None where it is no line of a log that entries speak of."""
    if (logged := scale_log.message_in(line)) is not None:
        return LoggedMessage(GROUP, logged[0], "", logged[1])
    found = log_heads.message_in(line)
    if found is None:
        return None
    program, message, host = found
    if program in _OF_SCALE and (logged := scale_log.message_in(message)) is not None:
        return LoggedMessage(GROUP, logged[0], host, logged[1])
    return LoggedMessage(program, message, host, code_of(message))


_OF_SCALE = frozenset(("mmfs", "mmfsd"))
