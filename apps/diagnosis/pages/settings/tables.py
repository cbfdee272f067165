"""The settings of a case: what is in force on each node, against default and recommended, and where nodes differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from django.http import QueryDict
from django.utils.http import urlencode

from apps.cases.page.wallclock import moment_text
from apps.diagnosis.engine.core.words.knowledge import TuningText, tuning_texts
from apps.diagnosis.models import Tuning as TuningRow
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.timeline.lane_data import LineUrl
from apps.diagnosis.values import AnyDiagnosis, Tuning, tunings_of
from parsers.dataclass import dataclass

SHOWS: Final = {"": "all", "differ": "nodes differ", "changed": "not the default", "advised": "a change is advised"}
ROWS_PER_PAGE: Final = 200
NAMED_NODES: Final = 6
ON_WORDS: Final = frozenset(("1", "on", "yes", "true", "enabled"))
OFF_WORDS: Final = frozenset(("0", "off", "no", "false", "disabled"))


@dataclass(frozen=True, slots=True)
class SettingFilters:
    """What the address asks for."""

    show: str = ""
    text: str = ""
    node: str = ""
    page: int = 1

    @classmethod
    def from_query(cls, query: QueryDict) -> SettingFilters:
        """Lenient: what makes no sense is left out."""
        show, page = query.get("show", ""), query.get("page", "1")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1
        return cls(
            show if show in SHOWS else "",
            query.get("text", "")[:200].strip(),
            query.get("node", "")[:200],
            max(1, number),
        )

    def query(self, **changes: Any) -> str:
        """The address of this view with some parts changed."""
        parts: dict[str, Any] = {"show": self.show, "text": self.text, "node": self.node} | changes
        return urlencode({key: value for key, value in parts.items() if value})


@dataclass(frozen=True, slots=True)
class Reading:
    """The last value of a setting that the files show on one node."""

    node: str | None
    value: str
    at: int | None
    artifact: int
    line: int
    before: str | None


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting of one scope over all nodes."""

    name: str
    scope: str | None
    source: str
    values: tuple[Reading, ...]
    default: str | None
    default_from: str
    recommended: str | None
    status: str
    tuning_id: str

    @property
    def differs(self) -> bool:
        """Nodes have different values."""
        return len({same(reading.value) for reading in self.values}) > 1

    @property
    def is_changed(self) -> bool:
        """A node has another value than the default."""
        return self.default is not None and any(same(reading.value) != same(self.default) for reading in self.values)

    def fits(self, filters: SettingFilters) -> bool:
        """Whether the filters leave it."""
        shown = {
            "": True,
            "differ": self.differs,
            "changed": self.is_changed,
            "advised": self.status == TuningRow.Status.RECOMMENDED,
        }
        words = (
            f"{self.name} {self.scope or ''} {self.source} {' '.join(reading.value for reading in self.values)}"
        ).lower()
        on_node = not filters.node or any(reading.node == filters.node for reading in self.values)
        return shown[filters.show] and on_node and all(word in words for word in filters.text.lower().split())


def same(value: str) -> str:
    """Spellings of one value: on, yes and 1 are one, and so are 4096 and 4096.0."""
    word = value.strip().strip('"').lower()
    if word in ON_WORDS:
        return "1"
    if word in OFF_WORDS:
        return "0"
    try:
        return f"{float(word):g}" if len(word) < 20 else word
    except ValueError:
        return word


