"""T38, T39: a link of level development gives away none of the customer's names, at whichever of its addresses one
looks.

Real bundles go through the whole pipeline: the sample cases, whose hosts, disks, addresses, mounts and serial numbers
are the secrets, with further ones in texts that no parser knows. Then every address that a page of the link names is
read.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.cases.models import Case, Note
from apps.ingest.samples import SAMPLES, Sample
from apps.ingest.samples.scale_story import ADDRESS, DOMAIN, NODES
from apps.sharing.models import MaskedCase, ShareLink
from apps.sharing.services import create_share_link
from tests.builders import People
from tests.ingest.material import send, tar
from tests.shown import shown

pytestmark = pytest.mark.django_db

SCALE, CFS, GFS2 = SAMPLES

SENTENCES_KEPT = 0.95
"""Measured: 0.97 to 0.98. Words that are replaced though they name nobody make a masked page hard to read."""
LINES_KEPT = 0.8
"""Measured: 0.84 to 1.00."""

NOTE = "Do not tell the customer about the ninth disk"
ADDRESSES_READ = 60
TEXTS = {
    "quillhaven-old1/who-was-who.txt": b"""\
[kmeierling@quillhaven-n7 ~]# mmdiag --waiters

=== mmdiag: waiters ===
Waiting 61.0102 sec since 14:30:02, monitored, thread 4711 NSDThread: for I/O completion on disk vaultnsd07
Waiting 60.0102 sec since 14:30:03, monitored, thread 4712 tmMsgRevoke: on ThCond 0x7F1, reason 'RPC wait' on node 10.77.12.213 <c0n4>
[kmeierling@quillhaven-n7 ~]# mmlscluster

GPFS cluster information
========================
  GPFS cluster name:         ledgerbank.quillhaven.example
  GPFS cluster id:           4711471147114711471

 Node  Daemon node name              IP address     Admin node name               Designation
------------------------------------------------------------------------------------------
   1   quillhaven-n7.corp.example    10.77.12.207   quillhaven-n7-adm.corp.example   quorum
   2   quillhaven-n8.corp.example    10.77.12.213   formerbox8.corp.example   quorum-manager
""",  # noqa: E501 - as the tool prints it
    "quillhaven-n7/ip_10.77.12.207_2001-db8.txt": b"""\
[root@quillhaven-n7 ~]# ip addr
2: bond0: <BROADCAST,UP> mtu 9000
    link/ether 52:54:00:aa:0f:1e brd ff:ff:ff:ff:ff:ff
    inet 10.77.12.207/24 brd 10.77.12.255 scope global bond0
    inet6 2001:db8:77:12::207/64 scope global
    inet6 fe80::5054:ff:feaa:f1e%bond0/64 scope link
Serial Number: SN7QX0LEDGER42  WWN 0x5000c500a1b2c3d4 uuid 6f9619ff-8b86-d011-b42d-00c04fc964ff
owner: tschoenbaum wrote to kmeierling@ledgerbank.example about /vault/ledger/q3-close.xlsx
""",
}
SEEDED = (
    "quillhaven", "kmeierling", "tschoenbaum", "vaultnsd07", "10.77.12", "ledger", "formerbox8", "52:54:00:aa:0f:1e",
    "2001:db8:77",
    "fe80::5054", "SN7QX0", "5000c500a1b2c3d4", "6f9619ff-8b86", "corp.example", "q3-close", "4711471147114711471",
)  # fmt: skip
OF_SAMPLES: dict[str, tuple[str, ...]] = {
    SCALE.key: (*NODES, *ADDRESS.values(), DOMAIN, "fen7", "scratch7", "home7", "scr7_", "A7K22", "dm-17"),
    CFS.key: ("gannet", "/srv/media", "assets", "media-slow"),
    GFS2.key: ("of mail is", "mail-stall", ":mail"),
}


@dataclass
class Crawl:
    """Reads an address and all that it names below the link."""

    token: str
    read: dict[str, str] = field(default_factory=dict)

    def all(self, client: Client) -> dict[str, str]:
        left = [reverse("sharing:page", args=[self.token]), reverse("sharing:timeline_json", args=[self.token])]
        while left and len(self.read) < ADDRESSES_READ:
            address = left.pop(0)
            if address in self.read:
                continue
            answer = client.get(address)
            assert answer.status_code in {200, 404}, address
            body = html.unescape(shown(answer))
            self.read[address] = f"{body} {dict(answer.headers)}"
            left += [found for found in self._named(address, body) if found not in self.read]
        return self.read

    def _named(self, address: str, body: str) -> list[str]:
        named = re.findall(r"""(?:href|action|data-url|hx-get)="([^"#]+)""", body)
        here = urlsplit(address).path
        whole = [f"{here}{one}" if one.startswith("?") else one for one in named]
        return [one for one in whole if one.startswith(f"/s/{self.token}/")]


