"""Every page: no fault of access in light and dark, nothing sideways on a phone, no error and no foreign request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from apps.ingest.samples import SAMPLES, Sample
from tests.browser.axe import faults
from tests.browser.moves import drawn
from tests.browser.site import PASSWORD
from tests.browser.test_uploading import WAITERS, new_case
from tests.browser.watch import Watch
from tests.part import part

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
OF_A_CASE = {
    "waiters": "waiters/",
    "graph": "graph/",
    "locks": "locks/",
    "settings": "settings/",
    "history": "history/",
    "report": "report/",
    "whole report": "report/?whole=1",
    "files": "files/",
    "search every line": "lines/?q=nsd02",
    "notes": "notes/",
    "share": "share/",
    "add files": "upload/",
    "rename": "edit/",
    "to the trash": "trash/",
    "people": "people/",
    "keeping": "keeping/",
    "to another team": "transfer/",
}
PAGES = {
    "cases": "/",
    "nothing found": "/?q=nothing-has-this-name",
    "upload": "/upload/",
    "trash": "/trash/",
    "password": "/accounts/password/",
    "accounts": "/accounts/users/",
    "account and security": "/accounts/security/",
    "teams": "/teams/",
    "team": "/teams/support/",
    "webhooks": "/teams/support/webhooks/",
    "notifications": "/notices/",
    "notification settings": "/notices/settings/",
    "holds": "/holds/",
    "audit": "/audit/",
    "retention": "/retention/",
    "all links": "/links/",
    "operations": "/operations/",
    "tokens": "/tokens/",
    "API": "/docs/api/",
    "not understood": "/not-understood/",
    "what nobody judged": "/unjudged/",
    "entries of a team": "/teams/support/knowledge/",
    "a new entry": "/teams/support/knowledge/new/",
    "entries of the site": "/knowledge/site/",
    "a passkey": "/accounts/security/passkeys/add/",
    "a window without data": "/cases/SAMPLE-SCALE/?from=1739283588200000&to=1739283588300000",
    **{f"timeline of {sample.key}": f"/cases/{sample.key}/" for sample in SAMPLES},
    **{name: f"/cases/SAMPLE-SCALE/{path}" for name, path in OF_A_CASE.items()},
    "waiters of GFS2": "/cases/SAMPLE-GFS2/waiters/",
    "locks of CFS": "/cases/SAMPLE-CFS/locks/",
    "locks of GFS2": "/cases/SAMPLE-GFS2/locks/",
    "settings of CFS": "/cases/SAMPLE-CFS/settings/",
    "no settings": "/cases/SAMPLE-GFS2/settings/",
    "graph of GFS2": "/cases/SAMPLE-GFS2/graph/",
    "no graph": "/cases/SAMPLE-CFS/graph/",
    "compare before and after": "/compare/?a=SAMPLE-CFS",
    "compare two cases": "/compare/?a=SAMPLE-SCALE&b=SAMPLE-GFS2",
    "compare what": "/compare/",
    "knowledge": "/knowledge/",
    "knowledge of kinds": "/knowledge/?part=kinds",
    "knowledge of tunings": "/knowledge/?part=tunings&q=lazy",
    "knowledge of messages": "/knowledge/?part=messages&q=quorum",
    "search": "/search/?q=post2",
    "search without words": "/search/",
    "note on a wait": "/cases/SAMPLE-SCALE/notes/?span=nsd02+NSDThread",
    "no waiters": "/cases/SAMPLE-CFS/waiters/",
}
IN_A_RUN, ON_A_PHONE, LITTLE = 6, 24, 2
"""Pages whose access is looked at, pages that are opened on a phone, and pages of a case with little in it whose access
is looked at; ``make matrix`` takes all."""
NOT_THERE = "the server responded with a status of 404"


@pytest.mark.parametrize("name", part([*PAGES], IN_A_RUN, "pages"))
def test_page(page: Page, name: str, watch: Watch) -> None:
    answer = page.goto(PAGES[name])
    assert answer is not None
    assert answer.ok
    drawn(page)
    assert faults(page, watch) == []


STATES = {
    "damaged.gz": (b"\x1f\x8b\x08\x00" + bytes(500), "Nothing in what was sent could be read"),
    "one-dump.txt": (
        b"Waiting 40.0 sec since 09:12:40, monitored, thread 4100 NSDThread: for I/O completion on disk dm-3\n",
        "dm-3",
    ),
    "no-times.txt": (WAITERS.encode(), "lund_nsd07"),
}


@pytest.mark.parametrize("name", part([*STATES], 1, "little"))
def test_a_case_with_little_in_it(page: Page, watch: Watch, tmp_path: Path, name: str) -> None:
    """Its only file failed, it has one dump, or nothing in it has a time: each page says so and what to do."""
    content, words = STATES[name]
    file = tmp_path / name
    file.write_bytes(content)
    case = new_case(page, f"Little: {name}", file).removesuffix("upload/")
    tabs = ("", "waiters/", "graph/", "locks/", "settings/", "files/", "report/", "share/")
    looked_at = part(tabs, LITTLE, "little", name)
    for tab in tabs:
        page.goto(f"{case}{tab}")
        drawn(page)
        assert tab not in looked_at or faults(page, watch) == [], tab
        expect(page.locator("main")).not_to_contain_text("None")
    page.goto(case)
    expect(page.locator("main")).to_contain_text(words)


def test_the_file_page(page: Page, watch: Watch) -> None:
    page.goto("/cases/SAMPLE-GFS2/")
    page.locator(".evidence-line a.address").first.click()
    drawn(page)
    assert faults(page, watch) == []


def test_the_timeline_as_a_table(page: Page, watch: Watch) -> None:
    page.goto("/cases/SAMPLE-GFS2/?as=table")
    drawn(page)
    expect(page.locator(".lane-tables table").first).to_be_visible()
    assert faults(page, watch) == []


def test_open_dialogs(page: Page, watch: Watch) -> None:
    page.goto("/cases/SAMPLE-GFS2/")
    drawn(page)
    page.get_by_role("link", name="Share", exact=True).click()
    expect(page.get_by_label("14 days")).to_be_visible()
    assert faults(page, watch) == []
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("dialog", name="Add a note")).to_be_visible()
    assert faults(page, watch) == []


def test_a_page_that_is_not_there(page: Page, watch: Watch) -> None:
    watch.allow(NOT_THERE)
    page.goto("/no/such/page/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert faults(page, watch) == []


def test_pages_of_a_stranger(stranger: Page, watch: Watch, page: Page) -> None:
    watch.allow(NOT_THERE)
    for path in ("/accounts/sign-in/", "/s/no-such-token-was-ever-made/", _shared_page(page)):
        stranger.goto(path)
        drawn(stranger)
        assert faults(stranger, watch) == [], path


def _shared_page(page: Page) -> str:
    page.goto("/cases/SAMPLE-SCALE/share/")
    page.get_by_role("button", name="Create link").click()
    return page.get_by_label("The link", exact=True).input_value()


def test_sign_in_with_a_password_and_out_again(stranger: Page, watch: Watch) -> None:
    watch.allow("status of 422")
    stranger.goto("/cases/SAMPLE-CFS/")
    stranger.get_by_label("Username").fill("admin")
    stranger.get_by_label("Password").fill("not this one")
    stranger.get_by_role("button", name="Sign in").click()
    expect(stranger.locator("main [role=alert]")).to_be_visible()
    assert faults(stranger, watch) == []
    stranger.get_by_label("Username").fill("admin")
    stranger.get_by_label("Password").fill(PASSWORD)
    stranger.get_by_role("button", name="Sign in").click()
    expect(stranger.locator("#verdict")).to_be_visible()
    stranger.locator(".bar .menu-host summary").click()
    stranger.get_by_role("button", name="Sign out").click()
    stranger.goto("/cases/SAMPLE-CFS/")
    expect(stranger.locator("#verdict")).to_have_count(0)


def test_nothing_scrolls_sideways_on_a_phone(contexts: Any, signed_in: Any) -> None:
    phone: Page = contexts(storage_state=signed_in, **PHONE).new_page()
    paths = [*part([*PAGES.values()], ON_A_PHONE, "phone"), _file_address(phone), _shared_page(phone)]
    wide = [path for path in paths if _is_wider(phone, path)]
    assert wide == []


def _file_address(page: Page) -> str:
    page.goto("/cases/SAMPLE-CFS/")
    return page.locator(".evidence-line a.address").first.get_attribute("href") or ""


def _is_wider(page: Page, path: str) -> bool:
    page.goto(path)
    drawn(page)
    wide: bool = page.evaluate("document.documentElement.scrollWidth > 390 || visualViewport.width < 389")
    return wide


def test_the_verdict_its_proof_and_the_first_step_are_above_the_fold(page: Page, sample: Sample) -> None:
    page.goto(f"/cases/{sample.key}/")
    drawn(page)
    for place in ("#verdict", "#proof", "#do-first"):
        expect(page.locator(place)).to_be_in_viewport(ratio=1)
