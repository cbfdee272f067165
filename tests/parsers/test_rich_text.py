"""Documents in Rich Text Format and texts whose line ends are shown, that are not what they seem."""

from __future__ import annotations

from parsers.documents.rich_text import worded
from parsers.documents.visible_ends import without_visible_ends

MOST_KEPT = 2 << 20


def test_groups_as_deep_as_you_like_hold_the_text_of_theirs() -> None:
    deep = 50_000
    text = b"{\\rtf1 above" + b"{" * deep + b"{\\info hidden}" + b"}" * deep + b"\\par below}\n"
    assert b"".join(worded(iter([text]))) == b"above\nbelow"
    assert b"".join(worded(iter([b"{\\rtf1 {\\info hidden}{{\\b shown}}\\par}\n"]))) == b"shown\n"


def test_a_line_without_an_end_is_given_on_as_it_comes() -> None:
    given, most = 0, 0
    for _ in without_visible_ends(piece for piece in [b"one$\n", *[b"x" * (1 << 20)] * 8]):
        given += len(_)
        most = max(most, len(_))
    assert given == len(b"one\n") + (8 << 20)
    assert most <= MOST_KEPT
