"""The report as Chromium prints it: two pages, and all of it behind a button."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from apps.ingest.samples import Sample
from tests.browser.moves import open_page

PAGES = re.compile(rb"/Type\s*/Page\b")


def printed(page: Page) -> int:
    """Pages of the PDF."""
    return len(PAGES.findall(page.pdf(format="A4", prefer_css_page_size=True)))


def test_the_report_takes_two_pages(page: Page, sample: Sample) -> None:
    open_page(page, f"/cases/{sample.key}/report/")
    expect(page.get_by_role("heading", name="Findings", exact=True)).to_be_visible()
    expect(page.locator(".brief-line .address").first).to_be_visible()
    assert printed(page) <= 2


def test_the_rest_stands_behind_whole_report(page: Page) -> None:
    open_page(page, "/cases/SAMPLE-CFS/report/")
    page.get_by_role("link", name="Whole report").click()
    expect(page.get_by_role("heading", name="Files that the evidence points to")).to_be_visible()
    assert printed(page) > 2
    page.get_by_role("link", name="Two pages").click()
    expect(page.locator(".brief")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.part("paper", 1)
def test_paper_is_white(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", media="print")
    open_page(page, "/cases/SAMPLE-GFS2/report/")
    assert page.evaluate("getComputedStyle(document.querySelector('.brief h3')).color") == "rgb(27, 36, 48)"
