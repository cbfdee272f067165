"""What teams know, for programs."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import Role
from apps.api.services import create_token
from apps.learning.models import TeamEntry
from tests.builders import People, build_case, make_case, person
from tests.diagnosis.cases import read_into
from tests.learning.pack import LOG, ROW, in_force

pytestmark = pytest.mark.django_db
TEAM = "/api/v1/teams/lund-storage/knowledge/"


class Program:
    def __init__(self, user: Any, scope: str = "write") -> None:
        token = create_token(user=user, name="t", scope=scope, days=3).text
        self._client = Client(raise_request_exception=False)
        self._headers = {"Authorization": f"Bearer {token}"}

    def get(self, address: str) -> Any:
        return self._client.get(address, headers=self._headers)

    def send(self, address: str, body: dict[str, Any], method: str = "post") -> Any:
        call = getattr(self._client, method)
        return call(address, body, content_type="application/json", headers=self._headers)


def test_the_life_of_an_entry(folk: People) -> None:
    bob, alice = Program(folk.bob), Program(folk.alice)
    made = bob.send(TEAM, {"entry": ROW, "why": "seen twice"})
    assert made.status_code == 201
    entry = f"{TEAM}{made.json()['id']}/"
    assert (made.json()["state"], made.json()["entry"]) == ("draft", ROW | {"object": "disk"})
    assert alice.get(entry).status_code == 404
    assert alice.get(TEAM).json()["results"] == []
    assert bob.send(f"{entry}state/", {"state": "proposed"}).json()["state"] == "proposed"
    assert bob.send(f"{entry}state/", {"state": "in_force"}).status_code == 403
    assert alice.send(f"{entry}state/", {"state": "in_force"}).json()["in_force"] == 1
    changed = {"entry": ROW | {"title": "Lease of {about} lost"}, "seen": 1}
    assert bob.send(entry, changed, "patch").json()["latest"] == 2
    assert bob.send(entry, changed, "patch").status_code == 409
    assert bob.send(f"{entry}state/", {"state": "offered"}).status_code == 403
    assert alice.send(f"{entry}state/", {"state": "offered"}).json()["offered"] == 1
    assert alice.send(f"{entry}state/", {"state": "withdrawn", "why": "wrong"}).json()["state"] == "withdrawn"


def test_a_bad_one_is_refused_with_the_reason(folk: People) -> None:
    bob = Program(folk.bob)
    for row, reason in (
        (ROW | {"pattern": "tick.*"}, "no regular expression"),
        (ROW | {"match": [{"any": True}]}, "fits too much"),
        (ROW | {"commands": ["reboot"]}, "may change something"),
    ):
        answer = bob.send(TEAM, {"entry": row})
        assert (answer.status_code, reason in answer.json()["detail"]) == (422, True)
    assert bob.send(TEAM, {"entry": "no table"}).status_code == 422
    assert not TeamEntry.objects.exists()


def test_strangers_learn_nothing_and_viewers_and_tokens_that_read_change_nothing(folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    for address in (TEAM, f"{TEAM}{entry.pk}/", f"{TEAM}{entry.pk}/look/", f"{TEAM}pack/"):
        assert Program(folk.charlie).get(address).status_code == 404
    viewer = Program(person("vera", folk.team, Role.VIEWER))
    assert viewer.get(TEAM).status_code == 200
    assert viewer.send(TEAM, {"entry": ROW}).status_code == 403
    assert Program(folk.alice, "read").send(TEAM, {"entry": ROW}).status_code == 403


def test_a_pack_goes_out_and_comes_back(folk: People) -> None:
    in_force(folk.team, folk.alice)
    got = Program(folk.bob).get(f"{TEAM}pack/")
    assert got["Content-Type"].startswith("application/toml")
    other = "/api/v1/teams/perth-storage/knowledge/pack/"
    taken = Program(folk.charlie).send(other, {"toml": got.content.decode()})
    assert (taken.status_code, taken.json()) == (201, {"added": ["ticket-lost"], "changed": [], "same": []})
    refused = Program(folk.charlie).send(other, {"toml": '[[entry]]\npattern = "x"\n'})
    assert refused.status_code == 422


def test_where_it_would_speak_what_nobody_judged_and_what_it_was(folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, LOG, "messages")
    bob = Program(folk.bob)
    made = bob.send(TEAM, {"entry": ROW}).json()
    seen = bob.get(f"{TEAM}{made['id']}/look/").json()
    assert (seen["cases"], seen["lines"], seen["verdicts_changed"]) == (1, 1, 1)
    assert seen["results"][0]["verdict_then"]["title"] == "Ticket for lun7 lost on cod3"
    rows = bob.get("/api/v1/unjudged/?quiet=true").json()["results"]
    assert "ticket for lun7 was lost after 31 s" in [row["text"] for row in rows]
    assert Program(folk.charlie).get("/api/v1/unjudged/?quiet=true").json()["results"] == []
    address = f"/api/v1/cases/{case.key}/outcome/"
    assert bob.send(address, {"found": "finding", "sure": "maybe"}).status_code == 422
    assert bob.send(address, {"found": "finding", "sure": "proven"}).status_code == 201
    assert bob.get(address).json()["results"][0]["found"] == "finding"
    worth = bob.get("/api/v1/worth/").json()["results"]
    assert {row["name"]: row["confirmed"] for row in worth}["unexplained"] == 1
    assert Program(folk.charlie).get("/api/v1/worth/").json()["results"] == []
    built = build_case(folk.other_team)
    assert bob.get(f"/api/v1/cases/{built.case.key}/outcome/").status_code == 404
