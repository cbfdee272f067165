"""Meanings of counters, settings, logs and requests: what a row of the catalogue takes in, and what stops the start."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from apps.diagnosis.engine.core.words import knowledge, metrics
from apps.diagnosis.engine.core.words.metrics import FILES, Meaning, catalogue, holds, metric, setting
from parsers.records import Counter, DiskIo, Record, Setting
from tests.diagnosis.host_tools_cases import diagnosed, refs
from tests.every import every

Write = Callable[[str, str], None]


def forget() -> None:
    for loader in (metrics._read, metrics._rows_of, knowledge.rows_of):
        loader.cache_clear()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """A copy of the knowledge to which a test adds; the real one is loaded again afterwards."""
    copy = tmp_path / "knowledge"
    shutil.copytree(knowledge.FOLDER, copy)
    monkeypatch.setattr(knowledge, "FOLDER", copy)
    forget()

    def write(name: str, text: str) -> None:
        path = copy / name
        path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + text, encoding="utf-8")
        forget()

    yield write
    monkeypatch.undo()
    forget()


def stall(tool: str, name: str) -> Counter:
    return Counter(line=1, node="carp2", source=tool, name=name, value=4_200.0, unit="ms")


def test_a_counter_of_a_tool_of_tomorrow_reaches_a_rule_by_a_line_of_toml(tmp_path: Path, elsewhere: Write) -> None:
    records: list[Record] = [stall("membstat of tomorrow", "longest stall")]
    assert "NW-05" not in refs(diagnosed(tmp_path / "before", "", records=records))
    path = knowledge.FOLDER / "gfs2" / "metrics.toml"
    known = '{ tool = "cmap", name = "*schedmiss*.delay" }'
    text = path.read_text(encoding="utf-8")
    assert known in text
    path.write_text(text.replace(known, f'{known}, {{ tool = "membstat*", name = "longest stall" }}'), encoding="utf-8")
    forget()
    assert "NW-05" in refs(diagnosed(tmp_path / "after", "", records=records))


def lines_of(meaning: Meaning, *rows: dict[str, str]) -> list[int]:
    frame = pl.DataFrame([{**row, "line": number} for number, row in enumerate(rows, 1)])
    return frame.filter(meaning.rows)["line"].to_list()


def test_a_name_is_exact_and_a_glob_stands_for_the_whole_name_in_letters_of_either_case(elsewhere: Write) -> None:
    elsewhere(
        "scale/metrics.toml",
        '\n[z]\nmeans = "m"\nof = [{ tool = ["aa", "b[0-9]*"], name = ["one", "*.two (?)"], but = "b2*" }]\n',
    )
    rows = [
        {"source": "aa", "name": "one"},
        {"source": "aa", "name": "ONE"},
        {"source": "aa", "name": "x.two (3)"},
        {"source": "aa", "name": "xxtwo (3)"},
        {"source": "aa", "name": "x.two (3) more"},
        {"source": "B7 since", "name": "one"},
        {"source": "b2", "name": "one"},
        {"source": "ab1", "name": "one"},
    ]
    assert lines_of(metric("z"), *rows) == [1, 3, 6]


def test_without_names_all_names_of_a_tool_belong_to_it(elsewhere: Write) -> None:
    elsewhere("scale/metrics.toml", '\n[z]\nmeans = "m"\nof = [{ tool = "aa" }, { tool = "bb", name = "n" }]\n')
    assert lines_of(
        metric("z"), {"source": "aa", "name": "x"}, {"source": "bb", "name": "x"}, {"source": "bb", "name": "n"}
    ) == [1, 3]


def test_a_tool_says_when_its_settings_are_in_force(elsewhere: Write) -> None:
    elsewhere("scale/settings.toml", '\n[z]\nmeans = "m"\nof = [{ tool = "nexttab", holds = "next mount" }]\n')
    frame = pl.DataFrame({"source": ["nexttab", "fstab", "mmlsconfig", "mount table", "anything"], "name": ["x"] * 5})
    assert frame.select(holds()).to_series().to_list() == ["next mount", "next mount", "configured", "unknown", "now"]
    assert setting("z").kind is Setting


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ('means = "m"', "has means, of"),
        ('means = "m"\nof = [{ tool = "a" }]\ntitle = "t"', "has means, of"),
        ('means = "m"\nof = [{ name = "a" }]', "a carrier has a tool"),
        ('means = "m"\nof = [{ tool = "a", nam = "b" }]', "a carrier has a tool"),
        ('means = "m"\nof = [{ tool = "a[" }]', "no pattern"),
        ('means = "m"\nof = [{ tool = "a", name = "" }]', "no pattern"),
        ('means = "m"\nof = [{ tool = "a", holds = "now" }]', "a carrier has a tool"),
    ],
)
def test_a_row_that_cannot_be_read_stops_the_start(elsewhere: Write, row: str, fault: str) -> None:
    elsewhere("scale/metrics.toml", f"\n[z]\n{row}\n")
    with pytest.raises(ValueError, match=f"z: .*{fault}"):
        catalogue(Counter)


def test_a_tool_cannot_hold_at_two_times(elsewhere: Write) -> None:
    elsewhere("scale/settings.toml", '\n[z]\nmeans = "m"\nof = [{ tool = "fstab", holds = "now" }]\n')
    with pytest.raises(ValueError, match="fstab has another value of holds"):
        catalogue(Setting)


def test_requests_have_no_names_to_choose_by(elsewhere: Write) -> None:
    elsewhere("scale/disk_io.toml", '\n[z]\nmeans = "m"\nof = [{ tool = "a", name = "b" }]\n')
    with pytest.raises(ValueError, match="disk_io z: a carrier has a tool"):
        catalogue(DiskIo)


def test_a_meaning_that_no_file_has_stops_the_start() -> None:
    with pytest.raises(KeyError, match="no packets-of-tomorrow"):
        metric("packets-of-tomorrow")


@every(list(FILES))
def test_every_meaning_takes_in_what_its_rows_name(kind: type[Record]) -> None:
    """A pattern that Polars cannot read, or that fits nothing, would be found here."""
    for key, entry in catalogue(kind).items():
        for carrier in entry.carriers:
            example = {"source": sample(carrier.tools[0]), "name": sample(carrier.names[0]) if carrier.names else "any"}
            assert pl.DataFrame([example]).filter(Meaning(kind, key).rows).height == 1, f"{key}: {example}"


def sample(pattern: str) -> str:
    """A text that fits a glob."""
    return pattern.replace("[0-9]", "4").replace("*", "x y").replace("?", "z")
