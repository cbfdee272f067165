"""An exported report read back: its sentences, and the file, hash and line that each rests on. Whatever the report's
form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from html.parser import HTMLParser
from typing import Any, Final

from parsers.dataclass import dataclass

CASE: Final = "lockscope.case/1"
ANALYSIS: Final = "lockscope.analysis/1"
HASH: Final = re.compile(r"[0-9a-f]{12,64}")
HEADING: Final = re.compile(r"### (.+)")
PLACE: Final = re.compile(r"- (?:Read from: )?(`+)(?P<code>.+?)\1 sha256 (?P<hash>[0-9a-f]{12,64})?$")
TEXT: Final = re.compile(r"  (`+)(?P<code>.*?)\1$")
NUMBERS: Final = re.compile(r"(?P<path>.+):(?P<line>[0-9]{1,18})(?:-(?P<last>[0-9]{1,18}))?")
ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]<>#|~!])")
FENCE: Final = re.compile(r"`{3,}$")
LINE_CHARS: Final = 8_000


class NotAReportError(ValueError):
    """The text is no report of ours, or a damaged one."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line that a sentence rests on, with its text as the report shows it. `sha256` may be its beginning only; empty
    is unknown.
    """

    path: str
    line: int
    last_line: int | None
    sha256: str
    text: str

    def __str__(self) -> str:
        last = f"-{self.last_line}" if self.last_line and self.last_line != self.line else ""
        return f"{self.path}:{self.line}{last}"


@dataclass(slots=True)
class Sentence:
    """What a report claims, and the lines it names for it."""

    text: str
    places: list[Place] = field(default_factory=list)
    is_finding: bool = True
    """Else the present value of a setting: of those only the ones that were read somewhere count."""


def sentences(report: str) -> list[Sentence]:
    """Of a report in any of its forms; NotAReportError where it is none."""
    return [one for one in _read(report.lstrip("\ufeff \t\r\n")) if one.is_finding or one.places]


def _read(report: str) -> list[Sentence]:
    if report.startswith("{"):
        return list(_of_json(report))
    if report[:9].lower() == "<!doctype":
        return _of_html(report)
    if report.startswith("# ") and "Made by Lockscope" in report:
        return _of_markdown(report)
    raise NotAReportError("it is no report that Lockscope exports as Markdown, JSON or HTML")


# JSON
# -------------------------------------------------------------------------------------------------------------------


def _of_json(text: str) -> Iterator[Sentence]:
    try:
        report = json.loads(text)
        if report.get("schema") not in (CASE, ANALYSIS):
            raise NotAReportError(f"its schema is neither {CASE} nor {ANALYSIS}")
        known = {row["path"]: row["sha256"] or "" for row in report.get("inputs", ())}
        for finding in report["findings"]:
            yield Sentence(
                _named(finding.get("ref", ""), finding["title"]), [_place(line, known) for line in finding["evidence"]]
            )
        for tuning in report["tunings"]:
            read = tuning.get("read_from")
            if read and read.get("text"):
                yield Sentence(f"{tuning['parameter']} is {tuning['current']}", [_place(read, known)], is_finding=False)
    except NotAReportError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotAReportError("its JSON is damaged") from error


def _named(ref: str, title: str) -> str:
    return f"{ref} {title}".strip()


def _place(line: dict[str, Any], known: dict[str, str]) -> Place:
    number, last = line["line"], line.get("last_line")
    if not isinstance(number, int) or number < 1 or not isinstance(last, int | None):
        raise NotAReportError("a line in it has no number")
    digest = str(line.get("sha256") or known.get(line["path"], ""))
    return Place(str(line["path"]), number, last, digest if HASH.fullmatch(digest) else "", str(line.get("text") or ""))


# Markdown
# ---------------------------------------------------------------------------------------------------------------


def _of_markdown(text: str) -> list[Sentence]:
    is_finding = False
    found: list[Sentence] = []
    lines = iter(_outside_of_blocks(line for line in text.splitlines() if len(line) <= LINE_CHARS))
    for line in lines:
        if line.startswith("## "):
            is_finding = line == "## Findings"
        elif heading := HEADING.match(line):
            found.append(Sentence(ESCAPED.sub(r"\1", heading[1]), is_finding=is_finding))
        elif found and (match := PLACE.match(line)):
            found[-1].places.append(_printed_place(match, next(lines, "")))
    return found


def _outside_of_blocks(lines: Iterable[str]) -> Iterator[str]:
    """Without the commands, which stand between fences and may say anything."""
    fence = ""
    for line in lines:
        if fence:
            fence = "" if line == fence else fence
        elif FENCE.match(line):
            fence = line
        else:
            yield line


def _printed_place(match: re.Match[str], below: str) -> Place:
    numbers = NUMBERS.fullmatch(match["code"].strip())
    text = TEXT.match(below)
    if numbers is None or text is None:
        raise NotAReportError("a line of evidence in it is damaged")
    last = int(numbers["last"]) if numbers["last"] else None
    return Place(numbers["path"], int(numbers["line"]), last, match["hash"] or "", text["code"].strip())


# HTML
# -------------------------------------------------------------------------------------------------------------------


def _of_html(text: str) -> list[Sentence]:
    reader = _HtmlReader()
    reader.feed(text)
    reader.close()
    if not reader.is_report:
        raise NotAReportError("it is no report that Lockscope exports as HTML")
    return reader.found


class _HtmlReader(HTMLParser):
    """Takes `h3` inside an `article` as a sentence and `data-evidence` as its lines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Sentence] = []
        self.is_report = False
        self._into: list[str] | None = None
        self._until = ""
        self._line: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.is_report = self.is_report or (tag == "meta" and given.get("name") == "lockscope-report")
        if tag == "article":
            self.found.append(Sentence("", is_finding="data-finding" in given))
        elif tag == "h3" and self.found and not self.found[-1].text:
            self._take("h3")
        elif "data-evidence" in given:
            self._line = given
        elif tag == "code" and self._line is not None:
            self._take("code")

    def _take(self, until: str) -> None:
        self._into, self._until = [], until

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._into is None or tag != self._until:
            return
        text, self._into = " ".join("".join(self._into).split()), None
        if tag == "h3":
            self.found[-1].text = text
        elif self._line is not None and self.found:
            self.found[-1].places.append(self._place_of(self._line, text))
            self._line = None

    def _place_of(self, given: dict[str, str | None], text: str) -> Place:
        path, line, last = given.get("data-path") or "", given.get("data-line") or "", given.get("data-last-line") or ""
        digest = given.get("data-sha256") or ""
        if not (path and line.isascii() and line.isdigit() and len(line) <= 18):
            raise NotAReportError("a line of evidence in it is damaged")
        end = int(last) if last.isascii() and last.isdigit() and len(last) <= 18 else None
        return Place(path, int(line), end, digest if HASH.fullmatch(digest) else "", text)
