"""A case of a million dumps has a million sections: who judges it asks for some of them, and never for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.veritas.cluster import ClusterFacts
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.output import Output
from parsers.records import Section
from parsers.sections.reader import Hints, read
from parsers.text import blocks
from tests.parsers.golden import FIXTURES

DUMPS = 3_000


def test_no_rule_takes_the_sections_of_all_dumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    ask = Records.frame

    def noted(self: Records, kind: Any, *where: pl.Expr) -> pl.DataFrame:
        rows = ask(self, kind, *where)
        taken.append(rows.height if kind is Section else 0)
        return rows

    monkeypatch.setattr(Records, "frame", noted)
    case = _case(tmp_path)
    diagnose(case.store, case)
    cluster = case.get(ClusterFacts)
    assert case.store.scan(Section).select(pl.len()).collect().item() > DUMPS
    assert case.get(LockRoles).all
    assert cluster.ports
    assert cluster.whole_sections
    assert 0 < max(taken) < DUMPS // 10


def _case(folder: Path) -> Case:
    dumps = "".join(
        f"### BEGIN DATA COLLECTION 2031/03/05 {n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d} quay1.example ###\n"
        f"=== mmdiag: waiters ===\nWaiting 0.5 sec since 00:00:01, monitored, thread 71 NSDThread: for I/O completion\n"
        for n in range(DUMPS)
    )
    texts = [dumps, *((FIXTURES / one / "typical.txt").read_text() for one in ("vxfsstat", "gabconfig"))]
    sources = []
    for number, text in enumerate(texts):
        source = Source(number, f"{number}.txt", folder / str(number))
        out = Output(FactsWriter(folder / str(number)))
        file = folder / source.path
        file.write_text(text)
        with file.open("rb") as stream:
            read(blocks(stream), out, Hints(path=source.path))
        out.close()
        sources.append(source)
    return Case(Facts(sources), PRODUCTS)
