"""What a stranger knows of a case after ten seconds: what is wrong, what to do first, and the line that proves it.

Of each case the page itself is read: the verdict, short and a link to a line; the step beside it, with a command that
changes nothing; and the line behind the link.
"""

from __future__ import annotations

import re
import tomllib
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client
from django.urls import reverse

from apps.diagnosis.pages.first_step import only_looks
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.ingest.material import tar

HERE: Final = Path(__file__).parent
CASES: Final = tomllib.loads((HERE / "ten_seconds.toml").read_text(encoding="utf-8"))["case"]
LONGEST: Final = 140
"""Characters of a verdict."""


def files_of(table: str, name: str) -> dict[str, bytes]:
    """The files of one of the texts that other tests read."""
    texts = tomllib.loads((HERE / f"{table}.toml").read_text(encoding="utf-8"))["text"]
    files = next(one["files"] for one in texts if one["name"] == name)
    return {path.replace("__", "/").replace("_dot_", "."): text.encode() for path, text in files.items()}


def stretch(page: str, begin: str, end: str) -> str:
    """What a reader sees between two marks of a page."""
    start = page.index(begin)
    bare = re.sub(r"<[^>]+>", " ", page[page.index(">", start) + 1 : page.index(end, start)])
    return " ".join(unescape(bare).split())


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES, ids=lambda one: one["name"])
def test_verdict_first_step_and_proof_stand_on_top(case: dict[str, Any], folk: People, client: Client) -> None:
    made = make_case(folk.team)
    read_into(made, tar(files_of(case["of"], case["name"])))
    client.force_login(folk.bob)
    page = client.get(reverse("diagnosis:timeline", args=[made.key])).content.decode()
    verdict, step = stretch(page, 'class="verdict-title"', "</p>"), stretch(page, 'id="do-first"', "</section>")
    proof = stretch(page, 'id="proof"', "</section>")
    link = re.search(r'class="verdict-title">\s*<a href="[^"]+/files/\d+/\?line=(\d+)#L\1"', page)
    assert link is not None, "the verdict shows no line"
    assert re.search(case["verdict"], verdict), verdict
    assert len(verdict) <= LONGEST
    assert re.search(case["step"], step), step
    assert re.search(case["proof"], proof), proof
    assert page.index('id="verdict"') < page.index('id="proof"') < page.index('id="do-first"')
    command = re.search(r'data-copy="([^"]+)"', page[page.index('class="card-body"', page.index('id="do-first"')) :])
    assert command is not None
    assert only_looks(unescape(command[1]))
