"""What axe finds on a page: names, roles, order, contrast."""

from __future__ import annotations

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.watch import Watch

COLOUR_RULES = ["color-contrast", "link-in-text-block"]
NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
AGAIN = [
    ["tbody tr:nth-child(n+8)"],
    ["li:nth-child(n+10)"],
    [".menu > :nth-child(n+10)"],
    ["section.card > :nth-child(n+16)"],
    [".line:not(.is-chosen, .is-marked, .is-not-understood):nth-child(n+30)"],
]
"""What stands below others of its kind, made by the same lines of a template."""


def faults(page: Page, watch: Watch) -> list[str]:
    """Of all rules in light; in dark of those that look at colours, which is all that differs."""
    return [
        *_axe(page, watch, "light", {}),
        *_axe(page, watch, "dark", {"runOnly": {"type": "rule", "values": COLOUR_RULES}}),
    ]


def _axe(page: Page, watch: Watch, scheme: Literal["light", "dark"], options: dict[str, Any]) -> list[str]:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.evaluate(NEXT_FRAME)
    with watch.paused():  # axe itself writes inline styles, which the content policy refuses
        answer = (
            Axe()
            .run(page, context={"exclude": AGAIN}, options={"resultTypes": ["violations"], "preload": False, **options})
            .response
        )
    found = [(one["id"], node) for one in answer["violations"] for node in one["nodes"]]
    return [f"{scheme}: {rule}: {node['target']} {node['failureSummary']}" for rule, node in found]
