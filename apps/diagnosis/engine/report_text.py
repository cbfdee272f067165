"""A diagnosis as a plain report for people at a terminal. Control characters of the input never reach the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.unread import UnreadOutputs
from apps.diagnosis.engine.core.model import REDIRECTS, Tuning
from apps.diagnosis.engine.core.words.repeated_requests import grouped
from apps.diagnosis.engine.core.words.wording import count, listed, plural, seconds
from apps.diagnosis.engine.report import Report

ROWS = 12


def _safe(text: str) -> str:
    """Tabs and the many sorts of spaces as plain ones, all else that does not print as a mark."""
    return "".join(
        c if c.isprintable() else " " if c.isspace() and c not in "\n\r\v\f\x85\u2028\u2029" else "\ufffd" for c in text
    )


def report_text(report: Report) -> Iterator[str]:
    """The report in pieces; every finding with its lines, every tuning with its risk and way back."""
    for line in _lines(report):
        yield _safe(line) + "\n"


def _lines(report: Report) -> Iterator[str]:
    d = report.diagnosis
    if d.verdict:
        yield f"[{d.verdict.severity.upper()}] {d.verdict.title}"
        yield f"  confidence {d.verdict.confidence:.2f}" + (f", {d.verdict.ref}" if d.verdict.ref else "")
    start, end = report.clock.text(d.start, d.start_zone_min), report.clock.text(d.end, d.end_zone_min)
    nodes = listed([n.name for n in d.nodes], 8)
    if only := listed([n.name for n in report.case.get(Nodes).only_listed()], 8):
        nodes = f"{nodes}, and in listings {only}" if nodes else f"in listings {only}"
    nodes = nodes or "not named"
    yield (
        f"  products: {', '.join(d.products) or 'none recognised'}; nodes: {nodes}; window: "
        f"{start or 'unknown'} to {end or 'unknown'}"
    )
    yield from _clocks(report)
    yield from _findings(report)
    yield from _roots(report)
    yield from _kinds(report)
    yield from _tunings(report)
    yield from _files(report)


def _clocks(report: Report) -> Iterator[str]:
    """Nodes whose clock is not that of the first, with the error bar."""
    apart = [n for n in report.diagnosis.nodes if n.clock_offset_s is not None and n.name != n.clock_reference]
    for node in apart[:ROWS]:
        ahead = node.clock_offset_s or 0.0
        way = "ahead of" if ahead >= 0 else "behind"
        bar = f"{abs(ahead):.1f} s {way} that of {node.clock_reference}, give or take {node.clock_error_s:.1f} s"
        yield f"  the clock of {node.name} is {bar} ({node.clock_basis})"
    if len(apart) > ROWS:
        yield f"  and the clocks of {len(apart) - ROWS} more nodes"


def _findings(report: Report) -> Iterator[str]:
    for f in sorted(
        report.diagnosis.findings, key=lambda f: f.weight < REDIRECTS
    ):  # what redirects the case is read first
        yield ""
        yield f"{f.severity.upper():8} {f.ref} {f.title}" + (" (read this first)" if f.weight >= REDIRECTS else "")
        yield f"  {f.explanation}"
        for figure in f.figures:
            yield f"  {figure.name}: {figure.value:g} {figure.unit}" + (f"  ({figure.limit})" if figure.limit else "")
        for ref in f.evidence:
            yield f"  {report.path(ref.artifact)}:{ref.line}: {report.texts(ref)}"
        yield f"  confidence {f.confidence:.2f}: " + "; ".join(f"{p.name} {p.value:.2f} ({p.why})" for p in f.parts)
        yield f"  disproved by: {f.disproved_by}"


def _roots(report: Report) -> Iterator[str]:
    if report.diagnosis.roots:
        yield ""
        yield "Ends of the wait chains"
    for root in report.diagnosis.roots[:ROWS]:
        beyond = "; no dump of it is in these files" if root.leaves_data else ""
        behind = f"{plural(root.waiters, 'wait')} behind it, {count(root.relieves)} would run if it were free"
        yield f"  {root.kind} {root.what}: {behind}; {root.why}{beyond}"


def _kinds(report: Report) -> Iterator[str]:
    kinds = report.diagnosis.kinds
    if kinds:
        yield ""
        yield "Waiters by kind (longest first)"
    for kind in kinds[:ROWS]:
        longest = seconds(kind.longest_s) if kind.longest_s is not None else "age unknown"
        waits = f"{kind.thread or 'unknown thread'}: {kind.wait_on or kind.reason or ''}"
        figures = f"category {kind.category or '?'}  {longest:>10}  {count(kind.count):>8}"
        yield f"  {figures}  {waits} [{kind.kind_id or 'unknown kind'}] {kind.meaning}"
    if len(kinds) > ROWS:
        yield f"  and {len(kinds) - ROWS} more kinds"


def _tunings(report: Report) -> Iterator[str]:
    for t in report.diagnosis.tunings:
        yield ""
        yield (
            f"TUNING {t.parameter}{_change(t)}"
            + (f" on {t.scope}" if t.scope else "")
            + f" ({t.status.replace('_', ' ')})"
        )
        if t.current_at:
            yield f"  {report.path(t.current_at.artifact)}:{t.current_at.line} shows {t.current}"
        yield f"  why: {t.why}"
        for command in t.commands:
            yield f"    {command}"
        yield f"  persist: {t.persist}"
        yield f"  mind: {t.caution}"
        yield f"  way back: {t.way_back}"
        yield f"  verify: {t.verify}"
        yield f"  since {t.since}; source: {'; '.join(t.sources)} ({t.basis})"


def _change(tuning: Tuning) -> str:
    if tuning.status == "applied":
        return f" is {tuning.current}"
    if tuning.status == "not_applicable":
        return f" stays {tuning.current}" if tuning.current is not None else ""
    return f": {tuning.current} -> {tuning.recommended}" if tuning.current is not None else f": {tuning.recommended}"


def _unread(report: Report) -> Iterator[str]:
    """What was not read: whole outputs first, those with most lines first."""
    found = sorted(report.case.get(UnreadOutputs).all, key=lambda one: (not one.is_output, -one.lines))
    for one in found[:ROWS]:
        named = f"{one.command} on {one.node}" if one.command and one.node else one.command or "text without a command"
        yield (
            f"  not read: {named}: {report.path(one.artifact)}:{one.first_line}-{one.last_line}, "
            f"{plural(one.lines, 'line')} ({one.why})"
        )
    if len(found) > ROWS:
        yield f"  and {len(found) - ROWS} more places"


def _files(report: Report) -> Iterator[str]:
    yield ""
    for step in report.diagnosis.next_steps:
        yield f"NEXT {step.why}" + (f" ({'; '.join(step.commands)})" if step.commands else "")
    for request in grouped([asdict(item) for item in report.diagnosis.missing]):
        yield f"MISSING {request.what}: {request.why}" + (
            f" ({'; '.join(request.commands)})" if request.commands else ""
        )
    read = [row for row in report.inputs if row.artifact is not None]
    total, wrong = sum(row.total for row in read), sum(row.not_understood for row in read)
    yield f"Read {plural(len(read), 'file')}, {count(total)} lines, {count(wrong)} not understood"
    yield from _unread(report)
    for problem in report.problems[: 4 * ROWS]:
        yield f"  problem: {problem.path}: {problem.message}"
    if len(report.problems) > 4 * ROWS:
        yield f"  and {len(report.problems) - 4 * ROWS} more problems"
