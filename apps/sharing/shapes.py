"""What has the shape of an address or a number of somebody's, however it is spelled and whatever stands beside it.

Nothing here knows a name. Where a shape could also be a figure, the rule is the one that hides it, save for times,
kernel releases and plain memory addresses: those say when, which and where in memory, never who.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

Span = tuple[int, int, str, str]
"""Start, end, kind of stand-in, and the value in its usual spelling."""

JOINT: Final = r"(?:__|--|[._\-]|%(?:25){0,3}2[eE]|\[\.\]|\(\.\)|\\\.|&#46;)"
"""Also as addresses, patterns and markup escape it, and as people write it so that nothing becomes a link."""
JOINT_OR_NUMBER: Final = re.compile(rf"{JOINT}|\d+")
RUN: Final = re.compile(rf"(?<!\d)\d{{1,3}}(?:{JOINT}\d{{1,3}}){{3,15}}(?!\d)")
"""Numbers of up to three digits; four neighbours of 0 to 255 among them are an address."""
DATE: Final = re.compile(rf"(?:19|20)\d\d{JOINT}$")
CLOCK: Final = re.compile(
    r"(?:0?[1-9]|1[0-2])[._\-](?:0?[1-9]|[12]\d|3[01])(?:[._\-](?:[01]?\d|2[0-3])(?:[._\-][0-5]?\d){0,3})"
)
"""What stands behind a year: month, day, hour."""
RELEASE: Final = re.compile(r"[._\-](?:el|fc|amzn|mga|sles)\d|-(?:generic|default|azure|aws|lowlatency)\b|\.x86_64")
SUBNET: Final = re.compile(
    rf"(?<!\d)(?<!\d\.)(?:\d{{1,3}}{JOINT}){{3}}(?:[*]|[xX](?!\w)|(?!\w))|(?<!\d)(?<!\d\.)(?:\d{{1,3}}\.){{2,3}}\*(?:\.\*)?"
    r"|(?<!\d)(?<!\d\.)(?:\d{1,3}\.){2}(?:[xX]\.[xX](?![A-Za-z0-9])|(?:\{[\d,.]{1,30}\}|\[[\d,\-]{1,30}\])\.\d{1,3}(?!\d))"
)
PREFIX: Final = re.compile(r"(?<!\d)(?<!\d\.)(\d{1,3})(?:\.\d{1,3}){1,2}/(?:[89]|[12]\d|3[0-2])(?![\w/]|\.\d)")
HEX_OCTETS: Final = re.compile(r"(?i)(?<![a-z0-9])0x[0-9a-f]{1,2}(?:\.0x[0-9a-f]{1,2}){3}(?![a-z0-9])")
THREE: Final = re.compile(r"(?<!\d)(?<!\d\.)(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){2}(?!\d|\.\d)")
"""The beginning of an address, or a release: only the latter has a small first number and small ones behind it."""
LARGEST_RELEASE: Final = 31
PRIVATE_NET: Final = 10
OCTETS: Final = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[:\-_]){5,19}[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
    r"|(?<![A-Za-z0-9])(?<![^0-9A-Za-z][0-9A-Fa-f]{2}\.)(?=[\d.]{0,17}[A-Fa-f])"
    r"(?:[0-9A-Fa-f]{2}\.){5}[0-9A-Fa-f]{2}(?!\w|\.[0-9A-Fa-f]{2}(?!\w))"
    r"|(?<![A-Za-z0-9])(?<![^0-9A-Za-z][0-9A-Fa-f]{4}\.)"
    r"(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}(?![A-Za-z0-9]|\.[0-9A-Fa-f]{4}(?!\w))"
)
UUID: Final = re.compile(r"(?i)(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])")
INDEX: Final = re.compile(r"(?i)(?<!\w)c\d+n\d+(?!\w)")
NIBBLES: Final = re.compile(r"(?i)(?<![0-9a-z])(?:[0-9a-f]\.){15,31}[0-9a-f](?![0-9a-z])")
"""An IPv6 address as name servers spell it, from behind."""
MAC: Final = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f][02468ACEace][0-9A-Fa-f]{10}(?![0-9A-Za-z])")
"""No sender's address has an odd first octet, so that addresses of programs in memory, 0x7f.. and 0x55.., are none."""
PRIVATE: Final = re.compile(
    r"(?i)(?<![0-9a-z])0x(?:0a[0-9a-f]{6}|a[0-9a-f]{6}|c0a8[0-9a-f]{4}|ac1[0-9a-f]{5})(?![0-9a-z])"
)
PHONE: Final = re.compile(r"(?<![\w+])\+[1-9]\d{0,2}[ \-/(]+(?:\d[ \-/()]*){5,12}\d(?!\w)")
CALLED: Final = re.compile(
    r"(?i)\b(?:tel(?:efon|ephone)?|(?:tele)?phone|fax|mobile?|handy)\b"
    r"[ .:=]{0,4}(\+?[(\d](?:[ \-/().]{0,3}\d){5,14})(?!\w)"
)
TICKET: Final = re.compile(r"(?i)(?<![^\W_])(?:pmr|sr|inc|chg|crq|ticket|incident)[ #:\-]{1,3}(\d{4,15})(?![^\W_])")
CARD: Final = re.compile(r"(?<![\w.])(?:\d{4}[ \-]){3}\d{1,7}(?![\w.])")
IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?!\w)")
HOST: Final = re.compile(r"(?<![\w.\-/])[a-z]{2,20}(?:-[a-z]{2,20}){1,4}-?\d{1,4}(?![\w\-])")
"""Words and a number in one, west-storage-01: a host, though each word by itself is plain."""
SPELLED: Final = (":", "%3[aA]", "-", "_")
GROUPS: Final = 8


