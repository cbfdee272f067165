"""The kit for authors of parsers, tried as they would use it: from nothing to a green golden test, in a copy of the
tree.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import new_parser
from tests.patience import HANGS_S

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("parsers", "tests/parsers", "tests/__init__.py", "tests/every.py", "tests/part.py", "scripts")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library and its golden test, with the samples of one parser; none of the services that other tests need."""
    root = tmp_path_factory.mktemp("tree")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("*.pyc.*"))
        else:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / name)
    shutil.copytree(
        ROOT / "tests" / "fixtures" / "parsers" / "vxtunefs", root / "tests" / "fixtures" / "parsers" / "vxtunefs"
    )
    (root / "tests" / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--update-golden', action='store_true')\n",
        encoding="utf-8",
    )
    (root / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return root


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "DJANGO", "LOCKSCOPE"))
    }
    return subprocess.run(
        [sys.executable, "-m", "scripts.new_parser", *arguments],
        cwd=root,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
    )


def test_one_command_gives_a_parser_that_passes_its_tests(copy: Path) -> None:
    done = run(copy, "vx_reeds", "--product", "veritas")
    assert done.returncode == 0, done.stdout + done.stderr
    samples = copy / "tests" / "fixtures" / "parsers" / "vx_reeds"
    assert sorted(path.name for path in samples.iterdir()) == [
        "damaged.json",
        "damaged.txt",
        "typical.json",
        "typical.txt",
    ]
    typical = json.loads((samples / "typical.json").read_text(encoding="utf-8"))
    assert [(row["node"], row["name"], row["value"]) for row in typical["Counter"]] == [
        ("heron1", "pages written", 40312.0),
        ("heron1", "pages dropped", 7.0),
        ("heron2", "pages written", 39871.0),
        ("heron2", "pages dropped", 0.0),
    ]
    damaged = json.loads((samples / "damaged.json").read_text(encoding="utf-8"))
    assert [row["value"] for row in damaged["Counter"]] == [40312.0, 7.0]
    assert damaged["result"]["not_understood"] == 1


def test_nothing_is_overwritten(copy: Path) -> None:
    again = run(copy, "vxtunefs")
    assert again.returncode == 2
    assert "is there already" in again.stderr


@pytest.mark.parametrize("name", ["Vx", "1x", "a", "../x", "x;y", "a__b", "x" * 60])
def test_a_name_must_be_one_of_a_module(name: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as refused:
        new_parser.main([name], tmp_path)
    assert refused.value.code == 2
    assert list(tmp_path.iterdir()) == []


def test_what_it_writes_keeps_to_the_style_of_the_project(tmp_path: Path) -> None:
    written = new_parser.write(tmp_path, "vx_reeds", "vxreeds", "veritas")
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    ruff = [sys.executable, "-m", "ruff"]
    for check in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        done = subprocess.run(
            [*ruff, *check, str(written[0])], cwd=tmp_path, check=False, capture_output=True, text=True, timeout=HANGS_S
        )
        assert done.returncode == 0, done.stdout
