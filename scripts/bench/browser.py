"""What a reader's browser measures on a case of five million samples and 200 nodes: paint, zoom, long tasks, scripts,
layout jumps.

``python -m scripts.bench.browser`` prints the table and writes docs/benchmarks_browser.md. ``BENCH_SAMPLES`` sets the
size of the case.
"""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from scripts.bench import monster
from scripts.bench.served import BASE_DIR, address_in

PAGE: Final = BASE_DIR / "docs" / "benchmarks_browser.md"
READ_LIMIT_MS: Final = 900_000
ZOOMS: Final = 6
LIST_REQUESTS: Final = 100
YARDSTICK_STEPS: Final = 10_000_000
WATCH: Final = """
window.bench = { long: [], shift: 0, useful: null };
new PerformanceObserver((list) => list.getEntries().forEach((one) => bench.long.push(one.duration)))
  .observe({ type: "longtask", buffered: true });
new PerformanceObserver((list) => list.getEntries().forEach((one) => { if (!one.hadRecentInput) bench.shift += one.value; }))
  .observe({ type: "layout-shift", buffered: true });
"""  # noqa: E501 - as the tool prints it
PAINT: Final = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
SCRIPTS: Final = """performance.getEntriesByType("resource").filter((one) => /\\.m?js(\\?|$)/.test(one.name))
  .reduce((sum, one) => sum + one.encodedBodySize, 0)"""
