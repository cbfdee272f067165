"""From a line of a file to a second case that is judged with what it means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import faults
from tests.browser.moves import drawn
from tests.browser.test_uploading import new_case
from tests.browser.watch import Watch

LOG = (
    "Mar  9 20:33:12 cod3 grantd[77]: nobody failed to renew\n"
    "Mar  9 20:33:13 cod3 grantd[77]: lease on {disk} was dropped by cod9 after 31 s\n"
    "Mar  9 20:33:14 cod3 grantd[77]: session opened\n"
)


def written(folder: Path, disk: str) -> Path:
    path = folder / f"messages-{disk}"
    path.write_text(LOG.format(disk=disk) * 20)
    return path


def open_line(page: Page, case: str, line: int) -> None:
    page.goto(f"{case}files/")
    page.locator("a.file-path").first.click()
    drawn(page)
    page.locator(f"#L{line} .line-number").click()


def fits(page: Page) -> None:
    """Nothing scrolls sideways."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("width", [1500, 390])
@pytest.mark.part("a meaning", 1)
def test_a_line_is_given_its_meaning_and_the_next_case_is_judged_with_it(
    page: Page, watch: Watch, tmp_path: Path, width: int
) -> None:
    watch.allow("status of 422")
    first = new_case(page, f"Leases at {width}", written(tmp_path, "lun7"))
    page.set_viewport_size({"width": width, "height": 900})
    open_line(page, first, 5)
    page.get_by_role("link", name="This means …").click()
    drawn(page)
    fits(page)
    assert faults(page, watch) == []
    expect(page.get_by_label("Program")).to_have_value("grantd")
    expect(page.get_by_label("lun7")).to_have_value("disk")
    page.get_by_label("dropped", exact=True).select_option("any")
    page.get_by_label("How grave it is").select_option("disaster")
    page.get_by_label("Title").fill(f"Lease on {{about}} dropped at {width}")
    page.get_by_label("Name", exact=True).fill(f"lease-dropped-{width}")
    page.get_by_label("What it means").fill("The daemon may not write to the disk.")
    page.get_by_label("Commands").fill("systemctl restart grantd")
    page.get_by_label("What to do next").fill("Look at the paths of the disk.")
    page.get_by_role("button", name="Keep as a draft").click()
    expect(page.get_by_role("alert").first).to_contain_text("the word restart")
    expect(page.get_by_label("dropped", exact=True)).to_have_value("any")
    assert faults(page, watch) == []
    page.get_by_label("Commands").fill("multipath -ll")
    page.get_by_role("button", name="Keep as a draft").click()
    page.get_by_role("button", name="Propose to the team").click()
    page.get_by_role("button", name="Put in force").click()
    expect(page.get_by_text("It is in force.")).to_be_visible()
    fits(page)
    assert faults(page, watch) == []
    entry = page.url
    second = new_case(page, f"Another at {width}", written(tmp_path, "lun9"))
    page.goto(second)
    expect(page.locator("#verdict")).to_contain_text(f"Lease on lun9 dropped at {width} on cod3")
    expect(page.get_by_text(re.compile(r"Knowledge of .*, version 1")).first).to_be_attached()
    page.goto(entry)
    expect(page.get_by_text(f"Lease on lun9 dropped at {width} on cod3").first).to_be_visible()
    page.get_by_label("Why").fill("only for the test")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("It is withdrawn and judges nothing any more.")).to_be_visible()
