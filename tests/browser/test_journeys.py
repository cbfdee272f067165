"""The ways that people go, each with the clicks that it may cost: a drop and a click count one."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.moves import becomes_the_case, drawn, open_page
from tests.browser.test_dropping import drop, drop_many

SCALE = "/cases/SAMPLE-SCALE/"
GFS2 = "/cases/SAMPLE-GFS2/"
HUNG = "Waiting {:.4f} sec since {}, monitored, thread {} NSDThread: for I/O completion on disk dm-7\n"


class Counted:
    """A page, and what its reader has done on it so far."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def click(self, selector: str) -> None:
        self.actions += 1
        self.page.locator(selector).first.click()

    def press(self, name: str, role: str = "button") -> None:
        self.actions += 1
        self.page.get_by_role(role, name=name, exact=True).first.click()  # type: ignore[arg-type]  # a word of ours

    def drop(self, name: str, text: str) -> None:
        self.actions += 1
        drop(self.page, name, text)


def dump(clock: str, *waits: tuple[float, str]) -> str:
    head = f"### BEGIN DATA COLLECTION 2031/05/09 {clock} ash1.bench.example ###\n=== mmdiag: waiters ===\n"
    return head + "".join(HUNG.format(age, since, 880 + n) for n, (age, since) in enumerate(waits))


@pytest.fixture
def reader(page: Page) -> Counted:
    return Counted(page)


def test_j1_and_j6_a_drop_is_the_verdict_and_a_second_one_says_that_it_is_cured(reader: Counted) -> None:
    page = reader.page
    open_page(page, "/")
    reader.drop("hang.txt", dump("10:00:00", (640.0, "09:49:20"), (610.0, "09:49:50")))
    case = becomes_the_case(page)
    assert reader.actions == 1
    expect(page.locator("#verdict")).to_contain_text("dm-7")
    expect(page.locator("#verdict")).to_be_in_viewport()
    expect(page.locator("#do-first")).to_be_in_viewport()
    expect(
        page.locator("#verdict").locator("xpath=following::*[contains(@class, 'evidence-line')]").first
    ).to_be_in_viewport()
    open_page(page, case)
    reader.drop("after.txt", dump("11:00:00", (0.01, "11:00:00")))
    page.wait_for_url(re.compile(r"/upload/"))
    becomes_the_case(page)
    expect(page.locator("#verdict")).to_contain_text("Cured: since")
    assert reader.actions == 2


def test_j1_many_small_files_are_one_drop_too(reader: Counted) -> None:
    page = reader.page
    open_page(page, "/")
    reader.actions += 1
    drop_many(page, {f"node{n:03d}/waiters.txt": dump("10:00:00", (640.0 - n / 5, "09:49:20")) for n in range(250)})
    becomes_the_case(page)
    expect(page.locator("#verdict")).to_contain_text("dm-7")
    assert reader.actions == 1


@pytest.mark.parametrize(("case", "ends"), [(SCALE, ("dm-17",)), (GFS2, ("lmtpd", "tar"))])
@pytest.mark.part("both ends", 1)
def test_j2_from_the_verdict_to_the_lines_of_both_ends(reader: Counted, case: str, ends: tuple[str, ...]) -> None:
    page = reader.page
    open_page(page, case)
    expect(page.locator("#verdict")).to_be_in_viewport()
    reader.press("Wait graph", "link")
    drawn(page)
    assert reader.actions == 1
    lines = page.locator("#edge .evidence-wait code")
    for end in ends:
        expect(lines.filter(has_text=end).first).to_be_in_viewport()
    expect(page.locator("#edge .evidence-wait a").first).to_contain_text(re.compile(r"\.\w+:\d+"))
    reader.click(".graph-edge[data-ends] .label")
    expect(page.locator("#edge .evidence-wait").first).to_be_in_viewport()
    assert reader.actions == 2


def test_j3_waits_and_logs_are_on_one_axis_without_a_click(reader: Counted) -> None:
    page = reader.page
    open_page(page, SCALE)
    for lane in ("findings", "wait-states", "nodes", "log"):
        expect(page.locator(f".lane[data-lane={lane}] .lane-plot > *").first).to_be_attached()
    expect(page.locator(".lane[data-lane=wait-states]")).to_contain_text("stuck")
    assert reader.actions == 0


def test_j4_one_click_copies_the_reply_and_two_open_the_report(reader: Counted) -> None:
    page = reader.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, SCALE)
    reader.press("Copy reply")
    assert reader.actions == 1
    page.wait_for_function("navigator.clipboard.readText().then((text) => text.includes('dm-17'))")
    reader.actions = 0
    reader.click(".page-actions .menu-host summary")
    reader.press("Report to print", "link")
    expect(page.get_by_role("heading", name=re.compile("Next steps|Do this first")).first).to_be_visible()
    assert reader.actions == 2


def test_j5_two_clicks_make_a_link_that_opens_at_the_place(reader: Counted, stranger: Page) -> None:
    page = reader.page
    open_page(page, SCALE)
    page.locator(".lanes").focus()
    page.keyboard.press("+")
    expect(page).to_have_url(re.compile(r"from=\d+&to=\d+"))
    reader.press("Share", "link")
    dialog = page.get_by_role("dialog", name="Share")
    reader.actions += 1
    dialog.get_by_role("button", name="Create link").click()
    link = dialog.get_by_label("The link", exact=True).input_value()
    assert reader.actions == 2
    stranger.goto(link)
    drawn(stranger)
    expect(stranger).to_have_url(re.compile(r"from=\d+&to=\d+"))
    expect(stranger.locator("#verdict")).to_be_in_viewport()
