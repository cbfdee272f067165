"""What ``fsck`` and ``mount`` of VxFS say about replaying the intent log.

    UX:vxfs fsck.vxfs: INFO: V-3-20649: log replay in progress
    log replay in progress
    replay complete - marking super-block as CLEAN

Yields ``Event`` of kind ``log-replay`` or ``log-replay-done``. Time: from above. Source: fsck_vxfs(1M), wording as
recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.veritas.command_objects import object_of
from parsers.messages.catalogue import Found, find, level_weight
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_PREFIX: Final = r"(?:UX:vxfs \S{1,40}: [A-Z]{4,8}: (?:V-\d-\d{1,6}: )?)?"
_COMMAND: Final = r"UX:vxfs (?:fsck|mount|umount|mkfs)\S{0,30}: [A-Z]{4,8}: "
_CLEAN: Final = r"file ?system is (?:already )?clean\b"
_FAILED: Final = r"log replay failed|file ?system is not clean, full fsck|full fsck (?:is )?required"
_CLAIMS: Final = (
    rf"(?:{_PREFIX}(?:log replay in progress|replay complete\b|{_CLEAN})|{_COMMAND}|{_FAILED}|pass0 - check"
    r"|fileset \d.{4,200}\(ynq\))"
)
_QUESTION: Final = r"(?!OK to |set state|flush fileset headers).{4,240}\? ?\(ynq\)"
_STATED: Final = r"fileset \d{1,9} (?!.{0,200}\(ynq\))\S.{4,200}$"
"""What is wrong, above the question on the next line."""
_PASS = re.compile(
    rf"{_PREFIX}{_CLEAN}|pass\d[a-z]? - [a-z]|(?:OK to clear log|flush fileset headers|set state to CLEAN)\?"
    rf"|{_STATED}"
    r"|(?:fileset|aggregate) \w{1,20} clean"
)
_DONE = re.compile(rf"{_PREFIX}replay complete\b")
_BEGUN = re.compile(rf"{_PREFIX}log replay in progress")
_SPOKEN = re.compile(r"UX:vxfs \S{1,40}: (?P<level>[A-Z]{4,8}): (?:(?P<code>V-\d-\d{1,6}(?:-\d{1,6})?):? )?")


@parser(
    "vxfs_replay",
    version=4,
    product="veritas",
    claims=_CLAIMS,
    owns=rf"(?:{_CLAIMS}|{_PASS.pattern}|{_QUESTION})",
    commands=("fsck",),
    priority=1,
)
def vxfs_replay(section: OpenSection, out: Output) -> None:
    """Log replay of VxFS, and what its commands call wrong."""
    for line in section:
        text = line.text.strip()
        if _DONE.match(text) or _BEGUN.match(text):
            kind = "log-replay-done" if _DONE.match(text) else "log-replay"
            section.add(Event, line.number, source="fsck", kind=kind, about=section.scope, text=text[:400])
            continue
        if _PASS.match(text):
            out.everyday()
            continue
        found = _meaning(text)
        if found is None:
            out.skip(line, "a message of VxFS that nobody knows")
            continue
        section.add(
            Event,
            line.number,
            source="vxfs",
            kind=found.kind,
            about=found.about or section.scope or object_of(section.command),
            weight=found.weight,
            text=text[:400],
        )


def _meaning(text: str) -> Found | None:
    """What a line says; of one that no row knows its own level."""
    spoken = _SPOKEN.match(text)
    level, code = (spoken["level"], spoken["code"] or "") if spoken is not None else ("", "")
    found = find("fsck", text, code=code, level=level)
    if found is None and level in _KINDS:
        found = Found(_KINDS[level], weight=level_weight(level))
    return found


_KINDS: Final = {"ERROR": "vxfs-error", "WARNING": "vxfs-warning", "INFO": "vxfs-message", "NOTICE": "vxfs-message"}
