"""Taking a bundle out of a case: rows in one transaction, files when it is through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.services import record
from apps.cases import storage
from apps.cases.files.facts_place import narrowed, place_of, shared
from apps.cases.lifetime.keeping import refuse_held
from apps.cases.lifetime.writers import hold
from apps.cases.models import Artifact, Bundle, BundleProblem, Case, SkippedShape
from apps.privacy.models import Credential

READING_FIELDS = (
    "state", "message", "blob", "read_bytes", "started_at", "finished_at", "lines_total", "lines_understood",
    "lines_ignored",
    "lines_not_understood", "records", "formats", "nodes", "captured_us", "sections_n", "problems_n", "parser_version",
    "facts",
    "facts_generation", "modified_us", "lease_until", "lease_by", "attempts", "batch",
)  # fmt: skip
EXPANDING_FIELDS = (
    "state",
    "message",
    "stored",
    "expanded_bytes",
    "members",
    "told_at",
    "lease_until",
    "lease_by",
    "attempts",
)


@transaction.atomic
def remove_bundle(bundle: Bundle, *, by: User | None) -> None:
    """What another upload holds too passes to that one. The caller has the case diagnosed again.

    Work under way on it ends by itself: who unpacks or reads finds the row, and with it the lease, gone.
    """
    refuse_held(bundle.case)
    Case.objects.select_for_update(no_key=True).filter(pk=bundle.case_id).first()  # first the case, as all do
    hold(Bundle.objects.filter(pk=bundle.pk))
    hold(Artifact.objects.filter(bundle=bundle))
    record("bundle.removed", case=bundle.case, user=by, filename=bundle.filename, sha256=bundle.sha256)
    heir = bundle.duplicates.order_by("pk").first()
    if heir is not None:
        _pass_on_bundle(bundle, heir)
        files: list[str] = []
        prefixes: list[str] = []
    else:
        _pass_on_artifacts(bundle)
        own = list(bundle.artifacts.filter(duplicate_of__isnull=True).values_list("pk", "blob", "facts", "state"))
        files = [name for name in [bundle.stored, *(blob for _, blob, _, _ in own)] if name]
        prefixes = sorted({place_of(facts).prefix for _, _, facts, _ in own if facts})
        prefixes += [
            storage.windows_prefix(bundle.case_id, pk) for pk, _, _, state in own if state == Artifact.State.READING
        ]
    bundle.delete()
    Case.objects.filter(pk=bundle.case_id).update(updated_at=timezone.now())
    transaction.on_commit(partial(_delete_files, files, prefixes))


def _pass_on_bundle(bundle: Bundle, heir: Bundle) -> None:
    """The same upload twice: the second takes over files and all."""
    for name in EXPANDING_FIELDS:
        setattr(heir, name, getattr(bundle, name))
    heir.duplicate_of = None
    heir.save()
    bundle.artifacts.update(bundle=heir)
    bundle.problems.update(bundle=heir)
    bundle.duplicates.exclude(pk=heir.pk).update(duplicate_of=heir)


def _pass_on_artifacts(bundle: Bundle) -> None:
    """A file that is in another bundle too goes on there with its text and facts, so that nothing has to be
    read again.
    """
    elsewhere = (
        Artifact.objects.filter(duplicate_of__bundle=bundle)
        .exclude(bundle=bundle)
        .select_related("duplicate_of")
        .order_by("pk")
    )
    heirs: dict[int, Artifact] = {}
    for artifact in elsewhere:
        original = artifact.duplicate_of
        if original is None:
            continue
        heir = heirs.setdefault(original.pk, artifact)
        if heir is artifact:
            _inherit(artifact, original)
        else:
            Artifact.objects.filter(pk=artifact.pk).update(duplicate_of=heir)
    _part_from_others(bundle, list(heirs.values()))


def _part_from_others(bundle: Bundle, heirs: list[Artifact]) -> None:
    """Facts that heirs shared with files that are removed, in a folder of the heirs alone."""
    together: dict[str, list[Artifact]] = defaultdict(list)
    for heir in heirs:
        if place_of(heir.facts).number is not None:
            together[place_of(heir.facts).prefix].append(heir)
    for prefix, some in together.items():
        numbers = {heir.pk: place_of(heir.facts).number or 0 for heir in some}
        target = narrowed(bundle.case_id, prefix, numbers.values())
        for heir in some:
            Artifact.objects.filter(pk=heir.pk).update(facts=shared(target, numbers[heir.pk]))


def _inherit(heir: Artifact, original: Artifact) -> None:
    for name in READING_FIELDS:
        setattr(heir, name, getattr(original, name))
    heir.duplicate_of = None
    heir.save()
    BundleProblem.objects.filter(artifact=original).update(artifact=heir, bundle=heir.bundle_id, path=heir.path)
    SkippedShape.objects.filter(artifact=original).update(artifact=heir)
    Credential.objects.filter(artifact=original).update(artifact=heir)
    # The original goes with its bundle; what it no longer names is not deleted with it.
    Artifact.objects.filter(pk=original.pk).update(blob="", facts="")


def _delete_files(files: Iterable[str], prefixes: Iterable[str]) -> None:
    for name in files:
        storage.delete(name)
    for prefix in prefixes:
        storage.delete_prefix(prefix)