ZOOM: Final = """async (key) => {
  const lanes = document.querySelector(".lanes");
  lanes.focus();
  const start = performance.now();
  lanes.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const drawn = performance.now() - start;
  const end = performance.now() + 5000;
  await new Promise((done) => setTimeout(done, 200));
  while (document.querySelector(".lane-loading") && performance.now() < end) await new Promise((done) => setTimeout(done, 5));
  return [drawn, performance.now() - start];
}"""  # noqa: E501 - as the tool prints it


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table."""

    what: str
    measured: str
    target: str


@contextmanager
def program(place: Path) -> Iterator[str]:
    """The program as one engineer starts it, on a place of its own; the address that signs in."""
    log = place / "log"
    env = {name: value for name, value in os.environ.items() if not name.startswith("LOCKSCOPE_")} | {
        "LOCKSCOPE_VAR": str(place / "var")
    }
    with log.open("wb") as out:
        running = subprocess.Popen(
            [sys.executable, "scripts/dev.py"], cwd=BASE_DIR, env=env, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        address = address_in(running, log)
        fill = [sys.executable, "-m", "scripts.bench.monster"]
        subprocess.run(fill, cwd=BASE_DIR, env=env, check=True)  # noqa: S603  our own module
        yield address
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(30)


def measure(browser: Browser, address: str, bundle: Path) -> list[Row]:
    """Send the case, wait until it is read, then look at its pages with nothing cached."""
    origin = "/".join(address.split("/", 3)[:3])
    context = browser.new_context(viewport={"width": 1500, "height": 1000})
    first = context.new_page()
    first.goto(address)
    case = send(first, origin, bundle)
    state = context.storage_state()
    rows = []
    for name, path in (
        ("timeline", case),
        ("waiters", f"{case}waiters/"),
        ("wait graph", f"{case}graph/"),
        ("cases", f"{origin}/"),
    ):
        rows += _page(browser.new_context(storage_state=state, viewport={"width": 1500, "height": 1000}), name, path)
    return [*rows, _list(context, origin), *_search(context, origin)]


def send(page: Page, origin: str, bundle: Path) -> str:
    page.goto(f"{origin}/upload/")
    page.wait_for_selector("html[data-mounted]", state="attached")
    page.locator("input[type=file][name=file]").set_input_files(str(bundle))
    page.wait_for_url("**/cases/*/upload/", timeout=READ_LIMIT_MS)
    case = page.url.removesuffix("upload/")
    page.get_by_role("heading", name="All files are read").wait_for(timeout=READ_LIMIT_MS)
    return case


def _page(context: BrowserContext, name: str, path: str) -> list[Row]:
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(path, wait_until="networkidle")
    page.wait_for_timeout(500)
    found: dict[str, Any] = page.evaluate("bench")
    rows = [
        Row(f"{name}: first paint of text", f"{page.evaluate(PAINT):.0f} ms", "< 1000 ms"),
        Row(f"{name}: longest task", f"{max(found['long'], default=0):.0f} ms", "< 200 ms"),
        Row(f"{name}: scripts as sent", f"{page.evaluate(SCRIPTS) / 1000:.0f} kB", "< 300 kB"),
        Row(f"{name}: layout shift", f"{found['shift']:.3f}", "< 0.02"),
    ]
    if name == "timeline":
        rows += _zooms(page)
    context.close()
    return rows


def _zooms(page: Page) -> list[Row]:
    times = [page.evaluate(ZOOM, key) for key in ("+", "+", "ArrowRight", "+", "-", "0")[:ZOOMS]]
    drawn, refined = max(one[0] for one in times), max(one[1] for one in times)
    return [
        Row("timeline: zoom to redrawn, worst of six", f"{drawn:.0f} ms", "< 200 ms"),
        Row("timeline: zoom to refined by the server, with 160 ms of rest before it asks", f"{refined:.0f} ms", ""),
    ]


def _list(context: BrowserContext, origin: str) -> Row:
    """The list of cases as a program fetches it, with what the way there and back costs."""
    times = []
    for _ in range(LIST_REQUESTS):
        start = time.perf_counter()
        context.request.get(f"{origin}/")
        times.append(1000 * (time.perf_counter() - start))
    worst = sorted(times)[LIST_REQUESTS * 95 // 100 - 1]
    return Row(f"list of {monster.CASES:,} cases, p95 of {LIST_REQUESTS} requests", f"{worst:.0f} ms", "< 100 ms")


def _search(context: BrowserContext, origin: str) -> list[Row]:
    rows = []
    for words in ("tmMsgRevoke", "n1234", "lazy_isize_enable of node n77"):
        start = time.perf_counter()
        context.request.get(f"{origin}/search/?q={words.replace(' ', '+')}")
        rows.append(
            Row(
                f"search over {monster.CASES:,} cases: {words}",
                f"{1000 * (time.perf_counter() - start):.0f} ms",
                "< 1000 ms",
            )
        )
    return rows


def yardstick() -> float:
    """Seconds of a loop of plain Python: shared machines are twice as fast at one hour as at another."""
    start = time.perf_counter()
    total = 0
    for number in range(YARDSTICK_STEPS):
        total += number
    return time.perf_counter() - start


def table(rows: list[Row], samples: int, pace: tuple[float, float]) -> str:
    """The page docs/benchmarks_browser.md. ``pace``: the yardstick before and after."""
    machine = f"{os.cpu_count()} cores, SQLite, Chromium of Debian, Python {platform.python_version()}"
    case = f"a case of {samples:,} samples and {monster.NODES} nodes"
    head = f"Measured {datetime.now(UTC):%d %B %Y} on {case}: {machine}. Nothing was cached."
    speed = f"Ten million additions in a loop of Python took {pace[0]:.2f} s before and {pace[1]:.2f} s after."
    lines = [f"| {row.what} | {row.measured} | {row.target} |" for row in rows]
    return "\n".join(
        ["# In the browser", "", head, speed, "", "| what | measured | target |", "| --- | --- | --- |", *lines, ""]
    )


def main() -> None:
    """Measure, print, write."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.stdout.write("chromium is not installed: nothing was measured in the browser\n")
        return
    samples = int(os.environ.get("BENCH_SAMPLES", "5000000"))
    folder = Path(os.environ.get("BENCH_DIR", Path(tempfile.gettempdir()) / "lockscope-bench"))
    folder.mkdir(parents=True, exist_ok=True)
    bundle = monster.write(folder / f"monster-{samples}.tar.gz", samples)
    place = Path(tempfile.mkdtemp(prefix="lockscope-browser-"))
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.getuid() == 0 else [])]
    before = yardstick()
    try:
        with program(place) as address, sync_playwright() as playwright:
            rows = measure(playwright.chromium.launch(executable_path=chromium, args=arguments), address, bundle)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    text = table(rows, samples, (before, yardstick()))
    PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
