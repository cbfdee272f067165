"""The embedded database knows how its rows are spread, so that a page of the list needs no sorting of all cases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from apps.operations.tasks import count_rows
from tests.services import BASE_DIR


def test_one_page_of_the_list_is_read_in_its_order(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("LOCKSCOPE_")} | {"LOCKSCOPE_VAR": str(tmp_path)}
    command = [sys.executable, "-m", "tests.operations.counted_on_sqlite"]
    done = subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert "TEMP B-TREE FOR ORDER BY" in told["before"][0]
    page, counts = told["after"]
    assert "USING INDEX case_updated" in page
    assert "B-TREE" not in page
    assert "USING INDEX case_choices" in counts
    assert "B-TREE" not in counts


@pytest.mark.django_db
def test_the_other_database_counts_by_itself() -> None:
    assert connection.vendor == "postgresql"
    count_rows()
