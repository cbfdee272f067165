"""Objects of YAML by their margins, also of hostile text."""

from __future__ import annotations

from parsers.grammars.json_walk import DEPTH_KEPT
from parsers.grammars.yaml_walk import YamlWalk


def objects(text: str) -> list[tuple[str, dict[str, object]]]:
    walk = YamlWalk()
    found = [one for number, line in enumerate(text.splitlines(), 1) for one in walk.feed(line, number)]
    return [(one.key, dict(one.values)) for one in [*found, *walk.end()]]


def test_inner_objects_close_first() -> None:
    text = "status:\n  conditions:\n  - type: Ready\n    status: 'False'\n  phase: Running\nkind: Pod\n"
    assert objects(text) == [
        ("conditions", {"type": "Ready", "status": "False"}),
        ("status", {"phase": "Running"}),
        ("", {"kind": "Pod"}),
    ]


def test_a_block_of_text_holds_no_keys() -> None:
    assert objects("note: |\n  state: failed\n\n  state: lost\nname: a\n") == [("", {"name": "a"})]


def test_a_line_of_dashes_opens_no_more_than_is_kept() -> None:
    walk = YamlWalk()
    list(walk.feed("- " * 20_000 + "a: 1", 1))
    assert len(walk.around) <= DEPTH_KEPT
