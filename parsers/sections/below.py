"""Whether a line of a list stands directly below the row above it.

A row of one or two plain words may as well be how somebody signs a mail. Such a row counts only where no gap parts it
from the rows above, or from the command where there are none: a gap that is wider than the others of the list, for a
text may have been given a blank line between all of its lines.
"""

from __future__ import annotations

from parsers.sections.open_section import OpenSection
from parsers.text import Line

_WIDEST = 2
"""Lines from one to the next where nothing tells yet how far apart they stand."""


def keep_row(section: OpenSection, line: Line) -> None:
    """A row, or a heading or a ruler above them."""
    if above := _above(section):
        section.state["below_pitch"] = max(1, min(line.number - above, section.state.get("below_pitch", _WIDEST)))
    section.state["below_row"] = line.number


def is_below(section: OpenSection, line: Line) -> bool:
    """Whether a line goes on with the list."""
    above = _above(section)
    pitch: int = section.state.get("below_pitch", _WIDEST if "below_row" in section.state else 1)
    return not above or line.number - above <= pitch


def _above(section: OpenSection) -> int:
    """The line of the row above, or of the command; 0 where there is neither."""
    row: int = section.state.get("below_row", section.prompt_line)
    return row
