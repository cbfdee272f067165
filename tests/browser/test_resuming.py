"""T43: large uploads in a browser whose connection, session or page ends under way."""

from __future__ import annotations

import os
import re
import signal
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.breaking_proxy import BreakingProxy, breaking_proxy
from tests.browser.moves import drawn, open_page, send, settled
from tests.browser.site import PASSWORD, Site
from tests.browser.watch import Watch

MIB = 1 << 20
SLOW_S = 0.004  # per 64 KiB: some 15 MiB a second
SENT = re.compile(r"/cases/[^/]+/(upload/)?(\?|$)")
WAITERS = "0x7F3C0001A0BC waiting 20.250000000 seconds, NSDThread: for I/O completion on disk lund_nsd07\n"


@pytest.fixture
def proxy(site: Site) -> Iterator[BreakingProxy]:
    with breaking_proxy(site.origin) as between:
        yield between


@pytest.fixture
def far(proxy: BreakingProxy, contexts: Any, signed_in: Any, site: Site) -> BrowserContext:
    """Signed in, over the proxy. Cookies know no port."""
    context: BrowserContext = contexts(storage_state=signed_in, base_url=proxy.origin)
    return context


@pytest.fixture
def watch(proxy: BreakingProxy) -> Iterator[Watch]:
    """Of pages over the proxy. What breaks is reported by the browser; it is what these tests bring about."""
    watching = Watch(proxy.origin)
    watching.allow("Failed to load resource")
    yield watching
    assert watching.wrongs == []


def noise(folder: Path, name: str, size: int) -> Path:
    """A tar with waiters and much that can't be packed."""
    path = folder / name
    with tarfile.open(path, "w") as archive:
        for member, content in (("n1/waiters.txt", (WAITERS * 9).encode()), ("n1/core.bin", b"\0" + os.urandom(size))):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
    return path


def begin(page: Page, title: str, *files: Path) -> None:
    open_page(page, "/upload/")
    page.get_by_label("Title of a new case").fill(title)
    send(page, *files)


def is_whole(page: Page, bundles: int = 1) -> None:
    """The page of the case, with everything read."""
    page.wait_for_url(SENT)
    settled(page)
    expect(page.locator(".bundle-state")).to_have_count(bundles)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
@pytest.mark.part("broken connections", 1)
def test_t43_an_upload_goes_on_after_its_connection_broke(
    far: BrowserContext, proxy: BreakingProxy, tmp_path: Path, share: float
) -> None:
    page = far.new_page()
    file = noise(tmp_path, "broken.tar", 20 * MIB)
    open_page(page, "/upload/")
    page.get_by_label("Title of a new case").fill(f"Broken at {share}")
    drawn(page)
    before = proxy.sent
    proxy.break_after(int(file.stat().st_size * share), away_s=1.5)
    send(page, file)
    is_whole(page)
    assert proxy.breaks == 1
    assert proxy.sent - before < file.stat().st_size + 12 * MIB  # one piece of 8 MiB is sent twice at most
    page.goto(page.url.replace("upload/", "files/"))
    expect(page.get_by_text("n1/waiters.txt").first).to_be_visible()


def test_t43_the_page_says_what_it_waits_for_and_a_row_can_be_paused_and_discarded(
    far: BrowserContext, proxy: BreakingProxy, tmp_path: Path
) -> None:
    page = far.new_page()
    proxy.pause_s = SLOW_S * 20
    begin(page, "Paused", noise(tmp_path, "halted.tar", 24 * MIB))
    row = page.locator(".sending-file")
    expect(row).to_contain_text("sending")
    proxy.cut(away_s=4)
    expect(row).to_contain_text("The connection is lost. It is tried again by itself")
    expect(row.locator(".state")).to_have_text("sending")
    row.get_by_role("button", name="Pause").click()
    expect(row).to_contain_text("Paused. The pieces that arrived are kept.")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    listed = page.locator(".unfinished li")
    expect(listed).to_contain_text("halted.tar")
    send(page, tmp_path / "halted.tar")
    expect(row.locator("progress")).to_be_visible()
    row.get_by_role("button", name="Discard").click()
    expect(row).to_contain_text("Nothing of it was kept.")
    page.reload()
    expect(listed).to_have_count(0)
    page.goto("/")
    expect(page.get_by_role("link", name="Paused")).to_have_count(0)


