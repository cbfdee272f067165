"""Links that let the browser fetch a module's imports at once."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from apps.web.templatetags.modules import module_preloads


def test_a_module_and_all_that_it_imports_are_named_once() -> None:
    names = re.findall(
        r'rel="modulepreload" fetchpriority="low" href="([^"]+)"', module_preloads("js/modules/lane-chart.js")
    )
    assert len(names) == len(set(names)) > 10
    for wanted in ("lane-chart", "timeline/chart", "lib/axis", "vendor/chart.umd.min"):
        assert any(wanted in name for name in names), wanted
    for path in (Path(settings.BASE_DIR) / "static" / "js" / "modules" / "timeline").glob("*.js"):
        assert any(f"timeline/{path.stem}" in name for name in names), path.name
