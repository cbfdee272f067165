"""What a disk answers to a command of ``sg3_utils`` that it refuses: ``sg_turs``, ``sg_readcap``, ``sg_inq``.

    # sg_turs -v /dev/sdk
    test unit ready:  Fixed format, current;  Sense key: Not Ready
     Additional sense: Logical unit not ready, cause not reportable
    device not ready

Yields ``StorageState`` of the disk that the command names: failing where it is not ready or reports an error of its
medium or its electronics, degraded where it gave a command up or somebody else has reserved it; what every disk may
answer (a reset that it reports, a command that it does not know) is everyday. No times. Tolerated: either layout of the
sense data. Source: sg3_utils, SPC-4.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_STANDINGS: Final[dict[str, StorageStanding]] = {
    "not ready": "failing",
    "medium error": "failing",
    "hardware error": "failing",
    "aborted command": "degraded",
    "data protect": "degraded",
    "reservation conflict": "degraded",
}


def _disk(section: OpenSection) -> str | None:
    command = section.command
    return next((word for word in reversed(command.args) if word.startswith("/dev/")), None) if command else None


def _sense(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["sense"] = (line.number, match["key"].strip())


def _more(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if (held := section.state.pop("sense", None)) is not None:
        _put(section, held[0], held[1], match["what"])


def _conflict(section: OpenSection, line: Line, _: re.Match[str]) -> None:
    """Somebody else has reserved the disk, and the key of this host is not registered there."""
    _put(section, line.number, "Reservation conflict", "")


def _put(section: OpenSection, line: int, key: str, more: str) -> None:
    if (standing := _STANDINGS.get(key.lower())) is not None:
        state = f"{key}: {more}" if more else key
        section.add(
            StorageState, line, source="sg3_utils", sort="disk", name=_disk(section), state=state, standing=standing
        )


_ROWS: Final = Rows(
    Row(
        "sense",
        r"(?:[a-z][\w ()]{2,40}: {1,4})?(?:Fixed|Descriptor) format, (?:current|deferred)[;,] {1,4}Sense key: "
        r"(?P<key>[A-Z][A-Za-z ]{2,30})$",
        _sense,
        fate=Fate.FRAME,
    ),
    Row("additional", r"Additional sense: (?P<what>\S.{1,160})$", _more, fate=Fate.EVERYDAY, opens=False),
    Row("conflict", r"[a-z][\w ()]{2,40}: Reservation conflict$", _conflict),
    Row("conflict as an error", r">> Reservation conflict$", fate=Fate.FRAME, opens=False),
    everyday("command", r"[a-z][\w ()]{2,40} cdb: (?:[0-9a-f]{2} ?){6,32}$"),
    everyday(
        "words around it",
        r"(?:device not ready|Field replaceable unit code|Sense Key Specific|Raw sense data|Info fld)\b.{0,160}$",
        opens=False,
    ),
)


@parser("sg_tools", version=2, product="storage", rows=_ROWS, commands=("sg_turs", "sg_readcap"))
def sg_tools(section: OpenSection, out: Output) -> None:
    """What a disk answers where it does not do as it was told."""
    _ROWS.read(section, out, "no answer of a disk")
    if (held := section.state.pop("sense", None)) is not None:
        _put(section, held[0], held[1], "")
