"""What a start keeps for the next one: it gives the very same patterns and tables, or is not used at all."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from parsers.lookup import parsers
from parsers.messages.catalogue import FOLDER
from parsers.patterns import kept_start
from parsers.patterns.kept_start import ENGINE

PATTERNS = (
    r"(?P<pid>\d+) (?:sec|ms)(?=,)",
    rb"^\s*G:  s:(..)",
    r"(?i)[\u00e4-\u00fc]+|x{1,80}?",
    r"(a)(?P<b>b)?(?(1)c|d)",
)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    of_this_run = list(kept_start._now)
    yield tmp_path / "cache" / "start"
    kept_start._now[:] = of_this_run


def started(place: Path) -> tuple[list[re.Pattern[str] | re.Pattern[bytes]], list[dict[str, object]], int]:
    """Patterns and tables of one start, and how many were made again."""
    re.purge()
    with kept_start.kept_start(place):
        made = [re.compile(pattern, re.MULTILINE) for pattern in PATTERNS]
        tables = [kept_start.toml(path) for path in sorted(FOLDER.glob("*.toml"))]
    missed = kept_start._now[-1].missed
    kept_start.keep()
    re.purge()
    return made, tables, missed


def test_the_next_start_has_the_same_patterns_and_tables(place: Path) -> None:
    first, tables, missed = started(place)
    assert missed >= len(PATTERNS) + len(tables)  # the library may have had some of its own
    again, known, missed = started(place)
    assert missed == 0
    plain = [re.compile(pattern, re.MULTILINE) for pattern in PATTERNS]
    assert first == again == plain  # compares the words of the engine too
    for pattern, other in zip(again, plain, strict=True):
        assert (pattern.flags, pattern.groups, pattern.groupindex) == (other.flags, other.groups, other.groupindex)
    assert tables == known == [tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))]


def test_every_claim_of_a_parser_is_the_same(place: Path) -> None:
    claims = [one.claims for one in parsers().values()]
    for _ in range(2):
        re.purge()
        with kept_start.kept_start(place):
            kept = [re.compile(claim) for claim in claims]
        kept_start.keep()
        re.purge()
        assert kept == [re.compile(claim) for claim in claims]


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-3]),
        lambda path: path.write_bytes(path.read_bytes()[:50] + b"\xff" + path.read_bytes()[51:]),
        lambda path: path.write_bytes(b""),
        lambda path: path.chmod(0o666),
        lambda path: path.symlink_to(path.rename(path.with_suffix(".elsewhere"))),
    ],
    ids=["cut", "damaged", "empty", "others may write it", "a link"],
)
def test_a_file_that_cannot_be_trusted_is_not_used(place: Path, harm: Callable[[Path], object]) -> None:
    started(place)
    harm(place)
    _, tables, missed = started(place)
    assert missed == len(PATTERNS) + len(tables)
    assert not place.is_symlink()
    assert place.stat().st_mode & 0o777 == 0o600
    assert started(place)[2] == 0


def test_words_that_are_none_are_refused_by_the_engine(place: Path) -> None:
    """Somebody who can write as us could give a file with a true digest: it makes a start fail, and no more."""
    words = kept_start.Words(0, 0, {}, memoryview(b"\x07\0\0\0" * 9))
    place.parent.mkdir()
    place.write_bytes(kept_start._written(kept_start.Kept({("a+b", False, 0): words})))
    place.chmod(0o600)
    re.purge()
    with kept_start.kept_start(place), pytest.raises(RuntimeError, match="invalid SRE code"):
        re.compile("a+b")


def test_a_start_without_a_place_to_write_is_one_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert started(tmp_path / "file" / "start")[2] > len(PATTERNS)


def test_what_is_compiled_later_is_not_kept(place: Path) -> None:
    started(place)
    re.compile("tundra-w7 of a text that is read")
    kept_start.keep()
    assert b"tundra-w7" not in place.read_bytes()
    assert ENGINE.compile.__module__ == "re._compiler"
