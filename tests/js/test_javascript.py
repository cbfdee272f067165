"""Node's own runner on tests/js/*.test.mjs, and what a browser would otherwise find out first: imports that lead
nowhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.patience import HANGS_S

HERE = Path(__file__).resolve().parent
JS = HERE.parents[1] / "static" / "js"
IMPORT = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""")


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_pure_functions(name: str) -> None:
    done = subprocess.run(
        ["node", "--test", str(HERE / name)], capture_output=True, text=True, timeout=HANGS_S, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE) or re.search(r"pass [1-9]", done.stdout)


@pytest.mark.parametrize("path", sorted(JS.rglob("*.js")), ids=lambda path: path.relative_to(JS).as_posix())
def test_every_import_leads_to_a_file(path: Path) -> None:
    for target in IMPORT.findall(path.read_text(encoding="utf-8")):
        assert (path.parent / target).resolve().is_file(), target


def test_every_module_named_by_a_template_is_known() -> None:
    known = set(
        re.findall(r'^  "([a-z-]+)": \(\) => import', (JS / "main.js").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert known == {path.stem for path in (JS / "modules").glob("*.js")}
    for template in (HERE.parents[1] / "templates").rglob("*.html"):
        for names in re.findall(r'data-module="([^"{]+)"', template.read_text(encoding="utf-8")):
            assert set(names.split()) <= known, template


def test_no_template_carries_inline_script_or_style() -> None:
    """The content policy would block them, silently for the reader."""
    inline = re.compile(
        r"<style|\sstyle=|\son[a-z]+=\"|<script(?![^>]*\b(?:src=|type=\"application/json\"))", re.IGNORECASE
    )
    for template in (HERE.parents[1] / "templates").rglob("*.html"):
        assert not inline.search(template.read_text(encoding="utf-8")), template


def test_colours_come_from_the_tokens() -> None:
    css = JS.parent / "css"
    for path in [*css.glob("components/*.css"), css / "base.css"]:
        rules = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"#[0-9a-fA-F]{3}|rgba?\(|hsla?\(", rules), path.name
