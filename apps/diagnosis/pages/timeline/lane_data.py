"""The lanes of a case on one axis, as JSON for the page: bucketed to the pixels, peaks kept, absent values null.

The form is described at the head of static/js/lib/lane-data.js.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final

import polars as pl
from django.http import QueryDict

from apps.cases.models import Case, Note, Severity
from apps.cases.notes.markdown import first_words
from apps.cases.page.wallclock import DAY_US, day_text
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.context import anchor, case_zone
from apps.diagnosis.pages.timeline.activity import moments
from apps.diagnosis.pages.timeline.clock_shift import Shifts, reach, shifted, shifts_from
from apps.diagnosis.pages.timeline.heat import Columns, lock_heat, longest_spans, wait_heat
from apps.diagnosis.pages.timeline.io_lanes import io_lanes
from apps.diagnosis.pages.timeline.log_lanes import band_lanes, log_lane, settings_lane
from apps.diagnosis.pages.timeline.silences import Fold, Opened, opened_from, shown_us, silences
from apps.diagnosis.pages.timeline.wait_states import wait_states
from apps.diagnosis.values import AnyDiagnosis, Finding, findings_of, placed_us
from parsers.dataclass import dataclass

PIXELS_PER_BUCKET: Final = 3
NEAR_PARTS: Final = 16
"""Findings of one incident share a flag within a sixteenth of the window: further apart each has its own."""
FIRST_WIDTH: Final = 1200
LEAST_WIDTH: Final = 240
MOST_WIDTH: Final = 4000
INSTANT_DIGITS: Final = 17
LOCK_LANE: Final = "locks:"
NODE_UNKNOWN: Final = "unknown"
LOCK_LANES: Final = 8
QUIET_SHARE: Final = 0.02  # of the busiest node: its bars would be less than a pixel
BARS_PER_LANE: Final = 700
RUNS_SHOWN: Final = 200
CATEGORIES: Final = ((3, "3 never long"), (4, "4 overload"), (2, "2 may be long"), (1, "1 normal"), (0, "unknown"))
LOCK_CLASSES: Final = ("h", "g", "rw")
OVERVIEW_BINS: Final = 200
SHORT_US: Final = 30_000_000
SECOND_US: Final = 1_000_000
INCIDENTS_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class Window:
    """What is asked for: a stretch of wall-clock microseconds and the width of the plot in pixels; its silences are
    folded.
    """

    start: int
    end: int
    width: int
    nodes: frozenset[str] | None = None
    shifts: Shifts = field(default_factory=dict)
    opened: Opened = ()
    folds: tuple[Fold, ...] = ()

    @property
    def bucket_us(self) -> int:
        """Widest bucket that still gives one per three pixels of the time that is not folded away."""
        return max(1, self.shown_us // max(1, self.width // PIXELS_PER_BUCKET))

    @property
    def shown_us(self) -> int:
        return shown_us(self.start, self.end, self.folds)


def window_from(query: QueryDict, diagnosis: AnyDiagnosis) -> Window:
    """The window that an address names; the whole case where it names none, or a malformed one."""
    start, end = whole_window(diagnosis)
    bounds = _number(query.get("from")), _number(query.get("to"))
    if bounds[0] is not None and bounds[1] is not None and max(start, bounds[0]) < min(end, bounds[1]):
        start, end = max(start, bounds[0]), min(end, bounds[1])
    width = _number(query.get("width")) or FIRST_WIDTH
    nodes = frozenset(name for name in query.get("nodes", "").split(",") if name)
    return Window(
        start, end, min(MOST_WIDTH, max(LEAST_WIDTH, width)), nodes or None, shifts_from(query), opened_from(query)
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= INSTANT_DIGITS else None


LineUrl = Callable[[int, int], str | None]
"""Address of a line of an artifact, or None where the reader may not open raw files."""


def timeline(
    case: Case, diagnosis: AnyDiagnosis, window: Window, *, line_url: LineUrl, notes: Iterable[Note]
) -> dict[str, Any]:
    """All lanes that have data in the window."""
    tables = PageTableFiles(diagnosis)
    whole = whole_window(diagnosis)
    findings, runs, pins = (
        _findings_lane(diagnosis, window),
        _runs_lane(tables, window, line_url),
        _notes_lane(notes, window),
    )
    marks = _log_marks(tables, window)
    changes = settings_lane(tables.table("settings"), (window.start, window.end), line_url)
    boxes = (
        findings,
        runs,
        pins,
        changes,
        _incidents_lane(diagnosis, window),
        *band_lanes(marks, (window.start, window.end), line_url),
    )
    data = moments(tables, (window.start, window.end), window.nodes, window.shifts, boxes, marks)
    is_chosen = (window.start, window.end) != whole
    window = replace(window, folds=tuple(silences(data, window.start, window.end, window.opened, is_chosen=is_chosen)))
    bucket_us, waits = _wait_lanes(tables, window)
    states = _wait_states(tables, window)
    numbers = node_numbers(diagnosis)
    locks, nodes_of_locks, locks_heat = _lock_lanes(tables, window, line_url, numbers)
    lanes = [
        findings,
        boxes[4],
        states,
        *_ended(waits, states, bucket_us, window),
        _wait_heat(tables, window),
        *boxes[5:],
        log_lane(marks, _columns(window)),
        changes,
        locks_heat,
        *locks,
        *_link_lanes(tables, window, numbers),
        *io_lanes(_shifted(tables.io(*_read(window), window.nodes), window), window.start, window.bucket_us),
        runs,
        pins,
    ]
    return {
        "window": {
            "start": window.start,
            "end": window.end,
            "zone": case_zone(case) or None,
            "dated": whole[1] >= DAY_US,
            "offset_min": case.zone_min,
        },
        "placed_day": _placed_day(diagnosis),
        "whole": {"start": whole[0], "end": whole[1]},
        "overview": {"values": _overview(tables, whole)},
        "folds": list(window.folds),
        "bucket_us": bucket_us,
        "lock_nodes": nodes_of_locks,
        "lanes": [lane for lane in lanes if lane is not None],
    }


def _placed_day(diagnosis: AnyDiagnosis) -> str:
    """The day on which times without a date stand; empty where none does."""
    on = diagnosis.summary.get("placed")
    return day_text(on["day_us"]) if on else ""


def whole_window(diagnosis: AnyDiagnosis) -> tuple[int, int]:
    """First and last moment of the case with some room; of a single moment the half minutes round it."""
    start, end = diagnosis.window_start_us or 0, diagnosis.window_end_us or 0
    if on := diagnosis.summary.get("placed"):
        start, end = min(start, on["start"]), max(end, on["end"])
    pad = (end - start) // 100 if end - start >= SHORT_US else SHORT_US
    return max(0, start - pad), end + pad


def _read(window: Window) -> tuple[int, int]:
    """What is read for a window: more at both ends where a node's clock is shifted."""
    more = reach(window.shifts)
    return window.start - more, window.end + more


