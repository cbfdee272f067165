"""What README, CONTRIBUTING and docs/ name exists: files, folders, modules, make targets, commands, variables and
links.
"""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from functools import cache
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.core.management import get_commands

from tests.every import every

ROOT = Path(__file__).resolve().parents[1]
FILE = re.compile(r"[\w.<>*/-]+\.(?:py|md|toml|txt|html|css|js|mjs|sh|yml|json|in)")
FOLDER = re.compile(r"(?:apps|config|docs|parsers|scripts|static|templates|tests)(?:/[\w.<>*-]+)*/?")
FILE_OF_CODE = re.compile(r"(?:config|scripts|tests)/.*\.(?:py|sh)$")
MADE = {  # written by a program while it runs, or an address: no file of the repository
    "shown.json", "request.json", "report.json",
}  # fmt: skip


def documents() -> list[str]:
    return [
        "README.md",
        "CONTRIBUTING.md",
        *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
    ]


@cache
def tracked() -> tuple[str, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    return tuple(name for name in listed.stdout.decode().splitlines() if (ROOT / name).exists())


@cache
def folders() -> frozenset[str]:
    return frozenset(parent.as_posix() for name in tracked() for parent in PurePosixPath(name).parents)


def text_of(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def spans(document: str) -> list[str]:
    """What stands in backticks, and each line of an indented or fenced example."""
    text = text_of(document)
    fenced = [
        line
        for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [*re.findall(r"`([^`\n]+)`", prose), *fenced]


def is_there(name: str) -> bool:
    """``name`` may be the end of a path, and hold ``<product>``. A pattern (``steps*.toml``) says where files may be:
    its folder counts.
    """
    if "*" in PurePosixPath(name).name:
        name = PurePosixPath(name).parent.as_posix()
    pattern = re.sub(r"<[^>]*>", "*", name).rstrip("/")
    return any(fnmatch(path, pattern) or fnmatch(path, f"*/{pattern}") for path in (*tracked(), *folders()))


@every(documents())
def test_files_and_folders_that_a_document_names_exist(document: str) -> None:
    named = {span for span in spans(document) if FILE.fullmatch(span) or FOLDER.fullmatch(span)}
    assert sorted(name for name in named - MADE if not is_there(name)) == []


@every(documents())
def test_links_of_a_document_lead_somewhere(document: str) -> None:
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text_of(document))
    assert sorted(target for target in targets if not (ROOT / document).parent.joinpath(target).exists()) == []


@every(documents())
def test_modules_and_functions_that_a_document_names_exist(document: str) -> None:
    """``apps.x.y``, ``python -m scripts.x``: a module, or a name that its module holds."""
    named = {
        found
        for span in spans(document)
        for found in re.findall(r"\b(?:apps|config|parsers|scripts|tests)(?:\.\w+)+", span)
    }
    named = {name for name in named if not FILE.fullmatch(name)}
    assert sorted(name for name in named if not _is_module(name)) == []


def _is_module(name: str) -> bool:
    path = name.replace(".", "/")
    if path in folders() or f"{path}.py" in tracked():
        return True
    owner, _, own = path.rpartition("/")
    source = next((found for found in (f"{owner}.py", f"{owner}/__init__.py") if found in tracked()), None)
    return source is not None and re.search(rf"\b{own}\b", text_of(source)) is not None


@every(documents())
def test_make_targets_and_commands_that_a_document_names_exist(document: str) -> None:
    targets = set(re.findall(r"^([\w-]+):", text_of("Makefile"), re.MULTILINE))
    named = {found for span in spans(document) for found in re.findall(r"(?:^|\s)make ([\w-]+)", span)}
    assert sorted(named - targets) == []
    commands = {found for span in spans(document) for found in re.findall(r"manage\.py (\w+)", span)}
    assert sorted(commands - set(get_commands())) == []


@every(documents())
def test_variables_that_a_document_names_are_read_by_the_program(document: str) -> None:
    sources = (name for name in tracked() if name in (".env.example", "Makefile") or FILE_OF_CODE.match(name))
    read = "\n".join(text_of(name) for name in sources)
    named = set(re.findall(r"\bLOCKSCOPE_[A-Z0-9_]*[A-Z0-9]\b", text_of(document)))
    assert sorted(name for name in named if name not in read) == []


def test_decisions_are_listed_with_the_numbers_that_were_never_used() -> None:
    index = text_of("docs/adr/README.md")
    files = {path.name for path in (ROOT / "docs" / "adr").glob("0*.md")}
    assert set(re.findall(r"\]\((0\d{3}-[\w-]+\.md)\)", index)) == files
    numbers = {int(name[:4]) for name in files}
    never_used = set(range(1, max(numbers) + 1)) - numbers
    [listed] = re.findall(r"never used: ([\d, ]+)\.", index)
    assert {int(number) for number in listed.split(",")} == never_used


def test_the_version_is_that_of_the_last_release() -> None:
    """In the settings, where the program shows it, and in what tools read of the project."""
    dated = re.findall(r"^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$", text_of("CHANGELOG.md"), re.MULTILINE)
    [stated] = re.findall(r'^version = "([^"]+)"$', text_of("pyproject.toml"), re.MULTILINE)
    assert {settings.VERSION, stated} == {dated[0]}


NUMBER = re.compile(r"^## T(\d\d) ", re.MULTILINE)
HOLDS = re.compile(r"^- `(tests/[\w/]+\.py)::(test_\w+)`$", re.MULTILINE)
NUMBERED = re.compile(r"^def (test_t\d\d_\w+)", re.MULTILINE)


def listed() -> dict[str, set[tuple[str, str]]]:
    """Tests that docs/tests.md names, by number."""
    parts = NUMBER.split(text_of("docs/tests.md"))[1:]
    return {
        number: {(file, name) for file, name in HOLDS.findall(text)}
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    }


def test_each_of_the_forty_eight_names_tests_that_exist() -> None:
    found = listed()
    assert sorted(found) == [f"{number:02}" for number in range(1, 49)]
    assert [number for number, tests in found.items() if not tests] == []
    for file, name in set().union(*found.values()):
        assert re.search(rf"^def {name}\(", text_of(file), re.MULTILINE), f"{file}::{name}"


def test_each_test_with_a_number_stands_below_it() -> None:
    found = listed()
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        file = path.relative_to(ROOT).as_posix()
        for name in NUMBERED.findall(path.read_text(encoding="utf-8")):
            for number in re.findall(r"(?<=_)t(\d\d)(?=_)", name):
                assert (file, name) in found[number], f"T{number}: {file}::{name}"
