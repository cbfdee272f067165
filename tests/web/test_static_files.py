"""Collected static files: a page waits for one style sheet, not for those that it imports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import get_finders

from apps.web.static_files import HashedStaticStorage


def test_the_styles_of_a_page_are_one_file_under_their_hash(tmp_path: Path) -> None:
    storage = HashedStaticStorage(location=tmp_path, base_url="/static/")
    paths: dict[str, Any] = {}
    for finder in get_finders():
        for path, source in finder.list([]):
            if path.startswith(("css/", "vendor/fonts/")):
                with source.open(path) as content:
                    storage.save(path, content)
                paths[path] = (source, path)
    list(storage.post_process(paths))
    styles = (tmp_path / storage.stored_name("css/main.css")).read_text(encoding="utf-8")
    assert "@import" not in styles
    assert ".verdict" in styles
    assert Path(storage.stored_name("vendor/fonts/inter-latin-400-normal.woff2")).name in styles
