"""Cases of VxFS cluster locks drawn as text: a row per node and counter, a column per sample, a digit times ``unit``
per second.

node0  h_grant   ..0777.        "." is no reading of that counter in that sample node0  h_revoke  ..0444. node1  pull
0 12.5 .       with blanks between them the figures may be of any size
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.findings.registry import RuleNotes
from apps.diagnosis.engine.core.model import Finding, LockRole
from apps.diagnosis.engine.diagnose import compete
from apps.diagnosis.engine.products import PRODUCTS, run_rules
from apps.diagnosis.engine.veritas.lock_roles import COUNTERS
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.output import Output
from parsers.records import CommandRun, Counter, Measurement, Record, Section, Setting

START_US = 1_935_907_200_000_000  # 2031-05-07 08:00:00 as printed: the beginning of the first window
MOUNT = "/srv/rolls"
NAMES = {key: name for name, key in COUNTERS.items()}
WALK = f"time find {MOUNT}/a -ls | wc -l"

Reading = tuple[str | None, str, list[float | None]]


def draw(text: str) -> list[Reading]:
    """Rows of a picture: node ("?" is unknown), counter, figures per column."""
    rows: list[Reading] = []
    for line in text.splitlines():
        if words := line.split():
            cells = words[2:] if len(words) > 3 else list(words[2])
            rows.append(
                (
                    None if words[0] == "?" else words[0],
                    words[1],
                    [None if cell == "." else float(cell) for cell in cells],
                )
            )
    assert len({len(cells) for _, _, cells in rows}) <= 1, "a column of the picture is missing somewhere"
    return rows


def end_of(column: int, every: float = 10.0) -> int:
    """The moment at which the sample of a column ends."""
    return START_US + round((column + 1) * every * 1e6)


def lock_picture(
    folder: Path,
    text: str,
    *,
    every: float = 10.0,
    unit: float = 1.0,
    mount: str | None = MOUNT,
    basis: str = "prompt",
    late_s: Mapping[str | None, float] | None = None,
    zero_filter: bool = False,
    at_shift_us: int = 0,
    more: Sequence[Record] = (),
) -> Case:
    """Facts as the parsers would have written them. late_s: how many seconds a node's samples end after the column's
    moment.
    """
    out = Output(FactsWriter(folder / "drawn"))
    line = 100
    for moment, node, figures in _samples(draw(text), every, late_s or {}):
        header = line
        for key, value in figures.items():
            line += 1
            value_shown = value * unit * every
            out.add(
                Counter(
                    line=line,
                    node=node,
                    scope=mount,
                    source="vxfsstat -s",
                    name=NAMES[key],
                    kind="delta",
                    value=value_shown,
                    at=moment + at_shift_us,
                    interval_s=every,
                    sample=header,
                    filtered=zero_filter,
                    zero_filter=zero_filter,
                )
            )
        shown = Section(
            line=header,
            last_line=line,
            format="vxfsstat",
            node=node,
            node_basis=basis,
            scope=mount,
            records=len(figures),
        )
        out.structure(shown)
        line += 1
    for record in more:
        out.add(record)
    out.close()
    return Case(Facts([Source(0, "drawn.txt", folder / "drawn")]), PRODUCTS)


def _samples(
    rows: list[Reading], every: float, late_s: Mapping[str | None, float]
) -> list[tuple[int, str | None, dict[str, float]]]:
    """Samples in the order in which they were taken: moment, node, figures by counter."""
    found: dict[tuple[int, str | None], dict[str, float]] = defaultdict(dict)
    for node, key, cells in rows:
        for column, value in enumerate(cells):
            if value is not None:
                found[end_of(column, every) + round(late_s.get(node, 0.0) * 1e6), node][key] = value
    return [
        (moment, node, figures)
        for (moment, node), figures in sorted(found.items(), key=lambda item: (item[0][0], str(item[0][1])))
    ]


def timed(
    seconds: float, *, at: int | None = None, line: int = 5000, node: str | None = "node1", command: str = WALK
) -> Measurement:
    """A command that ``time`` measured."""
    return Measurement(line=line, node=node, tool="time", what="real", value=seconds, unit="s", command=command, at=at)


def walked(files: int, *, line: int = 90, command: str = f"find {MOUNT}/a -ls | wc -l") -> CommandRun:
    """A walk whose files were counted."""
    return CommandRun(line=line, node="node1", command=command, output_count=files)


def lazy(
    value: int, *, node: str | None = "node0", at: int | None = None, line: int = 50, mount: str | None = MOUNT
) -> Setting:
    """lazy_isize_enable as vxtunefs shows it."""
    return Setting(
        line=line, node=node, scope=mount, source="vxtunefs", name="lazy_isize_enable", value=str(value), at=at
    )


def findings(case: Case) -> list[Finding]:
    """Findings of the Veritas rules, after they have competed."""
    notes = RuleNotes()
    found = [finding for finding in compete(run_rules(case, notes)) if finding.ref.startswith("R")]
    assert not notes.failed
    return found


def refs(case: Case) -> list[str]:
    """Refs of the findings, most severe first."""
    return [finding.ref for finding in findings(case)]


def only(case: Case, ref: str) -> Finding:
    """The one finding of a rule."""
    [finding] = [finding for finding in findings(case) if finding.ref == ref]
    return finding


def roles(case: Case) -> list[tuple[str | None, str]]:
    """Node and role of every sample in time order."""
    return [(role.node, role.role) for role in case.get(LockRoles).all]


def without_refs(role: LockRole) -> LockRole:
    """A role without the lines it stands on."""
    return replace(role, lines={})
