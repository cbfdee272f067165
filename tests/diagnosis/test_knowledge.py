"""Words, limits and tunings: loaded once, complete, and every text can be filled."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import BASES
from apps.diagnosis.engine.core.words import knowledge
from apps.diagnosis.engine.core.words.knowledge import RuleText, limit_groups, limits, rule_texts, tuning_texts
from apps.diagnosis.engine.core.words.wording import count, listed, moment, per_s, plural, seconds

Write = Callable[[str, str], None]
VERITAS = [text for text in rule_texts().values() if text.product == "veritas"]


def write(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    product = folder / "product"
    product.mkdir(exist_ok=True)
    product.joinpath(name).write_text(text)
    monkeypatch.setattr(knowledge, "FOLDER", folder)
    for loader in (rule_texts, tuning_texts, limits, knowledge.rows_of):
        loader.cache_clear()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """A folder of TOML of one's own; the real one is loaded again afterwards."""
    yield lambda name, text: write(tmp_path, monkeypatch, name, text)
    monkeypatch.undo()
    for loader in (rule_texts, tuning_texts, limits, knowledge.rows_of):
        loader.cache_clear()


RULE = (
    'rule="x"\nname="X"\nproduct="veritas"\nbasis="stated"\nsource="s"\ntitle="t"\nexplanation="e"\ndisproved_by="d"\n'
)


def test_an_unknown_key_stops_the_start(elsewhere: Write) -> None:
    elsewhere("findings_a.toml", f"[Z1]\n{RULE}titel = 'x'\n")
    with pytest.raises(ValueError, match="Z1: unknown keys titel"):
        rule_texts()
    elsewhere("tunings_a.toml", "[z]\nvalue = 1\n")
    with pytest.raises(ValueError, match="z: unknown keys value"):
        tuning_texts()
    elsewhere("thresholds_a.toml", "[Z1]\na = { value = 1, unit = '', basis = 'stated', source = 's', more = 1 }\n")
    with pytest.raises(ValueError, match=r"Z1\.a: unknown keys more"):
        limits("Z1")


def test_a_wrong_basis_stops_the_start(elsewhere: Write) -> None:
    elsewhere("findings_a.toml", f"[Z1]\n{RULE}".replace("stated", "guessed"))
    with pytest.raises(ValueError, match="basis 'guessed' is none of"):
        rule_texts()


def test_a_row_that_two_files_define_stops_the_start(elsewhere: Write) -> None:
    elsewhere("findings_a.toml", f"[Z1]\n{RULE}")
    elsewhere("findings_b.toml", f"[Z1]\n{RULE}")
    with pytest.raises(ValueError, match="defined before: Z1"):
        rule_texts()


def test_a_limit_that_is_not_in_the_file_is_an_error_with_its_name() -> None:
    with pytest.raises(AttributeError, match="no limit pull_per_day for R5"):
        _ = limits("R5").pull_per_day
    assert limits("R5").pull_per_s == 100
    assert limits("R5").words("pull_per_s") == "limit 100 /s"


def test_every_limit_has_a_value_a_basis_and_a_source() -> None:
    for group in limit_groups():
        for limit in limits(group).all().values():
            assert limit.basis in BASES
            assert limit.source


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("text", VERITAS, ids=[text.ref for text in VERITAS])
def test_disproved_by_uses_only_words_that_every_variant_has(text: RuleText) -> None:
    needed = {
        name for name in fields(text.disproved_by) if not name.startswith("limit.")
    }  # every wording has the limits of its rule
    assert needed <= fields(text.words.title + text.words.explanation)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0073, "0.0073 s"),
        (28, "28.0 s"),
        (119.94, "119.9 s"),
        (163.47, "2 m 43 s"),
        (7199.9, "119 m 59 s"),
        (11_100, "3 h 05 m"),
    ],
)
def test_durations(value: float, words: str) -> None:
    assert seconds(value) == words


def test_numbers_and_lists() -> None:
    assert (count(1234567), count(12), per_s(9.94), per_s(1234.4)) == ("1\u2009234\u2009567", "12", "9.9", "1\u2009234")
    assert (plural(1, "wait"), plural(2, "wait"), plural(3, "process", "processes")) == (
        "1 wait",
        "2 waits",
        "3 processes",
    )
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed("abcdefg", 4) == "a, b, c and 4 more"


def test_moments() -> None:
    assert moment(1_935_921_600_400_000) == "7 May 2031 12:00:00"
    assert moment(3_723_000_000) == "01:02:03"
