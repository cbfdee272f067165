"""Pictures of all pages, for the README and for looking at them: ``make screenshots``.

Starts the program on a var/ of its own with the sample cases, sends it a case of two hundred nodes, and takes each page
at 1500 px, in dark and as a phone shows it, as the table below says.
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
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from apps.ingest.samples import SAMPLES
from scripts.bench import monster
from scripts.bench.browser import send

BASE_DIR: Final = Path(__file__).resolve().parent.parent
TARGET: Final = BASE_DIR / "docs" / "screenshots"
START_LIMIT_S: Final = 120
MOST_BYTES: Final = 400_000
MOST_OF_ALL: Final = 8_000_000
MONSTER_SAMPLES: Final = 200_000
Look = Mapping[str, object]
SCALE, CFS, GFS2 = (sample.key for sample in SAMPLES)
WIDE: Final[Look] = {"viewport": {"width": 1500, "height": 1000}}
LOOKS: Final[dict[str, Look]] = {
    "": WIDE,
    "dark": {**WIDE, "color_scheme": "dark"},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 1,
        "is_mobile": True,
        "has_touch": True,
    },
}


@dataclass(frozen=True, slots=True)
class Shot:
    """A page to take: its name, its address, in which looks, and a link to follow first. MONSTER in the address is the
    large case.
    """

    name: str
    path: str
    looks: tuple[str, ...] = ("", "phone")
    follow: str = ""


ALL: Final = ("", "dark", "phone")
SHOTS: Final = (
    Shot("cases", "/", ALL),
    Shot("upload", f"/cases/{SCALE}/upload/"),
    Shot("case-timeline", f"/cases/{CFS}/", ALL),
    Shot("case-timeline-scale", f"/cases/{SCALE}/", ALL),
    Shot("case-timeline-gfs2", f"/cases/{GFS2}/", ALL),
    Shot("case-timeline-monster", "/cases/MONSTER/", ALL),
    Shot("case-table", f"/cases/{CFS}/?as=table", ("",)),
    Shot("case-waiters", f"/cases/{SCALE}/waiters/", ALL),
    Shot("case-waiters-monster", "/cases/MONSTER/waiters/", ("",)),
    Shot("case-graph", f"/cases/{SCALE}/graph/", ALL),
    Shot("case-graph-monster", "/cases/MONSTER/graph/", ("",)),
    Shot("case-locks", f"/cases/{GFS2}/locks/", ALL),
    Shot("case-locks-cfs", f"/cases/{CFS}/locks/", ("dark",)),
    Shot("case-settings", f"/cases/{CFS}/settings/"),
    Shot("case-files", f"/cases/{SCALE}/files/"),
    Shot("case-lines", f"/cases/{SCALE}/lines/?q=nsd02"),
    Shot("file-viewer", f"/cases/{GFS2}/", follow=".evidence-line a.address"),
    Shot("case-notes", f"/cases/{SCALE}/notes/", ("",)),
    Shot("case-history", f"/cases/{SCALE}/history/", ("",)),
    Shot("case-report", f"/cases/{GFS2}/report/"),
    Shot("compare", f"/compare/?a={CFS}", ALL),
    Shot("knowledge", "/knowledge/?part=kinds"),
    Shot("search", "/search/?q=nsd02"),
    Shot("share", f"/cases/{SCALE}/share/"),
    Shot("not-understood", "/not-understood/", ("",)),
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


def take(browser: Browser, address: str, bundle: Path) -> None:
    context = browser.new_context()
    first = context.new_page()
    first.goto(address)
    origin = address.split("/accounts/")[0]
    large = send(first, origin, bundle).removesuffix("/").rpartition("/")[2]
    for old in TARGET.glob("*.png"):
        old.unlink()
    for shot in SHOTS:
        for look in shot.looks:
            page = browser.new_context(storage_state=context.storage_state(), **LOOKS[look]).new_page()  # type: ignore[arg-type]  # a table
            page.goto(origin + shot.path.replace("MONSTER", large), wait_until="networkidle")
            if shot.follow:
                page.locator(shot.follow).first.click()
                page.wait_for_load_state("networkidle")
            page.screenshot(path=TARGET / f"{'-'.join(filter(None, (shot.name, look)))}.png")
            page.context.close()
    refuse_large()


def refuse_large() -> None:
    """The repository holds these files: they stay small, one by one and together."""
    sizes = {path.name: path.stat().st_size for path in TARGET.glob("*.png")}
    too_large = [name for name, size in sizes.items() if size > MOST_BYTES]
    if too_large or sum(sizes.values()) > MOST_OF_ALL:
        raise SystemExit(f"too large: {', '.join(too_large) or 'all together'} ({sum(sizes.values()):,} bytes in all)")


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is not installed; scripts/test-deps.sh says how")
    TARGET.mkdir(parents=True, exist_ok=True)
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.getuid() == 0 else [])]
    with tempfile.TemporaryDirectory() as folder, running() as address, sync_playwright() as playwright:
        bundle = monster.write(Path(folder) / "monster.tar.gz", MONSTER_SAMPLES)
        take(playwright.chromium.launch(executable_path=chromium, args=arguments), address, bundle)


if __name__ == "__main__":
    main()