def _shifted(rows: pl.DataFrame | None, window: Window) -> pl.DataFrame | None:
    return None if rows is None else shifted(rows, "at", window.shifts)


def _findings_lane(diagnosis: AnyDiagnosis, window: Window) -> dict[str, Any] | None:
    rows = [
        f
        for f in _on_axis(diagnosis)
        if f.start_us is not None and _overlaps(f.start_us, f.end_us or f.start_us, window)
    ]
    if not rows:
        return None
    harmful = [f for f in rows if f.severity != Severity.INFO] or rows  # the list below has the remarks
    heads = _heads(diagnosis, {f.order: f.start_us or 0 for f in harmful}, (window.end - window.start) // NEAR_PARTS)
    shown = [f for f in harmful if f.order not in heads]
    count = f"{len(shown)} of {len(rows)}" if len(shown) < len(rows) else f"{len(rows)}"
    more = Counter(heads.values())
    untimed = sum(f.start_us is None and f.severity != Severity.INFO for f in findings_of(diagnosis))
    below = f", {untimed} without a time below" if untimed else ""
    return {
        "id": "findings",
        "kind": "flags",
        "label": "Findings",
        "sub": f"{count}{below} \u00b7 click to jump",
        "items": [_flag(f, more[f.order]) for f in shown],
    }


def _incidents_lane(diagnosis: AnyDiagnosis, window: Window) -> dict[str, Any] | None:
    """From the first to the last moment of each incident, where there are several: cards at the top tell them."""
    rows = diagnosis.summary.get("incidents") or ()
    if len(rows) < 2:
        return None
    findings = {f.order: f for f in _on_axis(diagnosis) if f.start_us is not None}
    items = []
    for number, row in enumerate(rows, start=1):
        members = [findings[n] for n in (row["head"], *row["effects"], *row["seen_with"]) if n in findings]
        if not members or row["head"] not in findings:
            continue
        head = findings[row["head"]]
        start = min(f.start_us or 0 for f in members)
        end = max(f.end_us or f.start_us or 0 for f in members)
        if _overlaps(start, end, window):
            title = f"{number}: {head.title}"
            lasted = {"start": start, "end": end, "seconds": (end - start) / SECOND_US}
            items.append({**lasted, "title": title, "severity": head.severity, "href": f"#{anchor(head)}"})
    if not items:
        return None
    return {
        "id": "incidents",
        "kind": "bands",
        "label": "Incidents",
        "sub": "as the cards above",
        "items": items[:INCIDENTS_SHOWN],
    }


def _heads(diagnosis: AnyDiagnosis, starts: dict[int, int], near_us: int) -> dict[int, int]:
    """Places of findings that are counted at the flag of their incident, as their own would lie under it, with the
    place of its head.
    """
    return {
        place: row["head"]
        for row in diagnosis.summary.get("incidents") or ()
        if row["head"] in starts
        for place in (*row["effects"], *row["seen_with"])
        if place in starts and abs(starts[place] - starts[row["head"]]) <= near_us
    }


def _on_axis(diagnosis: AnyDiagnosis) -> Iterator[Finding]:
    """Findings with their times where the axis of the case has them."""
    for finding in findings_of(diagnosis):
        ends = (None if at is None else placed_us(diagnosis, at) for at in (finding.start_us, finding.end_us))
        start, end = ends
        yield replace(finding, start_us=start, end_us=end)


def _flag(finding: Finding, more: int) -> dict[str, Any]:
    """``more``: how many others of its incident it stands for."""
    return {
        "start": finding.start_us,
        "end": finding.end_us or finding.start_us,
        "title": finding.title,
        "severity": finding.severity,
        "ref": finding.ref,
        "number": finding.order + 1,
        "more": more,
        "href": f"#{anchor(finding)}",
    }


def _overlaps(start: int, end: int, window: Window) -> bool:
    return start <= window.end and end >= window.start


def _wait_lanes(tables: PageTableFiles, window: Window) -> tuple[int, list[dict[str, Any]]]:
    """Waiters by category, and the longest waiter, out of the rollup whose buckets fit the pixels; and how wide these
    are.

    A bar is drawn as wide as its bucket. Buckets without a dump are left out: a silence of years would be millions.
    """
    more = reach(window.shifts)
    rows = tables.rollup(window.start - more, window.end + more, window.bucket_us, window.nodes, by_node=bool(more))
    if rows is not None and more:
        rows = shifted(rows, "bucket_us", window.shifts).filter(
            pl.col("bucket_us").is_between(window.start - window.bucket_us, window.end)
        )
    if rows is None or rows.is_empty():
        return window.bucket_us, []
    step = _step(int(rows["width_us"][0]), window)
    rows = rows.with_columns(pl.col("bucket_us") // step * step)
    rows = rows.group_by("bucket_us", "category", *(["node"] if "node" in rows.columns else [])).agg(
        pl.col("waiters", "longest_s").max()
    )
    buckets = rows["bucket_us"].unique().sort().to_list()
    at = {bucket: i for i, bucket in enumerate(buckets)}
    series = []
    for category, name in CATEGORIES:
        values: list[int | None] = [None] * len(buckets)
        for bucket, waiters in (
            rows.filter(pl.col("category") == category).group_by("bucket_us").agg(pl.col("waiters").sum()).iter_rows()
        ):
            values[at[bucket]] = waiters
        if any(values):
            series.append({"key": str(category) if category else "other", "name": name, "values": values})
    longest: list[float | None] = [None] * len(buckets)
    for bucket, seconds in (
        rows.filter(pl.col("category") != 1).group_by("bucket_us").agg(pl.col("longest_s").max()).iter_rows()
    ):
        longest[at[bucket]] = seconds
    stack = {
        "id": "waiters",
        "kind": "stack",
        "label": "Waiters by category",
        "sub": "most in one dump",
        "unit": "waiters",
    }
    line = {
        "id": "longest",
        "kind": "line",
        "scale": "log",
        "label": "Longest waiter",
        "sub": "age, category 1 left out",
        "unit": "s",
    }
    return step, [
        {**stack, "buckets": buckets, "series": series},
        {**line, "buckets": buckets, "series": [{"key": "max", "name": "longest", "values": longest}]},
    ]


def _ended(
    lanes: list[dict[str, Any]], states: dict[str, Any] | None, bucket_us: int, window: Window
) -> list[dict[str, Any]]:
    """A bucket is as wide as pauses between dumps ask for; the last bar ends where waits do, not where its bucket
    does. Where one bucket holds all dumps, the line is as long as the bar.
    """
    if not lanes:
        return lanes
    stack, line = lanes
    buckets = stack["buckets"]
    alone = buckets[-1] + window.bucket_us  # a dump alone is a moment
    widest = buckets[-1] + bucket_us
    last = min(widest, max(alone, states["ends"][-1])) if states else alone if len(buckets) == 1 else widest
    drawn = {**stack, "ends": [*(at + bucket_us for at in buckets[:-1]), last]}
    if len(buckets) > 1 or last == alone:
        return [drawn, line]
    series = [{**one, "values": [*one["values"], *one["values"]]} for one in line["series"]]
    return [drawn, {**line, "buckets": [buckets[0], last], "series": series}]


def _step(width_us: int, window: Window) -> int:
    """The rollup's own width, or a multiple of it where even its widest buckets are narrower than what is drawn."""
    return width_us * max(1, -(-window.bucket_us // width_us))


def _log_marks(tables: PageTableFiles, window: Window) -> pl.DataFrame | None:
    """Lines of logs, each on its node's clock as it is shifted."""
    rows = _shifted(tables.table("log-marks"), window)
    return rows if rows is None or not window.nodes else rows.filter(pl.col("node").is_in(list(window.nodes)))


def _wait_states(tables: PageTableFiles, window: Window) -> dict[str, Any] | None:
    """Of all nodes on the common clock: by node the heat map tells it."""
    return None if window.nodes else wait_states(tables.table("wait-steps"), _columns(window))


def _columns(window: Window) -> Columns:
    return Columns((window.start, window.end), window.folds, window.bucket_us)


def _wait_heat(tables: PageTableFiles, window: Window) -> dict[str, Any] | None:
    """Node by time, of the waits that are not meant to be long."""
    parts = tables.spans_by_age()
    if not parts:
        return None
    return wait_heat(longest_spans(parts, *_read(window), window.nodes), window.shifts, _columns(window))


def node_numbers(diagnosis: AnyDiagnosis) -> dict[str, int]:
    """By name the place among the nodes of the case, which gives a node one colour on all pages and in shared links,
    where it has another name.
    """
    return {node["name"]: number for number, node in enumerate(diagnosis.summary.get("nodes", ()))}


def _lock_lanes(
    tables: PageTableFiles, window: Window, line_url: LineUrl, numbers: Mapping[str, int]
) -> tuple[list[dict[str, Any]], int, dict[str, Any] | None]:
    """Grants up and revokes down, a lane per node: the nodes with most traffic where there are many; how many have any,
    and node by time of all of them where not each has a lane.
    """
    rows = _shifted(tables.locks(*_read(window)), window)
    if rows is None or rows.is_empty():
        return [], 0, None
    if window.nodes:
        rows = rows.filter(pl.col("node").is_in(list(window.nodes)))
    traffic = (
        rows.group_by("node")
        .agg(
            pl.sum_horizontal("h_grant", "h_revoke").sum().alias("sum"),
            pl.max_horizontal("h_grant", "h_revoke").max().alias("peak"),
        )
        .sort("sum", "node", descending=[True, False])
    )
    most = float(traffic.select(pl.max("peak")).item() or 0.0)
    peaks = traffic.select("node", pl.col("peak").fill_null(0.0))  # of whom nothing was counted in this window
    quiet = {name: peak for name, peak in peaks.iter_rows() if peak < QUIET_SHARE * most}
    active = traffic.filter(pl.col("sum") > 0)
    unknown = len(numbers)
    of_busiest = active["node"].head(LOCK_LANES).to_list()
    busiest = sorted(of_busiest, key=lambda name: (numbers.get(name, unknown), name or ""))
    heat = lock_heat(rows, _columns(window)) if active.height > LOCK_LANES else None
    lanes = [
        {
            "id": f"{LOCK_LANE}{name or NODE_UNKNOWN}",
            "kind": "mirror",
            "label": name or "node unknown",
            "sub": f"at most {quiet[name]:.2g}/s" if name in quiet else "grants \u25b2 revokes \u25bc",
            "quiet": name in quiet,
            "unit": "/s",
            "node": numbers.get(name, unknown),
            "bars": _bars(rows.filter(pl.col("node").eq_missing(name)), window, line_url),
        }
        for name in busiest
    ]
    return lanes, active.height, heat


def _bars(rows: pl.DataFrame, window: Window, line_url: LineUrl) -> list[dict[str, Any]]:
    rows = rows.sort("at")
    if rows.height > BARS_PER_LANE:  # the sample with most traffic stands for its bucket: peaks are kept
        weight = pl.sum_horizontal("h_grant", "h_revoke")
        step = max(1, window.shown_us // BARS_PER_LANE)
        rows = (
            rows.with_columns(weight.alias("_w"), (pl.col("at") // step).alias("_b"))
            .sort("_w")
            .group_by("_b")
            .last()
            .sort("at")
        )
    return [_bar(row, line_url) for row in rows.iter_rows(named=True)]


def _bar(row: dict[str, Any], line_url: LineUrl) -> dict[str, Any]:
    def side(kind: str) -> list[dict[str, Any]]:
        values = ((name, row[f"{name}_{kind}"]) for name in LOCK_CLASSES)
        return [{"class": name, "value": round(value, 1)} for name, value in values if value]

    start = row["at"] - round(row["interval_s"] * 1_000_000)
    href = line_url(row["artifact"], row["line"])
    return {
        "start": start,
        "end": row["at"],
        "up": side("grant"),
        "down": side("revoke"),
        "line": row["line"],
        "path": "",
        "href": href,
    }


def _link_lanes(tables: PageTableFiles, window: Window, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """What the interconnect carried, where the files show it with a time, in the hue of the node's own lane; of nodes
    that sent.
    """
    rows = _shifted(tables.links(*_read(window)), window)
    if rows is None or rows.is_empty():
        return []
    rows = (
        rows.group_by("node", "name", pl.col("at") // window.bucket_us * window.bucket_us)
        .agg(pl.col("value").max())
        .sort("name", "at")
    )
    buckets = sorted(rows["at"].unique().to_list())
    at = {bucket: i for i, bucket in enumerate(buckets)}
    series = []
    for (node, name), part in rows.filter(pl.col("value").max().over("name") > 0).group_by(
        "node", "name", maintain_order=True
    ):
        values: list[float | None] = [None] * len(buckets)
        for moment, value in part.group_by("at").agg(pl.col("value").max()).iter_rows():
            values[at[moment]] = value
        hue = numbers.get(str(node), len(numbers))
        series.append({"key": str(name), "name": str(name), "node": hue, "values": values})
    if not series:
        return []
    return [
        {
            "id": "links",
            "kind": "line",
            "label": "LLT",
            "sub": "sent, 10 s average, KB/s",
            "unit": "KB/s",
            "buckets": buckets,
            "series": series,
        }
    ]


def _runs_lane(tables: PageTableFiles, window: Window, line_url: LineUrl) -> dict[str, Any] | None:
    """Wall-clock times of commands; one that ended at an unknown time is listed without a place."""
    rows = _shifted(tables.runs(), window)
    if rows is None or rows.is_empty():
        return None
    items = [_run(row, line_url) for row in rows.head(RUNS_SHOWN).iter_rows(named=True)]
    items = [item for item in items if item["end"] is None or _overlaps(item["start"], item["end"], window)]
    if not items:
        return None
    return {"id": "commands", "kind": "runs", "label": "User commands", "sub": "wall-clock time", "items": items}


def _run(row: dict[str, Any], line_url: LineUrl) -> dict[str, Any]:
    end = row["at"]
    start = None if end is None else end - round(row["seconds"] * 1_000_000)
    title = f"{row['node']}: {row['command']}" if row["node"] else row["command"]
    severity = {"severity": "high"} if row["slowed"] else {}
    return {
        "start": start,
        "end": end,
        "seconds": row["seconds"],
        "title": title,
        "href": line_url(row["artifact"], row["line"]),
        **severity,
    }


def _notes_lane(notes: Iterable[Note], window: Window) -> dict[str, Any] | None:
    items = [
        {"at": note.at_us, "title": first_words(note.text), "href": f"#note-{note.pk}", "id": note.pk}
        for note in notes
        if note.at_us is not None and window.start <= note.at_us <= window.end
    ]
    return {"id": "notes", "kind": "notes", "label": "Notes", "sub": str(len(items)), "items": items} if items else None


def _overview(tables: PageTableFiles, whole: tuple[int, int]) -> list[float]:
    """How busy each equal stretch of the whole is, from 0 to 1."""
    start, end = whole
    bins = [0.0] * OVERVIEW_BINS
    scale = OVERVIEW_BINS / max(1, end - start)
    for at, value in tables.activity():
        place = min(OVERVIEW_BINS - 1, max(0, int((at - start) * scale)))
        bins[place] = max(bins[place], value)
    most = max(bins, default=0.0)
    return [round(value / most, 3) for value in bins] if most else bins
