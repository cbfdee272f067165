"""From a line of a file to an entry in force, on the pages; who may do what; two people who change one entry."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditEvent
from apps.cases.models import Case, CaseMembership
from apps.diagnosis.services import diagnose_case
from apps.learning.models import TeamEntry
from tests.builders import People, make_case, person
from tests.diagnosis.cases import read_into
from tests.learning.pack import LOG, drafted, in_force, proposed
from tests.shown import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(client: Client, folk: People) -> Case:
    made = make_case(folk.team)
    read_into(made, LOG, "messages")
    client.force_login(folk.bob)
    return made


def means(case: Case, line: int) -> str:
    return f"{reverse('learning:means', args=[case.key, case.artifacts.get().pk])}?line={line}"


def of(entry: TeamEntry, name: str = "entry") -> str:
    return reverse(f"learning:{name}", args=[entry.team.slug, entry.pk])


def fields(page: str) -> dict[str, str]:
    """What a browser would send of the form of an entry as it is filled."""
    form = page[page.index('aria-label="Entry"') :]
    sent = {m[1]: m[2] for m in re.finditer(r'<input[^>]* name="([\w-]+)" value="([^"]*)"', form)}
    for select in re.finditer(r'<select[^>]* name="([\w-]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', select[2]) or re.search(r'value="([^"]*)"', select[2])
        assert chosen is not None
        sent[select[1]] = chosen[1]
    return {key: value.replace("&#x27;", "'") for key, value in sent.items()}


FILLED = {"meaning": "It may not write until it holds the ticket again.", "next": "Look at the paths of the disk."}


def send(client: Client, address: str, **changed: str) -> Any:
    return client.post(address, fields(client.get(address).content.decode()) | FILLED | changed)


def test_a_line_of_a_file_fills_the_form(client: Client, folk: People, case: Case) -> None:
    file = client.get(reverse("cases:file", args=[case.key, case.artifacts.get().pk]), {"line": "4"})
    assert f'href="{means(case, 4)}"' in shown(file)
    sent = fields(shown(client.get(means(case, 4))))
    words = [(sent[f"word-{n}"], sent[f"kind-{n}"]) for n in range(8)]
    assert words == [
        ("ticket", "kept"),
        ("for", "kept"),
        ("lun7", "disk"),
        ("was", "kept"),
        ("lost", "kept"),
        ("after", "kept"),
        ("31", "figure"),
        ("s", "out"),
    ]
    assert (sent["program"], sent["title"]) == ("grantd", "Ticket for {about} was lost")
    assert sent["source"] == f"{case.key}, messages, line 4"


def test_from_a_line_to_a_second_case_that_is_judged(client: Client, folk: People, case: Case) -> None:
    answer = send(client, means(case, 4), title="Ticket for {about} lost")
    entry = TeamEntry.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, of(entry))
    assert entry.versions.get().row["match"][-1] == {"named": "figure", "unit": "s"}
    assert (entry.state, entry.author, entry.case) == ("draft", folk.bob, case)
    client.post(of(entry, "propose"))
    client.force_login(folk.alice)
    assert "Put in force" in shown(client.get(of(entry)))
    client.post(of(entry, "put_in_force"))
    second = make_case(folk.team, "another")
    read_into(second, LOG.replace(b"lun7", b"lun9"), "messages")
    assert second.verdict == "Ticket for lun9 lost on cod3"
    diagnose_case(case.pk)
    page = shown(client.get(of(entry)))
    assert "Ticket for lun9 lost on cod3" in page
    assert "Ticket for lun7 lost on cod3" in page
    verbs = AuditEvent.objects.filter(verb__startswith="entry.").order_by("pk").values_list("verb", "user__username")
    assert list(verbs) == [("entry.drafted", "bob"), ("entry.proposed", "bob"), ("entry.put_in_force", "alice")]


REFUSED = {
    "everything": ({f"kind-{n}": "any" for n in range(1, 7)} | {"kind-0": "out", "kind-7": "out"}, "fits too much"),
    "a word left out inside": ({"kind-3": "out"}, "left out at both ends only"),
    "a step that writes": ({"commands": "systemctl restart grantd"}, "may change something"),
    "no step": ({"next": ""}, "needs a next step"),
    "HTML": ({"meaning": "It <b>may</b> not."}, "holds &lt; or &gt;"),
    "an object that nothing names": ({"object": "lock"}, "match names none"),
    "a program that is none": ({"program": "grantd; rm"}, "name of a program"),
    "a mark that is no figure": ({"title": "Ticket {0} lost"}, "other than {about}"),
    "a pattern": ({"word-0": "ticket.*", "kind-0": "pattern"}, ""),
}


def test_what_is_wrong_is_refused_with_the_reason_and_nothing_is_lost(client: Client, case: Case) -> None:
    for name, (changed, reason) in REFUSED.items():
        answer = send(client, means(case, 4), **changed)
        if not reason:  # the marks of a pattern are letters like others
            assert answer.status_code == 302, name
            assert TeamEntry.objects.get().versions.get().row["match"][0].startswith("ticket.*")
            TeamEntry.objects.all().delete()
            continue
        assert answer.status_code == 422, name
        page = shown(answer)
        assert reason in page, name
        assert not TeamEntry.objects.exists(), name
        assert {key: fields(page)[key] for key in ("word-2", "source", "name")}["word-2"] == "lun7"


def test_a_draft_is_of_its_author_alone(client: Client, folk: People) -> None:
    entry = drafted(folk.team, folk.bob)
    client.force_login(folk.alice)
    assert client.get(of(entry)).status_code == 404
    assert "ticket-lost" not in shown(client.get(reverse("learning:entries", args=[folk.team.slug])))
    for name in ("edit", "propose", "put_in_force", "withdraw"):
        assert client.post(of(entry, name)).status_code == 404
    client.force_login(folk.bob)
    assert client.get(of(entry)).status_code == 200


def test_other_teams_see_nothing(client: Client, folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    client.force_login(folk.charlie)
    assert client.get(of(entry)).status_code == 404
    assert client.get(reverse("learning:entries", args=[folk.team.slug])).status_code == 404
    other = reverse("learning:entry", args=[folk.other_team.slug, entry.pk])
    assert client.get(other).status_code == 404
    assert "Nothing is known yet" in shown(client.get(reverse("learning:entries", args=[folk.other_team.slug])))


def test_a_viewer_reads_and_an_editor_does_not_put_in_force(client: Client, folk: People) -> None:
    entry = proposed(folk.team, folk.bob)
    client.force_login(person("vera", folk.team, Role.VIEWER))
    page = shown(client.get(of(entry)))
    assert "Ticket for {about} lost" in page
    assert "Put in force" not in page
    assert "Withdraw" not in page
    assert client.post(of(entry, "propose")).status_code == 403
    client.force_login(folk.bob)
    assert client.post(of(entry, "put_in_force")).status_code == 403
    entry.refresh_from_db()
    assert entry.in_force is None


def test_who_is_named_on_a_case_only_says_nothing_for_its_team(client: Client, folk: People, case: Case) -> None:
    CaseMembership.objects.create(case=case, user=folk.charlie, role=Role.EDITOR)
    client.force_login(folk.charlie)
    assert client.get(means(case, 4)).status_code == 409
    assert client.post(means(case, 4), {}).status_code == 409


def test_of_two_people_who_change_one_entry_the_second_is_refused(client: Client, folk: People) -> None:
    entry = proposed(folk.team, folk.bob)
    client.force_login(folk.bob)
    page = fields(shown(client.get(of(entry, "edit")))) | FILLED
    assert client.post(of(entry, "edit"), page | {"title": "First"}).status_code == 302
    second = client.post(of(entry, "edit"), page | {"title": "Second"})
    assert second.status_code == 422
    assert "Somebody changed this entry in the meantime" in shown(second)
    entry.refresh_from_db()
    assert entry.latest == 2
    whole = shown(client.get(of(entry)))
    assert "Version 1" in whole
    assert "seen twice" in whole


def test_only_an_owner_withdraws_what_is_in_force(client: Client, folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    client.force_login(folk.bob)
    assert client.post(of(entry, "withdraw"), {"why": "no"}).status_code == 403
    client.force_login(folk.alice)
    assert client.post(of(entry, "withdraw"), {"why": "it was wrong"}).status_code == 302
    entry.refresh_from_db()
    assert (entry.state, entry.in_force) == ("withdrawn", None)
    assert AuditEvent.objects.get(verb="entry.withdrawn").detail["reason"] == "it was wrong"


def test_two_entries_that_fit_the_same_messages_are_not_both_in_force(client: Client, folk: People) -> None:
    in_force(folk.team, folk.alice)
    twin = proposed(folk.team, folk.bob, name="again")
    client.force_login(folk.alice)
    answer = client.post(of(twin, "put_in_force"), headers={"Accept": "text/html"})
    assert answer.status_code == 409
    assert "It fits the messages that ticket-lost fits" in shown(answer)


def test_a_line_that_is_pasted_fills_the_form_too(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    address = reverse("learning:new", args=[folk.team.slug])
    assert client.get(address).status_code == 200
    line = "2031-06-03_22:48:10.207+0200: [A] Something quite new stands still on lund7"
    sent = fields(shown(client.get(address, {"line": line})))
    assert (sent["program"], sent["word-0"]) == ("mmfs", "Something")
    assert client.post(address, sent | FILLED | {"source": "Note 3"}).status_code == 302
    assert TeamEntry.objects.get().name == "something-quite-new-stands"
