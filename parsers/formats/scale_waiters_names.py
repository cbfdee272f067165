"""The node or disk that a waiter names last: lines that differ in nothing else are read once."""

from __future__ import annotations

import re

from parsers.formats.scale_detail import Shape

# Ends of lines that differ from one waiter to the next, written so plainly that nothing else in the line depends on them.
TARGET = re.compile(r"((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?: <(c[0-9]{1,6}n[0-9]{1,6})>)?")
_DISK = re.compile(r"([A-Za-z][0-9A-Za-z_-]{0,60}[0-9])")


def named_at_end(end: str) -> tuple[str, re.Match[str] | None]:
    """The end of a line without the node or disk that it names last, and that name, if it is the only one and plain."""
    start, node, name = end.rpartition(" on node ")
    if node:
        return start, None if " on node " in start else TARGET.fullmatch(name)
    start, disk, name = end.rpartition(" on disk ")
    return start, _DISK.fullmatch(name) if disk and " on disk " not in start else None


def named(shape: Shape, found: re.Match[str]) -> Shape:
    """A shape with the node or the disk of another line."""
    name = found[1]
    if found.re is _DISK:
        return shape._replace(object=name)
    return shape._replace(target=name, target_index=found[2] or None)
