"""Pictures of the pages with the sample cases, for the README and for looking at them: ``make screenshots``.

Starts the program on a var/ of its own, signs in by the printed link and takes each page wide, dark and as on a phone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from apps.ingest.samples import SAMPLES

BASE_DIR = Path(__file__).resolve().parent.parent
TARGET = BASE_DIR / "docs" / "screenshots"
START_LIMIT_S = 120
KEY = SAMPLES[0].key
PAGES = {
    "cases": "/",
    "upload": "/upload/",
    "case-timeline": f"/cases/{KEY}/",
    "case-waiters": f"/cases/{KEY}/waiters/",
    "case-files": f"/cases/{KEY}/files/",
}
LOOKS = {
    "": {"viewport": {"width": 1500, "height": 1000}},
    "-dark": {"viewport": {"width": 1500, "height": 1000}, "color_scheme": "dark"},
    "-phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2},
}


@contextmanager
def running() -> Iterator[str]:
    """The address of a fresh start, stopped again at the end."""
    with tempfile.TemporaryDirectory(prefix="lockscope-") as folder:
        log = Path(folder) / "log"
        env = {name: value for name, value in os.environ.items() if not name.startswith("LOCKSCOPE_")}
        with log.open("wb") as out:
            command = [sys.executable, str(BASE_DIR / "scripts" / "dev.py")]
            env["LOCKSCOPE_VAR"] = f"{folder}/var"
            process = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT)  # noqa: S603 - our own program
        try:
            yield address_in(log, process)
        finally:
            process.terminate()
            process.wait()


def address_in(log: Path, process: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + START_LIMIT_S
    while time.monotonic() < end and process.poll() is None:
        text = log.read_text(errors="replace")
        if "not diagnosed yet" in text:
            break  # pictures of empty pages would only mislead
        if found := re.search(r"http://\S+", text):
            return found[0]
        time.sleep(0.2)
    raise SystemExit(log.read_text(errors="replace"))


def take(browser: Browser, address: str) -> None:
    state = browser.new_context()
    first = state.new_page()
    first.goto(address)
    origin = address.split("/accounts/")[0]
    cookies = state.storage_state()
    for suffix, look in LOOKS.items():
        page = browser.new_context(storage_state=cookies, **look).new_page()  # type: ignore[arg-type]  # a table of options
        for name, path in PAGES.items():
            page.goto(origin + path, wait_until="networkidle")
            page.screenshot(path=TARGET / f"{name}{suffix}.png", full_page=True)


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is not installed; scripts/test-deps.sh says how")
    TARGET.mkdir(parents=True, exist_ok=True)
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.getuid() == 0 else [])]
    with running() as address, sync_playwright() as playwright:
        take(playwright.chromium.launch(executable_path=chromium, args=arguments), address)


if __name__ == "__main__":
    main()
