"""Options and fixtures for all tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.builders import People


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected output of the parser samples anew")


@pytest.fixture
def folk(db: None) -> People:
    """Alice (owner), Bob (editor on her team), Charlie (a stranger), and their teams."""
    from tests.builders import people  # models can be imported only once the settings are read

    return people()
