"""The typed reader: canonical nodes, order, kinds that nothing holds, kinds that are too many to be objects."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from apps.diagnosis.engine.core.facts.nodes import AliasRow, Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.words.metrics import catalogue, metric
from parsers.output import Output
from parsers.records import Counter, Record, Ref, Version


def written(folder: Path, artifact: int, *records: Record) -> Source:
    out = Output(FactsWriter(folder / str(artifact)))
    for record in records:
        out.structure(record)
    out.close()
    return Source(artifact, f"{artifact}.txt", folder / str(artifact))


def reader(*sources: Source) -> Records:
    return Records(Facts(sources), Nodes({"ash.example.org", "10.0.0.1"}, [AliasRow("ash", "10.0.0.1")]))


def test_records_come_back_with_canonical_nodes_in_the_order_of_artifacts_and_lines(tmp_path: Path) -> None:
    second = written(
        tmp_path, 2, Version(line=4, node="10.0.0.1", version="b"), Version(line=2, node=None, version="a")
    )
    records = reader(second, written(tmp_path, 1, Version(line=9, node="ash.example.org", version="c")))
    found = records.of(Version)
    assert [(one.ref, one.node, one.version) for one in found] == [
        (Ref(1, 9), "ash", "c"),
        (Ref(2, 2), None, "a"),
        (Ref(2, 4), "ash", "b"),
    ]
    assert records.of(Version) is found
    assert records.frame(Version).select("artifact", "line", "node").rows() == [
        (one.artifact, one.line, one.node) for one in found
    ]


def test_conditions_hold_of_canonical_names(tmp_path: Path) -> None:
    records = reader(
        written(tmp_path, 1, Counter(line=1, node="10.0.0.1", name="b"), Counter(line=2, node="elm", name="b"))
    )
    of_ash = pl.col("node") == "ash"
    assert [one.line for one in records.of(Counter, of_ash)] == [1]
    assert records.frame(Counter, of_ash, pl.col("name") == "wa").is_empty()


def test_a_kind_that_nothing_holds_gives_no_records_and_an_empty_frame() -> None:
    records = reader()
    assert not records.has(Version)
    assert records.of(Version) == ()
    assert records.frame(Version).columns == [*Version.columns(), "artifact"]


def test_all_records_of_a_kind_with_millions_are_not_made_objects(tmp_path: Path) -> None:
    records = reader(written(tmp_path, 1, Counter(line=1)))
    with pytest.raises(ValueError, match="millions of Counter"):
        records.of(Counter)
    assert records.frame(Counter).height == 1


def test_what_no_record_tells_is_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    retransmits, paused = metric("connection-retransmits"), metric("link-flow-control")
    records = reader(
        written(tmp_path, 1, Counter(line=3, source="mmdiag --network", name="retrans", scope="elm", value=7.0))
    )
    assert records.frame(retransmits)["line"].to_list() == [3]
    assert not records.has_any(Counter, "name", ["rx_pause", "tx_pause"])
    monkeypatch.setattr(pl.LazyFrame, "collect", None)  # nothing is read for what no row can mean
    assert records.frame(paused).is_empty()
    assert records.has_any(Counter, "name", ["rx_pause", "retrans"])


def test_too_many_values_are_no_reason_to_find_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.diagnosis.engine.core.facts.store.FEW_ROWS", 2)
    monkeypatch.setattr("apps.diagnosis.engine.core.facts.store.PRESENT_MOST", 2)
    rows = [Counter(line=number, source="mmdiag --network", name=f"figure {number}") for number in range(5)]
    last = Counter(line=9, source="mmdiag --network", name="retrans", scope="elm", value=7.0)
    records = reader(written(tmp_path, 1, *rows, last))
    assert records.frame(metric("connection-retransmits"))["line"].to_list() == [9]
    assert records.has_any(Counter, "name", ["whatever"])


@pytest.mark.parametrize("key", sorted(catalogue(Counter)))
def test_one_row_means_what_a_table_of_it_means(key: str) -> None:
    """A meaning is found by rows and by expressions alike."""
    meaning = metric(key)
    sources = [tool for one in catalogue(Counter)[key].carriers for tool in (*one.tools, tool_like(one.tools[0]), "ls")]
    names = [name for one in catalogue(Counter)[key].carriers for name in (*one.names, "no such figure")]
    rows = pl.DataFrame({"source": sources}).join(pl.DataFrame({"name": names}), how="cross").unique()
    assert {row for row in rows.rows() if meaning.is_among([row])} == set(rows.filter(meaning.rows).rows())


def tool_like(pattern: str) -> str:
    return pattern.replace("*", "any").replace("?", "x").upper()
