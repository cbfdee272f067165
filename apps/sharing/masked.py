"""A diagnosis with stand-ins: made once, stored, and read back as if it were the diagnosis itself.

The pages of level development are built from what comes out here by the same code as all other pages. They can not show
a name that is not in it, whichever lane, tooltip, title or JSON they write.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import polars as pl
from django.conf import settings
from django.db import IntegrityError

from apps.cases import storage
from apps.cases.models import Case
from apps.cases.services import lock_case
from apps.cases.storage.store_then_row import Stored, remove_abandoned
from apps.diagnosis import values
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.storable import storable
from apps.sharing.models import MaskedCase
from apps.sharing.names import names_of
from apps.sharing.standins import StandIns
from apps.sharing.textmask import TextMask

VERSION: Final = 11
TITLE: Final = "case-1"
TRIES: Final = 3
SPANS_KEPT: Final = 50_000
"""The longest of each part: a receiver is shown the longest waits, and millions of others would only be
looked through.
"""
ZONE: Final = re.compile(r"[A-Z]{1,5}|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?")
OWN_WORDS: Final = frozenset(("kind_id", "state", "role", "lazy", "type", "weight", "message"))
"""Columns that hold words of the program's own."""
JSON_COLUMNS: Final = frozenset(("by_node", "captures"))
TUNING_TEXTS: Final = ("parameter", "scope", "recommended", "persist", "caution", "way_back", "verify", "since", "why")
SUMMARY: Final = ("roots", "cycles", "waits_for", "next_steps", "kinds", "incidents", "placed")


class MadeMeanwhileError(Exception):
    """Two receivers opened their links at once: the first copy counts."""


def masked_row(diagnosis: Diagnosis) -> MaskedCase:
    """The masked diagnosis; made where it is not there yet."""
    row = MaskedCase.objects.filter(diagnosis=diagnosis).first()
    if row is not None and row.version == VERSION:
        return row
    for _ in range(TRIES - 1):
        try:
            return _make(diagnosis)
        except (IntegrityError, MadeMeanwhileError):  # somebody else gave out numbers for this case, or was first
            row = MaskedCase.objects.filter(diagnosis=diagnosis, version=VERSION).first()
            if row is not None:
                return row
    return _make(diagnosis)


def _make(diagnosis: Diagnosis) -> MaskedCase:
    case = diagnosis.case
    known = names_of(case)
    standins = StandIns(case)
    standins.prepare(known)
    mask = TextMask(known, standins.of)
    prefix = _views(diagnosis, mask)
    with Stored(prefix, MaskedCase.objects.filter(views=prefix)) as kept:
        content = storable(asdict(_masked(values.Diagnosis.of(diagnosis), mask)))
        with kept.row():
            lock_case(case.pk)
            standins.keep()
            if MaskedCase.objects.filter(diagnosis=diagnosis, version=VERSION).exists():
                raise MadeMeanwhileError
            MaskedCase.objects.filter(diagnosis=diagnosis).delete()
            row = MaskedCase.objects.create(
                diagnosis=diagnosis,
                version=VERSION,
                content=content,
                views=prefix,
                names=storable(_by_kind(standins.used)),
            )
    _remove_earlier(case)
    return row


