"""A case on two printed pages: verdict, chain, first findings with their lines, tunings with risk and way back, what is
missing.

Heights are reckoned in the pixels of print.css, so that what would go beyond the second page is counted and left to the
whole report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import polars as pl

from apps.cases.models import Case
from apps.diagnosis.engine.core.words.repeated_requests import Request as Missing
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.models import Tuning as TuningRow
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.context import page_context, short_path
from apps.diagnosis.pages.export.report import hashes, window_text
from apps.diagnosis.pages.graph.waitgraph import Branch, WaitGraph
from apps.diagnosis.pages.graph.waits_of_arrow import behind, spellings_of
from apps.diagnosis.pages.judging.judgements import Judgements
from apps.diagnosis.pages.timeline.charts import charts
from parsers.dataclass import dataclass

ROOM_PX: Final = 1800
"""Two A4 pages have 2030 px between their margins; the rest is for breaks."""
LINE_CHARS: Final = 118
LINE_PX: Final = 14
HEAD_PX: Final = 30
TOP_PX: Final = 130
BLOCK_PX: Final = 26
EVIDENCE_PX: Final = 14
CHARTS_PX: Final = 84
CHARTS_MOST: Final = 2
CHAIN_MOST: Final = 5
TUNINGS_MOST: Final = 5
MISSING_MOST: Final = 5
STEPS_MOST: Final = 3
TEXT_MOST: Final = 620
EVIDENCE_FIRST: Final = 4
EVIDENCE_OTHERS: Final = 2
Block = dict[str, Any]


@dataclass(slots=True)
class _Room:
    """What is left of the two pages."""

    left: int = ROOM_PX - TOP_PX

    def take(self, blocks: Sequence[Block], most: int, *, spare: int = 0) -> list[Block]:
        """The first of them that fit, with a heading over them."""
        taken: list[Block] = []
        for block in blocks[:most]:
            needs = block["px"] + (0 if taken else HEAD_PX)
            if needs > self.left - spare:
                break
            self.left -= needs
            taken.append(block)
        return taken


def brief_context(case: Case, diagnosis: Diagnosis) -> dict[str, Any]:
    """For diagnosis/_brief.html."""
    known = hashes(case, diagnosis)
    page = page_context(case, diagnosis, raw_open=False, hashes=known, judgements=Judgements(case))
    room = _Room()
    drawn = charts(case, diagnosis)[:CHARTS_MOST]
    room.left -= CHARTS_PX if drawn else 0
    room.left -= HEAD_PX + LINE_PX * reply_lines(page["answer"])
    chain = room.take(_chain(case, diagnosis), CHAIN_MOST)
    findings = page["findings"]
    first = room.take([_finding(one, EVIDENCE_FIRST) for one in findings[:1]], 1)
    tunings = room.take(_tunings(page["tunings"]), TUNINGS_MOST, spare=HEAD_PX + 4 * LINE_PX)
    steps = room.take([_step(one) for one in page["next_steps"]], STEPS_MOST)
    missing = room.take([_missing(item) for item in page["missing"]], MISSING_MOST)
    more = room.take(
        [_finding(one, EVIDENCE_OTHERS) for one in findings[len(first) :]], len(findings), spare=2 * LINE_PX
    )
    named = room.take([_name(one) for one in findings[len(first) + len(more) :]], len(findings), spare=LINE_PX)
    recommended = [one for one in page["tunings"] if one["status"] == TuningRow.Status.RECOMMENDED.value]
    return {
        "case": case,
        "verdict": page["verdict"],
        "window": window_text(case, diagnosis),
        "nodes_n": len(diagnosis.summary.get("nodes", ())),
        "charts": drawn,
        "chain": chain,
        "findings": [*first, *more],
        "findings_named": named,
        "findings_left": len(findings) - len(first) - len(more) - len(named),
        "tunings": tunings,
        "tunings_left": max(0, len(recommended) - len(tunings)),
        "answer": page["answer"],
        "next_steps": steps,
        "next_steps_left": len(page["next_steps"]) - len(steps),
        "missing": missing,
        "missing_left": len(page["missing"]) - len(missing),
        "made": diagnosis.created_at,
        "engine": diagnosis.engine_version,
    }


def lines(text: str) -> int:
    """Lines that a text takes on paper."""
    return -(-len(text) // LINE_CHARS) if text else 0


def cut(text: str, most: int = TEXT_MOST) -> str:
    """Whole sentences up to a length; a single long one ends with dots."""
    if len(text) <= most:
        return text
    end = text.rfind(". ", 0, most) + 1
    return f"{text[:end]} …" if end > most // 3 else f"{text[: most - 1].rstrip()}…"


def _finding(finding: Block, most: int) -> Block:
    words = cut(finding["explanation"] or "")
    shown = finding["evidence"][:most]
    height = BLOCK_PX + LINE_PX * (lines(finding["title"]) + lines(words)) + EVIDENCE_PX * (len(shown) + 1)
    return {
        **finding,
        "explanation": words,
        "evidence": shown,
        "evidence_left": len(finding["evidence"]) - len(shown),
        "px": height,
    }


def _name(finding: Block) -> Block:
    """One line for what has no room, with the first line that shows it."""
    return {**finding, "evidence": finding["evidence"][:1], "px": LINE_PX * lines(finding["title"]) + EVIDENCE_PX + 4}


def _tunings(tunings: Iterable[Block]) -> list[Block]:
    """What is still to be done first; what was applied already stands behind it."""
    order = sorted(tunings, key=lambda one: one["status"] != TuningRow.Status.RECOMMENDED.value)
    return [_tuning(one) for one in order if one["status"] != "not applicable"]


def _tuning(tuning: Block) -> Block:
    parts = {name: cut(tuning[name] or "", 300) for name in ("why", "caution", "way_back", "persist")}
    height = BLOCK_PX + LINE_PX * sum(lines(text) for text in parts.values())
    height += EVIDENCE_PX * (len(tuning["read_from"]) + sum(lines(command) for command in tuning["commands"]))
    return {**tuning, **parts, "px": height}


def reply_lines(answer: Block | None) -> int:
    """Lines on paper of the reply."""
    return sum(max(1, lines(line)) for line in answer["reply"].splitlines()) if answer else 0


def _step(step: Block) -> Block:
    height = LINE_PX * lines(step["why"]) + EVIDENCE_PX * sum(lines(command) for command in step["commands"]) + 6
    return {**step, "px": height}


def _missing(missing: Missing) -> Block:
    commands = " · ".join(missing.commands)
    height = LINE_PX * lines(f"{missing.what}. {missing.why}") + EVIDENCE_PX * lines(commands) + 6
    return {"what": missing.what, "why": missing.why, "commands": commands, "px": height}


def _chain(case: Case, diagnosis: Diagnosis) -> list[Block]:
    """From the root outward: each step with its longest wait and the line that prints it."""
    graph, spans = WaitGraph(diagnosis.summary), PageTableFiles(diagnosis).spans()
    rows = [(row["branch"], row["depth"]) for row in graph.rows()[: CHAIN_MOST + 1]]
    found = {branch.link: _longest(diagnosis, graph, branch, spans) for branch, _ in rows if branch.link}
    numbers = [row["artifact"] for row in found.values() if row]
    files = {
        pk: (path, sha256)
        for pk, path, sha256 in case.artifacts.filter(pk__in=numbers).values_list("pk", "path", "sha256")
    }
    return [
        {
            "branch": branch,
            "depth": depth,
            "evidence": _place(found.get(branch.link), files),
            "px": LINE_PX + EVIDENCE_PX + 2,
        }
        for branch, depth in rows
    ]


def _longest(diagnosis: Diagnosis, graph: WaitGraph, branch: Branch, spans: pl.LazyFrame | None) -> Block | None:
    arrow = next((one for one in graph.arrows if (one.frm, one.to) == branch.link), None)
    if arrow is None or spans is None:
        return None
    waits = spans.filter(behind(graph, arrow, spellings_of(diagnosis, arrow.to)))
    order = waits.sort("seconds", "artifact", "line", descending=[True, False, False], nulls_last=True)
    return next(iter(order.head(1).collect().to_dicts()), None)


def _place(wait: Block | None, files: dict[int, tuple[str, str]]) -> list[Block]:
    if wait is None or wait["artifact"] not in files:
        return []
    path, sha256 = files[wait["artifact"]]
    words = " ".join(part for part in (wait["node"], wait["thread"], wait["waits_on"] or wait["reason"]) if part)
    return [{"path": short_path(path), "line": wait["line"], "text": words, "sha256": sha256}]
