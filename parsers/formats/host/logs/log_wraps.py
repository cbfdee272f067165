"""Lines of a system log that have no head of their own: whether they belong to the message above. No parser."""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_stacks import FRAME, TASK, TRACE
from parsers.formats.host.logs.log_heads import OWNS, PLAIN, SAME_STAMP

FOLLOWS = re.compile(
    r"(?:\[<[0-9a-f]{1,16}>\]|\? |[A-Za-z_][\w.]{1,120}\+0x|</?(?:TASK|IRQ)>|\"echo 0 > |Not "
    r"tainted|Tainted: |Workqueue: )"
)
ALONE = re.compile(r"[a-z_][a-z0-9_.]{3,80}(?: \S{1,80}:\d{1,6}(?: \[inline\])?)?$")
PLAIN_HEAD: Final = re.compile(rf"{PLAIN}|{TASK}|{TRACE}|{FRAME}|{FOLLOWS.pattern}")
EXPLAINED: Final = re.compile(r"--(?: .{0,400})?$")
"""What ``journalctl -x`` says of the message above, and the marks of the journal itself."""
_SET_IN: Final = 16
"""Blanks at the least that stand for a stamp, a host and a program."""
_WRAPPED: Final = (40, 140)
"""Widths at which mail programs and terminals break a line."""
_IN_BRACKETS: Final = re.compile(r"\[ID(?: \d{1,9})?$")
"""Number and level of a message of Solaris stand on one line, unless it was broken, however short it is."""
_LEVEL: Final = re.compile(r"(?:^|\s)(?:emerg|alert|crit|error|warning|notice|info|debug):$")
"""What a message is, which stands behind."""
_WIDTHS: Final = (60, 64, 65, 66, 68, 70, 72, 74, 75, 76, 78, 79, 80, 90, 100, 120, 132)


def owns(text: str, before: str) -> bool:
    body = text.lstrip()
    if (
        OWNS.match(body) is not None
        or EXPLAINED.match(body) is not None
        or FOLLOWS.match(body) is not None
        or (ALONE.match(body) is not None and _in_trace(before))
    ):
        return True
    return _is_stamped_alike(body, before.lstrip()) or _is_set_in(text, before) or _goes_on(text, before)


def _is_set_in(text: str, before: str) -> bool:
    """Further lines of one message, as the journal prints them: below its first word, and below each other."""
    if text[:_SET_IN].strip(" ") or not text.strip():
        return False
    inset = len(text) - len(text.lstrip(" "))
    above = len(before) - len(before.lstrip(" "))
    return above == inset if above else OWNS.match(before) is not None


def _is_stamped_alike(body: str, before: str) -> bool:
    """Further lines of one message, as Solaris prints them: stamp and host again, and no program."""
    match = SAME_STAMP.match(body)
    return match is not None and before.startswith(body[: match.start("text")].rstrip())


def _goes_on(text: str, before: str) -> bool:
    """Whether a line is the rest of the one above, which was wrapped: its first word would not have fitted there. No
    wrap leaves a blank line behind.
    """
    if before.endswith("\n"):
        return False
    body, above = text.strip(), before.rstrip()
    if _IN_BRACKETS.search(above) is not None:
        return True
    least, most = _WRAPPED
    if not body or not least <= len(above) <= most or len(body) > most or FOLLOWS.match(above.lstrip()) is not None:
        return False
    first = body.split(None, 1)[0]
    if _LEVEL.search(above) is not None and OWNS.match(above.lstrip()) is not None:
        return True  # what it says is still to come, however wide a tab in front of it was
    ends = above[-1] in ".!?" or (above[-1] == ":" and not (body[0].islower() and OWNS.match(above.lstrip())))
    return not ends and any(len(above) <= width < len(above) + 1 + len(first) for width in _WIDTHS)


def _in_trace(before: str) -> bool:
    body = before.lstrip()
    return (
        body.startswith(("Call Trace", "Call trace", "task:"))
        or FOLLOWS.match(body) is not None
        or ALONE.match(body) is not None
    )
