"""The command-line client against the running program: a token from the page, a bundle, the verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page

from tests.browser.site import Site
from tests.patience import HANGS_S
from tests.services import BASE_DIR

CLIENT = BASE_DIR / "scripts" / "lockscope.py"


def token_from_page(page: Page, name: str) -> str:
    page.goto("/tokens/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Scope").select_option("write")
    page.get_by_role("button", name="Create token").click()
    return page.get_by_role("region", name="The new token").locator(".command code").first.inner_text()


def client(site: Site, token: str, *arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    env = os.environ | {"LOCKSCOPE_URL": site.origin, "LOCKSCOPE_TOKEN": token}
    return subprocess.run(
        [sys.executable, str(CLIENT), *arguments],
        env=env,
        input=text,
        capture_output=True,
        timeout=HANGS_S,
        check=False,
    )


def test_t16_a_transcript_is_sent_and_its_verdict_printed(page: Page, site: Site) -> None:
    token = token_from_page(page, "transcript")
    text = b"=== mmdiag: waiters ===\n" + b"".join(
        b"Waiting %d.0000 sec since 10:00:00, monitored, thread %d NSDThread: for I/O completion on disk sdq\n"
        % (900 + n, 4000 + n)
        for n in range(4)
    )
    done = client(site, token, "--title", "From a pipe", "-", text=text)
    assert b"sdq" in done.stdout
    assert done.returncode in {1, 2}, done.stderr


def test_t16_a_wrong_token_and_a_missing_file_are_reported_in_a_line(page: Page, site: Site, tmp_path: Path) -> None:
    refused = client(site, "lsc_wrong", str(tmp_path))
    assert refused.returncode == 3
    assert b"token" in refused.stderr
    token = token_from_page(page, "missing")
    assert client(site, token, str(tmp_path / "absent.txt")).returncode == 3