def test_t43_after_a_reload_the_same_file_goes_on_where_it_stopped(
    far: BrowserContext, proxy: BreakingProxy, tmp_path: Path
) -> None:
    page = far.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    file = noise(tmp_path, "slept.tar", 24 * MIB)
    proxy.hold_after(12 * MIB)
    begin(page, "The lid was closed", file)
    expect(page.locator(".sending-figures b").first).to_contain_text(re.compile(r"^(1[0-9]|2[0-9])"))
    page.close()
    proxy.go_on()
    again = far.new_page()
    open_page(again, "/upload/")
    before = proxy.sent
    send(again, file)
    is_whole(again)
    assert proxy.sent - before < 18 * MIB
    again.goto(again.url.replace("upload/", "files/"))
    expect(again.get_by_role("heading", name="The lid was closed").first).to_be_visible()


def test_t43_two_tabs_send_one_upload(far: BrowserContext, proxy: BreakingProxy, tmp_path: Path) -> None:
    file = noise(tmp_path, "two.tar", 24 * MIB)
    first, second = far.new_page(), far.new_page()
    proxy.hold_after(12 * MIB)
    begin(first, "Two tabs", file)
    expect(first.locator(".sending-figures b").first).to_contain_text(re.compile(r"[1-9][0-9.]* MiB of"))
    begin(second, "Never used", file)
    proxy.go_on()
    is_whole(first)
    is_whole(second)
    assert first.url.split("?")[0] == second.url.split("?")[0]


def test_t43_a_session_that_ends_asks_to_sign_in_and_goes_on_by_itself(
    far: BrowserContext, proxy: BreakingProxy, tmp_path: Path, contexts: Any, site: Site
) -> None:
    """In a session of its own, since it ends."""
    context: BrowserContext = contexts(base_url=proxy.origin)
    page = context.new_page()
    sign_in(page)
    proxy.pause_s = SLOW_S * 12
    begin(page, "Signed out under way", noise(tmp_path, "session.tar", 24 * MIB))
    row = page.locator(".sending-file")
    expect(row).to_contain_text("sending")
    kept = [cookie for cookie in context.cookies() if cookie.get("name") != "lockscope_session"]
    context.clear_cookies()
    context.add_cookies(kept)  # type: ignore[arg-type]
    expect(row).to_contain_text("Your session has ended")
    proxy.pause_s = 0
    with context.expect_page() as opened:
        row.get_by_role("link", name="sign in").click()
    sign_in(opened.value)
    is_whole(page)


def sign_in(page: Page) -> None:
    page.goto("/accounts/sign-in/")
    page.get_by_label("Username").fill("admin")
    page.locator("[name=password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(re.compile(r"/$"))


def test_t43_a_web_process_that_is_killed_is_followed_by_another(
    far: BrowserContext, proxy: BreakingProxy, tmp_path: Path
) -> None:
    page = far.new_page()
    proxy.hold_after(12 * MIB)
    begin(page, "Killed under way", noise(tmp_path, "killed.tar", 24 * MIB))
    expect(page.locator(".sending-figures b").first).to_contain_text(re.compile(r"^1[0-9]"))
    workers = web_workers()
    assert workers
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    proxy.go_on()
    is_whole(page)


def web_workers() -> list[int]:
    """Processes of gunicorn whose parent is gunicorn, below this process."""
    parents = {int(path.parent.name): parent_of(path) for path in Path("/proc").glob("[0-9]*/stat")}
    return [
        pid for pid, parent in parents.items() if is_gunicorn(pid) and is_gunicorn(parent) and is_below(pid, parents)
    ]


def parent_of(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except OSError:  # gone by itself meanwhile
        return 0


def is_gunicorn(pid: int) -> bool:
    try:
        return b"config.gunicorn" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def is_below(pid: int, parents: dict[int, int]) -> bool:
    while pid > 1 and pid != os.getpid():
        pid = parents.get(pid, 0)
    return pid == os.getpid()


def test_files_sent_side_by_side_meet_in_one_case_and_the_same_is_not_sent_twice(
    far: BrowserContext, proxy: BreakingProxy, tmp_path: Path
) -> None:
    page = far.new_page()
    small = tmp_path / "waiters.txt"
    small.write_text(WAITERS * 5)
    files = [noise(tmp_path, f"side{n}.tar", 6 * MIB) for n in range(3)]
    begin(page, "Side by side", *files, small)
    is_whole(page, 4)
    before = proxy.sent
    send(page, files[0])
    expect(page.locator(".bundle-state")).to_have_count(5)
    expect(page.locator(".bundle-state").filter(has_text="Already in this case")).to_have_count(1)
    assert proxy.sent - before < MIB
