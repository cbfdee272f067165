"""Cases of Scale waiters drawn as text: a row per waiting thread, a column per dump with its age in seconds.

node   thread                   waits for                 ages in dumps ten seconds apart, "." where it does not show
nsd2 | NSDThread 11           | disk dm-7               | .  2  12  22
cn1  | PrefetchWorkerThread 5 | nsd 10.0.0.2            | .  3  13  23
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.findings.registry import RuleNotes
from apps.diagnosis.engine.core.model import Finding, Root
from apps.diagnosis.engine.diagnose import compete
from apps.diagnosis.engine.products import PRODUCTS, run_rules
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.output import Output
from parsers.records import NodeAlias, Record, Section
from parsers.records.waits import DeadlockFact, Waiter, WaiterShape

NOON_US = 1_867_665_600_000_000  # 2029-03-08 12:00:00 as printed
PAUSE_S = 10.0
NAMES = {"mutex": "ThMutex", "cond": "ThCond"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A row of a picture."""

    node: str | None
    thread: str
    thread_id: int | None
    shape: WaiterShape
    ages: tuple[float | None, ...]


def draw(text: str) -> list[Drawn]:
    """Rows of a picture, blank lines left out."""
    return [_row(line) for line in text.splitlines() if line.strip()]


def _row(line: str) -> Drawn:
    node, thread, waits_for, ages = (part.strip() for part in line.split("|"))
    name, _, number = thread.rpartition(" ")
    known = number.isdigit()
    shape = replace(wait(waits_for), thread=name if known else thread)
    seconds = tuple(None if age == "." else float(age) for age in ages.split())
    return Drawn(
        None if node == "?" else node, name if known else thread, int(number) if known else None, shape, seconds
    )


def wait(text: str) -> WaiterShape:
    """``disk dm-7``, ``nsd 10.0.0.2``, ``rpc tmMsgRevoke 10.0.0.3``, ``mutex LogFile instance``, ``log write``, ``cond
    Name: reason``.
    """
    sort, _, rest = text.partition(" ")
    if sort == "disk":
        return _aux("for I/O completion", object=rest)
    if sort == "open":
        return _aux("for open disk device", object=rest)
    if sort == "nsd":
        return _aux("for NSD I/O completion", target=rest)
    if sort == "rpc":
        message, target = rest.split()
        return WaiterShape(
            wait_kind="ThCond",
            wait_name="MsgRecordCondvar",
            reason="RPC wait",
            rpc=message,
            target=target,
            monitored=True,
        )
    if sort == "log":
        return WaiterShape(
            wait_kind="ThCond", wait_name="LogFile buffer state", reason="force wait for write complete", monitored=True
        )
    if sort in NAMES:
        name, _, reason = rest.partition(": ")
        return WaiterShape(wait_kind=NAMES[sort], wait_name=name, reason=reason or None, monitored=True)
    return _aux(text)


def _aux(text: str, object: str | None = None, target: str | None = None) -> WaiterShape:
    return WaiterShape(reason=text, aux=text, object=object, target=target, monitored=True)


def write_case(
    folder: Path,
    *pictures: str,
    aliases: Mapping[str, str] | None = None,
    more: tuple[Record, ...] = (),
    dated: bool = True,
) -> Case:
    """Facts of some pictures, a file each, as parsers would have written them."""
    sources = []
    for number, picture in enumerate(pictures):
        directory = folder / str(number)
        _write(directory, draw(picture), dict(aliases or {}), more if number == 0 else (), dated)
        sources.append(Source(number, f"file{number}.txt", directory))
    return Case(Facts(sources), PRODUCTS)


def _write(directory: Path, rows: list[Drawn], aliases: dict[str, str], more: tuple[Record, ...], dated: bool) -> None:
    out = Output(FactsWriter(directory))
    shapes: dict[WaiterShape, int] = {}
    line = 0
    for dump in range(max((len(row.ages) for row in rows), default=0)):
        at = NOON_US + round(dump * PAUSE_S * 1e6) if dated else None
        for row in rows:
            age = row.ages[dump] if dump < len(row.ages) else None
            if age is None:
                continue
            line += 1
            number = shapes.setdefault(row.shape, len(shapes) + 1)
            out.add(Waiter(line=line, node=row.node, at=at, seconds=age, thread_id=row.thread_id, shape=number))
    for shape, number in shapes.items():
        out.structure(replace(shape, shape=number))
    for address, node in aliases.items():
        out.add(NodeAlias(line=1, node=node, alias=address, kind="address"))
    for record in more:
        out.add(record)
    out.structure(Section(line=1, last_line=line, format="scale_waiters_new", records=line))
    out.close()


def overloaded(value: float, cluster: str = "lund.lab") -> DeadlockFact:
    """The product's own verdict on load."""
    return DeadlockFact(line=9, node="lund1", at=NOON_US, what="overloaded", value=value, name=cluster)


def findings(case: Case) -> dict[str, Finding]:
    """First finding of every Scale rule, after they have competed."""
    notes = RuleNotes()
    found = [finding for finding in compete(run_rules(case, notes)) if finding.ref.startswith("SC-")]
    assert not notes.failed
    first: dict[str, Finding] = {}
    for finding in found:
        first.setdefault(finding.ref, finding)
    return first


def fires(case: Case, ref: str) -> list[Finding]:
    """What one rule yields on its own."""
    return [finding for finding in run_rules(case, RuleNotes()) if finding.ref == ref]


def ends(roots: tuple[Root, ...]) -> list[tuple[str, str, str | None, int, int]]:
    """Roots as kind, name, node, waiters, relieves."""
    return [(root.kind, root.what, root.node, root.waiters, root.relieves) for root in roots]


def spans_frame(case: Case) -> pl.DataFrame:
    """All spans at once."""
    frames = list(case.get(ScaleWaits).span_frames())
    return pl.concat(frames) if frames else pl.DataFrame()
