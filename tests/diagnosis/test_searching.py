"""The search over all cases: what is found, where it leads, and that nothing of other teams' cases shows, not even a
number.
"""

from __future__ import annotations

import re

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from apps.cases.models import BundleProblem, Case, Note
from apps.diagnosis.models import SearchDocument
from apps.diagnosis.pages.search.query import SearchQuery, search
from apps.diagnosis.services import diagnose_case
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.ingest.material import bundle
from tests.shown import shown

pytestmark = pytest.mark.django_db
URL = "/search/"
WORD = "oulu-n2"


@pytest.fixture
def case(folk: People) -> Case:
    made = make_case(folk.team, "Writers hang in Oulu")
    read_into(made, bundle())
    return made


def found(client: Client, text: str, **query: str) -> str:
    answer = client.get(URL, {"q": text, **query})
    assert answer.status_code == 200
    return shown(answer)


def test_who_finds_what(client: Client, folk: People, case: Case) -> None:
    assert client.get(URL, {"q": WORD}).status_code == 302
    for user in (folk.alice, folk.bob):
        client.force_login(user)
        assert case.key in found(client, WORD)
        assert client.post(URL).status_code == 405
    client.force_login(folk.charlie)
    page = found(client, WORD)
    assert case.key not in page
    assert "Nothing found" in page
    assert search(folk.charlie, SearchQuery.from_query(_query(q=WORD)))["total"] == 0


def _query(**values: str) -> QueryDict:
    return QueryDict(urlencode(values))


KINDS = {
    "node": "oulu-n1",
    "thread": "NSDThread",
    "kind": "scale-W25",
    "object": "oulu_nsd01 disk",
    "evidence": "for I/O completion",
    "file": "oulu-n3/waiters.txt",
    "case": "WRITERS hang",
}


def test_every_kind_is_found_and_opens(client: Client, folk: People, case: Case) -> None:
    client.force_login(folk.bob)
    for kind, text in KINDS.items():
        page = found(client, text, kind=kind)
        links = [link.replace("&amp;", "&") for link in re.findall(r'<td> ?<a href="([^"]+)"', page)]
        assert links, kind
        for link in links[:3]:
            assert client.get(link).status_code == 200, (kind, link)


def test_a_line_is_opened_where_there_is_one(client: Client, folk: People, case: Case) -> None:
    client.force_login(folk.bob)
    assert re.search(r'href="/cases/[^"]+/files/\d+/\?line=\d+#L\d+"', found(client, "thread:nsdthread"))


def test_prefixes_choose_the_kind(folk: People, case: Case) -> None:
    query = SearchQuery.from_query(_query(q="node:oulu-n1 colon:stays"))
    assert (query.kind, query.words) == ("node", ("oulu-n1", "colon:stays"))


def test_notes_and_problems_are_found(client: Client, folk: People, case: Case) -> None:
    note = Note.objects.create(case=case, author=folk.bob, text="The customer swapped the **controller**")
    BundleProblem.objects.create(bundle=case.bundles.get(), path="x/core.gz", message="the stream is cut")
    diagnose_case(case.pk)
    client.force_login(folk.bob)
    assert f"#note-{note.pk}" in found(client, "swapped")
    assert "core.gz" in found(client, "stream cut", kind="problem")
    client.force_login(folk.charlie)
    assert "Nothing found" in found(client, "swapped")


def test_every_word_must_occur_and_one_letter_is_too_few(client: Client, folk: People, case: Case) -> None:
    client.force_login(folk.bob)
    assert "Nothing found" in found(client, "oulu-n1 no-such-thing")
    assert "Search all cases" in found(client, "o")
    assert "Search all cases" in found(client, "")


HOSTILE = ("%", "%%", "__", "\\", "'; DROP TABLE", "<script>alert(1)</script>", "kind:", "x" * 5000)


def test_hostile_words(client: Client, folk: People, case: Case) -> None:
    client.force_login(folk.bob)
    for text in HOSTILE:
        page = found(client, text)
        assert "<script>alert" not in page, text
        assert case.key not in page, text


def test_a_case_in_the_trash_is_not_found(client: Client, folk: People, case: Case) -> None:
    Case.objects.filter(pk=case.pk).update(trashed_at=timezone.now())
    client.force_login(folk.alice)
    assert "Nothing found" in found(client, WORD)


def test_documents_are_replaced_with_the_diagnosis(folk: People, case: Case) -> None:
    before = SearchDocument.objects.filter(case=case).count()
    diagnose_case(case.pk)
    assert SearchDocument.objects.filter(case=case).count() == before > 5
    case.bundles.all().delete()
    diagnose_case(case.pk)
    assert not SearchDocument.objects.filter(case=case).exists()


def test_htmx_is_given_the_results_alone(client: Client, folk: People, case: Case) -> None:
    client.force_login(folk.bob)
    answer = client.get(URL, {"q": WORD}, headers={"HX-Request": "true"})
    assert shown(answer).lstrip().startswith('<section class="card" id="found"')


def test_a_node_leads_to_its_waits(client: Client, folk: People, case: Case) -> None:
    client.force_login(folk.bob)
    assert f"{reverse('diagnosis:waiters', args=[case.key])}?node=oulu-n2" in found(client, "node:oulu-n2")
