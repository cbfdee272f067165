"""What people say in prose that no parser claims: figures with their speaker, as ``Claim`` records, never as
measurements.

    On Mon, 2024-03-04 at 10:12 +0000, Ann Weaver wrote:
    > The nightly backup takes 20-28 hours, the same tree on ext4 about
    > 8 minutes.

gives 20 to 28 h and 8 min, said by Ann Weaver. The speaker follows from the depth of quoting: a ``From:`` line names
who speaks at its own depth, ``... wrote:`` who speaks one deeper. Where nobody is named it is ``author``, or
``quoted/<depth>``. Lines of one paragraph are joined first. A sentence without a figure states nothing. A number
without a unit counts only as the value of a name as programs write it (``window_size is 50``, ``maxFilesToCache =
4000``): that name is then what the claim is about. Signatures are left out. Words in
quotation marks are a ``Quotation``: people quote what a program printed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from parsers.output import Output
from parsers.prose.figures import Figure, figures
from parsers.prose.narration import KEPT, narration_of
from parsers.prose.stated_faults import stated_fault
from parsers.records import Claim, Narration, Quotation
from parsers.text import Line

CLAIMS_KEPT: Final = 1_000
PARAGRAPH_CHARS: Final = 8_000
SENTENCE_CHARS: Final = 400
SIGNATURE_LINES: Final = 15
HEADER_LINES: Final = 8
TOO_MANY: Final = "More than 1,000 figures are stated in prose: those behind this line are not listed."

_ORIGINAL: Final = re.compile(
    r"-{2,20} ?(?:Original Message|Forwarded message|Urspr\S{1,4}ngliche Nachricht|Message d'origine) ?-{2,20}$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"\*{0,2}(?:From|Von|De):\*{0,2} {1,8}\"?(?P<name>[^\"<>@\[]{2,80}?)\"? {0,4}(?:[<\[(][^<>]{0,120}[>\])])?$"
)
_FROM_ADDRESS: Final = re.compile(r"\*{0,2}(?:From|Von|De):\*{0,2} {1,8}(?P<name>[\w.+-]{1,64})@[\w.-]{1,120}$")
_HEADER: Final = re.compile(
    r"\*{0,2}(?:To|Cc|Bcc|Sent|Date|Subject|Reply-To|An|Gesendet|Datum|Betreff|Message-ID|Organization):\*{0,2} ",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(
    r"(?P<name>[A-Z][\w.'-]{0,30}(?: [A-Z][\w.'-]{0,30}){1,3}) [\w.+-]{1,64} at [\w-]{1,60}(?:\.[\w-]{1,60}){1,4}$"
)
_WROTE: Final = re.compile(r"(?P<before>.{1,200}?),? (?:wrote|writes|said|a \S{1,3}crit) ?:$")
_WROTE_DE: Final = re.compile(r"Am .{6,80} schrieb (?P<name>[^<>:]{2,80}?)(?: <[^<>]{0,120}>)? ?:$")
_ADDRESS: Final = re.compile(r" ?[<(\[][^<>()\[\]]{0,120}[>)\]]")
_NAMED_VALUE: Final = re.compile(
    r"(?P<name>[A-Za-z][\w /.-]{1,60}?) {0,8}= {0,8}(?P<value>-?\d{1,12}(?:\.\d{1,6})?|on|off|yes|no)$"
)
_MACHINE: Final = re.compile(
    r"\d\d:\d\d:\d\d|\w\[\d{1,9}\]:|^(?:[A-Z]{4,9}|[\w./-]{1,30}\(\d\)|kernel|\[ {0,6}\d{1,9}\.\d{1,6}\]):? |^[|#{}]"
)
_BULLET: Final = re.compile(r"(?:[-*+\u2022\u25e6\u25aa\u2013\u2014]|\(?\d{1,3}[.)]) {1,8}")
_REMARK: Final = re.compile(
    r"(?:about |~|= ?)?(?:factor (?:of )?\d{1,6}(?:\.\d{1,4})?|\d{1,6}(?:\.\d{1,4})? ?(?:x|times) "
    r"(?:faster|slower))[ .!]{0,3}$",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])[\"')\]]{0,2} {1,8}(?=[\"'(\[]{0,2}[A-Z0-9])")
_CLAUSE: Final = re.compile(r"[,;()]| - |: ")
_PLAIN: Final = re.compile(r"(?<![^\s(\"'])[A-Za-z][a-z]{1,24}(?=[.,;:!?)\"']{0,2}(?:\s|$))")
_NAME: Final = r"(?:[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}|[a-z]{2,30}(?:[A-Z][a-z0-9]{1,30}){1,6})"
# A setting or counter by its name needs no unit; what goes on as a time, a version or a word is no value of it.
_VALUE_OF: Final = re.compile(
    rf"(?<![\w./-])(?P<name>{_NAME}) ?(?:=|(?<= )(?:is|was|stands at)(?= )) ?(?:now |only |still |set to )?"
    r"(?P<value>\d{1,15}(?:\.\d{1,6})?)(?![\w%:/-]|\.\d)"
)
_NAMED: Final = re.compile(_NAME)
# Three words or more: shorter ones are names and emphasis. An apostrophe inside a word opens and closes nothing.
_MARKS: Final = ("''", '""', "``", "\u2018\u2019", "\u201c\u201d", "\u201e\u201c", "\u00ab\u00bb")
_QUOTED: Final = re.compile("|".join(rf"(?<![\w{a}]){a} ?(?=\w)([^{a}{b}]{{12,200}}?) ?{b}(?!\w)" for a, b in _MARKS))
QUOTED_WORDS: Final = 3
REMARK: Final = "remark behind the row"
"""What a figure is about that somebody wrote behind a row of counters."""


class Speakers:
    """Who speaks at which depth of quoting."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._header = 0
        self._listed = 0
        self.mail = False

    def of(self, depth: int) -> str:
        """The name, else what stands for it."""
        return self._names.get(depth) or (f"quoted/{depth}" if depth else "author")

    def in_header(self, number: int) -> bool:
        """Whether a line stands in the head of a mail."""
        return self.mail and 0 < number - self._header <= HEADER_LINES

    def heard(self, line: Line) -> bool:
        """Whether the line says who speaks, or belongs to the head of a mail."""
        text = line.text.strip()
        if len(text) > 300:
            return False
        if (match := _FROM.match(text) or _FROM_ADDRESS.match(text)) is not None:
            self._enter(line.quote, match["name"], line.number)
            return True
        if _ORIGINAL.match(text):
            self._enter(line.quote, "", line.number)
            return True
        if self.in_header(line.number) and _HEADER.match(text):
            self._header = line.number
            return True
        return self._attributed(line, text)

    def _enter(self, depth: int, name: str, number: int) -> None:
        """A mail begins: what was known of this depth and the deeper ones holds no longer."""
        self._names = {known: who for known, who in self._names.items() if known < depth}
        if name.strip():
            self._names[depth] = name.strip()
        self._header = number
        self.mail = True

    def _attributed(self, line: Line, text: str) -> bool:
        if line.number <= 6 and not self.mail and (match := _LISTED.match(text)):
            self._enter(line.quote, match["name"], line.number)  # the first lines of a page of a list's archive
            return True
        match = _WROTE_DE.match(text)
        name = match["name"] if match else _author(text)
        if not name:
            return False
        self._names = {known: who for known, who in self._names.items() if known <= line.quote}
        self._names[line.quote + 1] = name
        self.mail = True
        return True


