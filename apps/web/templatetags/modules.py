"""Scripts that a page will import, named in its head: a chain of imports would cost a round of requests for each of its
links.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()
IMPORT: Final = re.compile(r"""^import\s(?:[^"';]*?\sfrom\s)?\s*["'](\.[^"']+)["']""", re.MULTILINE)


@register.simple_tag
def module_preloads(name: str) -> SafeString:
    """Links for a module and all that it imports: ``{% module_preloads "js/modules/lane-chart.js" %}``."""
    names = _imported(name) if not settings.DEBUG else tuple(_walk(name))
    return format_html_join(
        "", '<link rel="modulepreload" fetchpriority="low" href="{}">', ((static(one),) for one in names)
    )


@cache
def _imported(name: str) -> tuple[str, ...]:
    return tuple(_walk(name))


def _walk(first: str) -> Iterator[str]:
    waiting, seen = [first], {first}
    while waiting:
        name = waiting.pop(0)
        yield name
        found = finders.find(name)
        text = Path(found).read_text(encoding="utf-8") if isinstance(found, str) else ""
        for target in IMPORT.findall(text):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if path not in seen:
                seen.add(path)
                waiting.append(path)
