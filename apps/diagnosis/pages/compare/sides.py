"""The two sides of a comparison: a case, one of its bundles, or a stretch of its time. A side is one word in the
address.

CS-7            the whole case CS-7~b12        what bundle 12 of it holds CS-7~w100-200   what lies between two moments,
in microseconds as printed
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

import polars as pl

from apps.accounts.models import User
from apps.cases.access import Role, case_for
from apps.cases.models import Bundle, Case
from apps.cases.page.wallclock import stretch_text
from apps.diagnosis.engine.core.times.open_years import known_part_of
from apps.diagnosis.engine.page_tables import FILES_TAKEN
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.context import case_zone
from apps.diagnosis.pages.settings.tables import setting_rows
from apps.diagnosis.values import Finding, findings_of
from parsers.dataclass import dataclass

SPEC: Final = re.compile(r"([A-Za-z0-9_-]{1,40})(?:~b([0-9]{1,15})|~w([0-9]{1,17})-([0-9]{1,17}))?")
ALWAYS: Final = (0, 1 << 62)
BUNDLES_OFFERED: Final = 40


@dataclass(frozen=True, slots=True)
class Side:
    """What one side takes of a case's diagnosis."""

    case: Case
    spec: str
    label: str
    artifacts: frozenset[int] | None = None
    start: int | None = None
    end: int | None = None
    captured: tuple[int, int] | None = None

    @property
    def diagnosis(self) -> Diagnosis | None:
        return self.case.current_diagnosis

    @property
    def nodes(self) -> set[str]:
        """All names of the nodes of its case."""
        known = self.diagnosis.summary.get("nodes", ()) if self.diagnosis else ()
        return {name for node in known for name in (node["name"], *node["aliases"])}

    def spans(self) -> pl.LazyFrame | None:
        """Waits of the side, each as old as it was at the side's end: one that went on afterwards belongs to it as
        well.
        """
        spans = PageTableFiles(self.diagnosis).spans() if self.diagnosis else None
        if spans is None:
            return None
        if self.captured is not None:
            return self._as_old_as_by(spans.filter(self._own | self._passes), self.captured[1])
        if self.start is None or self.end is None:
            return self._of_files(spans)
        reaches = (pl.col("end") >= self.start) & (pl.col("start") <= self.end)
        return self._as_old_as_by(spans.filter(reaches), self.end)

    @property
    def _own(self) -> pl.Expr:
        return pl.col("artifact").is_in(list(self.artifacts or ()))

    @property
    def _passes(self) -> pl.Expr:
        """Waits that were there when a bundle was taken and that another bundle prints as well: they cross its first
        or its last moment.
        """
        first, last = self.captured or ALWAYS
        over_end = (pl.col("start") <= last) & (pl.col("end") > last)
        return over_end | ((pl.col("start") < first) & (pl.col("end") >= first))

    @staticmethod
    def _as_old_as_by(spans: pl.LazyFrame, end: int) -> pl.LazyFrame:
        by_then = pl.min_horizontal("seconds", (end - pl.col("start")) / 1_000_000)
        goes_on = (pl.col("start") <= end) & (pl.col("end") > end)
        return spans.with_columns(pl.when(goes_on).then(by_then).otherwise("seconds").alias("seconds"))

    def _of_files(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        return rows if self.artifacts is None else rows.filter(pl.col("artifact").is_in(list(self.artifacts)))

    def table(self, name: str) -> pl.DataFrame | None:
        """Rows of a view file that carry an artifact and a moment ``at``."""
        frame = PageTableFiles(self.diagnosis).table(name) if self.diagnosis else None
        if frame is None:
            return None
        rows = self._of_files(frame.lazy()) if "artifact" in frame.columns else frame.lazy()
        if self.start is not None and self.end is not None and "at" in frame.columns:
            rows = rows.filter(pl.col("at").is_between(self.start, self.end))
        return rows.collect()

    def settings(self) -> pl.DataFrame | None:
        """Readings up to the end of the side: what was set before it holds in it as well."""
        frame = PageTableFiles(self.diagnosis).table("settings") if self.diagnosis else None
        if frame is None:
            return None
        rows = self._of_files(frame.lazy())
        return (
            rows if self.end is None else rows.filter(pl.col("at").is_null() | (pl.col("at") <= self.end))
        ).collect()

    def findings(self) -> list[Finding]:
        """Findings that rest on its files and reach into its time; one without a time belongs to every stretch."""
        found = findings_of(self.diagnosis) if self.diagnosis else []
        return [finding for finding in found if self._rests(finding) and self._reaches(finding)]

    def _rests(self, finding: Finding) -> bool:
        return self.artifacts is None or any(line["artifact"] in self.artifacts for line in finding.evidence)

    def _reaches(self, finding: Finding) -> bool:
        if self.start is None or self.end is None or finding.start_us is None:
            return True
        return finding.start_us <= self.end and (finding.end_us or finding.start_us) >= self.start


def side_of(user: User, spec: str) -> Side | None:
    """The side that a word names; None where the word is none. Http404 where the reader may not see the case."""
    match = SPEC.fullmatch(spec)
    if match is None:
        return None
    case = case_for(user, match[1], Role.VIEWER)
    if match[2]:
        bundle = case.bundles.filter(pk=int(match[2])).first()
        return _of_bundle(case, bundle) if bundle else None
    if match[3]:
        return _of_stretch(case, int(match[3]), int(match[4]))
    return Side(case, case.key, "the whole case")


def _of_bundle(case: Case, bundle: Bundle) -> Side:
    numbers = frozenset(bundle.artifacts.values_list("pk", flat=True))
    name = bundle.filename
    if case.bundles.filter(filename=name).count() > 1:  # the bundles of a watch or of a script may be called alike
        name = f"{name}, {bundle.uploaded_at:%-d %b %Y %H:%M:%S} UTC"
    return Side(case, f"{case.key}~b{bundle.pk}", name, numbers, captured=_captured(case, numbers))


def _captured(case: Case, artifacts: frozenset[int]) -> tuple[int, int] | None:
    """From the first to the last capture in the files; None where none says when it was taken. Clocks without a date
    count only where no file has one.
    """
    taken = PageTableFiles(case.current_diagnosis).table(FILES_TAKEN) if case.current_diagnosis else None
    rows = taken.filter(pl.col("artifact").is_in(list(artifacts))) if taken is not None else None
    if rows is None or rows.is_empty():
        return None
    known = known_part_of(pl.col("first"))
    first, last = rows.filter(known == known.max()).select(pl.col("first").min(), pl.col("last").max()).row(0)
    return first, last


def _of_stretch(case: Case, start: int, end: int) -> Side:
    start, end = min(start, end), max(start, end)
    return Side(case, f"{case.key}~w{start}-{end}", stretch_text(start, end, case_zone(case)), None, start, end)


def offered(case: Case) -> list[Side]:
    """Sides of one case that are worth comparing: before and after a setting changed, its bundles, its halves, the
    whole.
    """
    return [*_around_change(case), *_bundles(case), *_halves(case), Side(case, case.key, "the whole case")]


def _bundles(case: Case) -> list[Side]:
    rows = case.bundles.filter(state=Bundle.State.EXPANDED, duplicate_of__isnull=True).order_by("uploaded_at", "pk")[
        :BUNDLES_OFFERED
    ]
    sides = [_of_bundle(case, bundle) for bundle in rows]
    return sides if len(sides) > 1 else []


def newest_bundles(case: Case) -> list[Side]:
    """The two newest ones in the order of their uploads; none where a case has one only."""
    return _bundles(case)[-2:]


def _around_change(case: Case) -> list[Side]:
    """Until the first and from the last moment at which the files show a setting changed."""
    diagnosis = case.current_diagnosis
    if diagnosis is None or diagnosis.window_start_us is None or diagnosis.window_end_us is None:
        return []
    shown = [one for row in setting_rows(diagnosis) for one in row.values]
    moments = [one.at for one in shown if one.before is not None and one.at is not None]
    if not moments or not diagnosis.window_start_us < min(moments) <= max(moments) < diagnosis.window_end_us:
        return []
    names = sorted({row.name for row in setting_rows(diagnosis) if any(one.before is not None for one in row.values)})
    before = _of_stretch(case, diagnosis.window_start_us, min(moments) - 1)
    after = _of_stretch(case, max(moments), diagnosis.window_end_us)
    words = names[0] if len(names) == 1 else f"{len(names)} settings"
    return [_named(before, f"before {words} changed"), _named(after, f"after {words} changed")]


def _named(side: Side, words: str) -> Side:
    return replace(side, label=f"{words} ({side.label})")


def _halves(case: Case) -> list[Side]:
    diagnosis = case.current_diagnosis
    if diagnosis is None or diagnosis.window_start_us is None or diagnosis.window_end_us is None:
        return []
    start, end = diagnosis.window_start_us, diagnosis.window_end_us
    if end <= start:
        return []
    middle = (start + end) // 2
    halves = (("first half", start, middle), ("second half", middle, end))
    return [_named(_of_stretch(case, one, other), words) for words, one, other in halves]


def proposed(case: Case) -> tuple[Side, Side]:
    """What one most likely wants to compare: the two newest bundles, else before and after a change, else the
    halves.
    """
    bundles = _bundles(case)
    pair = bundles[-2:] or _around_change(case) or _halves(case)
    return (pair[0], pair[1]) if len(pair) == 2 else (Side(case, case.key, "the whole case"),) * 2


def choices(sides: list[Side], chosen: str) -> list[dict[str, Any]]:
    """For a select."""
    return [
        {"spec": side.spec, "label": f"{side.case.key}: {side.label}", "is_on": side.spec == chosen} for side in sides
    ]
