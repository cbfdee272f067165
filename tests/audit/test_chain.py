"""What is done to the trail behind the program's back is refused or found."""

from __future__ import annotations

from io import StringIO
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from apps.audit import chain
from apps.audit.models import AuditEvent, AuditLink
from apps.audit.services import record
from apps.audit.tasks import extend_chain
from tests.builders import People, make_case

pytestmark = pytest.mark.django_db
CHANGE = {
    "verb": "UPDATE audit_auditevent SET verb = 'x' WHERE id = %s",
    "detail": "UPDATE audit_auditevent SET detail = '{}' WHERE id = %s",
    "user": "UPDATE audit_auditevent SET user_id = NULL WHERE id = %s",
    "gone": "DELETE FROM audit_auditevent WHERE id = %s",
}


@pytest.fixture
def events(folk: People) -> list[int]:
    made = [record("case.seen", user=folk.alice, number=number, share=0.5, text="Mäkelä").pk for number in range(5)]
    assert chain.extend() >= 5
    return made


def check(*arguments: str) -> tuple[int, list[str]]:
    out = StringIO()
    try:
        call_command("check_audit", *arguments, stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


def behind_its_back(statement: str, *values: int) -> None:
    """As whoever owns the database can: without triggers."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER USER")
            cursor.execute(statement, values)
            cursor.execute("ALTER TABLE audit_auditevent ENABLE TRIGGER USER")
        else:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
            for name, _ in triggers:
                cursor.execute(f"DROP TRIGGER {name}")
            cursor.execute(statement, values)
            for _, sql in triggers:
                cursor.execute(sql)


def test_a_trail_that_nobody_touched_is_whole_and_goes_on(folk: People, events: list[int]) -> None:
    status, lines = check()
    assert (status, len(lines)) == (0, 1)
    record("case.seen", user=folk.bob)
    make_case(folk.team).delete()  # its events lose their pointer, and nothing else
    assert check("--since", lines[0])[0] == 0
    assert AuditLink.objects.count() == AuditEvent.objects.count()


@pytest.mark.parametrize("statement", CHANGE.values(), ids=CHANGE.keys())
def test_a_change_is_found_and_named(events: list[int], statement: str) -> None:
    behind_its_back(statement, events[2])
    status, lines = check()
    assert status == 1
    assert f"event {events[2]}, at place" in lines[0]
    assert len(lines) == 2


def test_an_end_that_is_cut_off_is_found_by_the_place_noted_before(events: list[int]) -> None:
    _, (noted,) = check()
    AuditLink.objects.filter(event__in=events[3:]).delete()
    behind_its_back("DELETE FROM audit_auditevent WHERE id >= %s", events[3])
    assert check()[0] == 0
    assert check("--since", noted)[0] == 1


def test_a_trigger_that_was_dropped_is_named(events: list[int]) -> None:
    with connection.cursor() as cursor:
        on = " ON audit_auditevent" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER audit_append_only{on}")
    status, lines = check()
    assert (status, lines[0]) == (1, "the trigger audit_append_only is gone")


def test_emptying_and_replacing_are_refused(events: list[int]) -> None:
    if connection.vendor == "postgresql":
        statement, values = "TRUNCATE audit_auditevent CASCADE", []
    else:
        statement = "INSERT OR REPLACE INTO audit_auditevent SELECT * FROM audit_auditevent WHERE id = %s"
        values = events[:1]
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)
    assert AuditEvent.objects.filter(pk__in=events).count() == len(events)


def test_places_taken_out_of_the_middle_are_named(events: list[int]) -> None:
    """With their events too: the number of the next place still tells how many are gone."""
    first, last = (AuditLink.objects.get(event=event).position for event in events[1:3])
    AuditLink.objects.filter(event__in=events[1:3]).delete()
    behind_its_back("DELETE FROM audit_auditevent WHERE id = %s", events[1])
    behind_its_back("DELETE FROM audit_auditevent WHERE id = %s", events[2])
    status, lines = check()
    assert (status, lines[0]) == (1, f"places {first} to {last} of the chain are gone")


@pytest.mark.parametrize("since", ["here:ab", "1.5:ab", "9999999999999999999:ab", ":ab"])
def test_a_place_of_another_form_is_refused(events: list[int], since: str) -> None:
    with pytest.raises(CommandError, match="PLACE:DIGEST"):
        check("--since", since)


def test_events_that_another_process_gave_their_places_meanwhile_have_one_only(folk: People, events: list[int]) -> None:
    record("case.seen", user=folk.bob)
    with mock.patch.object(AuditLink.objects, "bulk_create", side_effect=IntegrityError):
        assert chain.extend() == 0  # its places were taken before it could
    assert extend_chain() == 1
    assert check()[0] == 0
