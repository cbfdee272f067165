"""Pages name their static files by hash, also where no test has asked for a server."""

from __future__ import annotations

import pytest

from tests.services import collect_static


@pytest.fixture(scope="session", autouse=True)
def static_files() -> None:
    """Collected once for all runs."""
    collect_static()
