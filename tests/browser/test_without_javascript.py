"""Reading needs no JavaScript, and neither does sending a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from apps.ingest.samples import Sample
from tests.browser.moves import open_case
from tests.browser.test_uploading import WAITERS


@pytest.fixture
def plain_page(contexts: Any, signed_in: Any) -> Page:
    opened: Page = contexts(storage_state=signed_in, java_script_enabled=False).new_page()
    return opened


def test_a_case_is_read(plain_page: Page, sample: Sample) -> None:
    open_case(plain_page, sample.key)
    expect(plain_page.locator("#verdict .verdict-title")).not_to_be_empty()
    expect(plain_page.locator("[data-finding]").first).to_be_visible()
    expect(plain_page.locator(".tuning, #steps-title").first).to_be_visible()
    plain_page.locator(".evidence-line a.address").first.click()
    expect(plain_page.locator(".line.is-chosen").first).to_be_visible()


def test_a_file_is_sent(plain_page: Page, tmp_path: Path) -> None:
    file = tmp_path / "waiters.txt"
    file.write_text(WAITERS)
    plain_page.goto("/upload/")
    plain_page.get_by_label("Title of a new case").fill("Sent without JavaScript")
    plain_page.locator("input[type=file][name=file]").set_input_files(file)
    plain_page.get_by_role("button", name="Send", exact=True).click()
    expect(plain_page).to_have_url(re.compile(r"/cases/[^/]+/upload/"))
    for _ in range(40):
        if plain_page.get_by_role("heading", name="All files are read").is_visible():
            break
        plain_page.wait_for_timeout(500)
        plain_page.reload()
    plain_page.get_by_role("link", name="Open the case").click()
    expect(plain_page.locator("#verdict")).to_contain_text("lund_nsd07")
