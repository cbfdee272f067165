"""The same story in other words gives the same findings: none hangs on how one text puts it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.diagnosis.host_tools_cases import diagnosed, refs
from tests.diagnosis.paraphrases import copied_file, lock_manager_mails, raw_and_file_system, scale_slides, walked_tree

STORIES = (lock_manager_mails, raw_and_file_system, copied_file, scale_slides, walked_tree)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__.rsplit(".", 1)[-1])
def test_three_tellings_of_one_story_give_the_same_findings(tmp_path: Path, story: ModuleType) -> None:
    found = [set(refs(diagnosed(tmp_path / str(number), text))) for number, text in enumerate(story.TEXTS)]
    assert found == [story.REFS] * 3


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__.rsplit(".", 1)[-1])
def test_the_words_alone_give_nothing(tmp_path: Path, story: ModuleType) -> None:
    """What stands between the outputs, without them, shows no product: no note and no finding."""
    for number, text in enumerate(story.TEXTS):
        words = "\n".join(line for line in text.splitlines() if _is_prose(line))
        result = diagnosed(tmp_path / str(number), words)
        assert refs(result) == {}
        assert result.products == ()


def _is_prose(line: str) -> bool:
    return (
        not line.startswith(("#", "0x", "[", "CPU", "Counted", "vxi_", "Waiting", "mmfsadm"))
        and sum(word.isalpha() for word in line.split()) >= 4
    )
