"""What logs and settings say on the time axis: lines by severity, bands of membership, quorum and fencing, and settings
that changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import polars as pl

from apps.diagnosis.engine.core.alarms.titles import without_object
from apps.diagnosis.engine.core.bands import Band, bands
from apps.diagnosis.pages.timeline.heat import Columns
from parsers.messages.catalogue import meanings
from parsers.records import DAY_US

LOG: Final = "log"
SETTINGS: Final = "settings"
BAND_ITEMS: Final = 40
CHANGES_SHOWN: Final = 40
MOST_COLUMNS: Final = 400
SEVERITY_OF: Final = {"disaster": "critical", "trouble": "high", "notice": "low"}
SECOND_US: Final = 1_000_000
LineUrl = Callable[[int, int], str | None]


def log_lane(marks: pl.DataFrame | None, columns: Columns) -> dict[str, Any] | None:
    """Lines a column, the gravest at the bottom."""
    if marks is None or marks.is_empty():
        return None
    columns = columns.at_most(MOST_COLUMNS)
    if not len(columns.starts):
        return None
    counts = {weight: np.zeros(len(columns.starts), np.int64) for weight in SEVERITY_OF}
    for weight, values in counts.items():
        at = marks.filter(pl.col("weight") == weight)["at"].to_numpy()
        place = np.searchsorted(columns.starts, at, side="right") - 1
        inside = (place >= 0) & (at < columns.ends[np.maximum(place, 0)])
        np.add.at(values, place[inside], 1)
    filled = np.flatnonzero(sum(counts.values()))
    if not len(filled):
        return None
    return {
        "id": LOG,
        "kind": "stack",
        "label": "Logs",
        "sub": "lines by severity",
        "unit": "lines",
        "buckets": columns.starts[filled].tolist(),
        "ends": columns.ends[filled].tolist(),
        "series": [
            {"key": SEVERITY_OF[weight], "name": weight, "values": [int(one) or None for one in values[filled]]}
            for weight, values in counts.items()
            if values.any()
        ],
    }


def gravest_near(marks: pl.DataFrame, at: int, until: int, most: int) -> list[dict[str, Any]]:
    """Lines between two moments, the gravest first; where there is none, those of the second that is nearest."""
    weighed = marks.filter(pl.col("weight").is_in(list(SEVERITY_OF)))
    found = weighed.filter(pl.col("at").is_between(at, max(at, until)))
    if found.is_empty() and weighed.height:
        nearest = int(weighed["at"][int((weighed["at"] - at).abs().arg_min() or 0)])
        found = weighed.filter(pl.col("at").is_between(nearest, nearest + SECOND_US))
    rank = pl.col("weight").replace_strict(list(SEVERITY_OF), range(len(SEVERITY_OF)), default=len(SEVERITY_OF))
    return found.sort(rank, "at", maintain_order=True).head(most).to_dicts()


def band_lanes(marks: pl.DataFrame | None, window: tuple[int, int], line_url: LineUrl) -> Iterator[dict[str, Any]]:
    """A lane for membership, quorum and fencing each, where the logs say something of it."""
    if marks is None or marks.is_empty():
        return
    for name, band in bands().items():
        items = [item for item in _stretches(marks, band, line_url) if _overlaps(item, window)]
        if items:
            shown = sorted(items, key=lambda one: one["severity"] != "critical")[:BAND_ITEMS]
            count = f"{len(shown)} of {len(items)}" if len(shown) < len(items) else str(len(items))
            yield {"id": name, "kind": "bands", "label": band.label, "sub": f"{count} in the logs", "items": shown}


def _overlaps(item: dict[str, Any], window: tuple[int, int]) -> bool:
    return bool(item["start"] <= window[1] and item["end"] >= window[0])


def _stretches(marks: pl.DataFrame, band: Band, line_url: LineUrl) -> Iterator[dict[str, Any]]:
    """From the line that begins one to the line that ends it; where none does, its moment. Further lines of a stretch
    that is open belong to it.
    """
    rows = marks.filter(pl.col("message").is_in(sorted(band.kinds))).to_dicts()
    opened: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        subject = row["about"] or row["node"] or ""
        for key in [key for key in opened if _ends(row, subject, key, band)]:
            item = opened.pop(key)
            item["end"], item["seconds"] = row["at"], (row["at"] - item["start"]) / SECOND_US
            yield item
        if row["message"] in band.begins and (row["message"], subject) not in opened:
            opened[row["message"], subject] = _stretch(row, subject, line_url)
    yield from opened.values()


def _ends(row: dict[str, Any], subject: str, key: tuple[str, str], band: Band) -> bool:
    """A line that names another node ends nothing of this one; one that names none ends all."""
    kind, of = key
    return row["message"] in band.ended_by(kind) and (not row["about"] or not of or of in {subject, row["node"]})


def _stretch(row: dict[str, Any], subject: str, line_url: LineUrl) -> dict[str, Any]:
    text = message_text(row["message"], row["about"])
    title = f"{row['node']}: {text}" if row["node"] and row["node"] not in text.split() else text
    return {
        "start": row["at"],
        "end": row["at"],
        "seconds": 0.0,
        "title": title,
        "severity": SEVERITY_OF.get(row["weight"], "info"),
        "href": line_url(row["artifact"], row["line"]),
    }


def message_text(kind: str, about: str | None) -> str:
    """What a message of this kind says, in words of the catalogue."""
    meaning = meanings().get(kind)
    if meaning is None:
        return "A message that sounds like trouble" if not kind else kind.replace("-", " ").capitalize()
    if "{about}" not in meaning.title:
        return meaning.title
    return meaning.title.replace("{about}", about) if about else without_object(meaning.title)


def settings_lane(settings: pl.DataFrame | None, window: tuple[int, int], line_url: LineUrl) -> dict[str, Any] | None:
    """Settings whose value differs from that of the reading before, at the first reading that shows it."""
    if settings is None or settings.is_empty():
        return None
    of = ["node", "scope", "source", "name"]
    dated = settings.filter(pl.col("at").is_not_null() & pl.col("value").is_not_null() & (pl.col("at") >= DAY_US))
    rows = dated.sort("at", maintain_order=True).with_columns(pl.col("value").shift().over(of).alias("before"))
    changed = rows.filter((pl.col("before") != pl.col("value")) & pl.col("at").is_between(*window))
    if changed.is_empty():
        return None
    items = [
        {
            "at": row["at"],
            "title": f"{row['name']}: {row['before']} → {row['value']}{_on(row['node'])}",
            "href": line_url(row["artifact"], row["line"]),
            "id": f"setting-{number}",
        }
        for number, row in enumerate(changed.head(CHANGES_SHOWN).iter_rows(named=True))
    ]
    count = f"{len(items)} of {changed.height}" if len(items) < changed.height else str(len(items))
    return {
        "id": SETTINGS,
        "kind": "notes",
        "label": "Settings changed",
        "sub": f"{count}, as first read",
        "items": items,
    }


def _on(node: str | None) -> str:
    return f" on {node}" if node else ""
