"""What commands answer on a path that can not be used: ``df: /srv/pots: Input/output error``.

    ls: cannot access '/srv/pots': Input/output error
    /bin/touch: setting times of "/srv/pots/a": Structure needs cleaning

Yields ``StorageState`` of the path: failed where requests to it end with an error of the disk or of the file system,
degraded where its server or its connection is gone. Source: errno(3), as the C library words it.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import StorageState
from parsers.registry import parser
from parsers.sections import OpenSection

_FAILED: Final = r"Input/output error|I/O error|Structure needs cleaning|Remote I/O error"
_AWAY: Final = r"Stale (?:NFS )?file handle|Transport endpoint is not connected|Transport endpoint not connected"
_ROW: Final = (
    r"[\w./-]{1,60}: (?:[a-z][a-z ]{2,60} )?['\"`\u2018\u201c]?"
    r"(?P<path>/[^\s'\"\u2019\u201d:]{0,200})['\"\u2019\u201d]?: "
    rf"(?P<state>{_FAILED}|{_AWAY})$"
)
_MATCH = re.compile(_ROW)
_CLAIMS: Final = _ROW.replace("?P<path>", "?:").replace("?P<state>", "?:")


@parser("path_errors", version=1, product="", claims=_CLAIMS)
def path_errors(section: OpenSection, out: Output) -> None:
    """Errors that commands print of a path."""
    for line in section:
        match = _MATCH.match(line.text.strip())
        if match is None:
            out.skip(line, "no error of a path")
            continue
        section.add(
            StorageState,
            line.number,
            source="commands",
            sort="path",
            name=match["path"],
            state=match["state"],
            standing="failed" if re.fullmatch(_FAILED, match["state"]) else "degraded",
        )
