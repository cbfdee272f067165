"""The search of the embedded database: any part of a word, through an index that follows the documents."""

from __future__ import annotations

from pathlib import Path

from tests.on_sqlite import output_of


def test_parts_of_words_are_found_through_the_index(tmp_path: Path) -> None:
    found = output_of("tests.diagnosis.searched_on_sqlite", tmp_path)
    assert found["answers"] == {
        "sdthr": ["NSDThread waits on dm-17"],
        '"quot': ['a "quoted" reason'],
        "0 %": ["100 % of tmMsgRevoke"],
        "n\u00e4ch": ["n\u00e4chster Knoten"],
        "dm": ["NSDThread waits on dm-17"],
        "sdthx": [],
        "_msg": [],
    }
    assert "VIRTUAL TABLE INDEX" in found["plan"]
    assert found["changed"] == {"sdthr": 0, "stuck": 1}
    assert found["after"] == 0
