"""Two sides against each other: findings gone, new and still there; figures and by how much they moved; settings
between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import log2
from typing import Any, Final

import polars as pl

from apps.cases.models import Severity
from apps.diagnosis.pages.compare.sides import Side
from apps.diagnosis.pages.settings.tables import same
from apps.diagnosis.values import Finding
from apps.web.templatetags.lockscope import amount
from parsers.dataclass import dataclass

SAME_WITHIN: Final = 0.05
MOST_DOUBLINGS: Final = 4
KINDS_SHOWN: Final = 12
COMMANDS_SHOWN: Final = 30
NORMAL: Final = 1
LOCKS: Final = (
    ("h_grant", "h locks granted"), ("h_revoke", "h locks revoked"), ("g_grant", "g locks granted"),
    ("g_revoke", "g locks revoked"),
    ("rw_grant", "rw locks granted"), ("rw_revoke", "rw locks revoked"), ("pull", "inodes pulled"),
)  # fmt: skip
LESS_IS_BETTER: Final = frozenset(
    ("g_grant", "g_revoke")
)  # more h locks in a second may only mean that the work goes faster
STRANGERS: Final = {
    "word": "different",
    "severity": "info",
    "title": "Two different clusters: no node is on both sides, so nothing is better or worse",
}
Peak = tuple[float, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure on both sides; None is absent. ``less_is_better`` is None where neither way is."""

    group: str
    name: str
    node: str
    unit: str
    a: float | None
    b: float | None
    less_is_better: bool | None = True
    place_a: tuple[int, int] | None = None
    place_b: tuple[int, int] | None = None

    @property
    def direction(self) -> int:
        """-1 less, 0 same, 1 more, in B against A; an absent one counts as nothing."""
        a, b = self.a or 0.0, self.b or 0.0
        if abs(b - a) <= SAME_WITHIN * max(abs(a), abs(b)):
            return 0
        return 1 if b > a else -1

    @property
    def effect(self) -> str:
        """better, worse, same or moved."""
        if not self.direction:
            return "same"
        if self.less_is_better is None:
            return "moved"
        return "better" if (self.direction < 0) == self.less_is_better else "worse"

    @property
    def doublings(self) -> float:
        """How often B doubles A, at most four times; what was absent on one side reaches the end."""
        if not self.direction:
            return 0.0
        if not self.a or not self.b:
            return float(self.direction * MOST_DOUBLINGS)
        return max(-MOST_DOUBLINGS, min(MOST_DOUBLINGS, log2(self.b / self.a)))

    @property
    def words(self) -> str:
        """The change in words."""
        if self.a is None:
            return "new"
        if self.b is None:
            return "gone"
        if not self.direction:
            return "no change"
        if not self.a or not self.b:
            return "from 0" if not self.a else "to 0"
        factor = max(self.a, self.b) / min(self.a, self.b)
        return f"{amount(factor)} × {'more' if self.direction > 0 else 'less'}"


def compare(a: Side, b: Side) -> dict[str, Any]:
    """Everything that the page shows of two sides."""
    figures = [*_waits(a, b), *_kinds(a, b), *_commands(a, b), *_locks(a, b)]
    findings = _findings(a.findings(), b.findings())
    if are_strangers := bool(a.nodes and b.nodes and a.nodes.isdisjoint(b.nodes)):
        figures = [replace(figure, less_is_better=None) for figure in figures]
    effects = {
        effect: sum(figure.effect == effect for figure in figures) for effect in ("better", "worse", "same", "moved")
    }
    return {
        "figures": figures,
        "effects": effects,
        **findings,
        "changes": _changes(a, b),
        "verdict": STRANGERS if are_strangers else _verdict(findings, effects),
    }


def _verdict(findings: dict[str, list[Any]], effects: dict[str, int]) -> dict[str, str]:
    """Better or worse only where findings and figures agree; else both are told."""
    gone, new = len(findings["gone"]), len(findings["new"])
    good, bad = gone + effects["better"], new + effects["worse"]
    if not good and not bad:
        return {"word": "same", "severity": "info", "title": "Nothing that is measured here moved"}
    word = "better" if good and not bad else "worse" if bad and not good else "mixed"
    severity = {"better": "ok", "worse": "high", "mixed": "medium"}[word]
    title = f"{_n(gone, 'finding')} gone, {new} new, {len(findings['stayed'])} still there"
    return {
        "word": word,
        "severity": severity,
        "title": f"{title}; {_n(effects['better'], 'figure')} better, {effects['worse']} worse",
    }


