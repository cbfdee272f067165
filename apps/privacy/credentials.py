"""Lines that look like passwords, keys and tokens: found while a text streams by, and never repeated anywhere.

Two steps. One expression over whole blocks says whether any of them can hold something (1 GB/s: its literals are looked
for at once); lines of the blocks that can are then judged one by one with strict patterns, each linear in the length of
the line.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

import polars as pl

from parsers.dataclass import dataclass

LINE_CHARS: Final = 8192
"""Of a longer line the beginning is judged."""
MOST_KEPT: Final = 500
"""So many lines of one file are kept; more say nothing new."""
LEAST_ENTROPY: Final = 2.5
JUDGED_CHARS: Final = 8 << 20
"""Of one file: a text made of nothing but such words must not hold a worker. What is left out is said."""

LITERALS: Final = (
    "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-",
    "xoxr-", "xoxs-", "xapp-",
    "hooks.slack.com", "AIza", "GOCSPX-", "ya29.", "private_key", "ccountKey=", "haredAccessKey", "sig=", "$6$", "$5$",
    "$1$", "$y$",
    "$2a$", "$2b$", "$2y$", "$argon2", "$pbkdf2", "$krb5", "aad3b435b51404ee", "NTLM", "eyJ", "earer", "EARER",
    "uthorization", "assw",
    "ASSW", "assphrase", "ASSPHRASE", "ecret", "ECRET", "pi_key", "pi-key", "piKey", "pikey", "PI_KEY", "ccess_key",
    "ccess-key",
    "ccessKey", "CCESS_KEY", "uth_token", "uth-token", "uthToken", "UTH_TOKEN", "ccess_token", "CCESS_TOKEN", "://",
    "PRIVATE KEY",
    "NT hash",
)  # fmt: skip
MAY_HOLD: Final = "|".join(
    re.escape(literal).replace("\\ ", " ").replace("\\-", "-").replace("\\=", "=") for literal in LITERALS
)


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of credential: how it is called, what it looks like. A group ``value`` must look like something random or
    chosen.
    """

    name: str
    pattern: re.Pattern[str]


def _sort(name: str, pattern: str, flags: int = 0) -> Sort:
    return Sort(name, re.compile(pattern, flags))


SORTS: Final = (
    _sort("private key", r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    _sort("AWS access key", r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Z0-9])"),
    _sort("GitHub token", r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255})"),
    _sort("GitLab token", r"(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,64}"),
    _sort(
        "Slack token",
        r"(?<![A-Za-z0-9])(?:xox[abprs]-[A-Za-z0-9-]{10,250}|xapp-[A-Za-z0-9-]{10,250})"
        r"|hooks\.slack\.com/services/T[A-Za-z0-9_/]{20,100}",
    ),
    _sort(
        "Google key",
        r"(?<![A-Za-z0-9_-])(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,40}|ya29\.[A-Za-z0-9_-]{20,500})",
    ),
    _sort("Google service account key", r'"private_key(?:_id)?"\s{0,4}:\s{0,4}"(?P<value>[^"]{20,8000})'),
    _sort("Azure key", r"(?:AccountKey|SharedAccessKey)=(?P<value>[A-Za-z0-9+/]{30,100}={0,2})"),
    _sort("Azure access signature", r"[?&]sig=(?P<value>[A-Za-z0-9%+/]{30,120})"),
    _sort(
        "password hash",
        r"(?<![A-Za-z0-9$])\$(?:[156]|y|gy|2[aby]|sha1|argon2(?:id|i|d)|pbkdf2(?:-sha\d{1,3})?"
        r"|krb5\w{1,12})\$[A-Za-z0-9./=,$*+@_-]{16,500}",
    ),
    _sort(
        "NTLM hash",
        r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{32}:[0-9A-Fa-f]{32}:::"
        r"|\baad3b435b51404eeaad3b435b51404ee:[0-9A-Fa-f]{32}\b|\b(?:NTLM|NT hash)\b[^0-9A-Fa-f\n"
        r"]{1,10}[0-9A-Fa-f]{32}\b",
    ),
    _sort(
        "web token", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,2000}"
    ),
    _sort("bearer token", r"(?i)\bbearer\s{1,4}(?P<value>[A-Za-z0-9._~+/-]{20,4000}=*)"),
    _sort("basic authentication", r"(?i)\bauthorization:\s{0,4}basic\s{1,4}(?P<value>[A-Za-z0-9+/]{8,2000}={0,2})"),
    _sort(
        "password in an address",
        r"(?<![A-Za-z])[a-z][a-z0-9+.-]{1,20}://[^/\s:@]{1,100}:(?P<value>[^/\s:@]{3,200})@[A-Za-z0-9\[]",
    ),
    _sort(
        "password or key in a setting",
        r"""(?i)(?:password|passwd|passwort|passphrase|secret(?:[_-]?key)?|api[_-]?key|access[_-]?key|secret[_-]?access[_-]?key"""
        r"""|auth[_-]?token|access[_-]?token|client[_-]?secret|bind[_-]?pw|PreSharedKey)["']?"""
        r"""\s{0,8}(?:=|:(?!:)|=>)\s{0,8}["']?(?P<value>[^\s"'`,;<>(){}\[\]]{4,500})""",
    ),
)
NO_VALUE: Final = re.compile(
    r"(?i)[*x.#-]+|\$\{?[a-z_]\w*\}?|%\w+%?|(?:none|null|nil|true|false|yes|no|on|off|enabled|disabled"
    r"|required|optional|unset|default|prompt|empty|hidden|masked|removed|redacted|changeme|change_me"
    r"|password|passwd|example|xxx+|n/?a|not|set|expired|unknown|shadow|files|sss|compat|ldap|nis|systemd"
    r"|using|for|the|is|was|has|authentication|accepted|failed|incorrect|/\S*|\d{1,5}|0x[0-9a-f]+)"
)
"""What stands in such a setting and is no secret."""


@dataclass(frozen=True, slots=True)
class Found:
    """A line with a credential; what it says is not kept."""

    line: int
    sort: str


def sort_of(line: str) -> str | None:
    """What a line gives away; None where it gives away nothing that is known here."""
    for sort in SORTS:
        for match in sort.pattern.finditer(line[:LINE_CHARS]):
            if "value" not in sort.pattern.groupindex or _is_secret(match["value"]):
                return sort.name
    return None


def _is_secret(value: str) -> bool:
    if NO_VALUE.fullmatch(value) or len(set(value)) < 3:
        return False
    return len(value) < 12 or _entropy(value) >= LEAST_ENTROPY


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


class CredentialScan:
    """Takes the blocks of one text in their order; ``found`` has the lines, ``count`` all of them."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self.count = 0
        self.is_cut = False
        self._judged = 0

    def take(self, data: bytes, first_line: int) -> None:
        """A block of whole lines and the number of its first."""
        text = data.decode("utf-8", "replace")
        if self.is_cut or not pl.Series([text]).str.contains(MAY_HOLD)[0]:
            return
        for number, line in _candidates(text, first_line):
            self._judged += min(len(line), LINE_CHARS)
            if self._judged > JUDGED_CHARS:
                self.is_cut = True
                return
            sort = sort_of(line)
            if sort is not None:
                self.count += 1
                if len(self.found) < MOST_KEPT:
                    self.found.append(Found(number, sort))


def _candidates(text: str, first_line: int) -> Iterator[tuple[int, str]]:
    lines = pl.Series(text.split("\n"))
    places = lines.str.contains(MAY_HOLD).arg_true()
    for place in places.to_list():
        yield first_line + place, lines[place]