def setting_rows(diagnosis: AnyDiagnosis) -> list[SettingRow]:
    """All settings; those with advice first, then those in which nodes differ, then what is not the default."""
    frame = PageTableFiles(diagnosis).table("settings")
    if frame is None:
        return []
    seen: dict[tuple[str, str | None], dict[str | None, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in frame.iter_rows(named=True):
        seen[row["name"], row["scope"]][row["node"]].append(row)
    advice = tunings_of(diagnosis)
    rows = [_row(name, scope, by_node, advice) for (name, scope), by_node in seen.items()]
    return sorted(
        rows,
        key=lambda row: (
            row.status != TuningRow.Status.RECOMMENDED,
            not row.differs,
            not row.tuning_id,
            not row.is_changed,
            row.default is None,
            row.name.lower(),
            row.scope or "",
        ),
    )


def _row(
    name: str, scope: str | None, by_node: dict[str | None, list[dict[str, Any]]], advice: Iterable[Tuning]
) -> SettingRow:
    values = tuple(_reading(node, rows) for node, rows in sorted(by_node.items(), key=lambda item: item[0] or ""))
    last = next(iter(by_node.values()))[-1]
    known = _known(name)
    tuning = next(
        (one for one in advice if one.parameter.lower() == name.lower() and one.scope in ("", scope or "")), None
    )
    stated = next((row["default"] for rows in by_node.values() for row in rows if row["default"]), None)
    default = stated or (known.default if known and known.default else None)
    return SettingRow(
        name=name,
        scope=scope,
        source=last["source"],
        values=values,
        default=default,
        default_from="stated in the files" if stated else "from the knowledge base" if default else "",
        recommended=tuning.recommended
        if tuning is not None and tuning.status != TuningRow.Status.NOT_APPLICABLE
        else None,
        status=tuning.status if tuning else "",
        tuning_id=tuning.tuning_id if tuning else known.id if known else "",
    )


def _known(name: str) -> TuningText | None:
    return next((text for text in tuning_texts().values() if text.parameter.lower() == name.lower()), None)


def _reading(node: str | None, rows: list[dict[str, Any]]) -> Reading:
    """The last row in time, by its place where a time is missing; and the value before it, where that was another."""
    if all(row["at"] is not None for row in rows):
        rows = sorted(rows, key=lambda row: (row["at"], row["artifact"], row["line"]))
    last = rows[-1]
    before = next((row["value"] for row in reversed(rows) if same(row["value"]) != same(last["value"])), None)
    return Reading(node, last["value"], last["at"], last["artifact"], last["line"], before)


def settings_context(diagnosis: AnyDiagnosis, filters: SettingFilters, zone: str, line_url: LineUrl) -> dict[str, Any]:
    """What the page shows."""
    whole = setting_rows(diagnosis)
    rows = [row for row in whole if row.fits(filters)]
    pages = max(1, -(-len(rows) // ROWS_PER_PAGE))
    page = min(filters.page, pages)
    shown = rows[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE]
    counts = {show: sum(row.fits(SettingFilters(show)) for row in whole) for show in SHOWS}
    return {
        "rows": [{"row": row, "values": _values(row, filters.node, zone, line_url)} for row in shown],
        "whole": len(whole),
        "found": len(rows),
        "chips": [
            {
                "label": words,
                "strong": str(counts[show]),
                "url": f"?{filters.query(show=show)}",
                "is_on": show == filters.show,
            }
            for show, words in SHOWS.items()
        ],
        "nodes": sorted({reading.node for row in whole for reading in row.values if reading.node}),
        "page": page,
        "pages": pages,
        "before": filters.query(page=page - 1) if page > 1 else "",
        "after": filters.query(page=page + 1) if page < pages else "",
    }


def _values(row: SettingRow, node: str, zone: str, line_url: LineUrl) -> list[dict[str, Any]]:
    """Values with the nodes that have them, the most common first; the others are marked."""
    groups: dict[str, list[Reading]] = defaultdict(list)
    for reading in row.values:
        if not node or reading.node == node:
            groups[same(reading.value)].append(reading)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].value))
    return [_value(row, group, number > 0, len(row.values), zone, line_url) for number, group in enumerate(ordered)]


def _value(
    row: SettingRow, group: list[Reading], is_odd: bool, of: int, zone: str, line_url: LineUrl
) -> dict[str, Any]:
    value = same(group[0].value)
    changed = next((reading for reading in group if reading.before is not None), None)
    return {
        "value": group[0].value,
        "nodes": [
            {"name": one.node or "node unknown", "url": line_url(one.artifact, one.line), "line": one.line}
            for one in group[:NAMED_NODES]
        ],
        "more": max(0, len(group) - NAMED_NODES),
        "all": len(group) == of and of > 1,
        "count": len(group),
        "is_odd": is_odd,
        "is_default": row.default is not None and value == same(row.default),
        "is_recommended": row.recommended is not None and value == same(row.recommended),
        "before": changed.before if changed else None,
        "changed_at": moment_text(changed.at, zone) if changed and changed.at is not None else "",
    }
