"""Member names as display text. They never become paths on disk; an unsafe one is reported to the reader."""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass

COMPONENT_BYTES: Final = 255
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DIRECTIONS: Final = re.compile("[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_DRIVE: Final = re.compile(r"[A-Za-z]:(?=[/\\]|$)|[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class ShownName:
    """``shown`` is safe to print; ``unsafe`` says what was wrong with the name, empty for an ordinary one."""

    shown: str
    unsafe: str


def decode(raw: bytes, *, fallback: str) -> str:
    """UTF-8, or the old one-byte encoding of the format where the bytes are no UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(fallback)


def shown_name(name: str, most_chars: int) -> ShownName:
    """A name without steps upwards, drive, leading slash, control and direction marks."""
    faults = [words for test, words in _FAULTS if test(name)]
    plain = _DIRECTIONS.sub("", _UNPRINTABLE.sub("_", name)).replace("\\", "/")
    plain = "".join(c if c.isprintable() else "_" for c in plain)  # the many other spaces, and what has no sign
    plain = _DRIVE.sub("", plain, count=1) if _DRIVE.match(plain) else plain
    parts = [_short(part) for part in plain.split("/") if part not in ("", ".", "..")]
    shown = "/".join(parts) or "unnamed"
    if len(shown) > most_chars:
        shown = shown[: most_chars - 1] + "…"
        faults.append(f"is longer than {most_chars} characters")
    return ShownName(shown, ", ".join(faults))


def plain_text(text: str, most_chars: int = 200) -> str:
    """Any text of the archive inside a message."""
    cut = text if len(text) <= most_chars else text[: most_chars - 1] + "…"
    return _DIRECTIONS.sub("", _UNPRINTABLE.sub("_", cut))


def _short(part: str) -> str:
    return part if len(part) <= COMPONENT_BYTES else f"{part[:200]}…{part[-40:]}"


def _steps_up(name: str) -> bool:
    return ".." in name.replace("\\", "/").split("/")


def _too_long(name: str) -> bool:
    return len(name) > COMPONENT_BYTES // 4 and any(
        len(part.encode("utf-8", "replace")) > COMPONENT_BYTES for part in name.split("/")
    )


_FAULTS: Final = (
    (lambda name: not name.strip("/."), "is empty"),
    (_steps_up, "steps out of its folder"),
    (lambda name: name.startswith(("/", "\\")), "is absolute"),
    (lambda name: _DRIVE.match(name) is not None, "names a drive"),
    (lambda name: "\\" in name, "has backslashes"),
    (lambda name: _UNPRINTABLE.search(name) is not None, "has control characters"),
    (lambda name: _DIRECTIONS.search(name) is not None, "has invisible or direction marks"),
    (_too_long, f"has a part of more than {COMPONENT_BYTES} bytes"),
)