def _n(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _findings(a: Iterable[Finding], b: Iterable[Finding]) -> dict[str, list[Any]]:
    """By rule: the gravest of each side stands for it. Of nodes that only one side knows it is another one."""
    left, right = _by_rule(a), _by_rule(b)
    both = {ref for ref in left if ref in right and _is_of_shared_nodes(left[ref], right[ref])}
    return {
        "gone": [left[ref] for ref in left if ref not in both],
        "new": [right[ref] for ref in right if ref not in both],
        "stayed": [{"a": left[ref], "b": right[ref]} for ref in left if ref in both],
    }


def _is_of_shared_nodes(one: Finding, other: Finding) -> bool:
    return not one.nodes or not other.nodes or not set(one.nodes).isdisjoint(other.nodes)


def _by_rule(findings: Iterable[Finding]) -> dict[str, Finding]:
    order = list(Severity.values)
    found: dict[str, Finding] = {}
    for finding in sorted(findings, key=lambda one: (order.index(one.severity), -one.confidence, one.order)):
        found.setdefault(finding.ref or finding.rule, finding)
    return found


# Figures
# ----------------------------------------------------------------------------------------------------------------


def _waits(a: Side, b: Side) -> Iterator[Figure]:
    left, right = _wait_totals(a), _wait_totals(b)
    if left is None and right is None:
        return
    for key, name, unit in (
        ("longest", "longest wait", "s"),
        ("waits", "waits, category 1 left out", ""),
        ("never", "waits that should never be long", ""),
    ):
        values = [None if side is None else side[key] for side in (left, right)]
        places = [None if side is None else side["place"] if key == "longest" else None for side in (left, right)]
        yield Figure("Waits", name, "all", unit, values[0], values[1], True, places[0], places[1])


def _wait_totals(side: Side) -> dict[str, Any] | None:
    spans = side.spans()
    if spans is None:
        return None
    harmful = spans.filter(pl.col("category").fill_null(0) != NORMAL)
    totals = harmful.select(
        longest=pl.col("seconds").max(), waits=pl.len(), never=(pl.col("category") == 3).sum()
    ).collect()
    longest = harmful.sort("seconds", descending=True, nulls_last=True).select("artifact", "line").head(1).collect()
    row: dict[str, Any] = totals.row(0, named=True)
    return {**row, "place": longest.row(0) if longest.height else None}


def _kinds(a: Side, b: Side) -> Iterator[Figure]:
    """Longest wait of each kind that is not normal, the longest of both sides first."""
    left, right = _longest_by_kind(a), _longest_by_kind(b)
    if not left and not right:
        return
    names = {
        row["kind_id"]: row["meaning"]
        for side in (a, b)
        if side.diagnosis is not None
        for row in side.diagnosis.summary.get("kinds", ())
        if row["meaning"]
    }
    most = sorted({*left, *right}, key=lambda kind: -max(left.get(kind, (0.0,))[0], right.get(kind, (0.0,))[0]))
    for kind in most[:KINDS_SHOWN]:
        one, other = left.get(kind), right.get(kind)
        values = [None if x is None else x[0] for x in (one, other)]
        places = [None if x is None else (x[1], x[2]) for x in (one, other)]
        yield Figure(
            "Longest of a kind", names.get(kind) or kind, "all", "s", values[0], values[1], True, places[0], places[1]
        )


def _longest_by_kind(side: Side) -> dict[str, tuple[float, int, int]]:
    spans = side.spans()
    if spans is None:
        return {}
    rows = spans.filter(
        (pl.col("category").fill_null(0) != NORMAL) & pl.col("kind_id").is_not_null() & pl.col("seconds").is_not_null()
    )
    longest = (
        rows.sort("seconds", descending=True)
        .group_by("kind_id")
        .agg(pl.col("seconds", "artifact", "line").first())
        .collect()
    )
    return {kind: (seconds, artifact, line) for kind, seconds, artifact, line in longest.iter_rows()}


def _commands(a: Side, b: Side) -> Iterator[Figure]:
    """The usual time of each timed command on each node."""
    left, right = _times(a), _times(b)
    for key in sorted({*left, *right})[:COMMANDS_SHOWN]:
        node, command = key
        one, other = left.get(key), right.get(key)
        yield Figure(
            "User commands",
            command,
            node,
            "s",
            one and one[0],
            other and other[0],
            True,
            one[1] if one else None,
            other[1] if other else None,
        )


def _times(side: Side) -> dict[tuple[str, str], tuple[float, tuple[int, int]]]:
    rows = side.table("runs")
    if rows is None:
        return {}
    usual = (
        rows.sort("seconds")
        .group_by("node", "command")
        .agg(pl.col("seconds").median(), pl.col("artifact").first(), pl.col("line").first())
    )
    return {
        (node or "unknown", command): (seconds, (artifact, line))
        for node, command, seconds, artifact, line in usual.iter_rows()
    }


def _locks(a: Side, b: Side) -> Iterator[Figure]:
    """Most locks in one second, by node and class; and how many locks one pulled inode costs."""
    left, right = a.table("locks"), b.table("locks")
    if left is None and right is None:
        return
    nodes = sorted({node for rows in (left, right) if rows is not None for node in rows["node"].drop_nulls().unique()})
    for node in nodes:
        one, other = (None if rows is None else rows.filter(pl.col("node") == node) for rows in (left, right))
        for key, name in LOCKS:
            peak_a, peak_b = _peak(one, key), _peak(other, key)
            if max(peak[0] for peak in (peak_a, peak_b, (0.0, None)) if peak) >= 1:
                better = True if key in LESS_IS_BETTER else None
                yield _figure(f"{name}, most per second", node, peak_a, peak_b, better)
        for key, name in LOCKS[:3:2]:
            cost_a, cost_b = _per_pull(one, key), _per_pull(other, key)
            if cost_a is not None or cost_b is not None:
                yield Figure("Locks", f"{name} per inode pulled", node, "", cost_a, cost_b)


def _figure(name: str, node: str, a: Peak | None, b: Peak | None, better: bool | None) -> Figure:
    return Figure(
        "Locks",
        name,
        node,
        "/s",
        a[0] if a else None,
        b[0] if b else None,
        better,
        a[1] if a else None,
        b[1] if b else None,
    )


def _peak(rows: pl.DataFrame | None, key: str) -> Peak | None:
    if rows is None or not rows[key].drop_nulls().len():
        return None
    top = rows.sort(key, descending=True, nulls_last=True).row(0, named=True)
    return float(top[key]), (top["artifact"], top["line"])


def _per_pull(rows: pl.DataFrame | None, key: str) -> float | None:
    """Over the samples in which the node pulls in earnest."""
    if rows is None:
        return None
    busy = rows.filter((pl.col("pull") > 100) & pl.col(key).is_not_null())
    pulled = float((busy["pull"] * busy["interval_s"]).sum())
    return float((busy[key] * busy["interval_s"]).sum()) / pulled if pulled else None


# Settings
# ---------------------------------------------------------------------------------------------------------------


def _changes(a: Side, b: Side) -> list[dict[str, Any]]:
    """Settings that both sides show with other values, nodes with the same change together."""
    left, right = _last_values(a), _last_values(b)
    if a.case.pk != b.case.pk:  # nodes of two clusters have other names
        left, right = _by_name(left), _by_name(right)
    groups: dict[tuple[str, str | None, str, str], dict[str, Any]] = {}
    for key in sorted({*left} & {*right}, key=str):
        one, other = left[key], right[key]
        if same(one["value"]) != same(other["value"]):
            name, scope, node = key
            fresh: dict[str, Any] = {"name": name, "scope": scope, "a": one, "b": other, "nodes": []}
            group = groups.setdefault((name, scope, same(one["value"]), same(other["value"])), fresh)
            if node:
                group["nodes"].append(node)
    return list(groups.values())


SettingKey = tuple[str, str | None, str | None]


def _last_values(side: Side) -> dict[SettingKey, dict[str, Any]]:
    rows = side.settings()
    if rows is None:
        return {}
    ordered = rows.sort("at", "artifact", "line", nulls_last=False)
    return {(row["name"], row["scope"], row["node"]): row for row in ordered.iter_rows(named=True)}


def _by_name(values: dict[SettingKey, dict[str, Any]]) -> dict[SettingKey, dict[str, Any]]:
    """Settings on which all nodes of a side agree."""
    agreed: dict[SettingKey, dict[str, Any]] = {}
    for (name, scope, _), row in values.items():
        known = agreed.setdefault((name, scope, None), row)
        if same(known["value"]) != same(row["value"]):
            agreed[name, scope, None] = {**row, "value": "differs between nodes"}
    return agreed
