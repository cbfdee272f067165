"""Static files under names that carry their hash, compressed once when they are collected; the styles as one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles import finders
from whitenoise.storage import CompressedManifestStaticFilesStorage

STYLES: Final = "css/main.css"
IMPORT: Final = re.compile(r'@import url\("([\w./-]+)"\) layer\((\w+)\);')


class HashedStaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # whitenoise has no types
    support_js_module_import_aggregation = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._addresses: dict[str, str] = {}

    def url(self, name: str | None, force: bool = False) -> str:
        """Asked for dozens of times by each page; the names of a release do not change while it runs."""
        if settings.DEBUG or name is None or force:
            return str(super().url(name, force))
        if (found := self._addresses.get(name)) is None:
            found = self._addresses[name] = str(super().url(name))
        return found

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """A page waits for its styles: dozens of files, named only inside the first one, would cost it a second round
        of requests.
        """
        source = finders.find(STYLES)
        if STYLES in paths and isinstance(source, str) and not dry_run:
            Path(self.path(STYLES)).write_text(joined(Path(source)), encoding="utf-8")
            paths = {
                **paths,
                STYLES: (self, STYLES),
            }  # else the file under its hash would be made from the source again
        yield from super().post_process(paths, dry_run, **options)


def joined(source: Path) -> str:
    """A style sheet with what it imports, each part in its layer; addresses inside it count from the sheet's own
    folder.
    """

    def part(found: re.Match[str]) -> str:
        text = (source.parent / found[1]).read_text(encoding="utf-8")
        if "/" in found[1] and "url(" in text:
            raise ValueError(f"{found[1]} names a file by an address that would count from another folder")
        return f"@layer {found[2]} {{\n{text}}}"

    return IMPORT.sub(part, source.read_text(encoding="utf-8"))
