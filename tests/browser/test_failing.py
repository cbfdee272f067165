"""A request in the background that fails says so where its answer would stand, and is tried again from there."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.moves import drawn, open_page, plot_area
from tests.browser.watch import Watch


def test_evidence_that_does_not_come(page: Page, watch: Watch) -> None:
    watch.allow("ERR_FAILED")
    watch.allow("htmx:sendError")
    watch.allow("htmx:afterRequest")
    page.route("**/evidence/**", lambda route: route.abort())
    open_page(page, "/cases/SAMPLE-SCALE/")
    left, right, top, bottom = plot_area(page)
    page.mouse.click((left + right) / 2, (top + bottom) / 2)
    notice = page.locator("[data-request-error]")
    expect(notice).to_contain_text("The server could not be reached")
    page.unroute("**/evidence/**")
    notice.get_by_role("button", name="Try again").click()
    expect(page.locator("#evidence")).to_contain_text("lines behind this point")
    expect(notice).to_have_count(0)


def test_an_answer_of_the_server_in_place(page: Page, watch: Watch) -> None:
    watch.allow("status of 500")
    watch.allow("Response Status Error Code 500")
    page.route("**/waiters/?**", lambda route: route.fulfill(status=500, body=""))
    open_page(page, "/cases/SAMPLE-SCALE/waiters/")
    page.get_by_label("Category").first.select_option("3")
    expect(page.locator("[data-request-error]")).to_contain_text("The server failed to answer")
    page.unroute("**/waiters/?**")
    page.get_by_role("button", name="Try again").click()
    drawn(page)
    expect(page.locator("[data-request-error]")).to_have_count(0)
