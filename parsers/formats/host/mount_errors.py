"""Mounts that do not answer, as ``df``, ``ls``, ``stat`` and other commands complain of them.

    df: /gpfs/home: Stale file handle
    ls: cannot access '/mnt/shared/a': Transport endpoint is not connected

Yields ``Event``: the path and the line. No times. Tolerated: quotation marks of any sort,
``bash`` and its builtins in front. Source: errno(3), ESTALE and ENOTCONN; GNU coreutils.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Event
from parsers.registry import parser
from parsers.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.open_section import OpenSection
    from parsers.output import Output
    from parsers.text import Line

TEXT_KEPT: Final = 400


def _gone(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        Event,
        line.number,
        source=found["tool"],
        kind="mount-gone",
        about=found["path"],
        weight="disaster",
        text=line.text.strip()[:TEXT_KEPT],
    )


_ROWS: Final = Rows(
    Row(
        "path that does not answer",
        r"(?:-?(?:bash|sh|ksh|zsh): )?(?:line \d{1,6}: )?"
        r"(?P<tool>df|ls|stat|cd|cp|mv|rm|du|find|touch|mkdir|cat|tar|rsync|umount)"
        r": (?:(?:cannot|can't|could not|failed to) [a-z ]{2,30} )?[\"'‘“`]?(?P<path>/[^\s:'’”\"`]{1,400})[\"'’”`]?: "
        r"(?:Stale (?:NFS )?file handle|Transport endpoint is not connected)$",
        _gone,
    ),
)


@parser("mount_errors", version=1, product="", claims=_ROWS.claims, owns=_ROWS.owns)
def mount_errors(section: OpenSection, out: Output) -> None:
    """Paths whose file system is gone beneath them."""
    _ROWS.read(section, out, "no path that does not answer")
