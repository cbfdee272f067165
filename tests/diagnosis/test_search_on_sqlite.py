"""The search of the embedded database: any part of a word, through an index that follows the documents."""

from __future__ import annotations

from pathlib import Path

from tests.on_sqlite import told_by


def test_parts_of_words_are_found_through_the_index(tmp_path: Path) -> None:
    told = told_by("tests.diagnosis.searched_on_sqlite", tmp_path)
    assert told["answers"] == {
        "sdthr": ["NSDThread waits on dm-17"],
        '"quot': ['a "quoted" reason'],
        "0 %": ["100 % of tmMsgRevoke"],
        "n\u00e4ch": ["n\u00e4chster Knoten"],
        "dm": ["NSDThread waits on dm-17"],
        "sdthx": [],
        "_msg": [],
    }
    assert "VIRTUAL TABLE INDEX" in told["plan"]
    assert told["changed"] == {"sdthr": 0, "stuck": 1}
    assert told["after"] == 0