def _ipv6(colon: str) -> re.Pattern[str]:
    octets = r"\d{1,3}(?:\.\d{1,3}){3}(?!\d)"
    four, no_four = (f"(?:(?<=:){octets})?", f"(?!{octets})") if colon == ":" else ("", "")
    edge = r"(?<![0-9A-Za-z])" if colon in "-_" else ""
    return re.compile(
        rf"{edge}(?:(?:{colon}){{2}})?[0-9A-Fa-f]{{1,4}}(?:(?:{colon}){{1,2}}{no_four}[0-9A-Fa-f]{{1,4}}){{0,8}}"
        rf"(?:(?:{colon}){{2}}|(?:{colon}))?{four}(?:%(?!3[aA])[\w.\-]{{1,15}})?"
    )


IPV6: Final = tuple((colon, _ipv6(colon)) for colon in SPELLED)


def spans(text: str, *, is_line: bool = True) -> list[Span]:
    """All of them, in order, apart. Not ``is_line``: one word or file name, where blanks part nothing."""
    found: list[Span] = []
    taken = bytearray(len(text))
    for finder in (*FINDERS, *(OF_LINES if is_line else ())):
        for start, end, kind, value in finder(text):
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                found.append((start, end, kind, value))
    return sorted(found)


def _by(pattern: re.Pattern[str], kind: str, text: str) -> Iterator[Span]:
    """What the pattern finds, or the group in it."""
    group = pattern.groups
    for match in pattern.finditer(text):
        yield match.start(group), match.end(group), kind, match[group]


def _ipv4(text: str) -> Iterator[Span]:
    for match in RUN.finditer(text):
        if _is_time(text, match) or RELEASE.match(text, match.end()):
            continue
        numbers = [(match.start() + one.start(), match.start() + one.end()) for one in _numbers(match[0])]
        first = next((i for i in range(len(numbers) - 3) if _are_octets(text, numbers[i : i + 4])), None)
        if first is None:
            continue
        last = first + 3
        while last + 1 < len(numbers) and int(text[slice(*numbers[last + 1])]) <= 255:
            last += 1
        value = ".".join(text[slice(*one)] for one in numbers[first : last + 1])
        yield numbers[first][0], numbers[last][1], "addr", value


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """Without the 2 of %2E."""
    return (match for match in JOINT_OR_NUMBER.finditer(text) if match[0].isdigit())


def _are_octets(text: str, numbers: list[tuple[int, int]]) -> bool:
    return all(int(text[start:end]) <= 255 for start, end in numbers)


def _is_time(text: str, match: re.Match[str]) -> bool:
    return bool(DATE.search(text, max(match.start() - 7, 0), match.start()) and CLOCK.fullmatch(match[0]))


def _subnets(text: str) -> Iterator[Span]:
    for match in SUBNET.finditer(text):
        numbers = [int(one[0]) for one in _numbers(match[0])]
        if all(number <= 255 for number in numbers):
            yield match.start(), match.end(), "addr", match[0]


def _prefixes(text: str) -> Iterator[Span]:
    """10.33.44/24: with numbers that no figure has in front of a slash."""
    for match in PREFIX.finditer(text):
        first, *rest = map(int, match[0].partition("/")[0].split("."))
        largest = max(first, *rest) if len(rest) > 1 else first
        if (first == PRIVATE_NET or largest > LARGEST_RELEASE) and max(first, *rest) <= 255:
            yield match.start(), match.end(), "addr", match[0]


