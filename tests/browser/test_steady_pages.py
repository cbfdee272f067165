"""Nothing jumps while a page comes: fonts, lanes, bars and graph find their places kept for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Page

from tests.browser.conftest import WIDE
from tests.browser.moves import open_page

MOST_SHIFT = 0.02
IN_A_RUN = 10
"""Of the pages in both widths; half of these are left to ``make matrix`` anyway."""
PHONE = {"width": 390, "height": 844}
PAGES = (
    *(
        f"/cases/{key}/{tab}"
        for key in ("SAMPLE-SCALE", "SAMPLE-CFS", "SAMPLE-GFS2")
        for tab in ("", "waiters/", "graph/", "locks/")
    ),
    "/cases/SAMPLE-SCALE/files/",
    "/cases/SAMPLE-SCALE/settings/",
    "/",
    "/search/?q=NSDThread",
)
WATCH = """
window.shifts = [];
new PerformanceObserver((list) => list.getEntries().filter((one) => !one.hadRecentInput).forEach((one) => shifts.push({
  value: one.value, what: one.sources.map(({ node }) => node?.className?.baseVal ?? node?.className ?? node?.nodeName).join(", "),
}))).observe({ type: "layout-shift", buffered: true });
"""  # noqa: E501 - as the tool prints it
LATE = """() => {
  const late = document.createElement("p");
  late.style.height = "300px";
  late.textContent = "late";
  document.querySelector(".timeline").before(late);
}"""


def shifts(page: Page, path: str) -> list[dict[str, Any]]:
    page.add_init_script(WATCH)
    open_page(page, path)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(200)
    found: list[dict[str, Any]] = page.evaluate("shifts")
    return found


def widths() -> Iterator[ParameterSet]:
    """Each page in both; the one of the two that alternates is left to ``make matrix``."""
    for number, path in enumerate(PAGES):
        for place, (name, viewport) in enumerate((("wide", WIDE), ("phone", PHONE))):
            marks = [] if number % 2 == place else [pytest.mark.matrix]
            yield pytest.param(path, viewport, id=f"{path} {name}", marks=marks)


@pytest.mark.parametrize(("path", "viewport"), list(widths()))
@pytest.mark.part("steady", IN_A_RUN)
def test_a_page_comes_without_a_jump(contexts: Any, signed_in: Any, path: str, viewport: dict[str, int]) -> None:
    found = shifts(contexts(storage_state=signed_in, viewport=viewport).new_page(), path)
    assert sum(one["value"] for one in found) < MOST_SHIFT, found


def test_a_jump_would_be_seen(contexts: Any, signed_in: Any) -> None:
    """What measures the others does measure."""
    page = contexts(storage_state=signed_in).new_page()
    shifts(page, "/cases/SAMPLE-CFS/")
    page.evaluate(LATE)
    page.wait_for_timeout(300)
    assert page.evaluate("shifts.reduce((sum, one) => sum + one.value, 0)") > MOST_SHIFT
