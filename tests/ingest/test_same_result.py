"""The same files give the same report: by one worker and by four, in any order of members, on PostgreSQL and
on SQLite.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.ingest.messy import NODES, shuffled
from tests.ingest.read_by_workers import embedded, report
from tests.workers import Workers, workers_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3000),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="the other shape's test database lives in the memory of one process"
    ),
]


@pytest.fixture
def workers(transactional_db: None, tmp_path: Path) -> Iterator[Workers]:
    with workers_of(tmp_path) as workers:
        yield workers


def test_t17_one_worker_four_workers_any_order_both_databases(workers: Workers, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as beside:
        on_sqlite = beside.submit(embedded, shuffled(3), tmp_path)
        by_one = _plain(report(shuffled(1), workers, concurrency=1))
        by_four = _plain(report(shuffled(2), workers, concurrency=4))
        by_embedded = json.loads(on_sqlite.result())
    assert by_one["files"]["read"] > 20
    assert len(by_one["products"]) >= 3
    assert {
        line["path"].split("!")[-1].split("/")[0] for finding in by_one["findings"] for line in finding["evidence"]
    } >= {NODES[0]}
    for key, found in by_one.items():
        assert by_four[key] == found, f"four workers: {key}"
        assert by_embedded[key] == found, f"SQLite: {key}"


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    """As it stands in a file."""
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain
