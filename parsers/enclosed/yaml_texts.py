r"""Texts of several lines as YAML quotes and folds them, in outputs of playbooks and in lists that a script wrote.

    stdout: "GAB Port Memberships\n=======================================================\n\
      Port a gen   51c001 membership 01\nPort h gen   51c002 membership 01"
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

MOST_LINES: Final = 4_000
MOST_CHARS: Final = 1 << 20
_BEGINS: Final = re.compile(r"[ \t]{0,40}(?:- )?[\w.-]{1,60}: (?P<quote>[\"'])")
_ESCAPE: Final = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)")
_ESCAPES: Final = {"\\n": "\n", "\\t": "\t", "\\ ": " ", "\\r": "", "\\0": "", "\\e": "", "\\a": ""}
_OPEN_AT_END: Final = re.compile(r"(?:[^\\]|^)(?:\\\\)*\\$")


def begins(text: str) -> bool:
    """Whether a quoted text may begin on a line: one that has several lines or goes on below."""
    match = _BEGINS.match(text) if ": " in text[:110] else None
    return match is not None and ("\\n" in text or _end(text[match.end() :], match["quote"]) < 0)


def scalar(lines: Iterator[str]) -> tuple[int, list[tuple[int, str]]]:
    """How many of some lines a quoted text takes, and its own lines, each with its distance from the first: none where
    it is one line, or does not end in those that were looked at.
    """
    first = next(lines, "")
    match = _BEGINS.match(first)
    if match is None:
        return 0, []
    quote, body = match["quote"], first[match.end() :]
    pieces: list[tuple[int, str]] = []
    size = 0
    for count, below in enumerate(chain(islice(lines, MOST_LINES), ("",)), 1):
        size += len(body)
        end = _end(body, quote)
        is_joined = quote == '"' and _OPEN_AT_END.search(body) is not None
        scalar_text = body[:end] if end >= 0 else body[:-1] if is_joined else body.rstrip()
        pieces.append((count - 1, _plain(scalar_text, quote)))
        if end >= 0:
            return (count, _rows(pieces)) if count > 1 or "\n" in pieces[0][1] else (0, [])
        if size > MOST_CHARS:
            return count, []
        if not is_joined:
            pieces.append((count, _between(body, below)))
        body = below.lstrip()
    return count, []


def _between(body: str, below: str) -> str:
    """What stands for the end of a line: a blank, or a line end for each blank line."""
    return "" if body and not below.strip() else " " if body.strip() else "\n"


def _end(body: str, quote: str) -> int:
    """Where a quotation ends on a line; -1: below."""
    text = body.rstrip()
    if text[-1:] != quote:
        return -1
    if quote == "'":
        return len(text) - 1 if (len(text) - len(text.rstrip("'"))) % 2 else -1
    before = text[:-1]
    return len(before) if (len(before) - len(before.rstrip("\\"))) % 2 == 0 else -1


def _plain(text: str, quote: str) -> str:
    if quote == "'":
        return text.replace("''", "'")
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    escape = match[0]
    if escape in _ESCAPES:
        return _ESCAPES[escape]
    return (
        bytes.fromhex(f"{escape[2:]:0>4}").decode("utf-16-be", "replace")
        if escape[1] in "xu" and escape[2:]
        else escape[1:]
    )


def _rows(pieces: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Lines out of pieces: each stands where its first letter does."""
    rows: list[tuple[int, str]] = []
    place, text = -1, ""
    for at, piece in pieces:
        first, *more = piece.split("\n")
        place, text = (at if not text and first else place), text + first
        for one in more:
            rows.append((max(place, 0) if text else at, text))
            place, text = at, one
    return [*rows, (max(place, 0), text)] if text.strip() else rows
