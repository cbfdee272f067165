"""What Django asks before it starts."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error

from apps.cases import storage
from apps.ingest.uploads import hash_state


def uploads_can_go_on(**kwargs: Any) -> list[CheckMessage]:
    """Pieces in an object store need a hash whose state can be written down."""
    if storage.parts() is None or hash_state.is_available():
        return []
    return [Error(hash_state.MISSING, hint="Use the Python of your system or of python.org's image.", id="ingest.E001")]
