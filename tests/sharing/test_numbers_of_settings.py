"""Numbers of devices and tickets that a list of settings holds: their name stands in another cell, and tells what they
are.
"""

from __future__ import annotations

import pytest
from django.test import Client

from apps.cases.models import Case
from apps.sharing.models import ShareLink
from tests.builders import People
from tests.ingest.material import send, tar
from tests.sharing.test_planted_everywhere import crawled

pytestmark = pytest.mark.django_db
LISTED = """\
heron2# haclus -display
#Attribute             Value
ClusterName            marsh
CounterInterval        5
PMR                    3003017
Serial                 4171926
EngineShutdown         Enable
UseFence               SCSI3
HacliUserLevel         8123
"""


def test_the_number_of_a_ticket_or_a_device_is_masked_where_its_name_is_a_setting(staff: People) -> None:
    client = Client()
    client.force_login(staff.alice)
    answer = send(client, tar({"heron2/haclus.txt": LISTED.encode()}), "a.tgz", title="a", team=staff.team.slug)
    assert answer.status_code in {200, 201}, answer.content
    shared = crawled(Case.objects.latest("pk"), staff.alice, ShareLink.Level.DEVELOPMENT)
    whole = " ".join(shared.values())
    assert [number for number in ("3003017", "4171926", "marsh") if number in whole] == []
    assert "8123" in whole
