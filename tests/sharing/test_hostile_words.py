"""T24 and T34 for shared pages: markup in any field stays text at every level, and errors and logs hold nothing of a
case.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from apps.cases.models import Note
from apps.diagnosis.models import Finding, Tuning
from apps.sharing.parts import PARTS
from apps.sharing.services import create_share_link, revoke_share_link
from tests.builders import Built, People, build_case
from tests.diagnosis.cases import summarise

pytestmark = pytest.mark.django_db

EVIL = (
    "\"'><img src=x onerror=alert(1)><svg/onload=alert(2)></script><script>alert(3)</script>"
    "{{7*7}}{% debug %}<b hx-get=/x hx-on:click=alert(4)>"
)
RUNS = ("<img src=x", "<svg/onload", "<script>alert", "</script><script", "<b hx-get")


@pytest.fixture(autouse=True)
def fresh_counters() -> None:
    cache.clear()


@pytest.fixture
def built(folk: People) -> Built:
    """A case whose every field tries to be markup."""
    made = build_case(folk.team, EVIL[:190], customer=EVIL[:110], ticket=EVIL[:70])
    folk.alice.display_name = EVIL[:140]
    folk.alice.save()
    Note.objects.create(case=made.case, author=folk.alice, text=EVIL, at_us=made.diagnosis.window_start_us)
    line = {"artifact": made.artifact.pk, "path": EVIL, "line": 4, "last_line": 6, "text": EVIL}
    Finding.objects.bulk_create(
        [
            Finding(
                diagnosis=made.diagnosis,
                order=7,
                rule="evil",
                ref="SC-09",
                severity="high",
                confidence=0.5,
                basis="stated",
                title=EVIL,
                explanation=EVIL,
                nodes=[EVIL],
                evidence=[line],
                disproved_by=EVIL,
                start_us=made.diagnosis.window_start_us,
                end_us=made.diagnosis.window_end_us,
                figures=[{"name": EVIL, "value": 1.0, "unit": EVIL, "limit": EVIL}],
            )
        ]
    )
    Tuning.objects.create(
        diagnosis=made.diagnosis,
        order=7,
        tuning_id="evil",
        parameter=EVIL[:110],
        scope=EVIL,
        current=EVIL,
        recommended=EVIL,
        status="recommended",
        commands=[EVIL],
        persist=EVIL,
        caution=EVIL,
        way_back=EVIL,
        verify=EVIL,
        why=EVIL,
    )
    edge = {"frm": EVIL, "to": f"x{EVIL}", "via": EVIL, "count": 3, "longest_s": 49.0, "resolved": True}
    summarise(made.diagnosis, waits_for=[edge], nodes=[{"name": EVIL, "aliases": [EVIL]}])
    return made


@pytest.mark.parametrize("level", ["colleague", "development", "customer"])
def test_t24_markup_stays_text_on_every_page_of_every_level(
    client: Client, folk: People, built: Built, level: str
) -> None:
    made = create_share_link(case=built.case, user=folk.alice, days=3, level=level, note=EVIL, view=EVIL)
    client.force_login(folk.alice)
    parts = [reverse("sharing:part", args=[made.token, name]) for name in PARTS]
    addresses = [
        reverse("sharing:page", args=[made.token]),
        *parts,
        reverse("sharing:dialog", args=[built.case.key]),
        reverse("sharing:links"),
    ]
    if level == "colleague":
        addresses += [reverse(f"sharing:{name}", args=[made.token]) for name in ("files", "notes")]
        addresses.append(reverse("sharing:file", args=[made.token, built.artifact.pk]))
    for address in addresses:
        answer = client.get(address, {"text": EVIL, "node": EVIL, "q": EVIL, "from": EVIL, "level": level})
        body = answer.content.decode()
        assert answer.status_code == 200, address
        assert not [words for words in RUNS if words in body], address
        assert "{{49}}" not in body
        assert ">49<" not in body
        assert "default-src 'self'" in answer["Content-Security-Policy"]


def test_t34_closed_links_errors_and_logs_hold_nothing_of_the_case(
    client: Client, folk: People, built: Built, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = create_share_link(case=built.case, user=folk.alice, days=3, password="slow-heron-over-the-weir")
    page = reverse("sharing:page", args=[made.token])

    def broken(*_args: Any, **_kwargs: Any) -> None:
        raise RuntimeError("a defect")

    bodies = []
    with caplog.at_level(logging.DEBUG):
        bodies.append(client.get(page))
        bodies.append(
            client.post(reverse("sharing:unlock", args=[made.token]), {"password": "slow-heron-over-the-wear"})
        )
        assert (
            client.post(
                reverse("sharing:unlock", args=[made.token]), {"password": "slow-heron-over-the-weir"}
            ).status_code
            == 302
        )
        bodies.append(client.get(reverse("sharing:part", args=[made.token, "nothing"])))
        monkeypatch.setattr("apps.sharing.views_shared.lanes", broken)
        bodies.append(Client(raise_request_exception=False).get(page))
        client.raise_request_exception = False
        bodies.append(client.get(page))
        assert bodies[-1].status_code == 500
        revoke_share_link(made.link, by=folk.alice)
        bodies.append(client.get(page))
    for body in bodies:
        text = body.content.decode()
        assert "onerror" not in text
        assert "lund" not in text.casefold()
        assert "/work/" not in text
        assert "Traceback" not in text
    logged = " ".join(record.getMessage() for record in caplog.records if not record.name.startswith("django.db"))
    for words in ("onerror", "lund_nsd07", "slow-heron"):
        assert words not in logged
