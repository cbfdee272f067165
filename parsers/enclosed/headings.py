"""Headings of documents in plain marks, as those of people's own outputs.

    carp1                     * carp1                        .gabconfig -a
    -----                     ** gabconfig -a                [source,console]

A word above a rule of its own length, a heading of Org mode and the title of a block in AsciiDoc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from parsers.headings.captions import is_command
from parsers.headings.node_banners import looks_like_host
from parsers.lookup import programs

LONGEST: Final = 200
_RULE: Final = re.compile(r"([-=~^\"'])\1{2,80}$")
_OF_FILES: Final = ":" * 14
"""What ``more`` puts above and below the name of each of several files."""
_OF_MINION: Final = "-" * 10
_OUTLINE: Final = re.compile(r"\*{1,5} (?P<text>[A-Za-z/][^*]{0,190})$")
_TITLE: Final = re.compile(r"\.(?P<text>[A-Za-z/][^.].{0,190})$")


def heading(first: str, lines: Iterator[str]) -> tuple[int, str]:
    """How many of some lines are a heading, of which one is the first, and what it tells as other headings do; 0 where
    they are none.
    """
    text = first.rstrip()
    if not text or len(text) > LONGEST:
        return 0, ""
    if text == _OF_FILES:
        return _of_file(lines)
    if text[0] in "*.":
        return _of_outline(text, lines)
    if " " in text or not text[0].isalpha():
        return 0, ""
    return _of_minion(text, lines) if text[-1] == ":" else _underlined(text, lines)


def _of_file(lines: Iterator[str]) -> tuple[int, str]:
    _, name, below, *_ = (*islice(lines, 3), "", "", "")
    is_file = below.rstrip() == _OF_FILES and len(name.split()) == 1
    return (3, f"==> {name.strip()} <==") if is_file else (0, "")


def _of_outline(text: str, lines: Iterator[str]) -> tuple[int, str]:
    match = (_OUTLINE if text[0] == "*" else _TITLE).match(text)
    title = match["text"].strip() if match is not None else ""
    if not title or (text[0] == "*" and not _has_text_below(text, lines)):
        return 0, ""
    return (1, found) if (found := _heading(title)) else (0, "")


def _of_minion(text: str, lines: Iterator[str]) -> tuple[int, str]:
    _, below, state, *_ = (*islice(lines, 3), "", "", "")
    is_of_minion = below.strip() == _OF_MINION and state.lstrip().startswith("ID: ")
    return (2, f"Host: {text[:-1]}") if is_of_minion else (0, "")


def _underlined(text: str, lines: Iterator[str]) -> tuple[int, str]:
    if not looks_like_host(text):
        return 0, ""
    next(lines, None)
    below = next(lines, "").rstrip()
    is_underlined = len(below) == len(text) and _RULE.match(below) is not None
    return (2, f"Host: {text}") if is_underlined else (0, "")


def _has_text_below(text: str, lines: Iterator[str]) -> bool:
    """Whether a heading of an outline has text of its own, or a deeper one, below it: points of a list do not."""
    next(lines, None)
    below = next(lines, "").rstrip()
    stars = text[: text.index(" ") + 1]
    return bool(below) and below != stars.strip() and not below.startswith(stars)


def _heading(text: str) -> str:
    """The node or the command that a heading tells, as readers know it; empty where it tells neither."""
    if text and is_command(text, programs()):
        return f"=== {text} ==="
    return f"Host: {text}" if text and " " not in text and looks_like_host(text) else ""
