"""Lines by which a script of a site tells what it prints below.

    ===== mmdiag --waiters =====        + mmlsconfig                    Output of 'vxfsstat -s /srv/scans':
    ##### carp1: gabconfig -a #####     [ lltstat -nvv ]                Command: mmlsfs all
    --- mmdf orsa1 (Tue Mar  9 14:20:03 CET 2027) ---                   ### `mmhealth node show`
    ===== /etc/llthosts =====

They tell a command, and some a node and a moment. A caption counts only where its first word is a program that people run on such nodes.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.clock import Instant, find_instant
from parsers.node_banners import looks_like_host

LONGEST: Final = 400
_MARKS: Final = "=#*~-+<>"
_MAY_BEGIN: Final = frozenset("=#*~-+[<`")
_WORDS_BEGIN: Final = frozenset(
    ("Com", "com", "COM", "CMD", "Cmd", "cmd", "Run", "run", "RUN", "Exe", "exe", "EXE", "Out", "out", "OUT", "Res", "res", "RES")
)
_LEADS: Final = re.compile(
    r"(?:(?:Command|CMD|Cmd|Running|Executing|Execute|Run)(?: the)?(?: command)?(?: line)?[ \t]*[:=][ \t]*"
    r"|(?P<of>(?:Output|Result)s? (?:of|from)(?: the)?(?: command)?[ \t]*:?[ \t]*))(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_RULED: Final = re.compile(
    r"(?:(?P<mark>[=#*~])(?P=mark)[=#*~-]{0,78}(?![=#*~-])[ \t]*|-{2,80}[ \t]{1,8})(?P<rest>[^\s=#*~>-].*)$"  # an option is no caption
)
_TRACED: Final = re.compile(r"\+{1,4} (?P<rest>\S.*)$")
_BOXED: Final = re.compile(r"(?:\[{1,2} ?|<{2,3} ?|`)(?P<rest>[A-Za-z/].*?) ?(?:\]{1,2}|>{2,3}|`):?$")
_QUOTED: Final = re.compile(r"(?P<quote>['\"`])(?P<inner>[^'\"`]+)(?P=quote)[ \t]*:?[ \t]*(?P<after>.*)$")
_NODE: Final = re.compile(
    r"(?:(?:node|host|server)[ \t]+)?(?P<name>[A-Za-z][\w.-]{1,126}?)(?:[ \t]*:|[ \t]+[-|/]|)[ \t]+(?P<rest>\S.*)$", re.IGNORECASE
)
_ON: Final = re.compile(r"[ \t]+(?:on|from|@)[ \t]+(?:node[ \t]+|host[ \t]+)?(?P<name>[A-Za-z][\w.-]{1,126})$")
_SYSTEM_FILE: Final = re.compile(r"/(?:etc|proc|sys|var|run)/\S{1,300}$")
_READERS: Final = frozenset(("cat", "grep", "head", "more", "tail", "zcat"))
_OTHERS: Final = _READERS | {"sudo", "ssh", "mmdsh"}
_TRACED_TOO: Final = frozenset(("cd", "date", "echo", "export", "hostname", "printf", "set", "sleep", "sync", "uname", "uptime"))
"""What else a shell prints behind a plus sign when it traces a script."""
_AROUND_DATES: Final = " \t()[]|,;@"
_WORDS: Final = frozenset(
    (
        "cat", "date", "df", "for", "free", "head", "id", "if", "ip", "last", "less", "more", "mount", "route", "sort", "tail", "time",
        "top", "uptime", "w", "watch",
    )
)  # fmt: skip
"""Programs whose names are words of English too: as captions of a text they count with an option or a path only."""


class Caption(NamedTuple):
    """The command as it was typed, and the node and the moment where the caption tells them."""

    command: str
    node: str | None = None
    instant: Instant | None = None


def may_be_caption(text: str) -> bool:
    """Whether a text that is not empty is worth a look: this is asked of every line."""
    return text[0] in _MAY_BEGIN or text[:3] in _WORDS_BEGIN


def match_caption(text: str, programs: frozenset[str]) -> Caption | None:
    """The caption that a line is. ``programs``: base names of those that are known."""
    if len(text) > LONGEST or text.startswith("==> "):
        return None
    if (traced := _TRACED.match(text)) and traced["rest"].split()[0] in _TRACED_TOO:
        return Caption(traced["rest"].rstrip())
    inner = _inner(text.rstrip())
    if inner is None:
        return None
    instant = None
    if ":" in inner and (found := find_instant(inner)) is not None:
        instant, start, end = found
        inner = f"{inner[:start].rstrip(_AROUND_DATES)} {inner[end:].lstrip(_AROUND_DATES)}".strip()
    command, node = _command(inner, programs)
    return Caption(command, node, instant) if command else None


def is_command(text: str, programs: frozenset[str]) -> bool:
    """Whether a text begins with a program that is known; names that are words of English too count with an option or a path."""
    first, _, rest = text.partition(" ")
    program = first.rsplit("/", 1)[-1]
    if program not in programs and program not in _OTHERS:
        return False
    words = [first, *rest.split(None, 12)]
    if program in ("sudo", "ssh", "mmdsh"):
        return any(word.rsplit("/", 1)[-1] in programs for word in words[1:6])
    if program in _READERS and any(_SYSTEM_FILE.match(word) for word in words[1:]):
        return True
    if program not in programs:
        return False
    return words[0] not in _WORDS or any(word[0] == "-" or "/" in word for word in words[1:])


def _inner(text: str) -> str | None:
    """What stands between the marks or behind the words."""
    if match := _TRACED.match(text):
        return match["rest"]
    if match := _RULED.match(text) or _boxed(text):
        rest = match["rest"].rstrip(" \t:").rstrip(_MARKS).rstrip(" \t:")
        lead = _LEADS.match(rest)
        return _unquoted(lead["rest"] if lead else rest)
    if (match := _LEADS.match(text)) is None:
        return None
    rest = match["rest"]
    if match["of"] and rest[0] not in "'\"`" and not rest.endswith(":"):
        return None  # a sentence
    return _unquoted(rest.rstrip(" \t:"))


def _boxed(text: str) -> re.Match[str] | None:
    """A word alone in brackets is the heading of a list of settings."""
    match = _BOXED.match(text)
    return match if match and (text[0] != "[" or " " in match["rest"]) else None


def _unquoted(text: str) -> str:
    match = _QUOTED.match(text)
    return f"{match['inner']} {match['after']}".strip() if match else text


def _command(text: str, programs: frozenset[str]) -> tuple[str, str | None]:
    """The command and its node; empty where the text is none."""
    if _SYSTEM_FILE.match(text):
        return f"cat {text}", None
    if text in programs or is_command(text, programs):
        match = _ON.search(text)
        return (text[: match.start()], match["name"]) if match and looks_like_host(match["name"]) else (text, None)
    match = _NODE.match(text)
    if match and looks_like_host(match["name"]) and is_command(match["rest"], programs):
        return match["rest"], match["name"]
    return "", None