def _author(text: str) -> str:
    """The name before ``wrote:``: what stands behind the last comma or the time."""
    match = _WROTE.match(text)
    if match is None:
        return ""
    before = _ADDRESS.sub("", match["before"]).strip(" ,")
    name = re.split(r", | (?:[+-]\d{4}|\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?) ", before)[-1].strip(" ,")
    words = name.split()
    return name if 0 < len(words) <= 5 and name[:1].isalpha() and not any(c.isdigit() for c in name) else ""


class ClaimFinder:
    """Gathers paragraphs of unclaimed text and puts out what they state."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._speakers = Speakers()
        self._lines: list[tuple[int, str]] = []
        self._chars = 0
        self._quote = 0
        self._kept = 0
        self._narrated: dict[str, int] = {}
        self._signature: tuple[int, int] | None = None

    def is_mail_head(self, line: Line) -> bool:
        """Whether a line that reads like a time of capture only dates a mail; its text is kept as a claim."""
        if not self._speakers.in_header(line.number):
            return False
        self._put(
            Claim(
                line=line.number, speaker=self._speakers.of(line.quote), what="date of the mail", text=line.text.strip()
            )
        )
        return True

    @property
    def carries(self) -> bool:
        """Whether what stands below depends on what was written so far."""
        return self._speakers.mail or self._signature is not None

    def prose(self, line: Line) -> None:
        """Take a line that is a sentence or a part of one."""
        if self._about_people(line) or _MACHINE.search(line.text.strip()[:200]):
            self.end()
            return
        text = line.text.strip()
        if self._lines and (
            line.quote != self._quote or self._chars > PARAGRAPH_CHARS or line.number > self._lines[-1][0] + 1
        ):
            self.end()
        if (bullet := _BULLET.match(text)) is not None:
            self.end()
            text = text[bullet.end() :]
        self._quote = line.quote
        self._lines.append((line.number, text))
        self._chars += len(text)

    def belongs(self, line: Line) -> bool:
        """Whether a line that reads like no sentence is what somebody wrote: who speaks, or the middle of a
        paragraph.
        """
        if self._about_people(line):
            self.end()
            return True
        if self._continues(line) or _REMARK.match(line.text.strip()):
            self.prose(line)
            return True
        self.end()
        self._named_value(line)
        return False

    def end(self) -> None:
        """The paragraph ends."""
        if self._lines:
            lines, self._lines, self._chars = self._lines, [], 0
            self._read(lines)

    def _about_people(self, line: Line) -> bool:
        if self._speakers.heard(line):
            self._signature = None
            return True
        if self._speakers.mail and line.text.strip() == "--":
            self._signature = (line.quote, line.number)
        return self._in_signature(line)

    def _in_signature(self, line: Line) -> bool:
        if self._signature is None:
            return False
        depth, begun = self._signature
        if line.quote == depth and line.number - begun <= SIGNATURE_LINES:
            return True
        self._signature = None
        return False

    def _continues(self, line: Line) -> bool:
        """Below a long line of the same depth that ends in the middle of a sentence, and with a few plain words."""
        if not self._lines or line.quote != self._quote or line.number != self._lines[-1][0] + 1:
            return False
        above, head = self._lines[-1][1], line.text.strip()[:200]
        if len(above) < 40 or above[-1] in ".!?:" or not (head[0].isalnum() or head[0] in "(\"'"):
            return False
        words = len(_PLAIN.findall(head))
        return words >= 2 and 5 * words >= 2 * len(head.split()) and "0x" not in head and "   " not in head

    def _named_value(self, line: Line) -> None:
        """``window_size = 50`` in a quoted mail: somebody states it; it is no setting in force."""
        if not line.quote or not self._speakers.mail or (match := _NAMED_VALUE.match(line.text.strip())) is None:
            return
        figure = match["value"]
        value = float(figure) if figure[-1].isdigit() else None
        speaker = self._speakers.of(line.quote)
        self._put(
            Claim(line=line.number, speaker=speaker, what=match["name"].strip(), value=value, text=line.text.strip())
        )

    def _read(self, lines: list[tuple[int, str]]) -> None:
        text = " ".join(part for _, part in lines)
        starts = [0]
        for _, part in lines:
            starts.append(starts[-1] + len(part) + 1)
        for at, sentence in sentences(text):
            self._narrate(lines[min(len(lines), bisect_right(starts, at)) - 1][0], sentence)
            for claim_at, what, figure in _stated(sentence):
                number = lines[min(len(lines), bisect_right(starts, at + claim_at)) - 1][0]
                self._claim(number, what, figure, around(sentence, claim_at))
            for claim_at, words in _quotations(sentence):
                number = lines[min(len(lines), bisect_right(starts, at + claim_at)) - 1][0]
                self._put(
                    Quotation(
                        line=number,
                        speaker=self._speakers.of(self._quote),
                        words=words,
                        text=around(sentence, claim_at),
                    )
                )

    def _narrate(self, number: int, sentence: str) -> None:
        narration = narration_of(number, sentence.strip())
        if narration is not None and self._narrated.get(narration.sort, 0) < KEPT:
            self._narrated[narration.sort] = self._narrated.get(narration.sort, 0) + 1
            self._out.add(narration)
        happened = narration is not None and narration.sort == "own"
        if self._narrated.get("fault", 0) < KEPT and (stated := stated_fault(sentence, happened=happened)):
            self._narrated["fault"] = self._narrated.get("fault", 0) + 1
            self._out.add(Narration(line=number, sort="fault", text=stated))

    def _claim(self, number: int, what: str, figure: Figure, text: str) -> None:
        speaker = self._speakers.of(self._quote)
        self._put(
            Claim(
                line=number,
                speaker=speaker,
                what=what,
                value=figure.value,
                high=figure.high,
                unit=figure.unit,
                text=text,
            )
        )

    def _put(self, claim: Claim | Quotation) -> None:
        self._kept += 1
        if self._kept <= CLAIMS_KEPT:
            self._out.add(claim)
        elif self._kept == CLAIMS_KEPT + 1:
            self._out.problem(claim.line, TOO_MANY)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences with the place where they begin."""
    at = 0
    for match in _SENTENCE.finditer(text):
        yield at, text[at : match.start()]
        at = match.end()
    yield at, text[at:]


