"""What is kept of a case with its diagnosis, so that a new entry can be tried on all cases within seconds: shapes of
what nobody judged, and the findings in their order.

Shapes of logs are made from the stored texts, once for each reading of a file; the rest comes from the facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl
from django.db import transaction

from apps.cases import storage
from apps.cases.models import Case
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.engine.core.alarms.collected import MESSAGES, Alarms
from apps.diagnosis.engine.core.facts.case import Case as EngineCase
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.taught import tool_of, words_of_wait
from apps.diagnosis.engine.core.facts.unread import UnreadOutputs
from apps.diagnosis.engine.core.model import AT_STAKE, SEVERITIES, Diagnosis, Finding
from apps.diagnosis.engine.core.verdicts.checks import Checks
from apps.diagnosis.engine.core.verdicts.verdict import verdict
from apps.diagnosis.engine.learned import LOGS
from apps.diagnosis.engine.shapes import LogShape, log_shapes
from apps.diagnosis.numbering import FileNumbers, ReadFile
from apps.diagnosis.storable import storable
from apps.learning.models import CaseDigest, CaseShape
from parsers.messages.catalogue import sounding
from parsers.messages.site_entries import LEARNED, TEXT_READ, blanked, columns_of, is_figure, tables
from parsers.records import Event, Section, Skipped
from parsers.records.kinds import RECORD_TYPES

RANKED_KEPT: Final = 30
DOUBTS_KEPT: Final = 50
LINES_KEPT: Final = 20
OF_EACH_KEPT: Final = 1_000
"""Shapes of one source in one case, beside those of logs."""
VALUES_KEPT: Final = 40
"""Different values of one column of listings."""
SHAPES_OF_FILE: Final = 1_500
Source = CaseShape.Source
Cited = frozenset[tuple[int, int]]


def keep_shapes(case: Case, result: Diagnosis, files: FileNumbers, judged: EngineCase) -> None:
    """Replace what is kept of a case. It is not part of the diagnosis: if it is lost, the next one makes it again."""
    before = CaseDigest.objects.filter(case=case).first()
    logs = {str(file.shown.pk): (number, file) for number, file in enumerate(files.files) if _is_log(file)}
    texts = {key: file.held.facts for key, (_, file) in logs.items()}
    kept = [key for key in texts if before is not None and before.texts.get(key) == texts[key]]
    cited = _cited(result.findings)
    is_cut = before is not None and before.is_cut and bool(kept)
    rows: list[CaseShape] = []
    for key, (number, file) in logs.items():
        if key not in kept:
            made, more = _of_log(case, number, file, judged, cited)
            rows += made
            is_cut |= more
    others = (*_of_outputs(case, judged, files), *_of_waits(case, result, files), *_of_tables(case, judged, files))
    with transaction.atomic():
        if not Case.objects.select_for_update(no_key=True).filter(pk=case.pk).exists():
            return
        there = set(case.artifacts.values_list("pk", flat=True))
        rows = [row for row in (*rows, *others) if row.artifact_id in there]
        CaseShape.objects.filter(case=case).exclude(source=Source.LOG, artifact__in=[int(key) for key in kept]).delete()
        CaseShape.objects.bulk_create(rows, batch_size=500)
        digest = _digest(result, judged, files) | {"texts": texts, "is_cut": is_cut}
        CaseDigest.objects.update_or_create(case=case, defaults=digest)


def _is_log(file: ReadFile) -> bool:
    return bool(file.held.blob) and not LOGS.isdisjoint(file.held.formats)


def _cited(findings: Iterable[Finding]) -> Cited:
    """Lines on which a finding of a rule rests."""
    of_rules = (one for one in findings if one.severity != "info" and not one.ref.startswith("AL-"))
    return frozenset((ref.artifact, ref.line) for one in of_rules for ref in one.evidence)


def _row(case: Case, source: str, told_by: str, text: str, **more: Any) -> CaseShape:
    plain = str(storable(text))[:TEXT_READ]
    values = {"shape": blanked(plain)[:TEXT_READ], "text": plain, "told_by": str(storable(told_by))[:64]}
    return CaseShape(case=case, source=source, **values | more)


# Logs
# --------------------------------------------------------------------------------------------------------


def _of_log(case: Case, number: int, file: ReadFile, judged: EngineCase, cited: Cited) -> tuple[list[CaseShape], bool]:
    with storage.open_file(file.held.blob) as stream:
        shapes = log_shapes(TextBlob.open(stream).blocks())
    events = _events_of(judged, number, [one.line for one in shapes.found.values()])
    rows = [
        _of_shape(case, file, one, *events.get(one.line, ("", "")), is_cited=(number, one.line) in cited)
        for one in shapes.found.values()
    ]
    rows.sort(key=lambda row: (row.weight == "", -row.lines))
    return rows[:SHAPES_OF_FILE], shapes.is_cut or len(rows) > SHAPES_OF_FILE


def _of_shape(case: Case, file: ReadFile, one: LogShape, kind: str, weight: str, *, is_cited: bool) -> CaseShape:
    is_learned = kind.endswith(LEARNED)
    own = sounding(one.text) if is_learned else weight
    return _row(
        case,
        Source.LOG,
        one.program,
        one.text,
        artifact_id=file.shown.pk,
        line=one.line,
        lines=one.lines,
        weight="" if own == "everyday" else own,
        kind="" if is_learned else kind,
        nodes=storable(one.hosts),
        is_cited=is_cited,
    )


def _events_of(judged: EngineCase, number: int, lines: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Kind and weight by line."""
    wanted = (pl.col("artifact") == number) & pl.col("line").is_in(lines)
    rows = judged.get(Records).frame(Event, wanted).select("line", "kind", "weight")
    return {line: (kind, weight) for line, kind, weight in rows.iter_rows()}


