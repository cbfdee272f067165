"""Own cases as tests: masked facts of a solved case and the verdict that is expected of them, looked at again after
each release and each new entry.

No name of the customer is kept: every text of the facts that may give one away is masked as for a link of level
development, and so are the lines of logs that entries are tried on.
"""

from __future__ import annotations

import hmac
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final
from uuid import uuid4

import polars as pl
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Team, User
from apps.audit.services import record
from apps.cases import storage
from apps.cases.models import Case
from apps.cases.storage.store_then_row import Stored
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.engine.core.facts.small_files import Batch
from apps.diagnosis.engine.core.facts.store import SCHEMAS, Facts, Source, part_path
from apps.diagnosis.engine.diagnose import ENGINE_VERSION, diagnose
from apps.diagnosis.engine.learned import LOGS, events_of
from apps.diagnosis.models import Form
from apps.diagnosis.numbering import FileNumbers
from apps.diagnosis.services import NEEDED
from apps.diagnosis.storable import storable
from apps.learning.in_force import in_force
from apps.learning.models import GUESSED, CaseOutcome, CaseShape, Example
from apps.sharing.names import names_of
from apps.sharing.standins import StandIns
from apps.sharing.textmask import StandIn, TextMask
from apps.web.errors import DomainError
from parsers.messages.catalogue import entries_in_force, judging_with
from parsers.messages.site_entries import LEARNED, Entries
from parsers.records import Event, Record
from parsers.records.kinds import RECORD_TYPES
from parsers.text import Block

ROWS_MOST: Final = 300_000
LINES_MOST: Final = 2_000
EXAMPLES_MOST: Final = 200
LINES: Final = "lines.parquet"
SALT: Final = "salt"
HASHED_BYTES: Final = 12
LETTERS: Final = "bcdfghjklmnpqrstvwxz"
SERIAL_CHARS: Final = 12
SOURCES: Final = "sources.parquet"
FOLDER: Final = "examples/"
NOT_CLOSED: Final = "Say first what the case turned out to be, and not as a guess."
NO_CAUSE: Final = "An example needs a verdict that was right: this case was closed as something else."
NOTHING_READ: Final = "Nothing of the case is read."
TOO_LARGE: Final = f"The case holds more than {ROWS_MOST} records. Keep a smaller one of its kind."
TOO_MANY: Final = f"A team keeps {EXAMPLES_MOST} examples at most."
NOT_THE_SAME: Final = "Without its names the case is judged otherwise, so that it is no test: {title}"
Verdict = dict[str, Any]
GONE: Final[Verdict] = {"ref": "", "form": "", "severity": "", "entry": "", "title": "Its facts are gone"}


def keep_example(case: Case, *, by: User) -> Example:
    """Masked facts of a case whose verdict was right."""
    outcome = case.outcomes.filter(is_latest=True).exclude(sure=GUESSED).first()
    if outcome is None:
        raise DomainError(NOT_CLOSED, status=409)
    if case.team.examples.count() >= EXAMPLES_MOST:
        raise DomainError(TOO_MANY, status=409)
    diagnosis = case.current_diagnosis
    artifacts = list(case.artifacts.order_by("pk").only(*NEEDED))
    if diagnosis is None or not any(one.facts for one in artifacts):
        raise DomainError(NOTHING_READ, status=409)
    if outcome.found != (
        CaseOutcome.Found.HEALTHY if diagnosis.verdict_form == Form.HEALTHY else CaseOutcome.Found.FINDING
    ):
        raise DomainError(NO_CAUSE, status=409)
    with _workspace() as folder:
        _write_masked(case, FileNumbers(artifacts), folder)
        expected = _judged(folder, case.team)
        if (expected["ref"], expected["form"]) != (diagnosis.verdict_ref, diagnosis.verdict_form):
            raise DomainError(NOT_THE_SAME.format(title=expected["title"]), status=409)
        return _stored(case, folder, expected, by)


