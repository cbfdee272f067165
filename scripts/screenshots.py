"""Pictures of the pages with the sample cases, for the README and for looking at them: ``make screenshots``.

Starts the program on a var/ of its own, signs in by the printed link and takes each page as the table below says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from apps.ingest.samples import SAMPLES

BASE_DIR = Path(__file__).resolve().parent.parent
TARGET = BASE_DIR / "docs" / "screenshots"
START_LIMIT_S = 120
MOST_BYTES = 400_000
Look = Mapping[str, object]
SCALE, CFS, GFS2 = (sample.key for sample in SAMPLES)
WIDE: Look = {"viewport": {"width": 1500, "height": 1230}}
DARK: Look = {**WIDE, "color_scheme": "dark"}
PHONE: Look = {"viewport": {"width": 390, "height": 1324}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: its name, its page, how it is looked at, and a link to follow first."""

    name: str
    path: str
    look: Look
    follow: str = ""


SHOTS = (
    Shot("case-timeline", f"/cases/{CFS}/", WIDE),
    Shot("case-timeline-dark", f"/cases/{CFS}/", DARK),
    Shot("case-waiters", f"/cases/{SCALE}/waiters/", WIDE),
    Shot("case-graph", f"/cases/{SCALE}/graph/", WIDE),
    Shot("case-locks", f"/cases/{GFS2}/locks/", {"viewport": {"width": 1500, "height": 840}}),
    Shot("case-locks-cfs-dark", f"/cases/{CFS}/locks/", {**DARK, "viewport": {"width": 1500, "height": 900}}),
    Shot("compare", f"/compare/?a={CFS}", WIDE),
    Shot("knowledge", "/knowledge/?part=kinds", {"viewport": {"width": 1500, "height": 900}}),
    Shot("search", "/search/?q=nsd02", {"viewport": {"width": 1500, "height": 900}}),
    Shot("case-graph-phone", f"/cases/{GFS2}/graph/", PHONE),
    Shot("case-report", f"/cases/{GFS2}/report/", WIDE),
    Shot("cases", "/", {"viewport": {"width": 1500, "height": 640}}),
    Shot("upload", f"/cases/{SCALE}/upload/", WIDE),
    Shot("file-viewer", f"/cases/{GFS2}/", {"viewport": {"width": 1500, "height": 1000}}, follow=".evidence-line a.address"),
    Shot("case-phone", f"/cases/{CFS}/", PHONE),
)


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
    first = browser.new_context()
    first.new_page().goto(address)
    origin = address.split("/accounts/")[0]
    cookies = first.storage_state()
    for shot in SHOTS:
        page = browser.new_context(storage_state=cookies, **shot.look).new_page()  # type: ignore[arg-type]  # a table of options
        page.goto(origin + shot.path, wait_until="networkidle")
        if shot.follow:
            page.locator(shot.follow).first.click()
            page.wait_for_load_state("networkidle")
        target = TARGET / f"{shot.name}.png"
        page.screenshot(path=target)
        if target.stat().st_size > MOST_BYTES:
            raise SystemExit(f"{target.name} has more than {MOST_BYTES} bytes")
        page.context.close()


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
