"""What a person does on the pages, as the tests need it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect


def open_page(page: Page, path: str) -> None:
    """Until its scripts have run: before that no key is heard."""
    page.goto(path)
    drawn(page)


def drawn(page: Page) -> None:
    """Modules are mounted, what htmx loads is there, and so are the fonts."""
    expect(page.locator("html[data-mounted]")).to_be_attached()
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.evaluate("document.fonts.ready.then(() => 1)")


def open_case(page: Page, key: str, tab: str = "") -> None:
    page.goto(f"/cases/{key}/{tab}")


def send(page: Page, *files: Path) -> None:
    """Chooses files, as the dialog of the browser does."""
    drawn(page)
    page.locator("input[type=file][name=file]").set_input_files(list(files))


def becomes_the_case(page: Page) -> str:
    """The page of the reading is the case's own once there is a verdict; gives the case's address."""
    page.wait_for_url(re.compile(r"/cases/[^/]+/(\?|$)"))
    expect(page.locator("#verdict")).to_be_visible()
    return page.url.split("?")[0]


def settled(page: Page) -> None:
    """All files are read and the diagnosis is made; the page of the reading says so by itself."""
    page.wait_for_url(re.compile(r"/cases/[^/]+/(upload/)?(\?|$)"))
    case = re.match(r".*/cases/[^/]+/", page.url)
    assert case is not None
    whole = page.get_by_role("heading", name="All files are read")
    page.goto(f"{case[0]}upload/")
    expect(whole.or_(page.locator("#verdict")).first).to_be_visible()
    if not page.url.startswith(f"{case[0]}upload/"):  # what the page was about to open came last
        page.goto(f"{case[0]}upload/")
    expect(whole).to_be_visible()


def plot_area(page: Page) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of where the first lane with a canvas draws."""
    box = page.locator(".lane-plot:has(canvas)").first.bounding_box()
    assert box is not None
    return box["x"] + 50, box["x"] + box["width"] - 20, box["y"], box["y"] + box["height"]


def drag_over_lane(page: Page, start: float, end: float) -> None:
    """From one share of the width to another."""
    page.locator(".lane-plot:has(canvas)").first.scroll_into_view_if_needed()
    left, right, top, bottom = plot_area(page)
    middle = (top + bottom) / 2
    page.mouse.move(left + start * (right - left), middle)
    page.mouse.down()
    page.mouse.move(left + (start + end) / 2 * (right - left), middle, steps=4)
    page.mouse.move(left + end * (right - left), middle, steps=4)
    page.mouse.up()


def window_of(page: Page, address: str = "") -> tuple[Sequence[str], Sequence[str]]:
    """The stretch that an address shows."""
    query = parse_qs(urlsplit(address or page.url).query)
    return query.get("from", []), query.get("to", [])


def marked_line(page: Page, number: int) -> Locator:
    """A line of the file viewer that an address names, which must be marked as chosen."""
    line = page.locator(f"#L{number}")
    expect(line).to_contain_class("is-chosen")
    return line
