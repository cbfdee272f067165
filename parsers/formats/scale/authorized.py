"""Who may reach the file systems of a cluster of Spectrum Scale: ``mmauth show``.

    Cluster name:        quay.harbour.example
    Cipher list:         AUTHONLY
    SHA digest:          6ba5810778a2
    File system access:  rolls (rw, root allowed), crumbs (ro, root remapped to 99:99)

Yields ``HealthState`` of a cluster's access: a hint where it may mount nothing, where connections are not
authenticated or where it has no key, which may be meant. The rest is everyday. Tolerated: rows left out, new keys.
Source: IBM Storage Scale documentation, mmauth command.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records.states import HealthState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_LACKS: Final = ("(none", "(undefined", "EMPTY")


def _cluster(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["cluster"] = found["cluster"]


def _value(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    cluster = section.state.get("cluster")
    what = " ".join(found["name"].lower().replace("sha ", "SHA ").split())
    value = found["value"].strip()
    section.add(
        HealthState,
        line.number,
        source="mmauth",
        component=f"{what} of cluster {cluster}" if cluster else what,
        state=value,
        standing="hint" if value.startswith(_LACKS) else "healthy",
    )


_ROWS: Final = Rows(
    Row(
        "cluster",
        r"Cluster name: {1,40}(?P<cluster>[A-Za-z0-9][\w.-]{0,252})(?: \(this cluster\))?$",
        _cluster,
        Fate.FRAME,
        opens=False,
    ),
    Row("access", r"(?P<name>Cipher list|File system access): {1,40}(?P<value>\S.{0,2000})$", _value),
    Row("no digest", r"(?P<name>SHA digest): {1,40}(?P<value>\((?:undefined|none).{0,40})$", _value),
    everyday("digest", r"SHA digest(?: \(\w{3,12}\))?: {1,40}[0-9a-f]{8,128}$"),
)


@parser(
    "scale_authorized",
    version=1,
    product="spectrum-scale",
    rows=_ROWS,
    commands=("mmauth",),
    places=r"\bmmauth\b",
)
def scale_authorized(section: OpenSection, out: Output) -> None:
    """``mmauth show``: keys and access of clusters."""
    _ROWS.read(section, out, "no property of a cluster's access")
