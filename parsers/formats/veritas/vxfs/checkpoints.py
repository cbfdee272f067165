"""Storage Checkpoints of VxFS: ``fsckptadm list`` and ``fsckptadm -l list``.

    /srv/pots
    before_move:
      ctime                 = Thu 03 Mar 2033 07:00:17 PM CET
      mtime                 = Thu 03 Mar 2033 07:00:17 PM CET
      flags                 = removable, mounted
      # of inodes           = 23872
      # of blocks           = 27867

Yields ``Setting`` with the mount as scope: the name of the checkpoint, its flags as value, when it was made as note;
``Counter`` (gauge) for each number of the long form, named ``before_move # of blocks``: file system blocks. Without a
mount above, the one of the command counts. Tolerated: cut blocks, other fields. Source: the layout is recalled of
fsckptadm(1M), which was not at hand.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.headings.paths import normal_mount
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection

SOURCE: Final = "fsckptadm"
_DAY: Final = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) "
_COUNT: Final = r"# of (?:inodes|blocks|reads from pseudo|overlay bmaps)[a-z ]{0,30}? {0,40}= {0,8}\d"
CLAIM: Final = rf"(?:[cm]time {{1,40}}= {{1,8}}{_DAY}|{_COUNT})"
_NAME: Final = r"[A-Za-z0-9_][\w.@+-]{0,126}:$"
_OWNS: Final = rf"(?:{CLAIM}|{_NAME}|/\S{{0,255}}$|flags {{1,40}}=|handle {{1,40}}=|# of [a-z ]{{3,40}} {{0,40}}=|\.$)"
_FIELD = re.compile(r"(#? ?[a-z][a-z ]{2,40}?) {1,40}= {0,8}(\S.{0,200})?$")
_NUMBER = re.compile(r"\d{1,18}")
_COMMANDED = re.compile(r"\bfsckptadm\b.{0,120}?\blist\s{1,8}(/\S{0,255})")


class _Checkpoint:
    """One checkpoint, put out when the next one begins."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section, self._out = section, out
        command = _COMMANDED.search(section.command.text) if section.command is not None else None
        self.mount: str | None = section.state.get("mount") or (normal_mount(command[1]) if command else None)
        self._name: str | None = section.state.pop("name", None)
        self._line = section.state.pop("line", 0)
        self._flags: str | None = None
        self._made: str | None = None

    def begin(self, line: int, name: str) -> None:
        """A heading."""
        self.close()
        self._name, self._line = name, line

    def take(self, line: int, name: str, value: str) -> None:
        """A field of it."""
        self._line = self._line or line
        if name == "flags":
            self._flags = value or None
        elif name == "ctime":
            self._made = value
        elif name.startswith("#") and _NUMBER.fullmatch(value):
            section = self._section
            section.add(
                Counter,
                line,
                scope=self.mount,
                source=SOURCE,
                name=f"{self._name or 'unnamed'} {name}",
                kind="gauge",
                value=float(value),
                sample=self._line,
            )

    def close(self) -> None:
        """It is whole."""
        if self._name is not None and (self._flags or self._made):
            section = self._section
            section.add(
                Setting,
                self._line,
                scope=self.mount,
                source=SOURCE,
                name=self._name,
                value=self._flags or "",
                note=f"made {self._made}" if self._made else None,
            )
        self._name, self._line, self._flags, self._made = None, 0, None, None


@parser(
    "checkpoints",
    version=1,
    product="veritas",
    claims=CLAIM,
    owns=_OWNS,
    commands=("fsckptadm",),
    places=r"\bfsckptadm\b.{0,120}\blist\b",
)
def checkpoints(section: OpenSection, out: Output) -> None:
    """``fsckptadm list``: Storage Checkpoints of a mount."""
    open_one = _Checkpoint(section, out)
    for line in section:
        text = line.text.strip()
        if text.startswith("/"):
            open_one.close()
            open_one.mount = section.state["mount"] = normal_mount(text)
            if section.scope is None and open_one.mount:
                section.speaks_of(scope=open_one.mount)
        elif re.match(_NAME, text):
            open_one.begin(line.number, text[:-1])
        elif match := _FIELD.match(text):
            open_one.take(line.number, match[1].strip(), (match[2] or "").strip())
        elif text == ".":
            out.ignore()
        else:
            out.skip(line, "no field of a checkpoint")
    open_one.close()
