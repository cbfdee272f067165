"""What stands above every page of a case: title, chips, tabs, actions (components/_case_head.html)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from django.urls import reverse
from django.utils.http import urlencode

from apps.cases.models import Case
from apps.cases.page.banners import banners
from apps.cases.page.product_names import PRODUCTS
from apps.cases.page.wallclock import window_text, zone_text
from apps.privacy.services import credentials_n
from apps.web.templatetags.lockscope import thousands

Tab = Literal["timeline", "waiters", "locks", "graph", "settings", "files", "notes", "history"]
TABS: tuple[tuple[Tab, str, str], ...] = (
    ("timeline", "Timeline", "diagnosis:timeline"),
    ("waiters", "Waiters", "diagnosis:waiters"),
    ("locks", "Locks", "diagnosis:locks"),
    ("graph", "Wait graph", "diagnosis:graph"),
    ("settings", "Settings", "diagnosis:settings"),
    ("files", "Files", "cases:files"),
    ("notes", "Notes", "cases:notes"),
    ("history", "History", "cases:history"),
)
SHARED: frozenset[Tab] = frozenset(("waiters", "graph", "locks", "settings"))
"""Tabs that a share link shows beside the timeline."""
AT_HAND: frozenset[Tab] = frozenset(("timeline", "waiters", "graph", "files"))
"""Tabs that a phone shows; the others are under "More" there."""


def case_head(
    case: Case,
    *,
    current: Tab | Literal[""],
    title: str = "",
    crumbs: Sequence[dict[str, str]] = (),
    chips: Sequence[dict[str, Any]] | None = None,
    actions: Sequence[dict[str, Any]] = (),
    view: str = "",
    files: int | None = None,
) -> dict[str, Any]:
    """`view` is the query string that a share link made from this page shall keep. A page below a tab or none gives
    crumbs of its own.

    `files` is how many the case has, where the page knows it already.
    """
    home = reverse("diagnosis:timeline", args=[case.key])
    own = [{"label": case.customer}] if case.customer else []
    key = {"label": case.key, "url": home} if crumbs else {"label": case.key}
    return {
        "title": title or case.title,
        "crumbs": [{"label": "Cases", "url": reverse("cases:list")}, *own, key, *crumbs],
        "chips": [*_warnings(case), *case_chips(case), *_work_chips(case)] if chips is None else list(chips),
        "notices": banners(case),
        "actions": [*actions, *_actions(case, _shared_view(current, view))],
        "copies_link": not case.may_own,
        "menu": _menu(case),
        "tabs": _tabs(case, current, case.artifacts.originals().count() if files is None else files),
        "back_url": reverse("cases:list"),
    }


def _shared_view(current: Tab | Literal[""], view: str) -> str:
    """What a link made here shall open: the same page, where a link shows it."""
    return "&".join(part for part in (f"tab={current}" if current in SHARED else "", view) if part)


def _warnings(case: Case) -> list[dict[str, Any]]:
    """For the team only: a shared page has other chips."""
    found = credentials_n(case)
    lines = f"{found} line{'' if found == 1 else 's'} with credentials"
    return (
        [{"label": lines, "url": f"{reverse('cases:files', args=[case.key])}#credentials", "is_bad": True}]
        if found
        else []
    )


def case_chips(case: Case) -> list[dict[str, Any]]:
    date, times = window_text(case.window_start_us, case.window_end_us, zone_text(case.zone_name, case.zone_min))
    chips: list[dict[str, Any]] = [{"label": PRODUCTS.get(product, product)} for product in case.products]
    if case.nodes_n:
        chips.append({"label": f"{thousands(case.nodes_n)} node{'' if case.nodes_n == 1 else 's'}"})
    if times:
        over_days = date.endswith("–")
        chips.append({"label": f"{date} {times}"} if over_days else {"label": date, "strong": times})
    chips.append({"label": case.get_state_display()})
    if case.is_sample:
        chips.append({"label": "sample"})
    if case.is_trashed:
        chips.append({"label": "in the trash"})
    elif case.is_archived:
        chips.append({"label": "archived"})
    return chips


def _work_chips(case: Case) -> list[dict[str, Any]]:
    """For those on the case; shared pages name no colleague."""
    return [{"label": "assigned to", "strong": str(case.assignee)}] if case.assignee else []


def _tabs(case: Case, current: Tab | Literal[""], files: int) -> list[dict[str, Any]]:
    counts = {"files": files, "notes": case.notes.count()}
    return [
        {
            "name": name,
            "label": label,
            "url": reverse(url, args=[case.key]),
            "count": counts.get(name),
            "is_current": name == current,
        }
        | {"is_aside": name not in AT_HAND}
        for name, label, url in TABS
    ]


def _actions(case: Case, view: str) -> list[dict[str, Any]]:
    compare = {"label": "Compare…", "url": f"{reverse('diagnosis:compare')}?{urlencode({'a': case.key})}"}
    if not case.may_edit or case.is_trashed:
        return [compare]
    add = {"label": "Add files", "url": reverse("ingest:add", args=[case.key]), "takes_drops": True}
    if not case.may_own:
        return [add, compare]
    share = reverse("sharing:dialog", args=[case.key])
    address = f"{share}?{urlencode({'view': view})}" if view else share
    return [add, compare, {"label": "Share", "url": address, "primary": True, "module": "share-opener"}]


def _exports(case: Case) -> list[dict[str, Any]]:
    kinds = (
        ("Report to print", "report"),
        ("Export as Markdown", "export_markdown"),
        ("Export as JSON", "export_json"),
        ("Export as one HTML file", "export_html"),
    )
    return [{"label": label, "url": reverse(f"diagnosis:{name}", args=[case.key])} for label, name in kinds]


def _menu(case: Case) -> list[dict[str, Any]]:
    menu: list[dict[str, Any]] = _exports(case) if case.current_diagnosis_id else []
    if case.may_edit:
        menu.append({"label": "Rename, state, assign", "url": reverse("cases:edit", args=[case.key])})
    menu += [
        {"label": label, "url": reverse(f"cases:{name}", args=[case.key])}
        for label, name in (("People", "people"), ("Archive & hold", "keeping"))
    ]
    if case.may_own and not case.is_trashed and not case.is_archived:
        menu.append({"label": "Move to another team", "url": reverse("cases:transfer", args=[case.key])})
    if case.may_own and case.is_trashed:
        menu.append({"label": "Restore from the trash", "url": reverse("cases:restore", args=[case.key])})
    elif case.may_own:
        menu.append({"label": "Move to the trash", "url": reverse("cases:trash", args=[case.key]), "danger": True})
    return menu
