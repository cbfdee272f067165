"""The API: who may call what, what it answers, and the page of tokens."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Team, TeamMembership, User
from apps.api.models import ApiToken
from apps.api.services import create_token
from apps.cases.lifetime.keeping import archive_case
from apps.cases.models import Case
from apps.sharing.models import ShareLink
from tests.builders import People, build_case, make_case

pytestmark = pytest.mark.django_db


class Program:
    """Calls the API with a token."""

    def __init__(self, user: User | None, scope: str = "write") -> None:
        self.client = Client()
        self.headers = (
            {"Authorization": f"Bearer {create_token(user=user, name='t', scope=scope, days=5).text}"} if user else {}
        )

    def call(self, method: str, path: str, data: Any = None) -> Any:
        body = {"data": json.dumps(data), "content_type": "application/json"} if data is not None else {}
        return getattr(self.client, method)(f"/api/v1/{path}", headers=self.headers, **body)

    def get(self, path: str) -> Any:
        return self.call("get", path)


PARTS = ("", "bundles/", "state/", "analysis/", "waiters/", "notes/")


@pytest.mark.parametrize("part", PARTS)
def test_each_person_reads_what_the_pages_would_show_them(folk: People, part: str) -> None:
    case = build_case(folk.team).case
    address = f"cases/{case.key}/{part}"
    assert Program(folk.alice).get(address).status_code == 200
    assert Program(folk.bob, "read").get(address).status_code == 200
    assert Program(folk.charlie).get(address).status_code == 404
    assert Program(None).get(address).status_code == 401


WRITES = (
    ("patch", "cases/{key}/", {"title": "New"}, 200),
    ("post", "cases/{key}/notes/", {"text": "look"}, 201),
    ("post", "cases/{key}/bundles/", {"transcript": "carp1# uptime\n"}, 201),
)


@pytest.mark.parametrize(("method", "path", "data", "status"), WRITES)
def test_writing_needs_a_token_that_may_write_and_a_role_in_the_case(
    folk: People, method: str, path: str, data: Any, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.api.views.queue_bundle", lambda bundle: None)
    address = path.format(key=make_case(folk.team).key)
    assert Program(folk.alice, "read").call(method, address, data).status_code == 403
    assert Program(folk.charlie).call(method, address, data).status_code == 404
    assert Program(None).call(method, address, data).status_code == 401
    assert Program(folk.bob).call(method, address, data).status_code == status


def test_the_list_holds_only_cases_of_ones_own_and_pages_by_cursor(folk: People) -> None:
    mine = [make_case(folk.team, f"Hang {number}").key for number in range(3)]
    make_case(folk.other_team, "Secret hang")
    first = Program(folk.alice).get("cases/?limit=2&q=hang").json()
    rest = Client().get(first["next"], headers=Program(folk.alice).headers).json()
    assert sorted(row["key"] for row in first["results"] + rest["results"]) == sorted(mine)
    assert rest["next"] is None


def test_a_case_is_made_changed_and_put_into_the_trash(folk: People) -> None:
    program = Program(folk.alice)
    made = program.call("post", "cases/", {"title": "Slow reads", "customer": "Bank"})
    assert (made.status_code, made.json()["team"]) == (201, folk.team.slug)
    key = made.json()["key"]
    changed = program.call("patch", f"cases/{key}/", {"state": "solved", "ticket": "TS1"}).json()
    assert (changed["state"], changed["ticket"], changed["title"]) == ("solved", "TS1", "Slow reads")
    assert Program(folk.bob).call("delete", f"cases/{key}/").status_code == 403
    assert program.call("delete", f"cases/{key}/").status_code == 204
    assert Case.objects.get(key=key).is_trashed


def test_t30_guessing_tokens_is_limited(folk: People) -> None:
    cache.clear()
    bad = {"Authorization": "Bearer lsc_" + "x" * 27}
    statuses = [Client().get("/api/v1/cases/", headers=bad).status_code for _ in range(21)]
    assert (statuses[19], statuses[20]) == (401, 429)
    assert Program(folk.alice).get("cases/").status_code == 200  # a good token, from the same address


def test_t30_an_ended_token_is_no_guess(folk: People) -> None:
    cache.clear()
    ended = Program(folk.alice)
    ApiToken.objects.update(revoked_at=timezone.now())
    assert {ended.get("cases/").status_code for _ in range(30)} == {401}
    bad = {"Authorization": "Bearer lsc_" + "x" * 27}
    assert Client().get("/api/v1/cases/", headers=bad).status_code == 401


def test_an_archived_case_is_read_by_programs_and_not_changed(folk: People) -> None:
    case, program = make_case(folk.team), Program(folk.alice)
    archive_case(case, by=folk.alice)
    assert program.get(f"cases/{case.key}/").status_code == 200
    assert program.call("patch", f"cases/{case.key}/", {"title": "New"}).status_code == 409
    assert program.call("post", f"cases/{case.key}/notes/", {"text": "late"}).status_code == 409
    assert program.call("delete", f"cases/{case.key}/").status_code == 204


def test_a_team_of_others_is_not_to_be_had(folk: People) -> None:
    refused = Program(folk.alice).call("post", "cases/", {"title": "x", "team": folk.other_team.slug})
    assert refused.status_code == 422
    assert refused["Content-Type"] == "application/problem+json"


def test_an_upload_is_kept_and_queued(folk: People, monkeypatch: pytest.MonkeyPatch) -> None:
    queued: list[int] = []
    monkeypatch.setattr("apps.api.views.queue_bundle", lambda bundle: queued.append(bundle.pk))
    case, program = make_case(folk.team), Program(folk.bob)
    file = SimpleUploadedFile("waiters.txt", b"=== mmdiag: waiters ===\n")
    answer = program.client.post(f"/api/v1/cases/{case.key}/bundles/", {"file": file}, headers=program.headers)
    assert answer.status_code == 201
    assert [row["filename"] for row in answer.json()["results"]] == ["waiters.txt"]
    assert queued == [case.bundles.get().pk]
    assert program.call("post", f"cases/{case.key}/bundles/", {}).status_code == 422


def test_a_link_is_made_and_revoked(folk: People) -> None:
    case, program = make_case(folk.team), Program(folk.alice)
    assert Program(folk.bob).call("post", f"cases/{case.key}/links/", {"days": 3}).status_code == 403  # an owner shares
    made = program.call("post", f"cases/{case.key}/links/", {"days": 3, "note": "for them"}).json()
    assert "/s/" in made["address"]
    listed = program.get(f"cases/{case.key}/links/").json()["results"]
    assert [row["id"] for row in listed] == [made["id"]]
    assert "address" not in listed[0]
    assert program.call("delete", f"cases/{case.key}/links/{made['id']}/").status_code == 204
    assert not ShareLink.objects.get(pk=made["id"]).is_open


def test_a_link_of_another_case_is_not_found(folk: People) -> None:
    other = Program(folk.charlie).call("post", f"cases/{make_case(folk.other_team).key}/links/", {"days": 3}).json()
    mine = make_case(folk.team)
    assert Program(folk.alice).call("delete", f"cases/{mine.key}/links/{other['id']}/").status_code == 404
    assert ShareLink.objects.get(pk=other["id"]).is_open


@pytest.mark.parametrize(
    "change",
    [{"revoked_at": timezone.now()}, {"ends_at": timezone.now(), "created_at": timezone.now() - timedelta(days=3)}],
)
def test_a_token_that_ended_or_was_revoked_opens_nothing(folk: People, change: dict[str, Any]) -> None:
    program = Program(folk.alice)
    ApiToken.objects.update(**change)
    refused = program.get("cases/")
    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, "Bearer")


def test_the_token_of_a_closed_account_opens_nothing(folk: People) -> None:
    program = Program(folk.alice)
    User.objects.filter(pk=folk.alice.pk).update(is_active=False)
    assert program.get("cases/").status_code == 401


def test_a_session_is_no_token(client: Client, folk: People) -> None:
    client.force_login(folk.alice)
    assert client.get("/api/v1/cases/").status_code == 401


def test_an_address_that_means_nothing_is_reported_as_a_problem(folk: People) -> None:
    answer = Program(folk.alice).get("nonsense/")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_the_text_of_a_token_is_shown_once_and_kept_nowhere(client: Client, folk: People) -> None:
    client.force_login(folk.alice)
    page = client.post("/tokens/", {"name": "nightly", "scope": "read", "days": "30"})
    text = page.context["fresh"].text
    assert text in page.content.decode()
    assert text not in client.get("/tokens/").content.decode()
    assert not ApiToken.objects.filter(token_hash__contains=text).exists()
    assert client.post("/tokens/", {"name": "", "scope": "read", "days": "0"}).status_code == 422


def test_only_ones_own_tokens_are_seen_and_revoked(client: Client, folk: People) -> None:
    token = create_token(user=folk.alice, name="mine", scope="read", days=3).token
    client.force_login(folk.bob)
    assert "mine" not in client.get("/tokens/").content.decode()
    assert client.post(f"/tokens/{token.pk}/revoke/").status_code == 404
    client.force_login(folk.alice)
    assert client.post(f"/tokens/{token.pk}/revoke/").status_code == 302
    token.refresh_from_db()
    assert not token.is_open


FOUND = ("findings/", "tunings/", "graph/", "series/", "seen-before/", "exports/md/", "exports/json/", "exports/html/")


@pytest.mark.parametrize("part", FOUND)
def test_what_was_found_is_read_by_those_who_see_the_case(folk: People, part: str) -> None:
    address = f"cases/{build_case(folk.team).case.key}/{part}"
    assert Program(folk.bob, "read").get(address).status_code == 200
    assert Program(folk.charlie).get(address).status_code == 404
    assert Program(None).get(address).status_code == 401
    assert Program(folk.alice).get(f"cases/{make_case(folk.team).key}/{part}").status_code == (
        200 if part == "seen-before/" else 404
    )


@pytest.mark.parametrize(
    "query",
    [
        "findings/?severity=worst",
        "waiters/?page=0",
        "waiters/?category=9",
        "graph/?at=-1",
        "series/?width=1",
        "notes/?limit=x",
    ],
)
def test_a_value_that_a_filter_cannot_have_is_refused(folk: People, query: str) -> None:
    answer = Program(folk.alice).get(f"cases/{build_case(folk.team).case.key}/{query}")
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")


def test_a_made_up_cursor_leads_nowhere(folk: People) -> None:
    program = Program(folk.alice)
    for place in ("x", "p=nonsense", "o=99999999999999999999", "p=%00", "p=2031-13-45T25:61:61Z", "p=1e309", "r=1&p=[[",
                  "p=9999-12-31T23:59:59-23:59", "p=0001-01-01T00:00:00%2B23:59", "p=" + "9" * 400):  # fmt: skip
        cursor = base64.b64encode(place.encode()).decode()
        assert program.get(f"cases/?cursor={quote(cursor)}").status_code in {200, 404}, place
    assert program.get("cases/?cursor=x").status_code in {200, 404}


def test_findings_and_tunings_are_narrowed(folk: People) -> None:
    key, program = build_case(folk.team).case.key, Program(folk.alice)
    assert [one["ref"] for one in program.get(f"cases/{key}/findings/?severity=medium").json()["results"]] == ["SC-02"]
    assert program.get(f"cases/{key}/tunings/?status=applied").json()["results"] == []
    assert [one["id"] for one in program.get(f"cases/{key}/tunings/?status=recommended").json()["results"]] == [
        "disk-check"
    ]


def test_what_has_not_changed_is_not_sent_again(folk: People) -> None:
    key, program = build_case(folk.team).case.key, Program(folk.alice)
    first = program.get(f"cases/{key}/")
    program.headers["If-None-Match"] = first["ETag"]
    assert program.get(f"cases/{key}/").status_code == 304
    assert program.call("patch", f"cases/{key}/", {"title": "Other"}).status_code == 200
    assert program.get(f"cases/{key}/").status_code == 200


def test_a_case_is_assigned_and_solved_in_one_request_or_not_at_all(folk: People) -> None:
    key, program = make_case(folk.team).key, Program(folk.alice)
    done = program.call("patch", f"cases/{key}/", {"assignee": "bob", "state": "solved", "solution": "New path"}).json()
    assert (done["assignee"], done["state"], done["solution"]) == ("bob", "solved", "New path")
    for nobody in ("charlie", "who-is-that"):
        refused = program.call("patch", f"cases/{key}/", {"title": "Half", "assignee": nobody})
        assert (refused.status_code, refused.json()["detail"]) == (
            422,
            "A case is assigned to somebody who may change it.",
        )
    assert Case.objects.get(key=key).title != "Half"
    assert program.call("patch", f"cases/{key}/", {"assignee": None}).json()["assignee"] is None


def test_a_link_of_any_level_with_a_password_and_a_limit_and_another_end(folk: People) -> None:
    case, program = build_case(folk.team).case, Program(folk.alice)
    sent = {"level": "colleague", "password": "heron-over-weir", "views_most": 3, "days": 2}
    made = program.call("post", f"cases/{case.key}/links/", sent).json()
    assert (made["level"], made["has_password"], made["views_most"]) == ("colleague", True, 3)
    assert "password" not in made
    changed = program.call("patch", f"cases/{case.key}/links/{made['id']}/", {"days": 20}).json()
    assert changed["ends_at"] > made["ends_at"]
    assert program.call("delete", f"cases/{case.key}/links/{made['id']}/").status_code == 204
    assert program.call("patch", f"cases/{case.key}/links/{made['id']}/", {"days": 20}).status_code == 409
    assert program.call("post", f"cases/{case.key}/links/", {"level": "world"}).status_code == 422


def test_a_new_case_without_a_team_goes_to_the_one_used_last(folk: People) -> None:
    TeamMembership.objects.create(user=folk.alice, team=folk.other_team, role="editor")
    Team.objects.create(name="A first by name", slug="first").memberships.create(user=folk.alice, role="editor")
    program = Program(folk.alice)
    assert program.call("post", "cases/", {"title": "x", "team": folk.other_team.slug}).status_code == 201
    assert program.call("post", "cases/", {"title": "y"}).json()["team"] == folk.other_team.slug