def _stored(case: Case, folder: Path, expected: Verdict, by: User) -> Example:
    prefix = f"{FOLDER}{uuid4().hex}/"
    with Stored(prefix, Example.objects.filter(stored=prefix)) as kept:
        for part in sorted(one for one in folder.iterdir() if one.is_file()):
            with part.open("rb") as file:
                storage.save_as(f"{prefix}{part.name}", file)
        with kept.row():
            row = Example.objects.create(
                team=case.team,
                case=case,
                title=expected["title"][:200],
                kept_by=by,
                stored=prefix,
                expected=expected,
                found=expected,
                checked_at=timezone.now(),
                checked_with=_release(case.team),
            )
            record("example.kept", case=case, user=by, team=case.team.slug, title=row.title)
    return row


@transaction.atomic
def remove_example(row: Example, *, by: User) -> None:
    """The masked facts go with it."""
    record("example.removed", user=by, team=row.team.slug, title=row.title)
    prefix = row.stored
    row.delete()
    transaction.on_commit(lambda: storage.delete_prefix(prefix))


# Masked facts
# --------------------------------------------------------------------------------------------------------


@contextmanager
def _workspace() -> Iterator[Path]:
    folder = Path(mkdtemp(prefix="example-", dir=settings.FILE_UPLOAD_TEMP_DIR))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Hashed:
    """Stand-ins of an example. A word that nobody knows becomes letters made of it and of a salt: nobody reads it any
    more, and an entry that keeps this word fits as before.
    """

    def __init__(self, salt: str, names: StandIn) -> None:
        self._salt = salt.encode()
        self._names = names

    def of(self, kind: str, name: str) -> str:
        """The stand-in of a kind for a name."""
        if kind != "word":
            return self._names(kind, name)
        made = hmac.new(self._salt, name.casefold().encode(), "sha256").digest()[:HASHED_BYTES]
        return "q" + "".join(LETTERS[byte % len(LETTERS)] for byte in made)


class ShapesMask(TextMask):
    """Takes names, addresses and serial numbers out of texts whose words the program needs."""

    def _words(self, text: str) -> str:
        is_long = len(text) >= SERIAL_CHARS and any(sign.isdigit() for sign in text)
        return super()._words(text) if is_long else text


def _hashed(entries: Entries, salt: str) -> Entries:
    """The same entries as they read in the lines of an example."""
    mask = TextMask({}, Hashed(salt, lambda kind, name: f"{kind} {name}").of)
    return Entries(
        replace(
            one,
            told_by=mask.text(one.told_by),
            match=tuple(token._replace(word=mask.text(token.word).lower()) for token in one.match),
        )
        for one in entries.all
        if one.of == "log"
    )


def _write_masked(case: Case, files: FileNumbers, folder: Path) -> None:
    known = names_of(case)
    standins = StandIns(case)
    standins.prepare(known)
    salt = secrets.token_hex(16)
    (folder / SALT).write_text(salt, encoding="ascii")
    hashed = Hashed(salt, standins.of)
    mask, shapes = TextMask(known, hashed.of), ShapesMask(known, hashed.of)
    facts = files.stored().facts()
    left = ROWS_MOST
    for kind in RECORD_TYPES:
        if facts.has(kind):
            frame = facts.scan(kind).head(left + 1).collect()
            left -= frame.height
            if left < 0:
                raise DomainError(TOO_LARGE, status=413)
            _masked_frame(kind, frame, mask, shapes).write_parquet(part_path(folder, kind, 0), compression="zstd")
    sources = [
        {"artifact": number, "path": mask.file(file.shown.path), "modified_us": file.shown.modified_us}
        for number, file in enumerate(files.files)
    ]
    schema = {"artifact": pl.Int64, "path": pl.String, "modified_us": pl.Int64}
    pl.DataFrame(sources, schema=schema).write_parquet(folder / SOURCES)
    _write_lines(case, files, mask, folder)


def _masked_frame(kind: type[Record], frame: pl.DataFrame, mask: TextMask, shapes: TextMask) -> pl.DataFrame:
    """Columns that may give something away with stand-ins; of others what looks like a name or a number of a thing."""
    for column in kind.columns():
        if frame.schema[column] == pl.String:
            discloses = kind.__dataclass_fields__[column].metadata.get("discloses", "nothing")
            change = shapes if discloses == "nothing" else mask
            changed = {text: change.text(text) for text in frame[column].drop_nulls().unique().to_list()}
            if changed:
                frame = frame.with_columns(frame[column].replace(list(changed), list(changed.values())))
    return frame


