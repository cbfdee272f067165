"""The pipeline in the test's own process, as for the tests of uploads."""

from __future__ import annotations

from tests.ingest.conftest import inline, staff

__all__ = ["inline", "staff"]
