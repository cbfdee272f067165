"""Breaks long lines of templates and style sheets where a browser cannot see it: ``python -m scripts.wrap [--check]``.

A formatter of HTML moves blanks inside inline elements, which a page shows. This one changes nothing but the width: a
line above 140 characters is broken at a blank that is there already (between attributes, between words) or beside an
element that is always a block of its own. Text whose blanks count (pre, textarea, code, script, style), quoted values
and the tags of Django, which may not span lines, are left whole; so some lines stay longer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WIDTH = 140
ROOT = Path(__file__).resolve().parent.parent
STEP = "  "
BLOCKS = (
    "article|aside|blockquote|caption|col|colgroup|dd|div|dl|dt|fieldset|figure|footer|h[1-6]|header|hr|main|nav|ol|optgroup|option|p|"
    "section|table|tbody|td|tfoot|th|thead|tr|ul"
)
KEPT = "pre|textarea|code|script|style"
_TOKEN = re.compile(
    r"(?P<django>\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\})"
    r"|(?P<comment><!--.*?-->)"
    r"|<(?P<close>/?)(?P<tag>[a-zA-Z][\w-]*)"
    r"|(?P<quote>[\"'])"
    r"|(?P<end>/?>)"
    r"|(?P<line>\n)"
    r"|(?P<blank>[ \t]+)"
    r"|(?P<other>.)"
)
_IS_BLOCK = re.compile(rf"(?:{BLOCKS})\Z")
_IS_KEPT = re.compile(rf"(?:{KEPT})\Z")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line may be broken: the break replaces ``text[start:end]``."""

    start: int
    end: int
    good: int
    """Between attributes 0, between words 1, beside a block 2."""


class _Reader:
    """Goes through a template token by token and knows whether it is in a tag, in a quoted value or in kept text."""

    def __init__(self) -> None:
        self.tag = self.quote = self.kept = ""
        self.closes = self.beside = False
        """Whether the tag is a closing one; whether the last thing was the end of a block's tag."""

    def place(self, match: re.Match[str]) -> Place | None:
        """Where the text may be broken before or at this token."""
        if self.quote:
            self.quote = "" if match.group() == self.quote else self.quote
            return None
        found = self.in_tag(match) if self.tag else self.between(match)
        return None if self.kept else found

    def in_tag(self, match: re.Match[str]) -> Place | None:
        kind = match.lastgroup
        if kind == "blank":
            return Place(match.start(), match.end(), 0)
        if kind == "quote":
            self.quote = match.group()
        elif kind == "end":
            self.beside = bool(_IS_BLOCK.match(self.tag))
            if _IS_KEPT.match(self.tag) and self.kept in ("", self.tag):
                self.kept = "" if self.closes else self.tag
            self.tag = ""
        return None

    def between(self, match: re.Match[str]) -> Place | None:
        beside, self.beside = self.beside, False
        if match.lastgroup == "tag":
            self.tag, self.closes = match["tag"].lower(), bool(match["close"])
            is_edge = beside or _IS_BLOCK.match(self.tag)
            return Place(match.start(), match.start(), 2) if is_edge and not (beside and self.closes) else None
        if match.lastgroup == "blank":
            return Place(match.start(), match.end(), 1)
        return Place(match.start(), match.start(), 2) if beside else None


def places(text: str) -> Iterator[Place]:
    """All places of a template, first to last."""
    reader = _Reader()
    for match in _TOKEN.finditer(text):
        if match.lastgroup in ("django", "comment", "line"):
            reader.beside = False
        elif (found := reader.place(match)) is not None:
            yield found


_CSS = re.compile(
    r"(?P<comment>/\*.*?\*/)|(?P<string>\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\))"
    r"|(?P<after>[;{}]) +|(?P<blank> +)|(?P<other>.)"
)


def css_places(text: str) -> Iterator[Place]:
    """All places of a style sheet: between declarations first, else at any blank outside of strings and brackets."""
    for match in _CSS.finditer(text):
        if match.lastgroup == "after":
            yield Place(match.start() + 1, match.end(), 2)
        elif match.lastgroup == "blank":
            yield Place(match.start(), match.end(), 1)


def wrapped(line: str, found: list[Place]) -> Iterator[str]:
    """The line as lines of at most `WIDTH` characters, as far as there is a place to break it."""
    indent = line[: len(line) - len(line.lstrip())]
    begin, lead = 0, ""
    while len(lead) + len(line) - begin > WIDTH:
        room = WIDTH - len(lead)
        ahead = [place for place in found if place.start > max(begin, len(indent)) and line[place.end :].strip()]
        if not ahead:
            break
        near = [place for place in ahead if place.start - begin <= room] or ahead[:1]
        far = [place for place in near if place.start - begin > room // 2] or near
        best = max(far, key=lambda place: (place.good, place.start))
        yield lead + line[begin : best.start]
        begin, lead = best.end, indent + STEP
    yield lead + line[begin:]


def formatted(text: str, found: list[Place]) -> str:
    """The text with no line that could be shorter."""
    out: list[str] = []
    start = at = 0
    for line in text.split("\n"):
        end = start + len(line)
        mine = []
        while at < len(found) and found[at].start <= end:
            place = found[at]
            mine.append(Place(place.start - start, place.end - start, place.good))
            at += 1
        out.extend([line] if len(line) <= WIDTH else wrapped(line, mine))
        start = end + 1
    return "\n".join(out)


def main(arguments: list[str]) -> int:
    """Writes the files again, or with ``--check`` names those that are not as this would write them."""
    changed = []
    for folder, pattern, where in (("templates", "*.html", places), ("static/css", "*.css", css_places)):
        for path in sorted((ROOT / folder).rglob(pattern)):
            text = path.read_text(encoding="utf-8")
            if (new := formatted(text, list(where(text)))) != text:
                changed.append(str(path.relative_to(ROOT)))
                if "--check" not in arguments:
                    path.write_text(new, encoding="utf-8")
    if "--check" in arguments and changed:
        sys.stderr.write("\n  ".join(["too long a line; python -m scripts.wrap breaks it:", *changed]) + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
