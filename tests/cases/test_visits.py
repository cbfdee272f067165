from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from apps.audit.models import AuditEvent
from apps.cases.models import CaseMembership, CaseVisit
from apps.cases.services import trash_case
from tests.builders import Built, People, build_case, person

pytestmark = pytest.mark.django_db
REASON = "Ticket 4711: the customer asks what we hold"


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team, "Payroll of the bank stands still", customer="Fjord Bank")


@pytest.fixture
def root(client: Client, folk: People) -> User:
    user = person("root", is_staff=True)
    client.force_login(user)
    return user


def test_a_reason_opens_a_case_for_reading_only_and_for_a_while(
    client: Client, folk: People, built: Built, root: User
) -> None:
    files = reverse("cases:files", args=[built.case.key])
    answer = client.get(files, follow=True)
    text = answer.content.decode()
    assert folk.team.name in text
    assert "Fjord" not in text
    assert "Payroll" not in text
    url = reverse("cases:visit", args=[built.case.key])
    assert client.post(url, {"reason": "because"}).status_code == 422
    assert client.post(url, {"reason": "   x           "}).status_code == 422
    response = client.post(url, {"reason": REASON, "next": files})
    assert response.headers["Location"] == files
    page = client.get(files).content.decode()
    assert "Payroll" in page
    assert REASON in page
    assert client.get(reverse("cases:edit", args=[built.case.key])).status_code == 403
    assert client.post(reverse("cases:trash", args=[built.case.key])).status_code == 403
    assert client.post(reverse("cases:notes", args=[built.case.key]), {"text": "me too"}).status_code == 403
    assert "Payroll" not in client.get("/").content.decode()  # it is not among their cases
    CaseVisit.objects.update(
        ends_at=timezone.now() - timedelta(seconds=1), begun_at=timezone.now() - timedelta(hours=1)
    )
    assert client.get(files).status_code == 302


def test_the_team_sees_who_read_it_and_why(client: Client, folk: People, built: Built, root: User) -> None:
    client.post(reverse("cases:visit", args=[built.case.key]), {"reason": REASON})
    event = AuditEvent.objects.get(verb="case.visited")
    assert (event.user, event.case, event.detail["reason"], event.address) == (root, built.case, REASON, "127.0.0.1")
    client.post(reverse("cases:visit_end", args=[built.case.key]))
    assert client.get(reverse("cases:files", args=[built.case.key])).status_code == 302
    client.force_login(folk.bob)
    text = client.get(reverse("cases:history", args=[built.case.key]) + "?what=people").content.decode()
    assert REASON in text
    assert "ended reading as administrator" in text


@pytest.mark.parametrize("target", ["https://elsewhere.example/cases/{}/", "/trash/", "//elsewhere.example/cases/{}/"])
def test_a_reason_leads_back_to_the_case_only(client: Client, built: Built, root: User, target: str) -> None:
    url = reverse("cases:visit", args=[built.case.key])
    response = client.post(url, {"reason": REASON, "next": target.format(built.case.key)})
    assert response.headers["Location"] == f"/cases/{built.case.key}/"


def test_no_reason_is_requested_of_or_taken_from_anybody_else(client: Client, folk: People, built: Built) -> None:
    url = reverse("cases:visit", args=[built.case.key])
    assert client.get(url).status_code == 302
    for user in (folk.alice, folk.bob, folk.charlie):
        client.force_login(user)
        assert client.get(url).status_code == client.post(url, {"reason": REASON}).status_code == 404
        assert client.post(reverse("cases:visit_end", args=[built.case.key])).status_code == 404
    assert not CaseVisit.objects.exists()


def test_who_is_no_administrator_any_more_is_out_at_once(client: Client, built: Built, root: User) -> None:
    client.post(reverse("cases:visit", args=[built.case.key]), {"reason": REASON})
    User.objects.filter(pk=root.pk).update(is_staff=False)
    assert client.get(reverse("cases:files", args=[built.case.key])).status_code == 404


def test_an_administrator_on_the_case_has_their_role_and_the_trash_stays_closed(
    client: Client, built: Built, root: User
) -> None:
    client.post(reverse("cases:visit", args=[built.case.key]), {"reason": REASON})
    trash_case(built.case, by=None)
    assert client.get(reverse("cases:files", args=[built.case.key])).status_code == 404
    assert client.get(reverse("cases:visit", args=[built.case.key])).status_code == 404
    CaseMembership.objects.create(case=built.case, user=root, role="owner")
    assert client.get(reverse("cases:files", args=[built.case.key])).status_code == 200
