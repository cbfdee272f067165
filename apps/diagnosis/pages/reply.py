"""The reply to the customer as plain text: cause, proof in two lines, what to do, what is needed next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apps.cases.models import Severity
from apps.diagnosis.engine.core.words.repeated_requests import Request, grouped
from apps.diagnosis.models import Form
from apps.diagnosis.pages.first_step import FirstStep, cause_of, first_step
from apps.diagnosis.values import AnyDiagnosis, findings_of

PROOF_LINES: Final = 2
REQUESTS_MOST: Final = 3
LINE_CHARS: Final = 240
CALM: Final = frozenset((Form.HEALTHY, Form.NOT_JUDGED))


def reply_text(diagnosis: AnyDiagnosis, *, is_outside: bool = False) -> str:
    """Made of what the diagnosis holds: of a copy with stand-ins it names nobody."""
    return "\n".join(_reply(diagnosis, is_outside=is_outside)).strip() + "\n"


def _reply(diagnosis: AnyDiagnosis, *, is_outside: bool) -> Iterator[str]:
    calm = diagnosis.verdict_form in CALM or diagnosis.verdict_severity == Severity.INFO
    yield f"{'Result' if calm else 'Cause'}: {diagnosis.verdict_title.rstrip('.')}."
    if diagnosis.partial:
        yield f"Preliminary: {diagnosis.files_read} of {diagnosis.files_total} files are read so far."
    found = cause_of(diagnosis, findings_of(diagnosis))
    if found and found.evidence:
        yield from ("", "Proof:")
        for line in found.evidence[:PROOF_LINES]:
            yield f"  {line['path'].rsplit('!', 1)[-1]}, line {line['line']}:"
            yield f"    {_cut(line['text'])}"
    if not calm and (step := first_step(diagnosis, is_outside=is_outside)):
        yield from _first(step)
    if requests := requests_to_customer(diagnosis):
        yield from ("", "What we need next:")
        for one in requests:
            yield f"  - {one.what}{': ' + ' ; '.join(one.commands) if one.commands else ''}"


def _first(step: FirstStep) -> Iterator[str]:
    yield from ("", f"Do this first: {step.what}")
    if step.command:
        yield f"    {step.command}"
    if parts := [*([f"On: {step.where}."] if step.where else ()), *([f"Risk: {step.risk}"] if step.risk else ())]:
        yield f"  {' '.join(parts)}"


def requests_to_customer(diagnosis: AnyDiagnosis) -> list[Request]:
    """What is missing for more certainty, for whoever can collect it."""
    summary = diagnosis.summary
    return grouped(summary.get("missing") or summary.get("asked", ()))[:REQUESTS_MOST]


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= LINE_CHARS else f"{plain[: LINE_CHARS - 1]}…"