# Lines without a reader, waits of no known kind, rows of listings
# --------------------------------------------------------------------------------------------------------


def _of_outputs(case: Case, judged: EngineCase, files: FileNumbers) -> Iterator[CaseShape]:
    records = judged.get(Records)
    if not records.has(Skipped):
        return
    lines = records.frame(Skipped).select("artifact", "line", "shape").filter(pl.col("shape") != "").sort("line")
    own = records.scan(Section).filter(pl.col("artifact").is_in(lines["artifact"].unique().implode()))
    of = own.select("artifact", "line", "last_line", "command", "node").sort("line", maintain_order=True).collect()
    placed = lines.join_asof(of, on="line", by="artifact", check_sortedness=False).sort("artifact", "line")
    inside = pl.col("line") <= pl.col("last_line")
    named = placed.with_columns(pl.when(inside).then(pl.col("command", "node")).name.keep())
    alike = named.group_by("shape", "command", maintain_order=True).agg(
        pl.col("artifact", "line").first(), pl.len(), pl.col("node").drop_nulls().unique(maintain_order=True).head(4)
    )
    for row in alike.sort("len", descending=True, maintain_order=True).head(OF_EACH_KEPT).iter_rows(named=True):
        text = row["shape"].replace("#", "0")
        yield _row(
            case,
            Source.OUTPUT,
            tool_of(row["command"]),
            text,
            artifact_id=files.pk(row["artifact"]),
            line=row["line"],
            lines=row["len"],
            nodes=storable(row["node"]),
        )


def _of_waits(case: Case, result: Diagnosis, files: FileNumbers) -> Iterator[CaseShape]:
    for kind in result.kinds[:OF_EACH_KEPT]:
        if kind.category is None and words_of_wait(kind):
            yield _row(
                case,
                Source.WAITS,
                "",
                words_of_wait(kind),
                artifact_id=files.pk(kind.ref.artifact),
                line=kind.ref.line,
                lines=kind.count,
                weight="notice",
                nodes=storable(list(kind.nodes[:4])),
            )


