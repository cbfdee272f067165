"""Do rows and stored files belong together? What is missing, what nobody owns, and what stands still without anybody
working on it.

Files that are younger than an hour may belong to work that is under way: rows are written after their files, and files
go after their rows. Nothing here changes anything but ``remove``, and that only takes files that no row names.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from apps.cases import storage
from apps.cases.files.facts_place import place_of
from apps.cases.models import Artifact, Bundle, Case
from apps.diagnosis.models import Diagnosis
from apps.ingest.models import PartialUpload, ReadingBatch, ReadingWindow
from parsers.dataclass import dataclass

SETTLED = timedelta(hours=1)
CASES = "cases/"
MADE_ANEW = "masked/"
"""Below a case: what share links show, made again when somebody opens one."""


@dataclass(frozen=True, slots=True)
class Fault:
    """``kind``: missing | size | orphan | stuck | crossed. ``about`` names a row or a stored file; no text of a
    customer.
    """

    kind: str
    about: str
    detail: str


def faults() -> Iterator[Fault]:
    """All that does not belong together."""
    yield from _missing()
    yield from orphans()
    yield from _stuck()
    yield from _crossed()


def _missing() -> Iterator[Fault]:
    for pk, name, size in (
        Bundle.objects.exclude(stored="").order_by("pk").values_list("pk", "stored", "size").iterator()
    ):
        if not storage.exists(name):
            yield Fault(
                "missing",
                f"bundle {pk}",
                f"its file {name} is gone: what was read from it stays, but it cannot be unpacked again",
            )
        elif (found := storage.size(name)) != size:
            yield Fault("size", f"bundle {pk}", f"its file {name} has {found} bytes instead of {size}")
    for pk, name in Artifact.objects.exclude(blob="").order_by("pk").values_list("pk", "blob").iterator():
        if not storage.exists(name):
            yield Fault("missing", f"file {pk}", f"its text {name} is gone")
    yield from _empty()


def _empty() -> Iterator[Fault]:
    last, is_there = "", False
    named = Artifact.objects.exclude(facts="").exclude(records=0).order_by("pk").values_list("pk", "facts")
    for pk, facts in named.iterator():
        prefix = place_of(facts).prefix
        if prefix != last:  # files that were read together follow each other
            last, is_there = prefix, bool(storage.listing(prefix))
        if not is_there:
            yield Fault("missing", f"file {pk}", f"its facts {prefix} are gone: re-parse it (manage.py reparse)")
    shown = Diagnosis.objects.filter(pk__in=Case.objects.values("current_diagnosis")).exclude(views="").order_by("pk")
    for pk, prefix in shown.values_list("pk", "views").iterator():
        if not storage.listing(prefix):
            yield Fault(
                "missing",
                f"diagnosis {pk}",
                f"its views {prefix} are gone: diagnose the case again (manage.py reparse)",
            )


def orphans() -> Iterator[Fault]:
    """Stored files that no row names, an hour after they were written."""
    cases = dict(Case.objects.values_list("pk", "key"))
    for folder in storage.folders(CASES):
        number = folder.rstrip("/").rsplit("/", 1)[-1]
        case_id = int(number) if number.isdigit() else None
        yield from _unowned(folder, _owned(case_id) if case_id in cases else ())


def _owned(case_id: int | None) -> tuple[str, ...]:
    """Names and prefixes that rows of a case hold."""
    bundles = Bundle.objects.filter(case=case_id).exclude(stored="").values_list("stored", flat=True)
    files = Artifact.objects.filter(case=case_id).values_list("blob", "facts")
    prefixes = Diagnosis.objects.filter(case=case_id).exclude(views="").values_list("views", flat=True)
    windows = ReadingWindow.objects.filter(artifact__case=case_id).exclude(facts="").values_list("facts", flat=True)
    joined = PartialUpload.objects.filter(case=case_id).exclude(stored="").values_list("stored", flat=True)
    # What was joined first: it passes to a bundle in one transaction, and must be found in one place or the other.
    held = (name for blob, facts in files for name in (blob, place_of(facts).prefix) if name)
    names = [*joined, *bundles, *windows, *held, *prefixes]
    return (f"{CASES}{case_id}/{MADE_ANEW}", *names)


def _unowned(folder: str, owned: tuple[str, ...]) -> Iterator[Fault]:
    names, prefixes = frozenset(owned), frozenset(name for name in owned if name.endswith("/"))
    todo = [folder]
    while todo:
        below = todo.pop()
        if below in prefixes:
            continue
        todo.extend(storage.folders(below))
        for name in storage.listing(below):
            if name not in names and storage.is_older(name, SETTLED):
                yield Fault("orphan", name, "no row names this file")


def _stuck() -> Iterator[Fault]:
    """Leases that ran out long ago: no sweeper runs."""
    late = Q(lease_until__lt=timezone.now() - timedelta(seconds=10 * settings.LIMITS.lease_s))
    for name, rows in (
        ("bundle", Bundle.objects.filter(late, state=Bundle.State.EXPANDING)),
        ("file", Artifact.objects.filter(late, state=Artifact.State.READING)),
        ("window", ReadingWindow.objects.filter(late, state=ReadingWindow.State.READING)),
        ("batch", ReadingBatch.objects.filter(late, state=ReadingBatch.State.READING)),
    ):
        for pk in rows.order_by("pk").values_list("pk", flat=True).iterator():
            yield Fault(
                "stuck",
                f"{name} {pk}",
                "its worker is gone and nobody took it up: is beat or a sweeping worker running?",
            )


def _crossed() -> Iterator[Fault]:
    for pk in Artifact.objects.exclude(case=F("bundle__case")).values_list("pk", flat=True).iterator():
        yield Fault("crossed", f"file {pk}", "it belongs to another case than its bundle")
    for key in (
        Case.objects.exclude(current_diagnosis=None)
        .exclude(current_diagnosis__case=F("pk"))
        .values_list("key", flat=True)
        .iterator()
    ):
        yield Fault("crossed", f"case {key}", "it shows a diagnosis of another case")


def remove(fault: Fault) -> None:
    """Remove a file that no row names."""
    if fault.kind != "orphan" or not fault.about.startswith(CASES):
        raise ValueError(f"not an orphan: {fault.kind}")
    storage.delete(fault.about)
