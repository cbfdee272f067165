"""The pipeline in the test's own process, as for the tests of uploads."""

from __future__ import annotations

from tests.ingest.conftest import empty_storage, inline

__all__ = ["empty_storage", "inline"]
