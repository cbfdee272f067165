"""What the system log writes on every terminal: emergencies, as they stand in a session that somebody copied.

    Message from syslogd@heron4 at Mar  2 11:19:14 ...
     kernel:BUG: soft lockup - CPU#5 stuck for 23s! [mmfsd:30409]

    Message from syslogd@heron4 at Mar  2 11:19:44 ...
     kernel:[ 8123.331402] Uhhuh. NMI received for unknown reason 3d on CPU 0.

Yields ``Event`` by ``parsers/messages``, as the line in the log itself would; what no row knows weighs as little as its
words sound, for distributions broadcast ordinary lines too. The node is the one that the head names, the moment the
head's, without year (see ``parsers.times.years``) and zone. Tolerated: blank lines between, no blank in front of the
program, a terminal's prompt between two messages. Source: rsyslogd(8) and syslog.conf(5), output to all users.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import meaning_of
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection

_HEADED: Final = re.compile(
    r"Message from syslogd@(?P<host>[A-Za-z0-9][\w.-]{0,127}) at (?P<month>[A-Z][a-z]{2}) {1,12}(?P<day>\d{1,2}) "
    r"(?P<clock>\d\d:\d\d:\d\d)(?: \.{2,3})?$"
)
_BODY: Final = re.compile(
    r"(?P<program>[A-Za-z_][\w./@-]{1,60}?)(?:\[\d{1,9}\])?: ?(?:\[ {0,8}\d{1,9}\.\d{3,9}\] ?)?(?P<text>\S.{0,3999})$"
)


def _owns(text: str, before: str) -> bool:
    """The head, and the message right below it."""
    body = text.strip()
    return _HEADED.match(body) is not None or (
        _HEADED.match(before.strip()) is not None and _BODY.match(body) is not None
    )


@parser("wall_messages", messages=True, version=1, product="", claims=r"Message from syslogd@[A-Za-z0-9]", owns=_owns)
def wall_messages(section: OpenSection, out: Output) -> None:
    """Messages that every terminal showed."""
    head: re.Match[str] | None = None
    for line in section:
        text = line.text.strip()
        if (found := _HEADED.match(text)) is not None:
            head = found
            out.frame()
        elif head is not None and (message := _BODY.match(text)) is not None:
            _put(section, out, line.number, head, message)
        else:
            out.skip(line, "no message below a head")


def _put(section: OpenSection, out: Output, number: int, head: re.Match[str], message: re.Match[str]) -> None:
    found = meaning_of(message["program"], message["text"])
    if found is None:
        out.everyday()
        return
    add_message(
        section,
        number,
        found,
        source=message["program"],
        text=message["text"],
        node=head["host"],
        at=section.years.stamp(head["month"], head["day"], head["clock"]),
    )
