"""The workspace of a case: the wait graph by mouse and keys, tabs by keys, filters that the address keeps, and the file
to carry along.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.moves import drawn, open_page

SCALE, CFS, GFS2 = "/cases/SAMPLE-SCALE/", "/cases/SAMPLE-CFS/", "/cases/SAMPLE-GFS2/"
BOX = ".graph-box"


def test_the_graph_marks_the_root_and_says_what_it_holds(page: Page) -> None:
    open_page(page, f"{SCALE}graph/")
    root = page.locator(f"{BOX}.is-root")
    expect(root).to_have_count(1)
    expect(root).to_contain_text("holds")
    expect(page.locator("#tree-title")).to_be_visible()
    root.hover()
    expect(page.locator("[data-what-if]")).to_contain_text(re.compile(r"of .* waits end once .* is free"))
    expect(page.locator(f"{BOX}.is-freed").first).to_be_attached()


def test_an_arrow_opens_its_lines_and_the_address_keeps_it(page: Page) -> None:
    open_page(page, f"{GFS2}graph/")
    arrow = page.locator(".graph-edge[data-ends]").last
    arrow.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".graph-edge.is-chosen")).to_have_count(1)
    expect(page).to_have_url(re.compile("from=.+&to=.+"))
    chosen = parse_qs(urlsplit(page.url).query)
    expect(page.locator("#edge-title")).to_contain_text(chosen["from"][0])
    words = page.locator("#edge-title").inner_text()
    page.reload()
    drawn(page)
    expect(page.locator("#edge-title")).to_have_text(words)
    page.locator("#edge .evidence-wait a").first.click()
    expect(page.locator(".line.is-chosen").first).to_be_visible()


def test_boxes_take_the_focus_one_by_one(page: Page) -> None:
    open_page(page, f"{GFS2}graph/")
    boxes = page.locator(BOX)
    boxes.first.focus()
    expect(boxes.first).to_be_focused()
    expect(page.locator("[data-what-if]")).not_to_have_text(re.compile("point at a box"))


def test_tabs_by_keys(page: Page) -> None:
    open_page(page, GFS2)
    for key, path in (("l", "locks"), ("g", "graph"), ("s", "settings"), ("h", "history"), ("t", "")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(f"**{GFS2}{path}{'/' if path else ''}")
        drawn(page)


def test_the_sheet_lists_the_keys_that_work_here(page: Page) -> None:
    for path, there, absent in (
        (SCALE, "Zoom the timeline", "Explain the chosen line"),
        (f"{SCALE}waiters/", "Next and previous row", "Zoom the timeline"),
        (f"{SCALE}graph/", "the next box or arrow", "Zoom the timeline"),
        ("/knowledge/", "Search", "Next and previous finding"),
    ):
        open_page(page, path)
        page.keyboard.press("?")
        sheet = page.get_by_role("dialog", name="Keys")
        expect(sheet.get_by_text(there)).to_be_visible()
        expect(sheet.get_by_text(absent)).to_be_hidden()
        page.keyboard.press("Escape")


def test_rows_of_the_waiters_by_keys(page: Page) -> None:
    open_page(page, f"{SCALE}waiters/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("tr.is-current")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".line.is-chosen").first).to_be_visible()


def test_filters_of_the_locks_stay_in_the_address(page: Page) -> None:
    open_page(page, f"{GFS2}locks/")
    page.get_by_label("Order").select_option("longest")
    page.wait_for_url(re.compile("sort=longest"))
    expect(page.get_by_label("Order")).to_have_value("longest")


def test_search_from_the_bar_opens_the_line(page: Page) -> None:
    open_page(page, SCALE)
    page.keyboard.press("/")
    page.keyboard.type("evidence:NSDThread")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/search/"))
    drawn(page)
    page.locator("#found tbody a").first.click()
    expect(page.locator(".line.is-chosen").first).to_be_visible()


def test_a_note_is_pinned_to_a_wait(page: Page) -> None:
    open_page(page, f"{SCALE}waiters/")
    page.get_by_label("Pin a note to this wait").first.click()
    page.get_by_label("Note", exact=True).fill("Asked the **array** team")
    page.get_by_role("button", name="Add the note").click()
    note = page.locator(".note").filter(has_text="Asked the array team").first
    expect(note).to_contain_text("wait of")
    note.get_by_role("button", name="Delete").click()
    expect(page.locator(".note").filter(has_text="Asked the array team")).to_have_count(0)


def test_hints_are_closed_for_good(page: Page) -> None:
    open_page(page, CFS)
    page.get_by_role("button", name="Close the hints").click()
    expect(page.locator(".hints")).to_have_count(0)
    page.reload()
    drawn(page)
    expect(page.locator(".hints")).to_have_count(0)


def test_before_and_after_side_by_side(page: Page) -> None:
    open_page(page, CFS)
    page.get_by_role("link", name="Compare…").first.click()
    expect(page.get_by_role("heading", name=re.compile("^Gone"))).to_be_visible()
    expect(page.locator(".is-change")).to_contain_text("lazy_isize_enable")
    page.get_by_role("link", name="Swap A and B").click()
    expect(page.locator(".is-change")).to_contain_text("1 → 0")


def test_the_html_file_opens_without_the_program(page: Page, browser: Browser, tmp_path: Path) -> None:
    open_page(page, f"{GFS2}report/")
    with page.expect_download() as download:
        page.get_by_role("link", name="One HTML file").click()
    target = tmp_path / "case.html"
    download.value.save_as(target)
    context = browser.new_context(offline=True)
    alone = context.new_page()
    requested: list[str] = []
    alone.on("request", lambda request: requested.append(request.url))
    alone.goto(target.as_uri())
    expect(alone.locator(".verdict-title")).to_contain_text("2/3a7c1e")
    expect(alone.locator(".report-chart svg").first).to_be_visible()
    assert alone.evaluate("getComputedStyle(document.querySelector('.card')).borderTopStyle") == "solid"
    assert requested == [target.as_uri()]
    context.close()


@pytest.fixture
def plain_page(contexts: Any, signed_in: Any) -> Page:
    opened: Page = contexts(storage_state=signed_in, java_script_enabled=False).new_page()
    return opened


def test_without_javascript_the_tree_the_matrix_and_the_lines_are_there(plain_page: Page) -> None:
    plain_page.goto(f"{SCALE}graph/")
    plain_page.locator(".tree-table a.name").first.click()
    expect(plain_page.locator("#edge .evidence-wait a").first).to_be_visible()
    plain_page.goto(f"{GFS2}locks/")
    expect(plain_page.locator(".flow-matrix td").first).to_be_visible()
    plain_page.get_by_label("Order").select_option("longest")
    plain_page.locator("#objects").get_by_role("button", name="Show").click()
    expect(plain_page).to_have_url(re.compile("sort=longest"))
    plain_page.goto(f"{CFS}settings/")
    expect(plain_page.locator(".setting-value").first).to_contain_text("1")


def test_the_story_zooms_the_lanes_step_by_step_and_back_goes_the_same_way(page: Page) -> None:
    open_page(page, SCALE)
    page.keyboard.press("ArrowRight")  # nothing has the focus yet
    expect(page).to_have_url(re.compile(r"from=\d+&to=\d+"))
    first = page.url
    page.keyboard.press("ArrowRight")
    expect(page.locator(".story details[open] .evidence-line").first).to_be_visible()
    expect(page).not_to_have_url(first)
    page.go_back()
    expect(page).to_have_url(first)
    page.go_back()
    expect(page).not_to_have_url(re.compile("from="))


def test_an_address_of_a_folded_finding_opens_its_fold(page: Page) -> None:
    open_page(page, f"{SCALE}#finding-2")
    expect(page.locator("#finding-2")).to_be_visible()
    for _ in range(3):
        page.keyboard.press("]")
    expect(page.locator("#finding-3")).to_be_focused()
