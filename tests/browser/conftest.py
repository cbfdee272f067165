"""The running program, a signed-in page, and the watch over all of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, ViewportSize, expect

from apps.ingest.samples import SAMPLES, Sample
from tests.browser.site import Site, running_site
from tests.browser.watch import Watch
from tests.patience import HANGS_MS

WIDE: ViewportSize = {"width": 1500, "height": 1000}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marked, so that they can be left out."""
    for item in items:
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Debian's own Chromium, without its windows where that is installed: a new page takes it a quarter of the time.
    Its sandbox cannot start as root.
    """
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed; scripts/test-deps.sh installs it")
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.getuid() == 0 else [])]
    return {**browser_type_launch_args, "executable_path": chromium, "headless": True, "args": arguments}


@pytest.fixture(scope="session", autouse=True)
def patience() -> None:
    """The machine may be busy with other tests; a page that answers late is slow, not wrong."""
    expect.set_options(timeout=HANGS_MS)


@pytest.fixture(scope="session")
def site(services: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="session")
def base_url(site: Site) -> str:
    return site.origin


@pytest.fixture(scope="session")
def signed_in(site: Site, browser: Browser) -> Any:
    """Cookies of the administrator."""
    context = browser.new_context()
    site.enter(context)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def watch(site: Site) -> Iterator[Watch]:
    watching = Watch(site.origin)
    yield watching
    assert watching.wrongs == []


def opened(browser: Browser, site: Site, **options: Any) -> BrowserContext:
    usual = {"base_url": site.origin, "viewport": WIDE, "reduced_motion": "reduce"}
    context = browser.new_context(**usual | options)
    context.set_default_timeout(HANGS_MS)
    return context


@pytest.fixture
def contexts(browser: Browser, site: Site, watch: Watch) -> Iterator[Any]:
    """Makes contexts that are watched and closed: ``contexts(storage_state=..., viewport=...)``."""
    made: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:
        context = opened(browser, site, **options)
        watch.over(context)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()


@pytest.fixture(scope="session")
def window(browser: Browser, site: Site, signed_in: Any) -> Iterator[BrowserContext]:
    """Of the administrator. Scripts, styles and fonts are read and compiled once, as where somebody works all day."""
    context = opened(browser, site, storage_state=signed_in)
    yield context
    context.close()


@pytest.fixture(scope="session")
def tabs() -> list[Page]:
    """The one tab in which the pages of the administrator are opened; a new one takes a process of its own, half a
    second of a core.
    """
    return []


@pytest.fixture
def page(window: BrowserContext, tabs: list[Page], watch: Watch, site: Site, signed_in: Any) -> Iterator[Page]:
    """Of the signed-in administrator, who owns the sample cases. What a test leaves in the browser goes with it; what
    is to be called at each page or event asks for a tab of its own (``contexts``).
    """
    if not tabs or tabs[0].is_closed():
        tabs[:] = [window.new_page()]
    tab = tabs[0]
    with watch.looking(window):
        yield tab
        for other in window.pages:
            if other != tab:
                other.close()
    if tab.is_closed():
        tab = tabs[0] = window.new_page()
    _clear(tab, site)
    window.clear_permissions()
    window.clear_cookies()
    window.add_cookies(signed_in["cookies"])


def _clear(tab: Page, site: Site) -> None:
    """As it was before anything was opened in it, but for what it went through."""
    tab.unroute_all()
    tab.on("dialog", _leave)  # of a page that asks whether what is unfinished may be lost
    tab.goto(f"{site.origin}/healthz")
    tab.remove_listener("dialog", _leave)
    tab.evaluate("sessionStorage.clear()")
    cleared = tab.context.new_cdp_session(tab)
    cleared.send(
        "Storage.clearDataForOrigin", {"origin": site.origin, "storageTypes": "local_storage,indexeddb,cache_storage"}
    )
    cleared.detach()
    tab.emulate_media(media="null", color_scheme="null", reduced_motion="reduce")
    tab.mouse.move(0, 0)
    if tab.viewport_size != WIDE:
        tab.set_viewport_size(WIDE)


def _leave(dialog: Dialog) -> None:
    dialog.accept()


@pytest.fixture
def stranger(contexts: Any) -> Page:
    """A private window of somebody without an account."""
    page: Page = contexts().new_page()
    return page


@pytest.fixture(params=SAMPLES, ids=lambda sample: str(sample.key))
def sample(request: pytest.FixtureRequest) -> Sample:
    chosen: Sample = request.param
    return chosen