def _by_kind(used: dict[tuple[str, str], str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for (kind, name), standin in used.items():
        found.setdefault(kind, {})[name] = standin
    return found


def _remove_earlier(case: Case) -> None:
    """View files of diagnoses that were replaced, and of workers that were killed."""
    rows = MaskedCase.objects.filter(diagnosis__case=case).values_list("views", flat=True)
    remove_abandoned(_folder(case), rows.all)


def _folder(case: Case) -> str:
    return f"{storage.case_prefix(case.pk)}masked/"


# Rows
# -------------------------------------------------------------------------------------------------------------------


def _masked(diagnosis: values.Diagnosis, mask: TextMask) -> values.Diagnosis:
    """The same diagnosis with stand-ins, without doubts and without what is missing: those are for the people who work
    on the case. ``asked`` keeps what is missing for the reply that they copy.
    """
    summary = diagnosis.summary
    kept = {name: _walked(summary.get(name, []), mask.sentence) for name in SUMMARY}
    nodes = [{"name": mask.text(node["name"]), "aliases": []} for node in summary.get("nodes", ())]
    missing = _walked(summary.get("missing", []), mask.sentence)
    return replace(
        diagnosis,
        verdict_title=mask.sentence(diagnosis.verdict_title),
        verdict_confidence=0.0,
        summary={**kept, "nodes": nodes, "kinds_total": summary.get("kinds_total", 0), "missing": [], "asked": missing},
        views="",  # the row of the copy knows them
        findings=tuple(_finding(one, mask) for one in diagnosis.findings),
        tunings=tuple(_tuning(one, mask) for one in diagnosis.tunings),
    )


def _walked(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with its texts changed; keys are ours. Ids of kinds are words of the knowledge base."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: inner if key == "kind_id" else _walked(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [_walked(inner, change) for inner in value]
    return value


def _finding(finding: values.Finding, mask: TextMask) -> values.Finding:
    """Without doubts, without the number of its row, and without what a team says among itself."""
    return replace(
        finding,
        pk=finding.order,
        title=mask.sentence(finding.title),
        explanation="" if finding.knowledge else mask.sentence(finding.explanation),
        nodes=[mask.text(node) for node in finding.nodes],
        figures=_walked(finding.figures, mask.sentence),
        evidence=[
            {**line, "path": mask.file(line["path"]), "text": mask.text(line["text"])} for line in finding.evidence
        ],
        confidence=0.0,
        confidence_parts=[],
        basis="",
        disproved_by="",
        knowledge=None,
    )


def _tuning(tuning: values.Tuning, mask: TextMask) -> values.Tuning:
    texts: dict[str, Any] = {name: mask.sentence(getattr(tuning, name)) for name in TUNING_TEXTS}
    current = None if tuning.current is None else mask.text(tuning.current)
    commands = [mask.sentence(command) for command in tuning.commands]
    return replace(tuning, **texts, current=current, current_at=None, commands=commands, basis="")


# View files
# -------------------------------------------------------------------------------------------------------------


def _views(diagnosis: Diagnosis, mask: TextMask) -> str:
    """Masked copies of the Parquet files; their prefix."""
    workspace = Path(mkdtemp(prefix="views-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    prefix = f"{_folder(diagnosis.case)}{workspace.name}/"
    try:
        with Stored(prefix, MaskedCase.objects.filter(views=prefix)):
            for name in storage.listing(diagnosis.views) if diagnosis.views else ():
                part = workspace / name.rsplit("/", 1)[-1]
                frame = _masked_frame(pl.read_parquet(storage.local_path(name)), mask, part.name)
                frame.write_parquet(part, compression="zstd")
                with part.open("rb") as file:
                    storage.save_as(f"{prefix}{part.name}", file)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)
    return prefix


def _masked_frame(frame: pl.DataFrame, mask: TextMask, name: str) -> pl.DataFrame:
    if name.startswith("spans-"):
        frame = frame.sort("seconds", descending=True, nulls_last=True).head(SPANS_KEPT)
    for column, kind in frame.schema.items():
        if kind == pl.String and column not in OWN_WORDS:
            frame = frame.with_columns(_masked_column(frame[column], mask, is_json=column in JSON_COLUMNS))
    return frame


def _masked_column(values: pl.Series, mask: TextMask, *, is_json: bool) -> pl.Series:
    change = _masked_json(mask) if is_json else mask.text
    changed = {text: change(text) for text in values.drop_nulls().unique().to_list()}
    return values.replace(list(changed), list(changed.values())) if changed else values


def _masked_json(mask: TextMask) -> Callable[[str], str]:
    """Nodes are the keys of one column and values of the other."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict) and not set(value) <= {"node", "who", "waiters"}:
            return {mask.text(key): inner for key, inner in value.items()}
        return (
            _walked([changed(inner) for inner in value], mask.text)
            if isinstance(value, list)
            else _walked(value, mask.text)
        )

    return lambda text: json.dumps(changed(json.loads(text)))


# Reading it back
# --------------------------------------------------------------------------------------------------------


def masked_case(case: Case) -> Case:
    """The case as a receiver of level development may know it. It is not stored and has no number: a query finds
    nothing of the case.
    """
    return Case(
        key="case",
        title=TITLE,
        products=case.products,
        nodes_n=case.nodes_n,
        severity=case.severity,
        window_start_us=case.window_start_us,
        window_end_us=case.window_end_us,
        zone_min=case.zone_min,
        zone_name=case.zone_name if ZONE.fullmatch(case.zone_name) else "",
    )


def masked_diagnosis(case: Case) -> values.Diagnosis | None:
    """The current diagnosis with stand-ins."""
    return None if case.current_diagnosis is None else _read(masked_row(case.current_diagnosis))


def _read(row: MaskedCase) -> values.Diagnosis:
    content = row.content
    findings = tuple(values.Finding(**one) for one in content["findings"])
    tunings = tuple(values.Tuning(**one) for one in content["tunings"])
    return values.Diagnosis(**{**content, "views": row.views, "findings": findings, "tunings": tunings})
