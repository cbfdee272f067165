"""Asking the case: zones and clocks, every line, words of a line, judgements, the script to collect, one dump of the
wait graph.
"""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.moves import drawn, open_page

SCALE, CFS, GFS2 = "/cases/SAMPLE-SCALE/", "/cases/SAMPLE-CFS/", "/cases/SAMPLE-GFS2/"


def test_the_zone_of_the_times_is_switched_and_kept_in_the_address(page: Page) -> None:
    open_page(page, SCALE)
    printed = page.locator(".finding-head time").first.inner_text()
    assert printed.endswith("CET")
    page.get_by_label("Times").select_option("utc")
    expect(page).to_have_url(re.compile("zone=utc"))
    shown = page.locator(".finding-head time").first
    expect(shown).to_have_text(re.compile("UTC$"))
    hour = re.search(r"(\d\d):\d\d:\d\d", printed)
    now = re.search(r"(\d\d):\d\d:\d\d", shown.inner_text())
    assert hour is not None
    assert now is not None
    assert (int(hour[1]) - int(now[1])) % 24 == 1
    page.reload()
    drawn(page)
    expect(page.get_by_label("Times")).to_have_value("utc")
    expect(page.locator(".finding-head time").first).to_have_text(re.compile("UTC$"))


def test_a_clock_is_shifted_says_so_and_is_undone(page: Page) -> None:
    open_page(page, CFS)
    page.get_by_label("Shift the clock of a node").click()
    page.locator("[name=shift_node]").select_option("gannet2")
    page.get_by_label("Shift by (s)").fill("-90")
    page.get_by_role("button", name="Shift its clock").click()
    expect(page.locator(".lane-notice")).to_contain_text("gannet2 are shown")
    drawn(page)
    page.get_by_role("link", name="Undo").click()
    expect(page.locator(".lane-notice")).to_have_count(0)


def test_every_line_is_searched_and_a_hit_opens_its_line(page: Page) -> None:
    open_page(page, f"{SCALE}lines/")
    page.get_by_label("Text to search for").fill("nsd02")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"lines/\?q=nsd02"))
    expect(page.locator("#raw-found mark").first).to_have_text("nsd02")
    page.locator(".raw-hit a").first.click()
    expect(page.locator(".line.is-chosen mark").first).to_have_text("nsd02")


def test_a_word_of_a_line_is_explained_under_the_pointer_and_by_key(page: Page) -> None:
    open_page(page, GFS2)
    page.locator(".evidence-line a.address").first.click()
    drawn(page)
    card = page.locator(".words-card")
    page.keyboard.press("e")
    expect(card).to_contain_text("flags of the glock")
    expect(card).to_contain_text("minimum hold time")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    box = page.locator(".line.is-chosen code").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 150, box["y"] + 10)
    expect(card).to_contain_text("flags of the glock")
    expect(card).not_to_contain_text("minimum hold time")


def _second_finding(page: Page) -> Locator:
    """Open, also where it is folded under its incident."""
    finding = page.locator(".finding").nth(1)
    finding.evaluate(
        "one => { for (let at = one; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true }"
    )
    return finding


def test_a_finding_is_disputed_and_taken_back(page: Page) -> None:
    open_page(page, GFS2)
    finding = _second_finding(page)
    finding.get_by_text("Agree, dispute or set aside").click()
    finding.get_by_label("Why").fill("the backup was stopped before")
    finding.get_by_role("button", name="Dispute").click()
    drawn(page)
    finding = _second_finding(page)
    expect(finding.locator(".judgement")).to_contain_text("the backup was stopped before")
    finding.get_by_text("Change the judgement").click()
    finding.get_by_role("button", name="Withdraw").click()
    drawn(page)
    expect(_second_finding(page).locator(".judgement")).to_have_count(0)


def test_the_script_to_collect_is_downloaded(page: Page) -> None:
    open_page(page, SCALE)
    with page.expect_download() as download:
        page.locator(".collect").get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "collect-spectrum-scale.sh"


def test_the_graph_of_one_dump_and_its_badge(page: Page) -> None:
    open_page(page, f"{SCALE}graph/")
    badge = page.locator("rect.holds").bounding_box()
    drawing = page.locator(".wait-graph svg").bounding_box()
    assert badge is not None
    assert drawing is not None
    assert badge["y"] >= drawing["y"]
    whole = page.locator(".card-hint", has_text="waits").first.inner_text()
    page.get_by_role("slider", name="Dump").press("ArrowRight")
    page.wait_for_url(re.compile(r"at=\d+"))
    drawn(page)
    expect(page.locator(".card-hint", has_text="waits").first).not_to_have_text(whole)