def _hex_octets(text: str) -> Iterator[Span]:
    for match in HEX_OCTETS.finditer(text):
        yield match.start(), match.end(), "addr", ".".join(str(int(one, 16)) for one in match[0].split("."))


def _beginnings(text: str) -> Iterator[Span]:
    for match in THREE.finditer(text):
        first, *rest = map(int, match[0].split("."))
        is_release = first <= LARGEST_RELEASE and (first != PRIVATE_NET or max(rest) <= LARGEST_RELEASE)
        if not is_release and max(first, *rest) <= 255 and not RELEASE.match(text, match.end()):
            yield match.start(), match.end(), "addr", match[0]


def _ipv6_spans(text: str) -> Iterator[Span]:
    for colon, pattern in IPV6:
        for match in pattern.finditer(text):
            value = re.sub(colon, ":", match[0]) if colon != ":" else match[0]
            if (usual := _usual_ipv6(value)) and (colon == ":" or _is_clear(usual)):
                if colon == ":" and not _stands_alone(text, match) and not _is_clear(usual):
                    continue
                yield match.start(), match.end(), "addr", usual


def _usual_ipv6(value: str) -> str:
    """The address, without what may stand before or behind it; empty where it is none."""
    plain, _, zone = value.partition("%")
    if plain.count(":") < 2:
        return ""
    options = [plain, plain.strip(":"), plain.removesuffix(":"), plain.removeprefix(":")]
    groups = plain.split(":")
    if len(groups) > GROUPS and "::" not in plain:
        options += [":".join(groups[-GROUPS:]), ":".join(groups[:GROUPS])]
    elif len(groups) > GROUPS:
        options += [":".join(groups[number:]) for number in range(1, len(groups) - 2)]
    for option in options:
        if ("::" in option or option.count(":") == GROUPS - 1) and _is_address(option):
            address = ipaddress.IPv6Address(option)
            return str(address.ipv4_mapped or f"{address}{'%' + zone if zone else ''}")
    return ""


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _is_clear(usual: str) -> bool:
    """No words of a program that happen to be hexadecimal."""
    groups = [group for group in usual.partition("%")[0].split(":") if group]
    return len(groups) > 1 and any(letter.isdigit() for letter in usual)


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    return not (before.isalnum() or before in {"_", ":"} or after.isalnum() or after in {"_", ":"})


def _cards(text: str) -> Iterator[Span]:
    for match in CARD.finditer(text):
        digits = [int(one) for one in match[0] if one.isdigit()]
        doubled = [sum(divmod(2 * one, 10)) if number % 2 else one for number, one in enumerate(reversed(digits))]
        if sum(doubled) % 10 == 0:
            yield match.start(), match.end(), "id", match[0]


def _ibans(text: str) -> Iterator[Span]:
    for match in IBAN.finditer(text):
        for last in range(match.end(), match.start() + 14, -1):
            compact = text[match.start() : last].replace(" ", "")
            if int("".join(str(int(one, 36)) for one in compact[4:] + compact[:4])) % 97 == 1:
                yield match.start(), last, "id", compact
                break


FINDERS: Final[tuple[Callable[[str], Iterator[Span]], ...]] = (
    partial(_by, UUID, "id"),
    partial(_by, OCTETS, "mac"),
    partial(_by, NIBBLES, "addr"),
    _ipv6_spans,
    _ipv4,
    _subnets,
    _prefixes,
    _hex_octets,
    _beginnings,
    partial(_by, INDEX, "addr"),
    partial(_by, MAC, "mac"),
    partial(_by, PRIVATE, "addr"),
)
OF_LINES: Final[tuple[Callable[[str], Iterator[Span]], ...]] = (
    _ibans,
    _cards,
    partial(_by, PHONE, "id"),
    partial(_by, CALLED, "id"),
    partial(_by, TICKET, "id"),
    partial(_by, HOST, "node"),
)


def forms(address: str) -> Mapping[str, str]:
    """Other spellings of an address that is known: hexadecimal and as one number, in both orders of bytes."""
    try:
        octets = ipaddress.IPv4Address(address).packed
    except ValueError:
        return {}
    written = {}
    for packed in (octets, octets[::-1]):
        number = int.from_bytes(packed)
        for spelling in (packed.hex(), f"{number:x}", f"0x{packed.hex()}", f"0x{number:x}", str(number)):
            if len(spelling) >= 6:
                written[spelling] = address
    return written


__all__ = ["Span", "forms", "spans"]
