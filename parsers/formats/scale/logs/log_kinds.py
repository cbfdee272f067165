"""What a line of ``mmfs.log`` says, by its letter and its text. No parser; the rows stand in
``parsers/messages/scale.toml``.

    Connected to 10.74.12.61 lund061 <c0n11>:[0]                            connected, about lund061
    The unexpected long waiter on thread 5214 has disappeared in 1322 seconds      long-waiter-ended, about thread 5214,
    1322 s

A line that fits no row is an event only where its letter says alert, error or warning. Source: IBM Storage Scale
documentation, GPFS logs, network failures, automated deadlock detection; wordings of expel, lease and quorum lines are
recalled from public reports.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.formats.scale.health_events import event_kind, is_event, named_in
from parsers.messages.catalogue import (
    Found,
    Layout,
    Weight,
    find,
    layout_alike,
    level_weight,
    may_matter,
    sounding,
    weighed,
)

_RAISED = re.compile(
    r"(?:Event raised: {0,4}|ET_\w{2,20} Event=)(?P<name>[a-z][a-z0-9_]{3,60})(?![\w.])[;:,]? {0,4}"
    r"(?P<rest>[^\n]{0,400})"
)
"""The monitor of the health tells of an event: ``Event raised: gpfs_down; The process is not running``."""
WAITER_KINDS: Final = ("long-waiter", "deadlock-detected")
"""Messages that hold a waiter."""
GROUP: Final = "mmfs"
_BY_LETTER: Final = {"A": "log-alert", "X": "log-error", "E": "log-error", "W": "log-warning"}
LETTERS: Final = frozenset(_BY_LETTER)
_SPOKEN = re.compile(r"(?:run)?mm[a-z]{2,40}: {1,4}(?=\[[A-Z]\] |6027-\d)")
"""The script that speaks, in front of the letter: ``runmmfs: [E] ...``."""
_SPOKEN_BYTES = re.compile(rb"(?:run)?mm[a-z]{2,40}: {1,4}(?:\[[AEWX]\] |6027-\d)")
_SCRIPT = re.compile(r"(?:run)?mm[a-z]{2,40}: {1,4}(?=[A-Z])")
"""The script that speaks, in front of a sentence: ``runmmfs: The kernel extension does not exist``."""
_SCRIPT_BYTES = re.compile(rb"(?:run)?mm[a-z]{2,40}: {1,4}(?=[A-Z])")
_LETTERED = re.compile(r"\[([A-Z])\] {1,4}")
_NUMBERED = re.compile(r"(?:(?:GPFS|mm[a-z]{2,40}): {1,4})?(6027-\d{3,4})(?: {1,4}\[([A-Z])\])? {0,4}")


def meaning_of(letter: str, text: str) -> Found | None:
    """What a line of this letter and text says; None where it does not matter."""
    code = ""
    if not letter and (spoken := _SPOKEN.match(text)) is not None:
        text = text[spoken.end() :]
        if (lettered := _LETTERED.match(text)) is not None:
            letter, text = lettered[1], text[lettered.end() :]
    if (numbered := _NUMBERED.match(text)) is not None:
        code, letter, text = numbered[1], letter or numbered[2] or "", text[numbered.end() :]
    found = _raised(text) or find(GROUP, text, code=code, level=letter)
    if (found is None or found.weight in ("", "everyday")) and not letter and (script := _SCRIPT.match(text)):
        words = text[script.end() :]
        found = find(GROUP, words, code=code, level=letter) or found
        if found is None and (heard := sounding(words)):
            return Found(UNLISTED, weight=heard)
    if found is not None:
        return weighed(found, letter)
    return Found(_BY_LETTER[letter], weight=level_weight(letter)) if letter in _BY_LETTER else None


def layout_and_weight(letter: str, text: str) -> tuple[Layout, Weight] | None:
    """What ``meaning_of`` tells of all lines of this letter that differ from one in their digits alone, and how much
    they weigh; None where that is not known, or a digit may decide.
    """
    if not letter or _NUMBERED.match(text) is not None or _RAISED.match(text) is not None:
        return None
    layout = layout_alike(GROUP, text, letter)
    return (layout, weighed(layout.of(text), letter).weight) if layout is not None else None


def _raised(text: str) -> Found | None:
    """An event of the health monitor by its name; the letter of its line counts only where nobody knows the name."""
    if (event := _RAISED.match(text)) is None or not is_event(event["name"]):
        return None
    kind, weight = event_kind(event["name"], "")
    return Found(kind, named_in(event["rest"]), weight=weight)


def plain_text(text: str) -> str:
    """A message as it is looked up: without its code."""
    if (spoken := _SPOKEN.match(text)) is not None:
        text = text[spoken.end() :]
        text = text[lettered.end() :] if (lettered := _LETTERED.match(text)) is not None else text
    numbered = _NUMBERED.match(text)
    return text[numbered.end() :] if numbered is not None else text


def code_of(text: str) -> str:
    """The code of a message; empty where it has none."""
    numbered = _NUMBERED.match(text)
    return numbered[1] if numbered is not None else ""


def is_idle(letter: bytes, text: bytes) -> bool:
    """Whether a plain line says nothing that matters: for lines by the million."""
    return (
        letter not in _LETTER_BYTES
        and b"6027-" not in text
        and _SPOKEN_BYTES.match(text) is None
        and b"Event raised" not in text
        and b" Event=" not in text
        and not may_matter(GROUP, text.decode("ascii", "replace"))
        and not _is_heard(text)
    )


def _is_heard(text: bytes) -> bool:
    """Whether a script says something that may matter."""
    if (script := _SCRIPT_BYTES.match(text)) is None:
        return False
    words = text[script.end() :].decode("ascii", "replace")
    return may_matter(GROUP, words) or sounding(words) != ""


def is_idle_alike(shape: bytes) -> bool:
    """Whether all plain lines of the shape of an idle one are idle: no figure of them is the number of a message."""
    return b"0000-" not in shape


_LETTER_BYTES: Final = frozenset(letter.encode() for letter in LETTERS)
