"""Which lines of a text an entry of a team may speak of: none that fits is missed, and few others are read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.engine.learned import events_of, lines_spoken_of
from parsers.messages.site_entries import Entries, entry_of
from parsers.text import Block

FIGURE = {"named": "figure"}
ANY = {"any": True}


def entries(*matches: list[Any]) -> Entries:
    rows = (
        {
            "name": f"entry-{number}", "from": "grantd", "match": match,
            "weight": "notice", "title": "A lease is lost",
            "meaning": "It may not write.", "next": "Look at the paths.", "source": "a note",
        }
        for number, match in enumerate(matches)
    )  # fmt: skip
    return Entries(entry_of(row, "", "1", speaker="team") for row in rows)


def blocks(*lines: str, at_once: int = 100) -> list[Block]:
    return [
        Block("".join(f"{line}\n" for line in lines[first : first + at_once]).encode(), first + 1)
        for first in range(0, len(lines), at_once)
    ]


LEASE = entries(["lease on", ANY, "was dropped after", FIGURE])
HEAD = "Mar  9 20:33:13 cod3 grantd[77]: "


@pytest.mark.parametrize(
    "line",
    [
        HEAD + "lease on lun7 was dropped after 31 s",
        HEAD + "LEASE ON lun7 Was Dropped After 31 s",
        HEAD + "lease on  lun7, was\tdropped (after=31)",
        HEAD + "error: lease on 'lun7' was dropped: after 31 s",
        '{"MESSAGE": "lease on \\"lun7\\" was dropped after 31", "SYSLOG_IDENTIFIER": "grantd"}',
        "\x1b[31m" + HEAD + "lease on lun7 was \x1b[1mdropped\x1b[0m after 31 s",
        "> " + HEAD + "lease on lun7 was dropped after 31 s",
    ],
)
def test_a_line_that_fits_is_found(line: str) -> None:
    assert list(lines_spoken_of(blocks("one", line, "other"), LEASE)) == [2]


@pytest.mark.parametrize(
    "line",
    [
        HEAD + "lease on lun7 was renewed after 31 s",
        HEAD + "was dropped after 31 s: lease on lun7",
        HEAD + "lease on was dropped after 31 s",
        HEAD + "the lease on lun7 that was dropped after 31 s",
    ],
)
def test_a_line_of_the_same_words_is_left(line: str) -> None:
    assert list(lines_spoken_of(blocks(line), LEASE)) == []


def test_letters_of_other_alphabets_do_not_hide_a_line() -> None:
    book = entries(["плохой диск", ANY, "отключён"], ["lease für", ANY, "verloren gegangen"])
    text = blocks(HEAD + "плохой диск sda отключён", HEAD + "Lease für lun7 verloren gegangen", HEAD + "диск")
    assert list(lines_spoken_of(text, book)) == [1, 2]


def test_events_stand_at_the_lines_of_the_text(tmp_path: Any) -> None:
    """Whatever the blocks are that the text comes in, and with the numbers known before."""
    text = [HEAD + (f"lease on lun{n} was dropped after {n} s" if n % 7 == 3 else "renewed") for n in range(60)]
    expected = [n + 1 for n in range(60) if n % 7 == 3]
    for at_once in (1, 4, 60):
        folder = tmp_path / str(at_once)
        events = events_of("messages", blocks(*text, at_once=at_once), LEASE, folder)
        known = events_of("messages", blocks(*text, at_once=at_once), LEASE, folder / "known", expected)
        assert events["line"].to_list() == expected
        assert events.equals(known)


WORDS = st.sampled_from(["lease", "on", "lun7", "dropped", "after", "31", "=", "(x)", "on:", "'lease'"])


@given(st.lists(st.lists(WORDS, max_size=9), max_size=6))
def test_what_an_entry_fits_is_among_the_lines(lines: list[list[str]]) -> None:
    book = entries(["lease on", ANY, "dropped"], ["dropped after", FIGURE])
    texts = [HEAD + " ".join(words) for words in lines]
    fitting = [n for n, text in enumerate(texts, 1) if book.find("grantd", text.removeprefix(HEAD)) is not None]
    assert set(fitting) <= set(lines_spoken_of(blocks(*texts), book))


def test_thousands_of_entries_choose_no_more_lines_than_they_fit() -> None:
    words = [f"{a}{b}{c}" for a in ("lo", "ve", "mi") for b in ("kan", "set", "dor") for c in "aeiou"]
    book = entries(*([f"{one} {other}", ANY, f"{other} {one}"] for one in words for other in words if one < other))
    text = [HEAD + " ".join(words[(n * k) % len(words)] for k in range(1, 9)) for n in range(5_000)]
    fitting = [n for n, line in enumerate(text, 1) if book.find("grantd", line.removeprefix(HEAD)) is not None]
    assert list(lines_spoken_of(blocks(*text), book)) == fitting
