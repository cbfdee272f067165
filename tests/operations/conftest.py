"""The pipeline in the test's own process, on an empty storage, as for the tests of uploads."""

from __future__ import annotations

from tests.ingest.conftest import empty_storage, inline, staff

__all__ = ["empty_storage", "inline", "staff"]
