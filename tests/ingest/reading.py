"""Files of a bundle read in the test's own process, one after the other."""

from __future__ import annotations

from apps.ingest.reading import batches
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.bundles import ToRead, expand_bundle


def read_found(found: ToRead) -> None:
    """A file, or a batch to its end: where a machine is busy its turn is over before."""
    waiting = [found.pk] if found.is_batch else []
    while waiting:
        _, left = batches.read(waiting.pop()) or (0, batches.Left())
        waiting += left.batches
    if not found.is_batch:
        read_artifact(found.pk)


def read_all(bundle_id: int) -> None:
    """Unpack a bundle and read its files."""
    for found in expand_bundle(bundle_id):
        read_found(found)
