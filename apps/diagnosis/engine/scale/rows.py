"""Rows of the JSON about waits of Spectrum Scale: every waiter line, every span."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from apps.diagnosis.engine.core.facts.case import Case, Printer
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.words.wait_kinds import CATEGORY_NAMES
from apps.diagnosis.engine.scale.waiter_texts import Text
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.records.waits import Waiter


def waiter_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """Every waiter line as in ``waiters`` of the JSON, in input order."""
    waits, nodes = case.get(ScaleWaits), case.get(Nodes)
    if not waits.any:
        return
    table = waits.spans.texts
    for part in case.get(Facts).parts(Waiter):
        frame = part.rows.collect()
        named = nodes.named(frame)
        numbers = table.numbers(table.places(frame["artifact"].to_numpy(), frame["shape"].to_numpy()))
        for number, row in zip(numbers.tolist(), named.iter_rows(named=True), strict=True):
            yield _waiter(waits, table.texts[number], row, report)


def _waiter(scale: ScaleWaits, text: Text, row: dict[str, Any], report: Printer) -> dict[str, Any]:
    shape, found = text.shape, text.at(row["seconds"])
    category = scale.category_of(text, row["seconds"])
    return {
        "node": row["node"],
        "captured_at": report.clock.text(row["at"], row["zone_min"]),
        "thread": shape.thread,
        "thread_id": row["thread_id"],
        "address": hexadecimal(row["address"]),
        "seconds": row["seconds"],
        "since": report.clock.text(row["since"], row["zone_min"]),
        "wait_on": {"kind": shape.wait_kind, "address": hexadecimal(row["wait_address"]), "name": shape.wait_name},
        "reason": shape.reason if shape.reason is not None else shape.aux,
        "rpc": shape.rpc,
        "target": shape.target,
        "object": shape.object,
        "holder": None,
        "monitored": shape.monitored,
        "category": category,
        "category_name": CATEGORY_NAMES[category],
        "kind_id": found.kind_id,
        "meaning": found.meaning,
        "path": report.path(row["artifact"]),
        "line": row["line"],
    }


def hexadecimal(address: int | None) -> str | None:
    """An address as the tools print it."""
    return None if address is None else f"0x{address:X}"


def span_rows(case: Case, report: Printer) -> Iterator[dict[str, Any]]:
    """Every span as in ``spans`` of the JSON."""
    for frame in case.get(ScaleWaits).span_frames():
        for row in frame.iter_rows(named=True):
            yield {
                "node": row["node"],
                "thread": row["thread"],
                "thread_id": row["thread_id"],
                "kind_id": row["kind_id"],
                "category": row["category"],
                "start": report.clock.text(row["start"], row["zone_min"]),
                "end": report.clock.text(row["end"], row["zone_min"]),
                "seconds": row["seconds"],
                "dumps": row["dumps"],
                "state": row["state"],
            }
