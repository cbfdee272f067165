"""Messages of the kernel and of a cluster's daemons without stamp and host: an old ``dmesg``, a console, a quotation.

    # dmesg | tail -3
    end_request: I/O error, dev sdf, sector 81234
    sd 3:0:0:4: rejecting I/O to offline device
    corosync[2188]: [TOTEM ] A processor failed, forming new configuration.

Below ``dmesg``, or in a file of that name, every line with a head before a colon that is no sentence is one of the
kernel. Elsewhere a line counts where a program that is listened to stands in front of its message, where it begins with
a driver and the address of its device, or with letters that the catalogue knows of the kernel, of totem, of LVM or of
Oracle (``parsers.messages.beginnings``). Yields ``Event`` without a moment; stacks and the heads of blocked tasks are
those of ``kernel_log``. Source: dmesg(1), syslog(3).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import code_of, meaning_of, plain_text
from parsers.line_kinds import is_prose
from parsers.messages.beginnings import group_of_bare, may_be_bare
from parsers.messages.catalogue import find, group_of, may_be_program
from parsers.output import Output
from parsers.patterns.digits import shape_of
from parsers.patterns.fits import fit_of
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.text import Line

_GROUPS: Final = {"kernel": "kernel", "totem": "corosync", "volumes": "lvm", "oracle": "oracle"}
"""Groups whose messages are known without the name of a program, and that name."""
_NAMES: Final = tuple(_GROUPS)
_NAMED: Final = re.compile(
    r"(?P<program>[a-z][\w./@-]{1,40})(?P<pid>\[\d{1,9}\])?: {1,4}(?P<text>\S.{0,4000})$", re.DOTALL
)
_DRIVER: Final = re.compile(
    r"(?:[a-z][\w-]{1,24} (?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
    r"|(?:sd|scsi|ses|st|sg|sr) \d{1,5}:\d{1,5}:\d{1,5}:\d{1,20}"
    r"|(?:nvme|mpt\dsas|megaraid)\d{0,4}\w{0,8}): \S"
)
"""A driver and the address of its device: nobody but a kernel begins a line so."""
_RANK: Final = re.compile(r"^(?:<\d{1,3}>(?=\S)|kernel:\[ {0,8}\d{1,9}\.\d{1,9}\] {1,4})")
"""The level of a message, as the kernel keeps it, or what stands in front of one that it sent to every terminal."""
_HEADED: Final = re.compile(r"[A-Za-z][\w .()/,-]{0,60}: {0,4}\S")
_PACEMAKER: Final = "pacemaker-schedulerd"
_OF_PACEMAKER: Final = re.compile(
    r"(?:(?:\([a-z_]{4,60}(?:@[\w.]{1,40}:\d{1,6})?\)|[a-z]{1,20}(?:_[a-z0-9]{1,20}){1,5}(?:@[\w.]{1,40}:\d{1,6})?)"
    r"\s{1,16})?(?P<text>(?:emerg|alert|crit|error|warning|notice): {1,4}"
    r"(?:[a-z]{1,20}(?:_[a-z0-9]{1,20}){1,5}:\s{1,16})?\S.{0,4000})$",
    re.DOTALL,
)
"""What a tool of Pacemaker prints of a configuration: a level, and the function that found it."""


def _split_message(text: str) -> tuple[str, str] | None:
    """The program and its message, where a line is one."""
    text = _RANK.sub("", text, count=1)
    if (match := _NAMED.match(text)) is not None and (group := group_of(match["program"])) is not None:
        program, message = match["program"], match["text"]
        if (
            match["pid"]
            or find(group, plain_text(program, message), code=code_of(message), program=program) is not None
        ):
            return program, message
    if (match := _OF_PACEMAKER.match(text)) is not None:
        known = find("pacemaker", plain_text(_PACEMAKER, match["text"]))
        return None if known is None else (_PACEMAKER, match["text"])
    group = "kernel" if _DRIVER.match(text) is not None else group_of_bare(plain_text("kernel", text), _NAMES)
    return None if group is None else (_GROUPS[group], text)


def _is_alone(text: str) -> bool:
    return _split_message(text) is not None


def _is_alone_alike(text: str) -> bool:
    """Of a line that is no such message, whether none is that differs from it in its digits alone."""
    text = _RANK.sub("", text, count=1)
    alike = shape_of(text).decode("ascii")
    return not (
        ((match := _NAMED.match(text)) is not None and may_be_program(match["program"]))
        or _OF_PACEMAKER.match(text) is not None
        or fit_of(f"^{_DRIVER.pattern}", alike) != "none"
        or may_be_bare(plain_text("kernel", text), _NAMES)
    )


def _owns(text: str, before: str) -> bool:
    return _is_alone(text.strip())


@parser(
    "bare_messages",
    messages=True,
    version=3,
    product="",
    claims=r"(?!)",
    owns=_owns,
    alone=_is_alone,
    alone_alike=_is_alone_alike,
)
def bare_messages(section: OpenSection, out: Output) -> None:
    """Messages that lost the heads of their lines."""
    if section.is_example:
        return
    for line in section:
        message = _split_message(line.text.strip())
        _put(section, out, line, *(message or ("kernel", line.text.strip())))


def _owns_any(text: str, before: str) -> bool:
    body = text.strip()
    return _is_alone(body) or (_HEADED.match(body) is not None and not is_prose(body))


@parser(
    "bare_dmesg",
    messages=True,
    version=1,
    product="",
    claims=r"(?!)",
    owns=_owns_any,
    places=r"^(?:sudo )?(?:\S{0,80}/)?dmesg\b|(?:^|[/._-])dmesg(?:[._-][\w.-]{0,80})?$",
)
def bare_dmesg(section: OpenSection, out: Output) -> None:
    """What an old ``dmesg`` prints: the kernel's words alone."""
    for line in section:
        _put(section, out, line, "kernel", line.text.strip())


def _put(section: OpenSection, out: Output, line: Line, program: str, text: str) -> None:
    found = meaning_of(program, text[:4000])
    if found is None:
        out.everyday(1)
        return
    add_message(section, line.number, found, source=program, text=text)
