"""What an event of ``mmhealth`` means: by its name, else by the word of its severity. No parser of its own.

    gpfs_down               health-gpfs-down, disaster
    something_new ERROR     something-new, trouble

Source: ``parsers/messages/scale-health.toml``.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.messages.catalogue import LEVELS, Weight, find

GROUP: Final = "mmhealth"
_SORTS: Final = (
    r"cluster node|[Nn]ode|[Dd]isk|NSD|[PpVv]disk|[Ff]ile ?system|[Ff]ileset|[Pp]ool|[Rr]ecovery "
    r"group|[Ee]nclosure|[Ii]nterface|[Aa]dapter|NIC|target (?:ip|IP)|[Bb]ond|[Pp]ort|[Dd]eclustered array"
)
_PLAIN_NAME: Final = r"[A-Za-z0-9][\w.:/-]{1,200}(?= (?:is|has|was|are|in)\b)"
_SPELT_NAME: Final = r"[A-Za-z0-9](?=[\w./:-]{0,200}[\d._/:-])[\w./:-]{0,200}\w"
_ABOUT = re.compile(rf"\b(?:{_SORTS}) (?:(?:name|named|id) )?['\"]?({_SPELT_NAME}|{_PLAIN_NAME})")
_WORDS: Final = frozenset(
    ("is", "has", "was", "are", "in", "of", "on", "the", "and", "or", "which", "that", "this", "service")
)


def event_kind(name: str, severity: str, unknown: Weight = "") -> tuple[str, Weight]:
    """Kind and weight of an event; ``unknown``: the weight where neither its name nor its severity tells."""
    found = find(GROUP, name, code=name)
    if found is not None:
        return found.kind, found.weight
    return name.replace("_", "-"), LEVELS.get(severity.lower().partition("_")[0], unknown) or unknown


def is_event(name: str) -> bool:
    """Whether the catalogue has an event of this name."""
    return find(GROUP, name, code=name) is not None


def named_in(text: str) -> str | None:
    """The node, disk, file system or part that the words of an event name."""
    for match in _ABOUT.finditer(text):
        if match[1].lower() not in _WORDS:
            return match[1]
    return None