def _of_tables(case: Case, judged: EngineCase, files: FileNumbers) -> Iterator[CaseShape]:
    """Each column of listings with its values; of many figures the lowest and the highest."""
    records = judged.get(Records)
    kinds = {kind.__name__: kind for kind in RECORD_TYPES}
    left = OF_EACH_KEPT
    for table in tables():
        if not records.has(kinds[table]):
            continue
        frame = records.frame(kinds[table])
        for column in columns_of(table):
            for value, artifact, line, lines, nodes in _values(frame, column, has_figures=is_figure(table, column)):
                if not left:
                    return
                left -= 1
                place = {"artifact_id": files.pk(artifact), "line": line, "lines": lines, "nodes": storable(nodes)}
                row = _row(case, Source.TABLE, table, str(value), **place)
                row.shape = f"{column}={row.text.lower()}"[:TEXT_READ]
                yield row


def _values(frame: pl.DataFrame, column: str, *, has_figures: bool) -> Iterator[tuple[Any, int, int, int, list[str]]]:
    rows = frame.filter(pl.col(column).is_not_null())
    if column in ("node", "source") or rows.is_empty():
        return
    node = pl.col("node").drop_nulls().unique(maintain_order=True).head(4) if "node" in frame.columns else pl.lit([])
    alike = rows.group_by(column, maintain_order=True).agg(
        pl.col("artifact", "line").first(), pl.len().alias("n"), node.alias("nodes")
    )
    if alike.height > VALUES_KEPT:
        alike = pl.concat([alike.sort(column).head(1), alike.sort(column).tail(1)]) if has_figures else alike.sort("n")
    for row in alike.head(VALUES_KEPT).iter_rows(named=True):
        yield row[column], row["artifact"], row["line"], row["n"], row["nodes"] or []


# The digest
# --------------------------------------------------------------------------------------------------------


def _digest(result: Diagnosis, judged: EngineCase, files: FileNumbers) -> dict[str, Any]:
    alarms = judged.get(Alarms)
    calm = verdict(
        [one for one in result.findings if one.severity == "info"],
        judged.store,
        judged.get(Checks).passed(),
        judged.get(UnreadOutputs).outputs,
    )
    return {
        "ranked": storable(list(_ranked(result, alarms, files))),
        "calm": storable({"title": calm.title, "severity": calm.severity, "form": calm.form}),
        "doubts": storable(list(alarms.doubtful()[:DOUBTS_KEPT])),
    }


def _ranked(result: Diagnosis, alarms: Alarms, files: FileNumbers) -> Iterator[dict[str, Any]]:
    grave = [one for one in result.findings if one.severity != "info"]
    symptoms = {ref for one in grave for ref in one.causes}
    kinds = {(ref.artifact, ref.line): one.kind for one in alarms.logged for ref in one.refs}
    for one in grave[:RANKED_KEPT]:
        first = next(((ref.artifact, ref.line) for ref in one.evidence), None)
        yield {
            "rank": rank_of(one, is_symptom=one.ref in symptoms),
            "title": one.verdict or one.title,
            "severity": one.severity,
            "ref": one.ref,
            "kind": kinds.get(first, "") if one.ref == MESSAGES and first is not None else "",
            "entry": one.entry,
            "lines": [[files.pk(ref.artifact), ref.line] for ref in one.evidence[:LINES_KEPT]],
        }


def rank_of(finding: Finding, *, is_symptom: bool = False) -> list[Any]:
    """What the order of findings goes by."""
    return [
        SEVERITIES.index(finding.severity),
        is_symptom,
        AT_STAKE.index(finding.at_stake),
        -finding.weight,
        -finding.confidence,
        finding.ref,
        finding.title,
    ]


def counted_kinds(rows: Iterable[tuple[int, str]]) -> Mapping[int, Counter[str]]:
    """How many shapes of each kind of alarm each case has."""
    found = defaultdict[int, Counter[str]](Counter)
    for case_id, kind in rows:
        found[case_id][kind] += 1
    return found