def is_name(what: str) -> bool:
    """Whether a claim is about a setting or a counter by its name, and not about a few words of the sentence."""
    return _NAMED.fullmatch(what) is not None


def _stated(sentence: str) -> Iterator[tuple[int, str, Figure]]:
    """Figures with what each is about: the name whose value it is, else the words around it."""
    found = [(figure, clause(sentence, figure.start, figure.end)) for figure in figures(sentence)]
    taken = [(figure.start, figure.end) for figure, _ in found]
    named = (
        match
        for match in _VALUE_OF.finditer(sentence)
        if not any(a < match.end() and match.start("value") < b for a, b in taken)
    )
    found += [(Figure(float(match["value"]), None, "", *match.span()), match["name"]) for match in named]
    for figure, what in sorted(found, key=lambda one: one[0].start):
        yield figure.start, what, figure


def _quotations(sentence: str) -> Iterator[tuple[int, str]]:
    """What stands in quotation marks, with its place."""
    for match in _QUOTED.finditer(sentence):
        words = match[match.lastindex or 0].strip()
        if len(words.split()) >= QUOTED_WORDS:
            yield match.start(), words


def clause(sentence: str, start: int, end: int) -> str:
    """The few words around a place: up to the next comma, bracket or dash, and not more than a line."""
    before, after = sentence[max(0, start - 60) : start], sentence[end : end + 40]
    cuts = [match.end() for match in _CLAUSE.finditer(before)]
    before = before[cuts[-1] :] if cuts else before if start <= 60 else before.partition(" ")[2]
    cut = _CLAUSE.search(after)
    after = after[: cut.start()] if cut else after if len(after) < 40 else after.rpartition(" ")[0]
    return f"{before}{sentence[start:end]}{after}".strip(" .,;:()-~*")


def around(sentence: str, at: int) -> str:
    """The sentence, or the part of a very long one around a place."""
    if len(sentence) <= SENTENCE_CHARS:
        return sentence.strip()
    start = max(0, min(at - SENTENCE_CHARS // 2, len(sentence) - SENTENCE_CHARS))
    return sentence[start : start + SENTENCE_CHARS].strip()
