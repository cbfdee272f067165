"""The file page: a window of a large file, addresses of lines and ranges, search, the next mark."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.moves import drawn, marked_line, open_case
from tests.browser.test_uploading import new_case

LINES = 300_000
NEEDLE_AT = 277_777


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three hundred thousand lines, sent packed; most of it is no format that is read."""
    path = tmp_path_factory.mktemp("large") / "messages.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for start in range(1, LINES + 1, 10_000):
            numbers = range(start, start + 10_000)
            file.write(
                b"".join(b"%07d %s\n" % (n, b"needle in the hay" if n == NEEDLE_AT else b"hay") for n in numbers)
            )
    return path


def test_a_large_file_opens_in_windows(page: Page, large_file: Path) -> None:
    case = new_case(page, "A large file", large_file)
    page.goto(f"{case}files/")
    address = page.locator("a.file-path").first.get_attribute("href")
    page.goto(f"{address}?line=150000#L150000")
    drawn(page)
    expect(marked_line(page, 150_000)).to_be_in_viewport()
    assert page.locator(".line").count() < 3000
    _ranges(page)
    _scrolls_on(page)
    _searches(page)


def _ranges(page: Page) -> None:
    page.locator("#L150002 .line-number").click()
    page.locator("#L150005 .line-number").click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile(r"line=150002-150005#L150002$"))
    page.reload()
    drawn(page)
    for number in range(150_002, 150_006):
        marked_line(page, number)
    expect(page.locator(".line.is-chosen")).to_have_count(4)
    expect(page.locator("#L150002")).to_be_in_viewport()


def _scrolls_on(page: Page) -> None:
    last = int(page.locator(".line").last.get_attribute("data-line") or 0)
    page.locator(".file-view").evaluate("view => { view.scrollTop = view.scrollHeight; }")
    expect(page.locator(f"#L{last + 1}")).to_be_attached()
    expect(page.locator(f"#L{last + 1} code")).to_contain_text(f"{last + 1:07d}")


def _searches(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("needle")
    page.keyboard.press("Enter")
    expect(page.locator(f"#L{NEEDLE_AT} mark")).to_have_text("needle")
    expect(page.locator(f"#L{NEEDLE_AT}")).to_be_in_viewport()


def test_marks_are_stepped_through_by_keys(page: Page) -> None:
    open_case(page, "SAMPLE-CFS")
    page.locator(".evidence-line a.address").first.click()
    page.wait_for_url(re.compile(r"/files/"))
    drawn(page)
    first = page.url
    page.locator(".file-view").focus()
    page.keyboard.press("]")
    expect(page).not_to_have_url(first)
    second = page.locator(".line.is-chosen").first
    expect(second).to_be_in_viewport()
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile(re.escape(first.split("?")[1].split("-")[0].split("#")[0])))


def test_long_lines_wrap_by_key_for_all_files(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_case(page, "SAMPLE-CFS")
    page.locator(".evidence-line a.address").first.click()
    page.wait_for_url(re.compile(r"/files/"))
    drawn(page)
    wider = (
        "(() => { const view = document.querySelector('.file-view'); return view.scrollWidth > view.clientWidth; })()"
    )
    assert page.evaluate(wider)
    page.keyboard.press("z")
    expect(page.get_by_label("Wrap")).to_be_checked()
    assert not page.evaluate(wider)
    expect(page.locator(".line.is-chosen").first).to_be_in_viewport()
    page.reload()
    drawn(page)
    expect(page.get_by_label("Wrap")).to_be_checked()
    page.keyboard.press("z")
    assert page.evaluate(wider)
