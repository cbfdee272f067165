from __future__ import annotations

import pytest
from django.test import RequestFactory

from apps.audit.models import AppendOnlyError, AuditEvent
from apps.audit.services import record
from tests.builders import People, make_case

pytestmark = pytest.mark.django_db


def test_events_are_added_and_never_changed(folk: People) -> None:
    event = record("case.seen", user=folk.alice, reason="asked")
    for attempt in (
        event.save,
        event.delete,
        AuditEvent.objects.all().delete,
        lambda: AuditEvent.objects.update(verb="x"),
    ):
        with pytest.raises(AppendOnlyError):
            attempt()
    assert AuditEvent.objects.get().detail == {"reason": "asked"}


@pytest.mark.parametrize(
    ("address", "kept"),
    [("203.0.113.9", "203.0.113.9"), ("2001:db8::7", "2001:db8::7"), ("", None), ("not an address", None)],
)
def test_who_and_from_where_come_from_the_request(folk: People, address: str, kept: str | None) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR=address)
    request.user = folk.bob
    event = record("case.seen", request=request)
    assert (event.user, event.address) == (folk.bob, kept)


def test_an_event_outlives_its_case(folk: People) -> None:
    case = make_case(folk.team)
    key = case.key
    case.delete()
    event = AuditEvent.objects.get(verb="case.created")
    assert (event.case, event.detail["case"]) == (None, key)