def uploaded(people: People, sample: Sample) -> Case:
    """The sample and the seeded texts as one bundle of a case that is called after the customer."""
    cache.clear()
    client = Client()
    client.force_login(people.alice)
    content = tar({sample.filename: sample.build(), **TEXTS})
    title = "Ledgerbank: writers hang at Quillhaven"
    answer = send(
        client, content, "quillhaven-everything.tar.gz", title=title, customer="Ledgerbank AG", team=people.team.slug
    )
    assert answer.status_code in {200, 201}, answer.content
    case = Case.objects.latest("pk")
    assert case.current_diagnosis is not None
    assert case.current_diagnosis.findings.exists()
    Note.objects.create(case=case, author=people.alice, text=NOTE, at_us=case.window_start_us)
    return case


def crawled(case: Case, maker: User, view: str = "") -> tuple[dict[str, str], ShareLink]:
    made = create_share_link(case=case, user=maker, days=14, level=ShareLink.Level.DEVELOPMENT, view=view)
    return Crawl(made.token).all(Client()), made.link


@pytest.mark.parametrize("sample", [CFS, GFS2], ids=lambda sample: str(sample.key))
@pytest.mark.matrix
def test_t38_a_development_link_contains_none_of_the_seeded_secrets(staff: People, sample: Sample) -> None:
    _contains_no_secret(uploaded(staff, sample), staff, sample)


def _contains_no_secret(case: Case, staff: People, sample: Sample) -> dict[str, str]:
    """The pages that were read."""
    node = (case.current_diagnosis.summary["nodes"] if case.current_diagnosis else [])[0]["name"]
    pages, link = crawled(case, staff.alice, view=f"nodes={node}&text=quillhaven")
    assert len(pages) >= 8
    secrets = (*SEEDED, *OF_SAMPLES[sample.key], *_names_of(case), case.key, NOTE, "alice", "onfidence", "isproved")
    for address, body in pages.items():
        folded = f"{address} {body}".casefold()
        for secret in map(str.casefold, secrets):
            found = re.search(rf"(?<![a-z0-9]){re.escape(secret)}", folded) if secret in folded else None
            assert found is None, repr(folded[found.start() - 80 : found.end() + 40])
    assert node not in link.view
    assert "quillhaven" not in link.view
    assert case.current_diagnosis is not None
    content = MaskedCase.objects.get(diagnosis=case.current_diagnosis).content
    assert (
        words_kept([finding["title"] + " " + finding["explanation"] for finding in content["findings"]])
        > SENTENCES_KEPT
    )
    assert words_kept([line["text"] for finding in content["findings"] for line in finding["evidence"]]) > LINES_KEPT
    return pages


def words_kept(texts: list[str]) -> float:
    """The share of words that are no stand-ins for words that nobody knows; numbers do not count."""
    words = [word for text in texts for word in re.findall(r"[A-Za-z][\w-]*", text)]
    return 1 - sum(re.fullmatch(r"(?:word|path)-\d+", word) is not None for word in words) / len(words)


def _names_of(case: Case) -> list[str]:
    """Every spelling of every node that the engine found."""
    found = case.current_diagnosis.summary["nodes"] if case.current_diagnosis else []
    names = [name for node in found for name in (node["name"], *node["aliases"])]
    return [name for name in names if len(name) > 2 and not name.isdigit()]


def test_t38_t39_it_can_still_be_read_and_one_name_has_one_stand_in_everywhere(staff: People) -> None:
    """And contains none of the secrets."""
    case = uploaded(staff, SCALE)
    _can_be_read(_contains_no_secret(case, staff, SCALE))
    diagnosis = case.current_diagnosis
    assert diagnosis is not None
    first = MaskedCase.objects.get(diagnosis=diagnosis)
    _is_one_stand_in(first)
    MaskedCase.objects.all().delete()
    create_share_link(case=case, user=staff.alice, days=14, level=ShareLink.Level.DEVELOPMENT)
    again = MaskedCase.objects.get(diagnosis=diagnosis)
    assert again.names == first.names
    assert again.content == first.content
    _map_is_for_those_who_may_share(case, staff)


def _can_be_read(pages: dict[str, str]) -> None:
    whole = " ".join(pages.values())
    for words in ("NSDThread", "for I/O completion on disk disk-", "RPC wait", "tmMsg", "wait for", "node-"):
        assert words in whole, words
    assert "case-1" in next(iter(pages.values()))


def _is_one_stand_in(row: MaskedCase) -> None:
    standin = row.names["node"]["nsd02"]
    arrows = {end for edge in row.content["summary"]["waits_for"] for end in (edge["frm"], edge["to"])}
    assert any(standin in finding["title"] for finding in row.content["findings"])
    assert any(standin in end for end in arrows)
    assert standin in {node["name"] for node in row.content["summary"]["nodes"]}
    in_order = [int(row.names["node"][name].rpartition("-")[2]) for name in sorted(row.names["node"])]
    assert in_order != sorted(in_order), "the numbers must not follow the names"


def _map_is_for_those_who_may_share(case: Case, staff: People) -> None:
    url = reverse("sharing:preview", args=[case.key])
    client = Client()
    client.force_login(staff.alice)
    page = shown(client.get(url, {"level": "development"}))
    assert "nsd02" in page
    assert re.search(r'<mark class="stand-in">node-\d+</mark>', page)
    client.force_login(staff.charlie)
    assert client.get(url).status_code == 404