def _write_lines(case: Case, files: FileNumbers, mask: TextMask, folder: Path) -> None:
    """One line of each shape of the logs: what entries are tried on."""
    shapes = CaseShape.objects.filter(case=case, source=CaseShape.Source.LOG).order_by("pk")[:LINES_MOST]
    wanted: dict[int, list[int]] = {}
    for one in shapes:
        wanted.setdefault(one.artifact_id or 0, []).append(one.line)
    rows: list[dict[str, Any]] = []
    for number, file in enumerate(files.files):
        lines = wanted.get(file.shown.pk)
        if not lines or not file.held.blob or LOGS.isdisjoint(file.held.formats):
            continue
        with storage.open_file(file.held.blob) as stream:
            blob = TextBlob.open(stream)
            for line in sorted(lines):
                text = blob.lines(line, 1)[0][1].decode("utf-8", "replace")
                rows.append({"artifact": number, "line": line, "text": mask.text(text)})
    schema = {"artifact": pl.Int64, "line": pl.Int64, "text": pl.String}
    pl.DataFrame(rows, schema=schema).write_parquet(folder / LINES)


# Judging them again
# --------------------------------------------------------------------------------------------------------


def recheck(row: Example) -> Example:
    """Judge the masked facts with this release and what is in force now."""
    with _workspace() as folder:
        names = storage.listing(row.stored)
        for name in names:
            shutil.copyfile(storage.local_path(name), folder / name.rsplit("/", 1)[-1])
        row.found = _judged(folder, row.team) if names else GONE
    compared = ("ref", "form", "severity", "entry")
    row.is_as_expected = all(row.found[key] == row.expected.get(key) for key in compared)
    row.checked_at, row.checked_with = timezone.now(), _release(row.team)
    row.save(update_fields=["found", "is_as_expected", "checked_at", "checked_with"])
    return row


def _release(team: Team) -> str:
    return f"{ENGINE_VERSION} {in_force(team.pk).version}".strip()


def _judged(folder: Path, team: Team) -> Verdict:
    entries = Entries((*entries_in_force().all, *in_force(team.pk).entries.all))
    sources = pl.read_parquet(folder / SOURCES).rows()
    with judging_with(entries):
        _judge_lines(folder, {number: path for number, path, _ in sources}, entries)
        numbers = {number: number for number, _, _ in sources}
        facts = Facts(
            [Source(number, path, None, modified) for number, path, modified in sources],
            [Batch.stored(folder, numbers)],
        )
        diagnosis = diagnose(facts)
    verdict = diagnosis.verdict
    first = next((one for one in diagnosis.findings if verdict is not None and one.ref == verdict.ref), None)
    return dict(
        storable(
            {
                "ref": verdict.ref if verdict is not None else "",
                "form": verdict.form if verdict is not None else "not_judged",
                "severity": verdict.severity if verdict is not None else "info",
                "title": verdict.title if verdict is not None else "",
                "entry": first.entry if first is not None else "",
            }
        )
    )


def _judge_lines(folder: Path, paths: dict[int, str], entries: Entries) -> None:
    """Events that entries make of the kept lines, in place of those of the same lines and of entries of before."""
    lines = pl.read_parquet(folder / LINES)
    hashed = _hashed(entries, (folder / SALT).read_text(encoding="ascii"))
    made = []
    for (number,), rows in lines.group_by("artifact", maintain_order=True):
        blocks = [Block(f"{text}\n".encode(), line) for _, line, text in rows.iter_rows()]
        events = events_of(paths[int(str(number))], blocks, hashed, folder / f"read-{number}")
        if not events.is_empty():
            made.append(events.with_columns(artifact=pl.lit(number, pl.Int64)))
    path = part_path(folder, Event, 0)
    if not made and not path.exists():
        return
    schema = {**SCHEMAS[Event], "artifact": pl.Int64()}
    before = pl.read_parquet(path) if path.exists() else pl.DataFrame(schema=schema)
    is_learned = pl.any_horizontal(pl.col("kind").str.ends_with(ending) for ending in LEARNED)
    before = before.filter(~is_learned).select(list(schema))
    if made:
        new = pl.concat(made).select(list(schema))
        before = pl.concat([before.join(new, on=("artifact", "line"), how="anti"), new])
    before.sort("artifact", "line", maintain_order=True).write_parquet(path)
