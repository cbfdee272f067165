"""What messages say that differ in their digits alone is known by where it stands: the same as word by word."""

from __future__ import annotations

import re

from parsers.messages.catalogue import catalogue, find
from tests.parsers.golden import FIXTURES

HEAD = re.compile(r".{0,80}?: {1,4}(?:\[[A-Z]\] {1,4}|\[ {0,8}\d{1,9}\.\d{6}\] )?")
TURNED = [str.maketrans("0123456789", "0123456789"[by:] + "0123456789"[:by]) for by in range(6)]


def test_a_message_of_a_known_shape_says_what_it_says_alone() -> None:
    book = catalogue()
    logs = [path for path in sorted(FIXTURES.glob("*log*/typical.txt")) if path.stat().st_size < 40_000]
    lines = [line for path in logs for line in path.read_text(errors="replace").splitlines()]
    texts = {HEAD.sub("", line, count=1).strip() for line in lines}
    known_n = 0
    for group in ("mmfs", "kernel", "vcs", "llt", "gab", "multipath"):
        for text in sorted(filter(None, texts)):
            others = [text.translate(turned) for turned in TURNED]
            found = []
            for one in others:
                book.layouts.clear()
                book.alike.clear()
                book.shapes.clear()
                found.append(find(group, one, level="error"))
            for _ in range(18):
                find(group, text, level="error")
            known_n += book.layout_of(group, text, "error") is not None
            assert [find(group, one, level="error") for one in others] == found
    assert known_n > 40
