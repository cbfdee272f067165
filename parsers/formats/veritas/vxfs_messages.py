"""What ``fsck`` and ``mount`` of VxFS say about replaying the intent log.

    UX:vxfs fsck.vxfs: INFO: V-3-20649: log replay in progress
    log replay in progress
    replay complete - marking super-block as CLEAN

Yields ``Event`` of kind ``log-replay`` or ``log-replay-done``. Time: from above. Source: fsck_vxfs(1M), wording as recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections import OpenSection

_PREFIX: Final = r"(?:UX:vxfs \S{1,40}: [A-Z]{4,8}: (?:V-\d-\d{1,6}: )?)?"
_CLAIMS: Final = rf"{_PREFIX}(?:log replay in progress|replay complete\b)"
_DONE = re.compile(rf"{_PREFIX}replay complete\b")


@parser("vxfs_replay", version=1, product="veritas", claims=_CLAIMS, commands=("fsck",))
def vxfs_replay(section: OpenSection, out: Output) -> None:
    """Log replay of VxFS."""
    for line in section:
        text = line.text.strip()
        kind = "log-replay-done" if _DONE.match(text) else "log-replay"
        section.add(Event, line.number, source="fsck", kind=kind, about=section.scope, text=text[:400])
