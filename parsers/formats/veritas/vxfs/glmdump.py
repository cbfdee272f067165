"""``glmdump`` of the Group Lock Manager of Veritas: locks that did not move while somebody waited for them.

    lockname 0xd21f040 0x7d3c11e500020001 0x3e7 0x1b3f2
        type=regular port=f
        holder node=carp1 level=SH count=3
        info vol=0xd21f040 type=inode subtype=glock inumber=111602 fset=999 ias=0
        last_locker node=carp1 thread=0xffff8802c41a3560
        proxy node=carp4 address=0xffff8805d0937218
        waiter node=carp4 level=EX count=1

Yields ``GlmLock``: a row for each holder, waiter and last locker of a lock; proxies are counted only. Only locks that
were the same over the delay of the dump (10 s, or ``-d``) and have a waiter are printed. The third word of a name is
the file set, the fourth the inode, in hexadecimal; ``info`` says the same, and a contradiction is a problem of the
text. No time is printed: it comes from above. Tolerated: line ends lost or wrapped, unknown groups of ``key=value``, a
cut end. Source: glmdump(1M) 5.1SP1 to 8.0.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.line_kinds import is_elision
from parsers.output import Output
from parsers.records.locks import GlmLock
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_CLAIMS: Final = r"lockname {1,8}0x[0-9a-fA-F]{1,20}"
_GROUPS: Final = ("holder", "info", "last_locker", "proxy", "waiter")
_HEX_WORD: Final = r"0x[0-9a-fA-F]{1,20}"
_OWNS: Final = re.compile(
    rf"(?:{_CLAIMS}|(?:{'|'.join(_GROUPS)}) {{1,8}}[a-z_]{{2,20}}=|[a-z_]{{2,20}}=\S|{_HEX_WORD}(?: "
    rf"{{1,8}}{_HEX_WORD}){{0,3}}$)"
)
_WORD = re.compile(r"\S+")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,20}$")
_PAIR = re.compile(r"([a-z_]{1,20})=(.{0,256})$")
_NAME_WORDS: Final = 4


def _owns(text: str, before: str) -> bool:
    return is_elision(text) or _OWNS.match(text.lstrip()) is not None


@dataclass(slots=True)
class _Party:
    """A holder, waiter or last locker: its group, line and pairs."""

    group: str
    line: int
    pairs: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Lock:
    """A lock while its words come in."""

    line: int
    words: list[str] = field(default_factory=list)
    pairs: dict[str, str] = field(default_factory=dict)
    info: dict[str, str] = field(default_factory=dict)
    parties: list[_Party] = field(default_factory=list)
    group: str = ""

    def take(self, word: str, line: int) -> str:
        """One word of the dump: what is wrong with it, or nothing."""
        if word in _GROUPS:
            self.group = word
            if word in ("holder", "waiter", "last_locker"):
                self.parties.append(_Party(word, line))
            return ""
        if not self.group and not self.pairs and _HEX.match(word) and len(self.words) < _NAME_WORDS:
            self.words.append(word.lower())
            return ""
        if (pair := _PAIR.match(word)) is None:
            return "a word that is no key=value"
        self._target()[pair[1]] = pair[2]
        return ""

    def _target(self) -> dict[str, str]:
        if self.group == "info":
            return self.info
        if self.group in ("holder", "waiter", "last_locker"):
            return self.parties[-1].pairs if self.parties else {}
        return {} if self.group else self.pairs

    @property
    def inode(self) -> int | None:
        """Inode number: of ``info``, else the fourth word of the name."""
        return _number(self.info.get("inumber"), 10) or self._from_name(3)

    @property
    def fileset(self) -> int | None:
        """File set: of ``info``, else the third word."""
        return _number(self.info.get("fset"), 10) or self._from_name(2)

    def _from_name(self, place: int) -> int | None:
        return _number(self.words[place], 16) if len(self.words) == _NAME_WORDS else None

    @property
    def contradicts(self) -> bool:
        """Whether name and ``info`` speak of different inodes."""
        stated, named = _number(self.info.get("inumber"), 10), self._from_name(3)
        return stated is not None and named is not None and stated != named


def _number(text: str | None, base: int) -> int | None:
    if text is None or len(text) > 20:
        return None
    try:
        found = int(text, base)
    except ValueError:
        return None
    return found if 0 <= found < 1 << 63 else None


def _write(section: OpenSection, out: Output, lock: _Lock) -> None:
    """The rows of a lock that is complete."""
    if not lock.words:
        return
    if lock.contradicts:
        out.problem(lock.line, "glmdump: the name of a lock and its info line give different inode numbers")
    kind = " ".join(
        text for text in (lock.info.get("type") or lock.pairs.get("type"), lock.info.get("subtype")) if text
    )
    for party in lock.parties:
        node = party.pairs.get("node")
        if node is None:
            continue
        section.add(
            GlmLock,
            party.line,
            object=" ".join(lock.words),
            scope=lock.info.get("vol"),
            lock_class=kind or None,
            mode=party.pairs.get("level"),
            holder=node if party.group == "holder" else None,
            waiter=node if party.group == "waiter" else None,
            state=party.group,
            lock_line=lock.line,
            dump=int(section.state["dump"]),
            inode=lock.inode,
            fileset=lock.fileset,
            count=_number(party.pairs.get("count"), 10),
            thread=party.pairs.get("thread"),
            last_locker=node if party.group == "last_locker" else None,
        )


@parser("glmdump", version=1, product="veritas", claims=_CLAIMS, owns=_owns, commands=("glmdump",))
def glmdump(section: OpenSection, out: Output) -> None:
    """``glmdump``: stuck locks with holder and waiters."""
    lock: _Lock | None = section.state.get("lock")
    for line in section:
        section.state.setdefault("dump", line.number)
        if is_elision(line.text):
            out.ignore()
            continue
        lock = _line(section, out, lock, line)
    if lock is not None:
        _write(section, out, lock)
        lock.parties.clear()  # what follows behind a stray line adds to the same lock
    section.state["lock"] = lock


def _line(section: OpenSection, out: Output, lock: _Lock | None, line: Line) -> _Lock | None:
    """Take the words of a line; a new name writes the lock before it."""
    wrong = ""
    for word in _WORD.findall(line.text):
        if word == "lockname":
            if lock is not None:
                _write(section, out, lock)
            lock = _Lock(line.number)
        elif lock is None:
            wrong = "the lock that this line belongs to is not there"
        else:
            wrong = lock.take(word, line.number) or wrong
    if wrong:
        out.skip(line, wrong)
    return lock
