"""The steps of docs/operations.md, run from its own text: what can be run here, in the order in which it stands."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.db import connection

from apps.accounts.models import User
from apps.cases.models import Case
from apps.operations.integrity import faults
from tests.builders import People
from tests.operations.test_backup import empty, pages, without_tokens
from tests.operations.test_backup import made as made

pytestmark = [
    pytest.mark.django_db(transaction=True),  # all tables are emptied
    pytest.mark.skipif(connection.vendor != "postgresql", reason="as the page has it, on a server"),
]
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text()
BLOCKS = [block.strip().splitlines() for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)]
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
BACKUPS = re.compile(r"^/backups?(?=/)")


def steps(block: list[str]) -> list[list[str]]:
    """Arguments of manage.py, command by command; in a container whatever its service is made to run."""
    return [found for line in block for found in _of_manage(shlex.split(line, comments=True))]


def _of_manage(words: list[str]) -> list[list[str]]:
    if words[0] != "docker":
        assert words[0] == "manage.py"
        return [words[1:]]
    assert words[:2] == ["docker", "compose"]
    if words[2] == "up":
        [shell] = SERVICES["migrate"]["command"][2:]
        return [part.split()[2:] for part in shell.split(" && ")]
    assert words[2:4] == ["run", "--rm"]
    service = SERVICES[words[4]]
    assert any(volume.endswith(":/backups") for volume in service["volumes"])
    assert words[5:7] == ["python", "manage.py"]
    return [words[7:]]


def test_the_page_has_the_steps_by_hand_and_in_containers() -> None:
    by_hand, in_containers = (steps(block) for block in BLOCKS)
    names = [step[0] for step in by_hand]
    assert names == ["backup", "migrate", "restore"]
    assert [step[0] for step in in_containers] == [*names, "migrate", "first_administrator"]


@pytest.mark.parametrize("block", BLOCKS, ids=["by hand", "in containers"])
@pytest.mark.part("steps", 1)
def test_a_backup_is_made_and_read_back_as_the_page_says(
    made: tuple[Case, Path], staff: People, tmp_path: Path, block: list[str]
) -> None:
    case, _ = made
    before = pages(staff.alice, case)
    people, is_new = User.objects.count(), False
    for name, *given in steps(block):
        if name == "migrate" and not is_new:  # "on a new machine with an empty database"
            empty()
            is_new = True
        call_command(name, *(BACKUPS.sub(str(tmp_path), word) for word in given), verbosity=0)
    after = pages(User.objects.get(pk=staff.alice.pk), Case.objects.get(pk=case.pk))
    assert without_tokens(after["waiters/"]) == without_tokens(before["waiters/"])
    assert User.objects.count() == people
    assert list(faults()) == []


def test_the_files_are_checked_without_the_program(made: tuple[Case, Path], tmp_path: Path) -> None:
    [check] = re.findall(r"`(sha256sum [^`]+)` inside `files/`", PAGE)
    folder = tmp_path / "kept"
    call_command("backup", str(folder), verbosity=0)
    command = shlex.split(check)
    assert subprocess.run(command, cwd=folder / "files", capture_output=True, check=False).returncode == 0
    next(path for path in (folder / "files").rglob("*") if path.is_file()).write_bytes(b"x")
    assert subprocess.run(command, cwd=folder / "files", capture_output=True, check=False).returncode == 1


def test_what_the_page_says_of_exit_statuses(made: tuple[Case, Path], capsys: pytest.CaptureFixture[str]) -> None:
    for text, given in (("`manage.py check_integrity` says", ()), ("`manage.py check_audit`", ())):
        assert text in PAGE
        call_command(re.findall(r"manage\.py (\w+)", text)[0], *given)  # anything but 0 is a SystemExit or CommandError
    [place] = re.findall(r"\b\d+:[0-9a-f]{16,}\b", capsys.readouterr().out)
    assert "`manage.py check_audit --since PLACE:DIGEST`" in PAGE
    call_command("check_audit", "--since", place)
