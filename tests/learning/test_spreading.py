"""Entries as files and for the whole site: what is taken, what is refused, and that nobody's name goes along."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditEvent
from apps.diagnosis.services import diagnose_case
from apps.learning.in_force import in_force as judging
from apps.learning.models import SiteEntry, TeamEntry
from apps.learning.site_wide import accept, offer, withdraw_from_site
from apps.sharing.services import create_share_link
from apps.web.errors import DomainError
from tests.builders import People, make_case, person
from tests.diagnosis.cases import read_into
from tests.learning.pack import LOG, ROW, drafted, in_force
from tests.shown import shown

pytestmark = pytest.mark.django_db


def send(client: Client, folk: People, text: str | bytes) -> tuple[int, str]:
    content = text if isinstance(text, bytes) else text.encode()
    address = reverse("learning:upload", args=[folk.team.slug])
    answer = client.post(address, {"pack": SimpleUploadedFile("ours.toml", content), "why": "from git"})
    return answer.status_code, shown(answer) if answer.status_code != 302 else ""


def test_what_is_downloaded_is_taken_by_another_team_and_changes_nothing_here(client: Client, folk: People) -> None:
    in_force(folk.team, folk.alice)
    client.force_login(folk.bob)
    got = client.get(reverse("learning:pack", args=[folk.team.slug]))
    assert got["Content-Disposition"] == 'attachment; filename="knowledge-lund-storage.toml"'
    assert got["X-Content-Type-Options"] == "nosniff"
    pack = got.content
    assert b'name = "ticket-lost"' in pack
    assert send(client, folk, pack)[0] == 302
    assert TeamEntry.objects.get().latest == 1
    assert send(client, folk, pack.replace(b"Ticket for", b"Lease of"))[0] == 302
    entry = TeamEntry.objects.get()
    assert (entry.latest, entry.state, entry.in_force) == (2, "proposed", 1)
    assert entry.versions.get(number=2).why == "from git"
    client.force_login(folk.charlie)
    other = reverse("learning:upload", args=[folk.other_team.slug])
    assert client.post(other, {"pack": SimpleUploadedFile("x.toml", pack)}).status_code == 302
    taken = TeamEntry.objects.get(team=folk.other_team)
    assert (taken.state, taken.author) == ("draft", folk.charlie)


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "a pattern": ('[[entry]]\nname = "ours"\npattern = "tick.*"\n', "no regular expression"),
    "no TOML": ("[[entry", "file"),
    "no text": (b"\xff\xfe\x00", "file"),
    "other keys": ('rules = 1\n[[entry]]\nname = "ours"\n', "unknown keys: rules"),
    "nothing": ("# nothing yet\n", "no entry in this file"),
    "a command that writes": (
        '[[entry]]\nname = "ours"\nfrom = "grantd"\nmatch = ["ticket was lost"]\nweight = "trouble"\ntitle = "Lost"\n'
        'meaning = "Lost."\nnext = "Do it."\ncommands = ["rm -rf x"]\nsource = "Note"\n',
        "may change something",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_with_a_bad_entry_is_refused_as_a_whole(client: Client, folk: People, name: str) -> None:
    client.force_login(folk.bob)
    bad, reason = REFUSED[name]
    good = (
        '[[entry]]\nname = "good-one"\nfrom = "grantd"\nmatch = ["ticket was lost"]\nweight = "notice"\n'
        'title = "Lost"\nmeaning = "Lost."\nsource = "Note"\n'
    )
    both = bad if isinstance(bad, bytes) or bad.startswith(("rules", "[[entry\n", "#")) else good + bad
    status, page = send(client, folk, both)
    assert (status, reason in page) == (422, True), page
    assert not TeamEntry.objects.exists()


def test_a_draft_of_somebody_else_is_not_changed_by_a_file(client: Client, folk: People) -> None:
    drafted(folk.team, folk.alice)
    client.force_login(folk.bob)
    text = client.get(reverse("learning:pack", args=[folk.team.slug])).content
    assert text == b""
    mine = person("zoe", folk.team, Role.EDITOR)
    in_force(folk.other_team, folk.charlie)
    client.force_login(folk.charlie)
    pack = client.get(reverse("learning:pack", args=[folk.other_team.slug])).content
    client.force_login(mine)
    status, page = send(client, folk, pack)
    assert (status, "taken by a draft of somebody else" in page) == (422, True)


def test_what_is_offered_and_accepted_judges_all_teams_without_names(client: Client, folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    theirs = make_case(folk.other_team)
    read_into(theirs, LOG, "messages")
    root = person("root", is_staff=True)
    client.force_login(folk.alice)
    client.post(reverse("learning:offer", args=[folk.team.slug, entry.pk]))
    client.force_login(folk.charlie)
    assert "Offered" not in shown(client.get("/knowledge/site/"))
    assert client.post(reverse("learning:accept", args=[entry.pk])).status_code == 403
    client.force_login(root)
    assert "offered by Lund storage" in shown(client.get("/knowledge/site/"))
    client.post(reverse("learning:accept", args=[entry.pk]))
    row = SiteEntry.objects.get()
    assert row.row["source"] == "offered by its users, accepted by an administrator"
    after = diagnose_case(theirs.pk)
    assert after is not None
    [finding] = [one for one in after.findings.all() if one.knowledge]
    assert finding.title == "Ticket for lun7 lost on cod3"
    assert finding.knowledge == {
        "entry": 0, "name": "ticket-lost", "version": 1, "team": "", "slug": "", "by": "",
    }  # fmt: skip
    client.force_login(folk.charlie)
    page = shown(client.get(reverse("diagnosis:timeline", args=[theirs.key])))
    assert "Knowledge of this site, version 1" in page
    for secret in ("Lund", "Alice", "alice"):
        assert secret not in page
        assert secret not in shown(client.get("/knowledge/site/"))
    link = create_share_link(case=theirs, user=folk.charlie, days=3, level="development")
    assert "until it holds the ticket again" not in shown(client.get(reverse("sharing:page", args=[link.token])))
    withdraw_from_site(row, by=root)
    gone = diagnose_case(theirs.pk)
    assert gone is not None
    assert not [one for one in gone.findings.all() if one.knowledge]
    verbs = AuditEvent.objects.filter(verb__startswith="entry.").order_by("pk").values_list("verb", flat=True)
    assert list(verbs)[-3:] == ["entry.offered", "entry.accepted", "entry.site_withdrawn"]


def test_the_own_entry_of_a_team_goes_before_that_of_the_site(folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    offer(entry, by=folk.alice)
    accept(entry, by=person("root", is_staff=True))
    hit = judging(folk.team.pk).entries.find("grantd", "ticket for lun7 was lost after 31 s")
    assert hit is not None
    assert hit.entry.speaker == "team"
    other = judging(folk.other_team.pk).entries.find("grantd", "ticket for lun7 was lost after 31 s")
    assert other is not None
    assert other.entry.speaker == "site"


def test_names_of_team_and_author_do_not_go_to_the_site(folk: People) -> None:
    root = person("root", is_staff=True)
    for number, words in enumerate(("As Lund storage found in May.", "Ask alice about it.")):
        proposed = {"meaning": words, "match": [f"ticket {words[:6]} lost"], "title": "Lost"}
        entry = in_force(folk.team, folk.alice, name=f"named-{number}", **proposed)
        offer(entry, by=folk.alice)
        with pytest.raises(DomainError, match="neither team nor author"):
            accept(entry, by=root)
    assert not SiteEntry.objects.exists()


def test_only_owners_offer_and_only_what_is_in_force(client: Client, folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    client.force_login(folk.bob)
    assert client.post(reverse("learning:offer", args=[folk.team.slug, entry.pk])).status_code == 403
    draft = drafted(folk.team, folk.alice, name="other-one", title="Lost", match=["another ticket lost"])
    client.force_login(folk.alice)
    assert client.post(reverse("learning:offer", args=[folk.team.slug, draft.pk])).status_code == 409
    client.post(reverse("learning:offer", args=[folk.team.slug, entry.pk]))
    client.post(reverse("learning:offer", args=[folk.team.slug, entry.pk]), {"offered": "0"})
    entry.refresh_from_db()
    assert entry.offered is None
    with pytest.raises(DomainError, match="not offered"):
        accept(entry, by=person("root", is_staff=True))


def test_an_entry_as_a_file(client: Client, folk: People) -> None:
    entry = drafted(folk.team, folk.bob)
    client.force_login(folk.bob)
    text = client.get(reverse("learning:file", args=[folk.team.slug, entry.pk])).content.decode()
    assert str(ROW["meaning"]) in text
    client.force_login(folk.alice)
    assert client.get(reverse("learning:file", args=[folk.team.slug, entry.pk])).status_code == 404
