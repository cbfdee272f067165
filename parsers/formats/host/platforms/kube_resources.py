"""Resources of operators of storage, as ``kubectl get`` and ``oc get`` list them: what is ready or established.

    NAME                                               READY   RUNNING   AGE
    daemon.scale.spectrum.ibm.com/reet                 3/5     3/5       41d

    NAME                                               ESTABLISHED   AGE
    filesystem.scale.spectrum.ibm.com/reet-remote      False         41d

Yields ``ListedState`` per resource that speaks of such storage, by its name or by the namespace that the command asks
for: False is wrong, and fewer ready than there are is a hint as for pods. No times. Source: kubectl(1), recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import ListedStanding, ListedState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_STORAGE: Final = re.compile(r"scale\.spectrum|spectrum-scale|infoscale|\bgpfs\b|\bcns[as]\b", re.IGNORECASE)
_JUDGED: Final = frozenset(("READY", "ESTABLISHED", "AVAILABLE", "HEALTHY", "RUNNING", "QUORUM", "MOUNTED"))
_COUNTED: Final = re.compile(r"(\d{1,5})/(\d{1,5})")


def _heading(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["columns"] = found[0].split()


def _resource(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    columns, cells = section.state.get("columns", []), found[0].split()
    command = section.command.text if section.command is not None else ""
    if len(cells) != len(columns) or _STORAGE.search(f"{cells[0]} {command}") is None:
        return
    judged = [(column, cell) for column, cell in zip(columns, cells, strict=True) if column in _JUDGED]
    standings = [_standing(cell) for _, cell in judged]
    if not judged:
        return
    standing: ListedStanding = next((one for one in ("wrong", "hint", "good") if one in standings), "unknown")
    section.add(
        ListedState,
        line.number,
        source="resources of an operator",
        name=cells[0],
        state=", ".join(f"{column.lower()}: {cell}" for column, cell in judged),
        standing=standing,
        row=" ".join(cells),
    )


def _standing(cell: str) -> ListedStanding:
    if (counted := _COUNTED.fullmatch(cell)) is not None:
        return "hint" if int(counted[1]) < int(counted[2]) else "good"
    return "good" if cell == "True" else "wrong" if cell == "False" else "unknown"


_ROWS: Final = Rows(
    Row(
        "heading",
        r"NAME\s{2,120}(?:ESTABLISHED|AVAILABLE|HEALTHY|MOUNTED|READY(?!\s{1,20}(?:STATUS|UP-TO-DATE)\b))"
        r"(?:\s{1,40}[A-Z-]{2,30}){0,8}$",
        _heading,
        fate=Fate.FRAME,
    ),
    Row(
        "resource",
        r"[a-z0-9][\w.-]{0,120}(?:/[\w.-]{1,120})?\s{1,80}(?:True|False|Unknown|\d{1,5}/\d{1,5})"
        r"(?:\s{1,80}[\w.:/-]{1,60}){1,8}$",
        _resource,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("kube_resources", version=1, product="", rows=_ROWS)
def kube_resources(section: OpenSection, out: Output) -> None:
    """Which resources of an operator are ready."""
    _ROWS.read(section, out, "no resource with its state")
