"""What the list of cases offers beside its rows: views by name, the list as a file, and marks to compare two."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import Role, TeamMembership
from apps.audit.models import AuditEvent
from apps.cases.models import Case, SavedView
from apps.cases.overview import saved_views
from tests.builders import People, build_case, make_case, person
from tests.shown import shown

pytestmark = pytest.mark.django_db


def keep(client: Client, name: str, address: str, **fields: Any) -> Any:
    return client.post("/views/", {"name": name, "address": address}, **fields)


def table(client: Client, query: str = "") -> list[dict[str, str]]:
    response = client.get(f"/cases.csv{query}")
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(response.getvalue().decode())))


def test_a_view_brings_its_list_back_and_is_its_owners_alone(client: Client, folk: People) -> None:
    build_case(folk.team)
    client.force_login(folk.alice)
    answer = keep(client, "  My   week ", "?severity=high&sort=-longest&page=7")
    assert answer["Location"] == "/?severity=high&sort=-longest"  # what makes no sense is left out
    text = shown(client.get(answer["Location"]))
    assert "View: <b>My week</b>" in text
    view = SavedView.objects.get()
    for other in (folk.bob, folk.charlie):
        client.force_login(other)
        assert "My week" not in shown(client.get("/"))
        assert client.post(f"/views/{view.pk}/remove/").status_code == 404
    client.force_login(folk.alice)
    assert client.post(f"/views/{view.pk}/remove/")["Location"] == "/?severity=high&sort=-longest"
    assert not SavedView.objects.exists()


def test_a_name_that_is_there_takes_the_new_list(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    for address in ("?q=one", "?q=two"):
        keep(client, "mine", address)
    assert [view.address for view in SavedView.objects.all()] == ["?q=two"]


@pytest.mark.parametrize(("name", "address"), [("  ", "?q=x"), ("long", "?" + "q=x&" * 2000)])
def test_what_is_no_view_is_refused_or_cut(client: Client, folk: People, name: str, address: str) -> None:
    client.force_login(folk.bob)
    assert keep(client, name, address).status_code in {302, 422}
    assert all(len(view.address) <= saved_views.ADDRESS_CHARS for view in SavedView.objects.all())


def test_views_have_an_end(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    for number in range(saved_views.MOST):
        keep(client, f"view {number}", f"?q={number}")
    assert keep(client, "one more", "?q=x").status_code == 409
    assert SavedView.objects.count() == saved_views.MOST
    assert 'id="view-name"' not in client.get("/").content.decode()


def test_a_view_keeps_no_address_of_elsewhere(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    for address in ("https://example.com/", "//example.com/?q=1", "?next=//example.com"):
        assert keep(client, "odd", address)["Location"].startswith("/?")


def test_the_table_has_what_the_list_finds_for_whom_it_is_for(client: Client, folk: People) -> None:
    built = build_case(folk.team, "Writers hang", customer="=cmd()")
    make_case(folk.team, "Backup crawls")
    make_case(folk.other_team, "Of others")
    client.force_login(folk.bob)
    rows = table(client)
    assert [row["title"] for row in rows] == ["Backup crawls", "Writers hang"]
    [row] = table(client, "?severity=high")
    assert (row["key"], row["customer"], row["nodes"]) == (built.case.key, "'=cmd()", "2")
    assert row["verdict"] == "Threads of lund-n3 wait for disk lund_nsd07"
    assert [row["title"] for row in table(client, "?sort=title")] == ["Backup crawls", "Writers hang"]
    assert AuditEvent.objects.filter(verb="cases.exported").count() == 3
    client.force_login(folk.charlie)
    assert [row["title"] for row in table(client)] == ["Of others"]
    client.logout()
    assert client.get("/cases.csv").status_code == 302


def test_the_table_is_as_long_as_the_list_and_asks_once(client: Client, folk: People) -> None:
    for number in range(60):
        make_case(folk.team, f"case {number:02d}")
    client.force_login(folk.alice)
    assert len(table(client)) == 60


def test_two_marked_cases_are_compared_the_earlier_first(client: Client, folk: People) -> None:
    late, early = build_case(folk.team, "late").case, build_case(folk.team, "early").case
    Case.objects.filter(pk=early.pk).update(window_start_us=1)
    client.force_login(folk.bob)
    page = shown(client.get(f"/compare/?mark={late.key}&mark={early.key}"))
    assert "early · late" in page
    assert "Compare two…" in shown(client.get("/"))
    more = shown(client.get(f"/compare/?mark={late.key}&mark={early.key}&mark={late.key}"))
    assert "3 cases were marked. Choose two of them." in more
    client.force_login(folk.charlie)
    assert client.get(f"/compare/?mark={late.key}&mark={early.key}").status_code == 404


def test_each_row_can_be_marked_without_scripts(client: Client, folk: People) -> None:
    key = build_case(folk.team).case.key
    client.force_login(folk.bob)
    page = client.get("/").content.decode()
    assert f'form="compare" name="mark" value="{key}"' in page
    assert page.index('<form id="compare"') > page.index("</form>")


def test_who_has_no_case_gets_a_sample_in_the_team_used_last(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    assert "Open a sample case" in client.get("/").content.decode()
    answer = client.post("/upload/sample/")
    case = Case.objects.get()
    assert (case.team, case.is_sample, case.created_by) == (folk.team, True, folk.bob)
    assert case.key in answer["Location"]
    assert case.bundles.count() == 1
    assert client.post("/upload/sample/")["Location"] == f"/cases/{case.key}/"  # one is enough
    assert Case.objects.count() == 1
    client.force_login(folk.charlie)  # those of other teams are no concern of his
    client.post("/upload/sample/")
    assert Case.objects.filter(team=folk.other_team).count() == 1


def test_who_may_open_no_case_gets_no_sample(client: Client, folk: People) -> None:
    client.force_login(person("vera", folk.team, Role.VIEWER))
    assert client.post("/upload/sample/").status_code == 422
    assert not Case.objects.exists()


def test_a_new_case_is_offered_the_team_that_was_used_last(client: Client, folk: People) -> None:
    TeamMembership.objects.create(user=folk.bob, team=folk.other_team, role=Role.EDITOR)
    make_case(folk.other_team, created_by=folk.bob)
    make_case(folk.team, created_by=folk.alice)
    client.force_login(folk.bob)
    page = client.get("/upload/").content.decode()
    assert '<option value="perth-storage" selected>' in page
    assert '<option value="lund-storage" selected>' not in page
