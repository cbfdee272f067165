"""The page of knowledge: all of it, with source and basis, and how often it was met in cases that the reader
may see.
"""

from __future__ import annotations

import re

import pytest
from django.test import Client

from apps.diagnosis.engine.core.words.knowledge import rule_texts, tuning_texts
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.pages.knowledge.tables import SHOWN, entries
from parsers.messages.catalogue import meanings
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.ingest.material import bundle
from tests.shown import shown

pytestmark = pytest.mark.django_db
URL = "/knowledge/"


def test_who_may_read_it(client: Client, folk: People) -> None:
    assert client.get(URL).status_code == 302
    for user in (folk.alice, folk.bob, folk.charlie):
        client.force_login(user)
        assert client.get(URL).status_code == 200
        assert client.post(URL).status_code == 405


def test_every_row_has_a_source_and_a_basis() -> None:
    found = entries()
    assert {(one.part, one.id) for one in found} == {
        *(("rules", ref) for ref in rule_texts()),
        *(("kinds", kind.kind_id) for product in PRODUCTS for kind in product.wait_kinds()),
        *(("tunings", key) for key in tuning_texts()),
        *(("messages", kind) for kind in meanings()),
    }
    assert all(one.source and one.basis and one.title for one in found)


@pytest.mark.parametrize("part", ["rules", "kinds", "tunings"])
def test_each_part_is_shown_whole(client: Client, folk: People, part: str) -> None:
    client.force_login(folk.bob)
    page = shown(client.get(URL, {"part": part}))
    for entry in entries():
        if entry.part == part:
            assert f'id="{entry.id}"' in page


def test_search_and_filters(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    page = shown(client.get(URL, {"part": "tunings", "q": "LAZY isize"}))
    assert 'id="lazy-isize-enable"' in page
    assert "Nothing known by these words" in shown(client.get(URL, {"q": "no-such-word-anywhere"}))
    recalled = shown(client.get(URL, {"part": "kinds", "basis": "recalled", "product": "gfs2"}))
    assert recalled.count('<details class="card-section knowledge"') == sum(
        one.part == "kinds" and one.basis == "recalled" and one.product == "gfs2" for one in entries()
    )
    assert client.get(URL, {"part": "<b>", "q": "\x01"}).status_code == 200


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ({"q": "V-2-96"}, "vxfs-needs-check"),
        ({"q": "6027-2780"}, "quorum-lost"),
        ({"q": "no path left"}, "map-no-path"),
        ({"product": "veritas", "weight": "disaster", "q": "fencing"}, "fencing-disabled"),
        ({"product": "linux", "weight": "everyday", "q": "corosync"}, "totem-starts"),
    ],
)
def test_messages_are_found_by_code_word_product_and_weight(
    client: Client, folk: People, query: dict[str, str], kind: str
) -> None:
    client.force_login(folk.bob)
    page = shown(client.get(URL, {"part": "messages", **query}))
    assert f'id="{kind}"' in page
    assert page.count('<details class="card-section knowledge"') < 40


def test_a_long_list_of_messages_says_that_more_are_there(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    page = shown(client.get(URL, {"part": "messages"}))
    assert page.count('<details class="card-section knowledge"') == SHOWN
    assert f"the first {SHOWN} are shown" in page


def test_messages_count_in_ones_own_cases_only(client: Client, folk: People) -> None:
    log = b"".join(
        b"Mar  9 20:33:1%d cod3 kernel: device-mapper: multipath: Failing path 8:32.\n" % n for n in range(3)
    )
    read_into(make_case(folk.team), log, "messages")
    client.force_login(folk.bob)
    query = {"part": "messages", "q": "path-failed"}
    assert "in 1 of your cases, 3 lines" in shown(client.get(URL, query))
    client.force_login(folk.charlie)
    assert "of your cases" not in shown(client.get(URL, query))


def test_only_ones_own_cases_count(client: Client, folk: People) -> None:
    read_into(make_case(folk.team), bundle())
    client.force_login(folk.bob)
    mine = shown(client.get(URL, {"part": "kinds"}))
    client.force_login(folk.charlie)
    strangers = shown(client.get(URL, {"part": "kinds"}))
    assert "in 1 of your cases" in mine
    assert "of your cases" not in strangers


def test_each_rule_has_a_plain_name_and_rules_stand_by_product() -> None:
    rules = [entry for entry in entries() if entry.part == "rules"]
    assert not [entry.id for entry in rules if set("‹›{}") & set(entry.title) or len(entry.title) > 60]
    assert len({entry.title for entry in rules}) == len(rules)


def test_rules_stand_below_their_product(folk: People, client: Client) -> None:
    client.force_login(folk.bob)
    text = shown(client.get(URL))
    groups = re.findall(r'knowledge-group">([^<]+)<', text)
    assert groups == list(dict.fromkeys(groups))
    assert {"GFS2 / DLM", "IBM Storage Scale", "Any product"} <= {group.strip() for group in groups}
