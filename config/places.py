"""The directories that must be there before anything is received."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings


def make_places() -> None:
    for folder in (
        settings.VAR_DIR / "run",
        Path(settings.FILE_UPLOAD_TEMP_DIR),
        settings.UPLOADS_DIR,
        Path(settings.STORAGE_ROOT),
    ):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
