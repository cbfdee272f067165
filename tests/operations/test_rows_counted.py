"""The embedded database knows how its rows are spread, so that a page of the list needs no sorting of all cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from apps.operations.tasks import count_rows
from tests.on_sqlite import output_of


def test_one_page_of_the_list_is_read_in_its_order(tmp_path: Path) -> None:
    counted = output_of("tests.operations.counted_on_sqlite", tmp_path)
    assert "TEMP B-TREE FOR ORDER BY" in counted["before"][0]
    page, counts = counted["after"]
    assert "USING INDEX case_updated" in page
    assert "B-TREE" not in page
    assert "USING INDEX case_choices" in counts
    assert "B-TREE" not in counts


@pytest.mark.django_db
def test_the_other_database_counts_by_itself() -> None:
    assert connection.vendor == "postgresql"
    count_rows()
