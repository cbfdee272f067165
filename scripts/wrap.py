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


def places(text: str) -> Iterator[Place]:
    """All places of a template, first to last."""
    tag = quote = kept = ""
    closes = beside = False
    for match in _TOKEN.finditer(text):
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind in ("django", "comment", "line"):
            beside = False
        elif quote:
            quote = "" if match.group() == quote else quote
        elif tag:
            if kind == "quote":
                quote = match.group()
            elif kind == "blank" and not kept:
                yield Place(start, end, 0)
            elif kind == "end":
                beside = bool(_IS_BLOCK.match(tag))
                if _IS_KEPT.match(tag):
                    kept = "" if closes and tag == kept else kept or ("" if closes else tag)
                tag = ""
        elif kind == "tag":
            tag, closes = match["tag"].lower(), bool(match["close"])
            if not kept and (beside or _IS_BLOCK.match(tag)) and not (beside and closes):
                yield Place(start, start, 2)
            beside = False
        elif not kept:
            if kind == "blank":
                yield Place(start, end, 1)
            elif beside:
                yield Place(start, start, 2)
            beside = False


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
    """Writes the files anew, or with ``--check`` names those that are not as this would write them."""
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
