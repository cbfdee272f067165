"""Files dropped anywhere are uploaded to where the reader is, and Back walks the arrows of the graph."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.moves import becomes_the_case, open_page

TEXT = (
    "=== mmdiag: waiters ===\n"
    "Waiting {}.5 sec since 13:56:02, monitored, thread 881 NSDThread: for I/O completion on disk dm-7\n"
)


def drop(page: Page, name: str, text: str) -> None:
    drop_many(page, {name: text})


def drop_many(page: Page, files: dict[str, str]) -> None:
    """As a pointer does, on the page and not on the box of its form."""
    made = """(files) => {
        const held = new DataTransfer();
        for (const [name, text] of Object.entries(files)) held.items.add(new File([text], name));
        return held;
    }"""
    held = page.evaluate_handle(made, files)
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event("main", event, {"dataTransfer": held})


def test_a_drop_makes_a_case_and_one_on_a_page_of_the_case_adds_to_it(page: Page) -> None:
    open_page(page, "/knowledge/")
    drop(page, "alone.txt", TEXT.format(642))
    expect(page).to_have_url(re.compile(r"/cases/CS-\d+/"))
    made = re.search(r"/cases/CS-\d+/", page.url)
    assert made is not None
    open_page(page, f"{made[0]}settings/")
    drop(page, "more.txt", TEXT.format(641))
    becomes_the_case(page)
    open_page(page, f"{made[0]}files/")
    expect(page.locator("main")).to_contain_text("more.txt")


@pytest.mark.parametrize("path", ["/upload/", "/knowledge/"])
def test_a_drop_before_the_scripts_of_the_page_stand_is_held_for_them(page: Page, path: str) -> None:
    modules: list[Route] = []
    page.route("**/js/modules/**", lambda route: modules.append(route))
    page.goto(path, wait_until="domcontentloaded")
    drop(page, "early.txt", TEXT.format(643))
    assert modules
    page.unroute("**/js/modules/**")  # lets those go on that it held
    expect(page).to_have_url(re.compile(r"/cases/CS-\d+/"))


def test_a_drop_of_words_is_left_to_the_browser(page: Page) -> None:
    open_page(page, "/knowledge/")
    made = "() => { const held = new DataTransfer(); held.setData('text/plain', 'words'); return held; }"
    page.dispatch_event("main", "drop", {"dataTransfer": page.evaluate_handle(made)})
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_back_walks_from_arrow_to_arrow(page: Page) -> None:
    open_page(page, "/cases/SAMPLE-GFS2/graph/")
    arrows, title = page.locator(".graph-edge[data-ends]"), page.locator("#edge-title")
    first = str(arrows.first.get_attribute("data-from"))
    last = str(arrows.last.get_attribute("data-to"))
    for arrow in (arrows.first, arrows.last):
        arrow.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".graph-edge.is-chosen")).to_have_count(1)
    expect(title).to_contain_text(last)
    page.go_back()
    expect(title).to_contain_text(first)
