"""What nobody judged: the list over all cases, and the forms that lines, rows and waits of it fill."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.pages.learning.starts import wait_token
from apps.diagnosis.services import diagnose_case
from apps.learning.models import TeamEntry
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.learning.pack import ALARM, LOG, in_force
from tests.learning.test_pages import FILLED, fields
from tests.learning.test_preview import OUTPUT, PATHS, WAITS
from tests.shown import shown

pytestmark = pytest.mark.django_db
LIST = "/unjudged/"


def texts(page: str) -> list[str]:
    return re.findall(r'class="unjudged-text"><code>([^<]*)', page)


def sent(client: Client, address: str, **changed: str) -> Any:
    return client.post(address, fields(client.get(address).content.decode()) | FILLED | changed)


def test_the_gravest_and_those_of_most_cases_stand_first_and_quiet_ones_are_requested(
    client: Client, folk: People
) -> None:
    for text in (LOG, LOG, ALARM.replace(b"gridmap", b"moorings")):
        read_into(make_case(folk.team), text, "messages")
    read_into(make_case(folk.other_team), LOG.replace(b"gridmap", b"secretmap"), "messages")
    client.force_login(folk.bob)
    page = shown(client.get(LIST))
    assert texts(page)[:2] == [
        "gridmap: table of cod9 has failed, input/output error",
        "moorings: table of cod9 has failed, input/output error",
    ]
    assert "session opened" not in page
    assert "secretmap" not in page
    quiet = shown(client.get(LIST, {"quiet": "1"}))
    assert "session opened" in quiet
    assert "ticket for lun7 was lost after 31 s" in texts(quiet)
    assert texts(shown(client.get(LIST, {"q": "moorings"}))) == [texts(page)[1]]
    client.force_login(folk.charlie)
    assert "gridmap" not in shown(client.get(LIST, {"quiet": "1"}))


def test_one_click_leads_to_the_form_and_what_an_entry_knows_says_so(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, LOG, "messages")
    client.force_login(folk.bob)
    page = shown(client.get(LIST, {"quiet": "1", "q": "ticket for"}))
    form = f"{reverse('learning:means', args=[case.key, case.artifacts.get().pk])}?line=4"
    assert f'href="{form}"' in page
    assert fields(shown(client.get(form)))["program"] == "grantd"
    in_force(folk.team, folk.alice)
    assert "known by now: ticket-lost" in shown(client.get(LIST, {"quiet": "1", "q": "ticket for"}))


def test_a_row_of_a_listing_fills_column_condition_and_value(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, PATHS, "paths.txt")
    client.force_login(folk.bob)
    address = f"{reverse('learning:means', args=[case.key, case.artifacts.get().pk])}?line=5"
    filled = fields(shown(client.get(address)))
    assert (filled["of"], filled["table"], filled["column"], filled["operator"]) == (
        "table",
        "DiskPath",
        "state",
        "is",
    )
    assert filled["value"] == "active ghost running"
    answer = sent(client, address, operator="holds", value="ghost", title="Path {about} is a ghost", name="ghost-path")
    assert answer.status_code == 302
    row = TeamEntry.objects.get().versions.get().row
    assert (row["column"], row["operator"], row["value"], row["object"]) == ("state", "holds", "ghost", "device")
    refused = sent(client, address, operator="above", value="ghost", name="other-path")
    assert "holds words: they are no more and no less than a figure" in shown(refused)


def test_a_kind_of_wait_fills_the_form_from_the_page_of_waiters(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, WAITS, "waiters.txt")
    client.force_login(folk.bob)
    address = reverse("learning:means_wait", args=[case.key, wait_token("MothThread waiting for moth queue drain")])
    assert f'href="{address}"' in shown(client.get(reverse("diagnosis:waiters", args=[case.key])))
    assert f'href="{address}"' in shown(client.get(LIST))
    answer = sent(client, address, weight="disaster", title="Threads wait for the moth queue", name="moth-queue")
    assert answer.status_code == 302
    assert TeamEntry.objects.get().versions.get().row["waits"] is True
    unknown = reverse("learning:means_wait", args=[case.key, wait_token("nothing of the kind")])
    assert client.get(unknown).status_code == 404


def test_a_line_without_a_reader_fills_the_tool_and_keeps_no_digits(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, OUTPUT, "frobs.txt")
    client.force_login(folk.bob)
    address = f"{reverse('learning:means', args=[case.key, case.artifacts.get().pk])}?line=2"
    filled = fields(shown(client.get(address)))
    assert (filled["of"], filled["output"], filled["kind-0"]) == ("output", "frobstat", "kept")
    assert sent(client, address, name="spindle-wobbles", title="Spindle wobbles").status_code == 302


BAD: dict[str, tuple[dict[str, str], str]] = {
    "fits everything": ({f"kind-{number}": "any" for number in range(9)}, "keeps no word"),
    "too few letters": ({"kind-0": "out", "kind-1": "out", "kind-2": "out", "kind-3": "kept", "word-3": "now"}, "keep"),
    "a step that writes": ({"commands": "frobstat --reset all"}, "the word reset"),
    "digits of a line that nobody reads": ({"kind-1": "kept"}, "digits of lines that nobody reads"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_one_is_refused_with_its_reason_and_judges_nothing(client: Client, folk: People, name: str) -> None:
    changed, reason = BAD[name]
    case: Case = make_case(folk.team)
    read_into(case, OUTPUT, "frobs.txt")
    client.force_login(folk.bob)
    address = f"{reverse('learning:means', args=[case.key, case.artifacts.get().pk])}?line=2"
    answer = sent(client, address, **({"name": "spindle-wobbles", "title": "Spindle wobbles"} | changed))
    assert answer.status_code == 422
    assert reason in shown(answer).lower()
    assert not TeamEntry.objects.exists()


def test_the_look_keeps_nothing_and_says_where_it_would_speak(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, LOG, "messages")
    client.force_login(folk.bob)
    address = f"{reverse('learning:means', args=[case.key, case.artifacts.get().pk])}?line=4"
    answer = sent(client, address, look="1", title="Ticket for {about} lost")
    page = shown(answer)
    assert answer.status_code == 200
    assert "1 line in 1 case" in page
    assert "Ticket for lun7 lost on cod3" in page
    assert "In this case" in page
    assert not TeamEntry.objects.exists()


def test_an_alarm_without_a_rule_leads_to_the_form(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, LOG, "messages")
    client.force_login(folk.bob)
    page = shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    assert f"{reverse('learning:means', args=[case.key, case.artifacts.get().pk])}?line=6" in page
    in_force(
        folk.team, folk.alice, **{"from": "kernel", "match": ["gridmap table of", {"named": "node"}, "has failed"]}
    )
    diagnose_case(case.pk)
    page = shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    assert f"{case.artifacts.get().pk}/means/" not in page
