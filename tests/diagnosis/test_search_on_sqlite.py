"""The search of the embedded database: any part of a word, through an index that follows the documents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.services import BASE_DIR


def test_parts_of_words_are_found_through_the_index(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("LOCKSCOPE_")} | {"LOCKSCOPE_VAR": str(tmp_path)}
    command = [sys.executable, "-m", "tests.diagnosis.searched_on_sqlite"]
    done = subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
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
