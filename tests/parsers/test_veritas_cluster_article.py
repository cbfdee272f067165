"""GLM, LLT and GAB in the article on slow inode access: what its tables of figures say."""

from __future__ import annotations

import pytest

from parsers.records import Counter, Setting, Skipped
from tests import references
from tests.parsers.golden import Reading

ARTICLE = "cfs-slow-inode-access.txt"
FIRST_COPY = 740  # from here on the text is printed again


@pytest.fixture(scope="module")
def article() -> Reading:
    return Reading(references.article(ARTICLE).read_bytes(), path=ARTICLE)


def counted(article: Reading, source: str) -> dict[str, float | None]:
    rows = [row for row in article.of(Counter) if row.source == source and row.line < FIRST_COPY]
    assert len({row.name for row in rows}) == len(rows)
    return {row.name: row.value for row in rows}


def test_messages_of_the_lock_manager_add_up_by_class_and_by_side(article: Reading) -> None:
    found = counted(article, "glmstat -m")
    assert (found["master send GRANT all"], found["master send GRANT loop"], found["proxy send LOCK oth"]) == (9, 6, 6)
    rows = {name.rsplit(" ", 1)[0] for name in found}
    assert len(rows) == 20
    for row in rows - {"recovery send subtotal", "recovery recv subtotal", "recovery total"}:
        assert found[f"{row} all"] == sum(
            found[f"{row} {column}"] or 0 for column in ("rw", "g", "pg", "h", "buf", "oth")
        )
    assert found["total all"] == (found["send total all"] or 0) + (found["recv total all"] or 0) == 54
    assert found["proxy total loop"] == found["proxy total all"] == 18


def test_a_row_of_two_figures_holds_the_first_and_the_last_column(article: Reading) -> None:
    found = counted(article, "glmstat -m")
    assert {name for name in found if name.startswith("recovery send")} == {
        "recovery send subtotal all",
        "recovery send subtotal loop",
    }


def test_flow_control_of_llt_is_read_in_force_and_as_written_for_the_next_start(article: Reading) -> None:
    rows = [row for row in article.of(Setting) if row.line < FIRST_COPY and row.source != "vxtunefs"]
    wanted = {
        "lowwater": "8000",
        "highwater": "10000",
        "rportlowwater": "8000",
        "rporthighwater": "10000",
        "window": "5000",
    }
    assert {row.name: row.value for row in rows if row.source == "lltconfig -F"} == wanted
    assert {row.name.removeprefix("set-flow "): row.value for row in rows if row.source == "llttab"} == wanted


def test_retransmits_are_read_from_rows_set_by_hand(article: Reading) -> None:
    assert counted(article, "lltstat") == {"Snd data packets": 10_189_592, "Snd retransmit data": 4}


def test_flow_control_of_the_port_is_read_and_null_is_no_number(article: Reading) -> None:
    found = counted(article, "gabshow.pl flowcontrol")
    assert set(found.values()) == {0}
    assert set(found) == {
        "gp_xm_flwctl",
        "gp_xm_flwsetcnt",
        "gp_xm_flwclrcnt",
        "gp_rv_flwctl",
        "gp_rv_flwsetcnt",
        "gp_rv_flwclrcnt",
    }
    assert {row.scope for row in article.of(Counter) if row.source.startswith("gabshow")} == {"GAB port f"}


def test_none_of_these_tables_is_left_unread(article: Reading) -> None:
    shapes = {row.shape for row in article.of(Skipped)}
    assert not [
        shape
        for shape in shapes
        if any(word in shape for word in ("flw", "total", "water", "Snd ", "GRANT", "Send side"))
    ]
