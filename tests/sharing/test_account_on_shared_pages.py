"""A page that tells no referrer can post nothing: what stands on it must not pretend to."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.sharing.models import ShareLink
from apps.sharing.services import create_share_link
from tests.builders import People, build_case

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("level", ShareLink.Level.values)
def test_no_form_of_the_account_stands_on_a_shared_page(client: Client, folk: People, level: str) -> None:
    token = create_share_link(case=build_case(folk.team).case, user=folk.alice, days=3, level=level).token
    client.force_login(folk.charlie)
    for address in (reverse("sharing:page", args=[token]), reverse("sharing:part", args=[token, "graph"])):
        answer = client.get(address)
        text = answer.content.decode()
        assert (answer.status_code, answer["Referrer-Policy"]) == (200, "no-referrer")
        assert 'method="post"' not in text
        assert reverse("accounts:sign_out") not in text
        assert (
            f'<a href="{reverse("cases:list")}">charlie</a>' in text
        )  # the way back to one's own pages, which have it
    assert reverse("accounts:sign_out") in client.get("/").content.decode()
