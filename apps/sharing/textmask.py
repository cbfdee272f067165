"""A text with stand-ins for everything that could name the customer. What is not known to be harmless is replaced.

The order: names that the case knows, then what has the shape of an address, a serial number or a path, then every word
that the vocabulary of the knowledge base does not hold. Numbers, times and plain memory addresses stay: they say how
long and how many, never who.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from apps.diagnosis.engine.core.words.vocabulary import own_stretches, vocabulary
from apps.sharing.shapes import spans

StandIn = Callable[[str, str], str]
"""The stand-in of a kind for a name."""

KINDS: Final = ("node", "addr", "mac", "disk", "fs", "path", "user", "id", "word")
MEMO_MOST: Final = 100_000
PARTS_JOINED: Final = 9
LEAST_KNOWN: Final = 2
DIGITS_KEPT: Final = 8
DIGITS_IN_FILE: Final = 4
HEX_KEPT: Final = 15
OF_KERNEL: Final = "0xffff"

CHUNK: Final = re.compile(r"""[^\s"'`<>(){}\[\],;=|!?*&^$#\u201c\u201d]+""")
EDGES: Final = re.compile(r"^([.:\-+~]*)(.*?)([.:\-+]*)$", re.DOTALL)
FORCED: Final = re.compile(
    r"""\b(?:(?P<user>(?:user(?:[ _]?name)?|login|logname|owner)\s*[=:]\s*|(?:by|for|from|of|as)\suser\s+|su\s+-\s+"""
    r"""|uid=\d+\()["']?(?P<who>[^\s"'@,;()<>]+)"""
    r"""|(?P<cluster>cluster(?:Name|Id)\b(?!\s+(?:is|was|of)\b)|cluster[ _](?:name|id)\s*[=:]"""
    r"""|node[ _]?id(?=[\s=:(]*\d{6}))"""
    r"""[\s=:(]*["']?(?P<which>[^\s"',;()<>]+)"""
    r"""|(?P<id>serial(?:[ _]?(?:number|num|no))?|s/?n|wwid|wwpn|wwnn|wwn|uuid|guid|asset[ _]?tag)\b\s*"""
    r"""(?:[.=:#]+\s*)?["']?(?P<what>(?=\S*\d)[^\s"',;()<>]+))""",
    re.IGNORECASE,
)
NAMED: Final = ("who", "which", "what")
WORD_BEFORE: Final = re.compile(r"[\w.\-]{1,200}$")
WORD_AFTER: Final = re.compile(r"[\w.\-]+")
SEPARATORS: Final = re.compile(r"([._\-:/\\+@~%]+)")
KEPT_SHAPES: Final = re.compile(
    r"(?:n:)?\d{1,2}/[0-9a-f]{1,16}|[fst]:[A-Za-z?]{1,12}"
    r"|\d{4}-\d\d-\d\d(?:[T_]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
"""A glock, flags of a glock, a date."""
FRAME: Final = re.compile(r"[A-Za-z_][\w.]*\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?")
AMOUNT: Final = re.compile(
    r"(?i)[<>~]?\d+(?:,\d{3})*(?:[.,]\d+)?(?:e[+-]?\d+)?(?:%|[nmu\u00b5]?s|secs?|min|h|d|[kmgtp]i?b?(?:ps|/s)?|b|x"
    r"|hz|ghz|mhz)?(?:/s)?"
)
POINTER: Final = re.compile(r"0x[0-9A-Fa-f]+")
CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
DIGITS: Final = re.compile(r"\d+")
DATE: Final = re.compile(r"(?:19|20)\d\d(?:(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))?")
LABELS: Final = frozenset(
    [
        "serial",
        "wwid",
        "wwpn",
        "wwnn",
        "wwn",
        "uuid",
        "guid",
        "asset",
        "tag",
        "login",
        "logname",
        "username",
        "mac",
        "ether",
        "inet",
        "inet6",
        "snap",
    ]
)
SYSTEM_FOLDERS: Final = frozenset((
    "adm", "bin", "boot", "cluster", "cmdline", "config", "cpuinfo", "crash", "debug", "dev", "disk", "dlm", "dsk",
    "etc", "fs", "gfs2",
    "glocks", "glstats", "gpfs", "kernel", "lib", "lib64", "locks", "log", "lpp", "lvm", "mapper", "meminfo",
    "messages", "mmfs",
    "mmfs.log", "mmfs.log.latest", "mounts", "nsd", "opt", "proc", "ras", "rdsk", "run", "sbin", "sbstats", "self",
    "share", "slab",
    "stat", "sys", "syslog", "tmp", "trace", "tracing", "usr", "var", "vmstat", "vx", "vxfs", "vrts", "vrtsvcs",
    "vrtsvxfs", "gabconfig",
    "llt", "mpath", "block", "scsi_host", "fc_host", "net",
))  # fmt: skip


ENDINGS: Final = frozenset(
    ("txt", "log", "out", "err", "csv", "json", "xml", "html", "gz", "tgz", "bz2", "xz", "zst", "tar", "zip")
)
"""Of names of files."""


@cache
def harmless_words() -> frozenset[str]:
    """Words of the vocabulary, those that come before a name, and endings of files."""
    return vocabulary() | LABELS | ENDINGS


def is_harmless(word: str) -> bool:
    """A number, a unit, a memory address, or a word of the vocabulary."""
    if DIGITS.fullmatch(word):
        return len(word) <= DIGITS_KEPT
    if POINTER.fullmatch(word):
        return len(word) - 2 <= HEX_KEPT or word.casefold().startswith(OF_KERNEL)
    if len(word) == 1 or AMOUNT.fullmatch(word) or word.casefold() in harmless_words():
        return True
    if any(letter.isdigit() for letter in word):
        return False
    parts = CAMEL.findall(word)
    return "".join(parts) == word and all(part.casefold() in harmless_words() for part in parts)


class TextMask:
    """Masks the texts of one case. ``known`` gives (kind, canonical name) by the folded spelling; ``standin`` hands out
    stand-ins.
    """

    def __init__(self, known: Mapping[str, tuple[str, str]], standin: StandIn) -> None:
        self._known = known
        self._standin = standin
        self._memo: dict[tuple[str, bool], str] = {}

    def text(self, text: str) -> str:
        """A line, a sentence, a command."""
        return self._remembered(text, is_file=False)

    def sentence(self, text: str) -> str:
        """A text that the program made: stretches of its own sentences stay, what is filled in between them
        is masked.
        """
        pieces, at = [], 0
        for start, end in own_stretches(text):
            pieces += [self.text(text[at:start]), text[start:end]]
            at = end
        return "".join([*pieces, self.text(text[at:])])

    def file(self, path: str) -> str:
        """The name of a file inside a bundle: folders and words of file names stay where the program knows them."""
        return self._remembered(path, is_file=True)

    def _remembered(self, text: str, *, is_file: bool) -> str:
        found = self._memo.get((text, is_file))
        if found is None:
            found = self._file(text) if is_file else self._text(text)
            if len(self._memo) < MEMO_MOST:
                self._memo[text, is_file] = found
        return found

    def _text(self, text: str) -> str:
        name = text.strip()
        whole = self._known.get(name.casefold())
        if whole:  # blanks round it part it from the words beside it
            return text.replace(name, self._standin(*whole), 1)
        pieces, at = [], 0
        for start, end, kind, value in spans(text):
            if not self._is_known_word(text, start, end):
                pieces += [self._unshaped(text[at:start]), self._shaped(kind, value)]
                at = end
        return "".join([*pieces, self._unshaped(text[at:])])

    def _is_known_word(self, text: str, start: int, end: int) -> bool:
        """Whether what it stands in is a name that the case knows: that has its own stand-in."""
        before, after = WORD_BEFORE.search(text[:start]), WORD_AFTER.match(text, end)
        whole = f"{before[0] if before else ''}{text[start:end]}{after[0] if after else ''}"
        return whole != text[start:end] and whole.casefold() in self._known

    def _unshaped(self, text: str) -> str:
        """A stretch that holds no shape of an address."""
        pieces, at = [], 0
        for match in FORCED.finditer(text):
            name = next(name for name in NAMED if match[name] is not None)
            pieces += [self._chunks(text[at : match.start(name)]), self._forced(match, name)]
            at = match.end(name)
        return "".join([*pieces, self._chunks(text[at:])])

    def _forced(self, match: re.Match[str], name: str) -> str:
        value = match[name]
        if name == "who" and value.casefold() in {"root", "nobody"}:
            return value
        kind, canonical = self._known.get(value.casefold(), ("user" if name == "who" else "id", value))
        return self._standin(kind, canonical)

    def _chunks(self, text: str) -> str:
        return CHUNK.sub(lambda match: self._chunk(match[0]), text)

    def _chunk(self, chunk: str) -> str:
        if found := self._known.get(chunk.casefold()):
            return self._standin(*found)
        edges = EDGES.match(chunk)
        before, middle, after = edges.groups() if edges else ("", chunk, "")
        if not middle:
            return chunk
        if found := self._known.get(middle.casefold()):
            return f"{before}{self._standin(*found)}{after}"
        return f"{before}{self._words(middle)}{after}"

    def _shaped(self, kind: str, value: str) -> str:
        known, canonical = self._known.get(value.casefold(), (kind, value))
        return self._standin(
            "addr" if known == "node" and kind == "addr" else known, value if known == "node" else canonical
        )

    def _words(self, text: str) -> str:
        if AMOUNT.fullmatch(text) and not _is_long_number(text):
            return text
        if text.startswith(("/", "./", "~/")) or text.count("/") > 1 or "\\" in text:
            return self._path(text)
        if KEPT_SHAPES.fullmatch(text):
            return text
        if "@" in text:
            return self._account(text)
        if FRAME.fullmatch(text):
            symbol, _, offset = text.partition("+")
            return f"{self._parts(symbol, 'word')}+{offset}"
        return self._parts(text, "word")

    def _account(self, text: str) -> str:
        who, _, host = text.partition("@")
        name = (
            who
            if who.casefold() == "root" or not who
            else self._standin(*self._known.get(who.casefold(), ("user", who)))
        )
        return f"{name}@{self._words(host)}"

    def _path(self, text: str) -> str:
        """The depth stays; folders of the system and of the products do too."""
        return "".join(
            part if number % 2 else self._folder(part) for number, part in enumerate(re.split(r"([/\\]+)", text))
        )

    def _folder(self, part: str) -> str:
        if not part or part in {".", "..", "~"}:
            return part
        if found := self._known.get(part.casefold()):
            return self._standin(*found)
        if part.casefold() in SYSTEM_FOLDERS or (DIGITS.fullmatch(part) and not _is_long_number(part)):
            return part
        if self._holds_known(part):
            return self._parts(part, "path")
        return self._standin("path", part)

    def _file(self, path: str) -> str:
        return "".join(
            part if number % 2 else self._member(part) for number, part in enumerate(re.split(r"([/\\!\s]+)", path))
        )

    def _member(self, part: str) -> str:
        if not part or part in {".", ".."}:
            return part
        if found := self._known.get(part.casefold()):
            return self._standin(*found)
        pieces, at = [], 0
        for start, end, kind, value in spans(part, is_line=False):
            pieces += [self._parts(part[at:start], "path"), self._shaped(kind, value)]
            at = end
        return "".join([*pieces, self._parts(part[at:], "path")])

    def _holds_known(self, text: str) -> bool:
        parts = SEPARATORS.split(text)
        return any(self._longest(parts, start) for start in range(0, len(parts), 2))

    def _parts(self, text: str, kind: str) -> str:
        """Word by word: the longest known name first, then runs of words that nobody knows, each run one stand-in."""
        parts = SEPARATORS.split(text)
        shown: list[str] = []
        run: list[str] = []
        at = 0
        while at < len(parts):
            taken = 0 if at % 2 else self._longest(parts, at)
            if taken:
                shown += [
                    *self._ended(run, kind),
                    self._standin(*self._known["".join(parts[at : at + taken]).casefold()]),
                ]
                run = []
                at += taken
                continue
            part = parts[at]
            if at % 2:
                (run or shown).append(part)
            elif self._stays(parts, at, kind, is_after_name=bool(run)):
                shown += [*self._ended(run, kind), part]
                run = []
            else:
                run.append(part)
            at += 1
        return "".join([*shown, *self._ended(run, kind)])

    def _stays(self, parts: list[str], at: int, kind: str, *, is_after_name: bool) -> bool:
        """In the names of files a number beside a name belongs to it, and a long one is no figure."""
        part = parts[at]
        if kind != "path" or not DIGITS.fullmatch(part) or DATE.fullmatch(part):
            return not part or is_harmless(part)
        is_time = at > 1 and bool(DATE.fullmatch(parts[at - 2]))
        is_before_name = at + 2 < len(parts) and not (is_harmless(parts[at + 2]) or not parts[at + 2])
        return is_time or not (is_after_name or is_before_name or len(part) > DIGITS_IN_FILE)

    def _longest(self, parts: list[str], start: int) -> int:
        """How many parts from here on are a known name."""
        for end in range(min(len(parts), start + 2 * PARTS_JOINED), start, -1):
            if (end - start) % 2 and (joined := "".join(parts[start:end])) and joined.casefold() in self._known:
                return end - start
        return 0

    def _ended(self, run: list[str], kind: str) -> list[str]:
        """A run of unknown words with what parts them; a separator at its end stays."""
        if not run:
            return []
        tail = [run[-1]] if len(run) % 2 == 0 else []
        name = "".join(run[: len(run) - len(tail)])
        is_number = bool(POINTER.fullmatch(name) or DIGITS.fullmatch(name))
        return [self._standin("id" if is_number else kind, name), *tail]


def _is_long_number(text: str) -> bool:
    return len(text) > DIGITS_KEPT and DIGITS.fullmatch(text) is not None
