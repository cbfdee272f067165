"""The list of cases: search, keys, rename, trash and back."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.moves import open_page
from tests.browser.test_uploading import WAITERS, new_case

ROWS = "#case-list tbody tr"


def test_search_narrows_the_list_without_a_reload(page: Page) -> None:
    open_page(page, "/")
    expect(page.locator(ROWS).filter(has_text="SAMPLE-GFS2")).to_be_visible()
    page.evaluate("window.sameDocument = 1")
    page.keyboard.press("/")
    page.keyboard.type("gannet")
    expect(page.locator(ROWS).filter(has_text="SAMPLE-GFS2")).to_have_count(0)
    expect(page.locator(ROWS).filter(has_text="SAMPLE-CFS")).to_be_visible()
    expect(page).to_have_url(re.compile("q=gannet"))
    assert page.evaluate("window.sameDocument") == 1
    page.reload()
    expect(page.locator(ROWS).filter(has_text="SAMPLE-CFS")).to_be_visible()
    expect(page.locator(ROWS).filter(has_text="SAMPLE-SCALE")).to_have_count(0)


def test_facets_and_a_list_without_a_match(page: Page) -> None:
    page.goto("/")
    page.get_by_label("GFS2 / DLM").check()
    expect(page.locator(ROWS).filter(has_text="SAMPLE-SCALE")).to_have_count(0)
    expect(page.locator(ROWS).filter(has_text="SAMPLE-GFS2")).to_be_visible()
    page.goto("/?q=nothing-has-this-name")
    expect(page.locator(".empty")).to_be_visible()


def test_rows_by_keys(page: Page) -> None:
    open_page(page, "/?q=SAMPLE&sort=key")
    rows = page.locator(ROWS)
    expect(rows).to_have_count(3)
    page.keyboard.press("j")
    expect(rows.nth(0)).to_contain_class("is-current")
    page.keyboard.press("j")
    expect(rows.nth(1)).to_contain_class("is-current")
    page.keyboard.press("k")
    expect(rows.nth(0)).to_contain_class("is-current")
    key = rows.nth(0).locator("a").first.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"/cases/{key}/"))


def test_two_cases_are_marked_by_key_and_compared(page: Page) -> None:
    open_page(page, "/?q=SAMPLE&sort=case")
    for _ in range(3):  # the one that was marked first gives way to the third
        page.keyboard.press("j")
        page.keyboard.press("x")
    marked = page.locator("[name=mark]:checked")
    expect(marked).to_have_count(2)
    expect(page).to_have_url(re.compile(r"q=SAMPLE&sort=case$"))  # a mark is no filter
    page.get_by_role("button", name="Compare 2 marked").click()
    expect(page.get_by_role("heading", name="Compare", exact=True)).to_be_visible()
    expect(page.locator("#sides-title")).to_be_visible()


def test_a_list_is_kept_by_a_name_and_comes_back(page: Page) -> None:
    open_page(page, "/")
    page.get_by_label("GFS2 / DLM").check()
    expect(page.locator(ROWS).filter(has_text="SAMPLE-SCALE")).to_have_count(0)
    page.locator(".list-head summary").click()
    page.get_by_label("Name of the view").fill("Mail clusters")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator(".list-head summary")).to_contain_text("Mail clusters")
    open_page(page, "/")
    page.locator(".list-head summary").click()
    page.get_by_role("link", name="Mail clusters").click()
    expect(page.locator(ROWS).filter(has_text="SAMPLE-GFS2")).to_be_visible()
    expect(page.locator(ROWS).filter(has_text="SAMPLE-SCALE")).to_have_count(0)
    page.locator(".list-head summary").click()
    page.get_by_role("button", name="Remove the view Mail clusters").click()
    expect(page.locator(".list-head summary")).not_to_contain_text("Mail clusters")


def test_keys_are_listed_and_step_through_findings(page: Page) -> None:
    open_page(page, "/cases/SAMPLE-CFS/")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    findings = page.locator("[data-finding]")
    page.keyboard.press("]")
    expect(findings.nth(0)).to_be_focused()
    page.keyboard.press("]")
    expect(findings.nth(1)).to_be_focused()
    page.keyboard.press("[")
    expect(findings.nth(0)).to_be_in_viewport()


def test_rename_trash_and_restore(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "waiters.txt"
    file.write_text(WAITERS)
    new_case(page, "To be renamed", file)
    page.get_by_role("link", name="Open the case").click()
    _more(page, "Rename, state")
    page.get_by_label("Title").fill("Renamed by hand")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Renamed by hand")).to_be_visible()
    _more(page, "Move to the trash")
    page.get_by_role("button", name="Move to the trash").click()
    page.goto("/?q=renamed+by+hand")
    expect(page.locator(ROWS)).to_have_count(0)
    page.goto("/trash/")
    page.locator("tr", has_text="Renamed by hand").get_by_role("button", name="Restore").click()
    page.goto("/?q=renamed+by+hand")
    expect(page.locator(ROWS)).to_have_count(1)


def _more(page: Page, words: str) -> None:
    page.locator(".page-actions summary").click()
    page.locator(".page-actions .menu").get_by_text(words).click()
