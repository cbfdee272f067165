"""Tools that work on the disk of a GFS2 file system: ``fsck.gfs2``, ``mkfs.gfs2``, ``gfs2_grow``, ``gfs2_jadd``,
``gfs2_edit -p sb`` and ``-p journals``.

    Initializing fsck                                        journal0:     0x12       32MB  clean.
    Starting pass1
    Block 5519880 (0x543a48) is a duplicate; it was ...      sb_locktable          pond:projects
    pass1 completed in 2m4.118s                              Lock table:           "pond:projects"
    fsck.gfs2 complete                                       New Journals: 3

Yields ``Event`` for what a check finds, repairs or can't do, and for its end (``parsers/messages``); ``StorageState``
for a device that a whole check found in order; ``Setting`` for values of a file system. ``about`` is the device of the
command at the prompt. No times but those from above. Tolerated: progress of passes, answers to questions, parts left
out. Source: fsck.gfs2(8), mkfs.gfs2(8), gfs2_grow(8), gfs2_jadd(8), gfs2_edit(8).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.messages.catalogue import Found, find
from parsers.records import Event, Setting
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.tables.key_values import KeyValues
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

GROUP: Final = "gfs2fsck"
TEXT_KEPT: Final = 400
_STAGE: Final = r"[Pp]ass ?\d[a-c]?|check_statfs|reconcil\w{1,10}"
_HEADS: Final = (
    r"(?:Initializing fsck$|Validating [Rr]esource [Gg]roup index|Level \d (?:resource group|rgrp) check"
    rf"|\(level \d (?:passed|failed)|Starting (?:{_STAGE})\b|(?:{_STAGE}) complete(?:d\b|$)"
    r"|(?:gfs2_fsck|fsck\.gfs2|fsck_gfs2)(?:: | complete| cancel+ed| interrupted)"
    r"|Ondisk and fsck bitmaps differ at block|Journal recovery complete\.$"
    r"|(?:Recovering|Clearing) journals \(this may take)"
)
_PROGRESS: Final = (
    rf"(?:Initializing fsck|Validating |Level \d |\(level \d passed|Starting (?:{_STAGE})|(?:{_STAGE}) complete"
    r"|Recovering journals|Clearing journals|Journals cleared|Journal recovery complete|jid=\d{1,5}: |Reconnecting"
    r"|RGs: Consistent: {1,9}\d{1,9} {1,9}Cleaned: {1,9}\d{1,9} {1,9}Inconsistent: {1,9}0 "
    r"|\d{1,3} percent complete|Processed \d|Writing changes to disk|[A-Z][a-z]{2,20} \w{2,12} (?:complete|done)\b"
    r"|(?:Current|Calculated) statfs values|(?:blocks|free|dinodes):\s|Metadata type is |Ondisk status is )"
)
_MESSAGES: Final = (
    r"(?:/dev/\S|[Ff]sck |[Cc]heck |[Uu]nmount |[Dd]evice |[Ff]ile ?system |[Tt]h(?:e|is) |[Pp]lease |Found "
    r"|Block |Error:? |The |RGs?:? |rgrp |Resource group|Inode |inode |Dinode |Directory |Leaf |Link count|Unlinked"
    r"|Added inode|Entr(?:ies|y) |Journal |Fix|Okay |Do you |Succeeded|Attempting|Either |Unable|Un\w{2,12} |[Bb]ad "
    r"|Invalid|Duplicate|Undo|Rebuil|Reconstruct|Clear|Delet|Remov|Mov|File ?system |This |Device |Another |Can't |No "
    r"|Corrupt|Hash |Height|Root |Master |System |Quota |Extended |EA |Indirect|Data |Pointer|[A-Z]\w{2,20} (?:inode"
    r"|block|entry|dir"
    r"|dinode|bitmap)\b)"
)
_OWNED = re.compile(rf"{_HEADS}|{_PROGRESS}|{_MESSAGES}")
_QUESTION = re.compile(r".{1,200}\(y/n\)\s{0,4}[yn]?$")
COMPLETE: Final = "gfs2-fsck-complete"
_COMMAND: Final = r"(?:fsck\.gfs2|gfs2_fsck|fsck_gfs2|fsck (?:-\S{1,8} ){0,4}-t gfs2|fsck (?:-\S{1,8} ){0,4}-t=gfs2)"


def _owns(text: str, before: str) -> bool:
    return _OWNED.match(text.lstrip()) is not None


@parser(
    "gfs2_fsck",
    version=1,
    product="gfs2",
    commands=("fsck.gfs2", "gfs2_fsck", "fsck_gfs2"),
    claims=_HEADS,
    owns=_owns,
    places=rf"(?:^|[\s/;|]){_COMMAND}\b",
)
def gfs2_fsck(section: OpenSection, out: Output) -> None:
    """What a check of a file system finds and repairs."""
    device = device_of(section.command.args) if section.command is not None else None
    about = device or section.scope
    for line in section:
        text = line.text.strip()
        if (found := find(GROUP, text)) is not None:
            _add(section, line, found, about)
            if found.kind != COMPLETE:
                section.state["harm"] = True
            elif not section.state.get("harm"):
                _clean(section, line, about)
        elif re.match(_PROGRESS, text):
            out.frame()
        else:  # a question is asked of what was found; a message that nobody knows may be as bad
            section.state["harm"] = True
            if _QUESTION.match(text):
                out.everyday()
            else:
                out.skip(line, "a message of fsck.gfs2 that nobody knows")


def _add(section: OpenSection, line: Line, found: Found, about: str | None) -> None:
    section.add(
        Event,
        line.number,
        source="fsck.gfs2",
        kind=found.kind,
        about=about,
        weight=found.weight,
        text=line.text.strip()[:TEXT_KEPT],
    )


def _clean(section: OpenSection, line: Line, about: str | None) -> None:
    section.add(
        StorageState,
        line.number,
        source="fsck.gfs2",
        sort="volume",
        name=about,
        state="checked, nothing found",
        standing="healthy",
    )


def device_of(args: Sequence[str]) -> str | None:
    """The device or mount point that a command names last; None where it names none."""
    paths = [word for word in args if word.startswith("/")]
    return paths[-1] if paths else None


# --- values of a file system ------------------------------------------------------------------------------------------

_MADE: Final = KeyValues(
    "Device", "Block size", "Device size", "File ?system size", "Journals", "Journal size", "Resource groups",
    "Locking protocol", "Lock table", "UUID", "Filesystem", "Old Journals", "New Journals",
    "FS: Mount point", "FS: Device", "FS: Size", "FS: (?:RG|Resource group) size", "DEV: Length", "DEV: Size",
    "FS: Mount Point", "RG size",
    sign=r":\s{1,40}",
    caption=(
        r"(?:(?:This will|It appears to contain|/\S{1,120} is a symbolic link to|Are you sure you want to proceed)\b"
        r"|(?:Adding journals|Building resource groups|Creating quota file|Writing superblock and syncing"
        r"|Discarding device contents[^:]{0,60}):|gfs2_(?:grow|jadd) complete\.?$|The file system (?:will grow"
        r"|grew) by "
        r"\d|\(Test mode)"
    ),
    claimed_by=("Locking protocol", "Old Journals", "New Journals", "FS: Mount point", "FS: Device"),
)  # fmt: skip


@parser(
    "gfs2_made",
    version=1,
    product="gfs2",
    claims=(
        r"(?:Locking protocol:\s{1,40}\"lock_|(?:Old|New) Journals:\s{1,20}\d|FS: (?:Mount [Pp]oint|Device):\s{1,40}/"
        r"|gfs2_(?:grow|jadd) complete)"
    ),
    owns=_MADE.owns,
    commands=("mkfs.gfs2", "gfs2_grow", "gfs2_jadd", "gfs2_mkfs"),
    places=r"(?:^|[\s/;|])(?:mkfs\.gfs2|mkfs -t gfs2|gfs2_grow|gfs2_jadd|gfs2_mkfs)\b",
)
def gfs2_made(section: OpenSection, out: Output) -> None:
    """How a file system was made, or made larger."""
    for pair in _MADE.pairs(section, out, "no value of a file system"):
        value = pair.value.strip('"')
        if pair.name == "Lock table" and section.scope is None:
            section.speaks_of(scope=value)
        section.add(Setting, pair.line, scope=section.scope, source="mkfs.gfs2", name=pair.name, value=value)


def _value(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    if found["name"] == "sb_locktable" and section.scope is None:
        section.speaks_of(scope=found["value"])
    section.add(
        Setting, line.number, scope=section.scope, source="gfs2_edit", name=found["name"], value=found["value"].strip()
    )


_EDITED: Final = Rows(
    Row(
        "journal",
        r"(?P<name>journal\d{1,4}):\s{1,20}0x[0-9a-f]{1,16}\s{1,20}(?P<value>\d{1,9}[KMG]B\s{1,12}(?:clean"
        r"|dirty)\b.{0,60})",
        _value,
    ),
    Row(
        "value of the superblock",
        r"(?P<name>(?:mh|sb|no)_[a-z_]{2,30})\s{1,40}(?P<value>\S{1,120})(?:\s{1,40}0x[0-9a-f]{1,16})?\s{0,8}$",
        _value,
    ),
    Row("block", r"Block #\s{0,80}\S", fate=Fate.FRAME),
    Row("journal and its size", r"journal\d{1,4} - \d{1,9}[KMG]B$", fate=Fate.EVERYDAY),
    Row("sum of journals", r"\d{1,5} journal\(s\) found\.$", fate=Fate.FRAME, opens=False),
    Row("title", r"(?:Superblock:|-{3,40} Journal List -{3,40}|-{20,80})\s{0,8}$", fate=Fate.FRAME, opens=False),
)


@parser(
    "gfs2_edit",
    version=1,
    product="gfs2",
    claims=(
        r"(?:journal\d{1,4}:\s{1,20}0x[0-9a-f]{1,16}\s{1,20}\d{1,9}[KMG]B|journal\d{1,4} - \d{1,9}[KMG]B$"
        r"|Block #\s{0,80}(?:\d{1,20} {1,8})?\(0x[0-9a-f]{1,16}\) of \d|-{3,40} Journal List -{3,40}|Superblock:$"
        r"|(?:mh_(?:magic|type|format)|sb_(?:fs_format|multihost_format|bsize|bsize_shift|lockproto|locktable|uuid)"
        r"|no_(?:addr|formal_ino))\s{1,40}\S)"
    ),
    owns=_EDITED.owns,
    commands=("gfs2_edit", "gfs2_tool"),
    places=r"(?:^|[\s/;|])gfs2_edit\b",
)
def gfs2_edit(section: OpenSection, out: Output) -> None:
    """Journals and superblock as ``gfs2_edit`` prints them."""
    _EDITED.read(section, out, "no journal and no value of a superblock")
