"""From a dropped bundle to a verdict, and on to a link that a colleague opens: the way of the product, in one go."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from apps.ingest.samples import SAMPLES
from tests.browser.moves import becomes_the_case, drag_over_lane, drawn, marked_line, open_case, send, window_of
from tests.browser.watch import Watch

CFS = next(sample for sample in SAMPLES if sample.key == "SAMPLE-CFS")


def test_from_a_dropped_bundle_to_a_revoked_link(page: Page, stranger: Page, watch: Watch, tmp_path: Path) -> None:
    key = _upload_and_read_the_verdict(page, tmp_path)
    _zoom_and_reload(page)
    _follow_evidence_and_come_back(page)
    _pin_a_note(page)
    link = _share_the_view(page, key)
    _read_as_a_stranger(stranger, link)
    _revoke(page, key)
    watch.allow("the server responded with a status of 404")
    answer = stranger.reload()
    assert answer is not None
    assert answer.status == 404
    expect(stranger.get_by_role("heading", name="This link no longer works")).to_be_visible()
    expect(stranger.locator("#verdict")).to_have_count(0)


def _upload_and_read_the_verdict(page: Page, folder: Path) -> str:
    bundle = folder / "walks.tar.gz"
    bundle.write_bytes(CFS.build())
    page.goto("/upload/")
    expect(page.get_by_role("heading", name="Limits")).to_be_visible()  # before anything is sent
    page.get_by_label("Title of a new case").fill("Listing is slow since Monday")
    send(page, bundle)
    becomes_the_case(page)
    expect(page.locator("#verdict")).to_contain_text("keep taking each other")
    expect(page.locator("#verdict")).to_be_in_viewport()
    return page.url.split("/cases/")[1].split("/")[0]


def _zoom_and_reload(page: Page) -> None:
    drawn(page)
    whole = page.locator(".lane-axis").inner_text()
    drag_over_lane(page, 0.2, 0.5)
    expect(page).to_have_url(re.compile(r"from=\d+&to=\d+"))
    expect(page.locator(".lane-axis")).not_to_have_text(whole, use_inner_text=True)
    zoomed, ticks = window_of(page), page.locator(".lane-axis").inner_text()
    page.reload()
    expect(page.locator(".lane-axis")).to_have_text(ticks, use_inner_text=True)
    assert window_of(page) == zoomed


def _follow_evidence_and_come_back(page: Page) -> None:
    view = page.url
    evidence = page.locator(".evidence-line").first
    address = evidence.locator("a.address")
    number = re.search(r"line=(\d+)", str(address.get_attribute("href")))
    assert number is not None
    words = evidence.locator("code").inner_text().split()
    address.click()
    line = marked_line(page, int(number[1]))
    expect(line).to_be_in_viewport()
    assert line.locator("code").inner_text().split() == words
    page.go_back()
    assert page.url == view
    drawn(page)
    expect(page.locator(".lane").first).to_be_visible()


def _pin_a_note(page: Page) -> None:
    expect(page.locator(".lane[data-lane=notes]")).to_have_count(0)
    plot = page.locator(".lane[data-lane^='locks:'] .lane-plot").first
    plot.hover()
    page.keyboard.press("n")
    dialog = page.get_by_role("dialog", name="Add a note")
    expect(dialog.locator("[data-note-at]")).to_contain_text(re.compile(r"\d\d:\d\d:\d\d"))
    dialog.locator("textarea").fill("A cron job walks the tree here")
    dialog.get_by_role("button", name="Add the note").click()
    expect(page.locator(".lane[data-lane=notes] .pin")).to_contain_text("A cron job walks")


def _share_the_view(page: Page, key: str) -> str:
    zoomed = window_of(page)
    page.get_by_role("link", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share")
    expect(dialog.get_by_label("14 days")).to_be_checked()
    dialog.get_by_label("Note to yourself").fill("for the call")
    dialog.get_by_role("button", name="Create link").click()
    link = dialog.get_by_label("The link", exact=True).input_value()
    assert window_of(page, link) == zoomed != ([], []), "the view is kept in the link"
    open_case(page, key, "share/")
    expect(page.get_by_role("cell", name="for the call")).to_be_visible()
    assert link.split("/s/")[1].split("/")[0] not in page.content(), "shown once"
    return link


def _read_as_a_stranger(stranger: Page, link: str) -> None:
    stranger.goto(link)
    drawn(stranger)
    expect(stranger.locator("#verdict")).to_contain_text("keep taking each other")
    expect(stranger.locator(".lane[data-lane^='locks:']").first).to_be_visible()
    expect(stranger.locator("[data-finding]").first).to_be_visible()
    expect(stranger.locator(".evidence-line").first).to_be_visible()
    expect(stranger.locator(".tuning").first).to_be_visible()
    assert stranger.locator("a[href*='/cases/'], a[href*='/files/']").count() == 0
    assert "cron job" not in stranger.content()
    expect(stranger.locator(".lane[data-lane=notes]")).to_have_count(0)
    with stranger.expect_response(re.compile("timeline.json")) as answer:
        drag_over_lane(stranger, 0.3, 0.6)
    assert "cron job" not in answer.value.text()


def _revoke(page: Page, key: str) -> None:
    open_case(page, key, "share/")
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator(".links-table")).to_contain_text("revoked")
    expect(page.get_by_role("button", name="Revoke")).to_have_count(0)
