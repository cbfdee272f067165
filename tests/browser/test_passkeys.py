"""Passkeys, with an authenticator that Chromium plays: under our content policy, as the whole way in and as the second
step.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.site import Site
from tests.browser.watch import Watch
from tests.patience import HANGS_MS

PASSWORD = "brisk-plover-on-the-quay"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def origin(site: Site) -> str:
    """By name: browsers bind no passkey to an address of numbers."""
    return site.origin.replace("127.0.0.1", "localhost")


@pytest.fixture
def watched(browser: Browser, origin: str) -> Iterator[BrowserContext]:
    watching = Watch(origin)
    context = browser.new_context(base_url=origin, reduced_motion="reduce")
    context.set_default_timeout(HANGS_MS)
    watching.over(context)
    yield context
    context.close()
    assert watching.wrongs == []


def account_made(page: Page, name: str) -> str:
    """By the administrator, who gets the path of its sign-in link."""
    page.goto("/accounts/users/")
    page.get_by_label("User name").fill(name)
    page.get_by_role("button", name="Create account and link").click()
    link = page.locator("[data-copy]").get_attribute("data-copy") or ""
    return "/accounts/enter/" + link.rsplit("/", 1)[1]


def test_a_passkey_is_added_signs_in_and_is_the_second_step(page: Page, watched: BrowserContext) -> None:
    enter = account_made(page, "petra")
    own = watched.new_page()
    device = watched.new_cdp_session(own)
    device.send("WebAuthn.enable")
    device.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    own.goto(enter)
    own.goto("/accounts/security/")
    own.get_by_role("link", name="Add a passkey").click()
    own.get_by_label("Name").fill("my laptop")
    own.get_by_label("Also sign in with it").check()
    own.get_by_role("button", name="Add the passkey").click()
    expect(own.get_by_role("heading", name="Recovery codes")).to_be_visible()
    own.get_by_role("link", name="Done").click()
    expect(own.get_by_text("my laptop")).to_be_visible()
    own.get_by_role("link", name="Set password").click()
    for field in ("new_password1", "new_password2"):
        own.locator(f"[name={field}]").fill(PASSWORD)
    own.get_by_role("button", name="Set password").click()

    sign_out(own)
    own.get_by_role("button", name="Sign in with a passkey").click()
    expect(own.get_by_role("heading", name="Cases", exact=True)).to_be_visible()

    sign_out(own)
    own.get_by_label("Username").fill("petra")
    own.get_by_label("Password").fill(PASSWORD)
    own.get_by_role("button", name="Sign in", exact=True).click()
    expect(own.get_by_role("heading", name="One more step")).to_be_visible()
    own.get_by_role("button", name="Use a passkey").click()
    expect(own.get_by_role("heading", name="Cases", exact=True)).to_be_visible()


def sign_out(page: Page) -> None:
    page.goto("/accounts/security/")
    page.get_by_role("row").filter(has_text="this one").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
