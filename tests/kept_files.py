"""Where files of cases are kept during a test."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.storage import storages


def keep_files_in(monkeypatch: pytest.MonkeyPatch, store: Any) -> None:
    """For the rest of the test; nothing of Django exchanges a store that is in use."""
    kept: Any = storages
    monkeypatch.setitem(kept._storages, "default", store)
