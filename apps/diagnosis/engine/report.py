"""A diagnosis as JSON (``lockscope.analysis/1``), written piece by piece: memory does not grow with the number of
waiters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from typing import Any, Final
from zoneinfo import ZoneInfo

import polars as pl

from apps.diagnosis.engine import report_rows
from apps.diagnosis.engine.core.facts import series
from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, cells, ordered
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.facts.unread import Unread, UnreadOutputs
from apps.diagnosis.engine.core.model import Diagnosis, Finding, LockRole, Ref, Tuning
from apps.diagnosis.engine.core.times.open_years import known_part
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.products import PRODUCTS
from parsers.dataclass import dataclass
from parsers.records import Measurement, Problem, Section
from parsers.records.states import Room
from parsers.times.clock import format_instant

SCHEMA: Final = "lockscope.analysis/1"
SECTIONS_SHOWN: Final = 200_000
EVIDENCE_CHARS: Final = 400


@dataclass(frozen=True, slots=True)
class InputRow:
    """One input or member as listed in the output. ``artifact`` is None for an archive and for what was not read."""

    path: str
    bytes: int
    sha256: str | None
    artifact: int | None
    total: int = 0
    understood: int = 0
    ignored: int = 0
    not_understood: int = 0
    recognised: bool = False


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """Something that could not be read."""

    path: str
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Clock:
    """How instants are printed: with the zone of the text, else of ``--tz``, else without one."""

    tz: ZoneInfo | None = None

    def text(self, us: int | None, zone_min: int | None) -> str | None:
        """RFC 3339, or a time of day where the date is unknown."""
        if us is not None and zone_min is None and self.tz is not None and known_part(us) == 2:
            local = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)).replace(tzinfo=self.tz)
            offset = local.utcoffset()
            zone_min = round(offset.total_seconds() / 60) if offset is not None else None
        return format_instant(us, zone_min)


def _unread(one: Unread) -> dict[str, Any]:
    return {
        "command": one.command,
        "node": one.node,
        "first_line": one.first_line,
        "last_line": one.last_line,
        "why": one.why,
    }


Texts = Callable[[Ref], str]


@dataclass(frozen=True, slots=True)
class Report:
    """All that one output needs."""

    case: Case
    diagnosis: Diagnosis
    inputs: list[InputRow]
    problems: list[ProblemRow]
    texts: Texts
    clock: Clock
    summary: bool

    def write(self) -> Iterator[str]:
        """The JSON text in pieces."""
        yield "{"
        for index, (key, value) in enumerate(self._parts()):
            yield ("" if index == 0 else ",\n") + json.dumps(key) + ": "
            yield from _json(value)
        yield "}\n"

    def _parts(self) -> Iterator[tuple[str, Any]]:
        d = self.diagnosis
        bulky: dict[str, Callable[[], Iterator[Any]]] = {
            "waiters": lambda: self._of_products("waiters"),
            "spans": lambda: self._of_products("spans"),
            "series": lambda: series.series_rows(self.case, self),
            "rates": lambda: series.rate_rows(self.case, self),
            "locks": lambda: self._of_products("locks"),
            "disk_io": lambda: report_rows.disk_io_rows(self.case, self),
            "events": lambda: report_rows.event_rows(self.case, self),
        }
        yield "schema", SCHEMA
        sections = self._sections_of()
        yield "inputs", (self._input(row, sections) for row in self.inputs)
        yield "products", list(d.products)
        named = {node.name for node in d.nodes}
        listed = (node for node in self.case.get(Nodes).only_listed() if node.name not in named)
        nodes = sorted([*d.nodes, *listed], key=lambda node: node.name)
        yield "nodes", [{"name": n.name, "aliases": list(n.aliases), "clock_offset_s": n.clock_offset_s} for n in nodes]
        yield (
            "window",
            {"start": self.clock.text(d.start, d.start_zone_min), "end": self.clock.text(d.end, d.end_zone_min)},
        )
        yield from self._bulk(bulky, "waiters")
        yield "waiter_kinds", [{**_columns(kind, KIND), "nodes": list(kind.nodes)} for kind in d.kinds]
        yield from self._bulk(bulky, "spans")
        yield "waits_for", [{"from": edge.frm, **_columns(edge, EDGE)} for edge in d.waits_for]
        yield "roots", [_columns(root, ROOT) for root in d.roots]
        yield "cycles", [list(cycle) for cycle in d.cycles]
        yield from self._bulk(bulky, "series", "rates")
        yield "settings", self._settings()
        yield "measurements", self._measurements()
        yield "claims", report_rows.claim_rows(self.case, self)
        yield "lock_roles", [self._lock_role(role) for role in d.lock_roles]
        yield from self._bulk(bulky, "locks", "disk_io")
        yield "links", report_rows.link_rows(self.case, self)
        yield "members", report_rows.member_rows(self.case, self)
        yield "versions", report_rows.version_rows(self.case, self)
        yield from self._bulk(bulky, "events")
        yield "verdict", _columns(d.verdict, VERDICT) if d.verdict else None
        yield "findings", [self.finding(f) for f in d.findings]
        yield "tunings", [self._tuning(t) for t in d.tunings]
        yield (
            "missing",
            [{"what": m.what, "why": m.why, "node": m.node, "commands": list(m.commands)} for m in d.missing],
        )
        yield "next_steps", [{"why": s.why, "commands": list(s.commands)} for s in d.next_steps]
        yield "problems", self._problems()

    def _of_products(self, key: str) -> Iterator[Any]:
        return chain.from_iterable(product.rows[key](self.case, self) for product in PRODUCTS if key in product.rows)

    def _bulk(self, parts: Mapping[str, Callable[[], Iterator[Any]]], *keys: str) -> Iterator[tuple[str, Any]]:
        for key in keys:
            if not self.summary:
                yield key, parts[key]()

    def path(self, artifact: int) -> str:
        """Display path of an artifact."""
        return self.case.store.paths[artifact]

    def _input(self, row: InputRow, sections_of: Mapping[int, pl.DataFrame]) -> report_rows.Written:
        entry = {
            "path": row.path,
            "bytes": row.bytes,
            "sha256": row.sha256,
            "recognised": row.recognised,
            "lines": {
                "total": row.total,
                "understood": row.understood,
                "ignored": row.ignored,
                "not_understood": row.not_understood,
            },
        }
        shown = sections_of.get(row.artifact) if row.artifact is not None else None
        sections = "[]" if shown is None else self._sections(shown)
        unread = json.dumps([_unread(one) for one in self._unread(row.artifact)], ensure_ascii=False)
        return report_rows.Written(
            f'{json.dumps(entry, ensure_ascii=False)[:-1]}, "sections": {sections}, "unread": {unread}}}'
        )

    def _unread(self, artifact: int | None) -> list[Unread]:
        return self.case.get(UnreadOutputs).of(artifact) if artifact is not None else []

    def _sections(self, rows: pl.DataFrame) -> str:
        """Sections of a text as JSON; a text may have as many as it has dumps, so they are written column by column."""
        clock, name = cache(self.clock.text), cache(self.case.get(Nodes).name)
        captured = [clock(at, zone) for at, zone in cells(rows, "at", "zone_min")]
        nodes = [name(node) if node else None for node in rows["node"].to_list()]
        return rows.select(
            "format",
            pl.Series("node", nodes, pl.String()),
            pl.Series("captured_at", captured, pl.String()),
            pl.col("line").alias("first_line"),
            "last_line",
            "records",
            pl.col("not_understood").alias("skipped_lines"),
        ).write_json()

    def _sections_of(self) -> dict[int, pl.DataFrame]:
        """Sections that are shown, by artifact: read once for all texts."""
        if (few := self._few_sections()) is not None:
            shown = ordered(few)
        else:
            rows = self.case.store.scan(Section).sort("artifact", "line")
            shown = rows.group_by("artifact", maintain_order=True).head(SECTIONS_SHOWN).collect()
        return {own["artifact"][0]: own for own in shown.partition_by("artifact", maintain_order=True)}

    def _few_sections(self) -> pl.DataFrame | None:
        """All of them, where they are so few that all are shown."""
        few = self.case.store.few(Section)
        return few if few is not None and few.height <= SECTIONS_SHOWN else None

    def _settings(self) -> Iterator[dict[str, Any]]:
        for row in self.case.get(Settings).all.iter_rows(named=True):
            yield {
                "node": row["node"],
                "scope": row["scope"],
                "name": row["name"],
                "value": number(row["value"]),
                "default": number(row["default"]) if row["default"] is not None else None,
                "path": self.path(row["artifact"]),
                "line": row["line"],
            }

    def _measurements(self) -> Iterator[dict[str, Any]]:
        for row in self.case.get(Nodes).named(self.case.store.frame(Measurement)).iter_rows(named=True):
            fields = {key: row[key] for key in ("node", "tool", "what", "value", "unit")}
            yield {**fields, "path": self.path(row["artifact"]), "line": row["line"]}
        for room in self.case.get(Records).of(Room):
            what = " ".join(filter(None, (room.sort, room.name, room.of and f"of {room.of}", "in use")))
            fields = {"node": room.node, "tool": room.source, "what": what, "value": room.share, "unit": "%"}
            yield {**fields, "path": self.path(room.ref.artifact), "line": room.line}

    def _lock_role(self, role: LockRole) -> dict[str, Any]:
        return {
            "node": role.node,
            "node_inferred": role.node_inferred,
            "scope": role.scope,
            "at": self.clock.text(role.at, role.zone_min),
            "interval_s": role.interval_s,
            "role": role.role,
            "first_time": role.first_time,
            "lazy_isize": role.lazy_isize,
            "per_s": {key: value for key, value in role.per_s.items() if key != "h_init"},
            "forecast_s": role.forecast_s,
            "label_conflict": role.label_conflict,
            "path": self.path(role.ref.artifact),
            "line": role.ref.line,
        }

    def finding(self, f: Finding) -> dict[str, Any]:
        """A finding with the text of its evidence lines."""
        return {
            "rule": f.rule,
            "ref": f.ref,
            "severity": f.severity,
            "confidence": f.confidence,
            "basis": f.basis,
            "title": f.title,
            "explanation": f.explanation,
            "nodes": list(f.nodes),
            "start": self.clock.text(f.start, f.zone_min),
            "end": self.clock.text(f.end, f.zone_min if f.end_zone_min is None else f.end_zone_min),
            "figures": {figure.name: figure.value for figure in f.figures},
            "evidence": [{"path": self.path(r.artifact), "line": r.line, "text": self.texts(r)} for r in f.evidence],
            "disproved_by": f.disproved_by,
            "tunings": list(f.tunings),
        }

    def _tuning(self, t: Tuning) -> dict[str, Any]:
        where = {"path": self.path(t.current_at.artifact), "line": t.current_at.line} if t.current_at else None
        return {
            "id": t.id,
            "parameter": t.parameter,
            "scope": t.scope,
            "current": t.current,
            "current_at": where,
            "recommended": t.recommended,
            "status": t.status,
            "commands": list(t.commands),
            "persist": t.persist,
            "caution": t.caution,
            "way_back": t.way_back,
            "verify": t.verify,
            "since": t.since,
            "why": t.why,
            "findings": list(t.findings),
            "sources": list(t.sources),
        }

    def _problems(self) -> Iterator[dict[str, Any]]:
        for problem in self.problems:
            yield {"path": problem.path, "line": problem.line, "message": problem.message}
        for clash in self.case.get(Nodes).clashes:
            for ref in clash.refs[:1]:
                yield {"path": self.path(ref.artifact), "line": ref.line, "message": clash.message}
        for artifact, line, message in cells(self.case.store.frame(Problem), "artifact", "line", "message"):
            yield {"path": self.path(artifact), "line": line or None, "message": message}
        if self._few_sections() is not None:
            return
        held = (
            self.case.store.scan(Section)
            .group_by("artifact")
            .len()
            .filter(pl.col("len") > SECTIONS_SHOWN)
            .sort("artifact")
            .collect()
        )
        for artifact, sections in held.iter_rows():
            message = phrase("input.many-sections", sections=sections, shown=SECTIONS_SHOWN)
            yield {"path": self.path(artifact), "line": None, "message": message}


EDGE: Final = ("to", "via", "count", "longest_s", "resolved")
ROOT: Final = ("kind", "what", "node", "why", "waiters", "relieves", "leaves_data")
KIND: Final = ("kind_id", "category", "thread", "reason", "wait_on", "count", "longest_s")
VERDICT: Final = ("title", "severity", "confidence", "ref", "form")


def _columns(value: object, names: Sequence[str]) -> dict[str, Any]:
    """Of a value what the report tells by the same names."""
    return {name: getattr(value, name) for name in names}


_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,17}")


def number(text: str) -> int | float | str:
    """A value as a number where it is one; ``0644``, ``64k``, ``1_000`` and ``nan`` are texts."""
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _json(value: Any) -> Iterator[str]:
    """A value in pieces: an iterator becomes a list written row by row."""
    if not isinstance(value, Iterator):
        yield json.dumps(value, ensure_ascii=False)
        return
    yield "["
    for index, row in enumerate(value):
        yield (",\n " if index else "\n ") + (
            row if isinstance(row, report_rows.Written) else json.dumps(row, ensure_ascii=False)
        )
    yield "]"


def clip(text: str) -> str:
    """Evidence text as shown: one line of bounded length."""
    return text.strip()[:EVIDENCE_CHARS]
