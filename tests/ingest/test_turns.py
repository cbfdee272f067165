"""Whose file is read next. A team that sends much does not keep another waiting; nothing is lost, whichever message
reads which file.
"""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.cases.models import Artifact, Bundle, Case
from apps.ingest import tasks
from apps.ingest.models import ReadingWindow, UploadTurn
from apps.ingest.scheduling import turns
from apps.ingest.uploads.receive import store_bytes
from tests.builders import People, expired, make_artifact, make_bundle, make_case
from tests.ingest.material import tar, waiters
from tests.ingest.waiting import Waiting, queue

__all__ = ["queue"]  # a fixture
pytestmark = pytest.mark.django_db
LIGHT = django_settings.LIMITS.light_bytes


def line_up(case: Case, names: str, *, of_bytes: int = 100, size: int = 100, by: User | None = None) -> list[Artifact]:
    """Files of one upload that wait to be read, one for each letter."""
    bundle = make_bundle(case, size=of_bytes, uploaded_by=by)
    rows = [
        Artifact(
            case=case, bundle=bundle, path=name, size=size, state="queued", blob="none", sha256=f"{name}{bundle.pk}"
        )
        for name in names
    ]
    made = Artifact.objects.bulk_create(rows)
    for artifact in made:
        turns.stand_in_line(artifact.pk, size, of_bytes=of_bytes)
    return made


def taken(how_many: int, queue: str = "light") -> str:
    """Names of the files that so many turns take."""
    names = ""
    for _ in range(how_many):
        for turn in turns.waiting(queue):
            if turn.is_window:
                names += str(ReadingWindow.objects.get(pk=turn.pk).number)
                ReadingWindow.objects.filter(pk=turn.pk).update(state="read")
            else:
                names += Artifact.objects.get(pk=turn.pk).path
                Artifact.objects.filter(pk=turn.pk).update(state="parsed")
            break
    return names


def test_teams_take_turns_however_much_one_has_sent_before(folk: People) -> None:
    line_up(make_case(folk.team), "abcdefgh")
    assert taken(3) == "abc"
    line_up(make_case(folk.other_team), "XY")
    assert taken(6) == "XdYefg"
    assert taken(5) == "h"


def test_a_team_is_not_served_twice_in_a_row_for_having_many_cases(folk: People) -> None:
    for name in "abcd":
        line_up(make_case(folk.team), name)
    line_up(make_case(folk.other_team), "X")
    assert taken(3) in {"aXb", "Xab"}


def test_in_a_team_small_uploads_go_before_large_ones_and_one_turn_in_four_does_not(folk: People) -> None:
    case = make_case(folk.team)
    line_up(case, "LMNO", of_bytes=LIGHT)
    line_up(case, "abcdefgh")
    names = taken(12)
    assert "".join(name for name in names if name.islower()) == "abcdefgh"
    assert "".join(name for name in names if name.isupper()) == "LMNO"
    assert {names.index(name) % 4 for name in "LM"} == {names.index("L") % 4}
    assert names.index("L") < 4


def test_small_uploads_of_one_team_without_end_do_not_stop_the_large_one_of_another(folk: People) -> None:
    line_up(make_case(folk.team), "abcdefghijklmnopqrst")
    line_up(make_case(folk.other_team), "XYZ", of_bytes=LIGHT)
    assert [name for name in taken(12) if name.isupper()] == ["X", "Y", "Z"]


def test_people_of_a_team_take_turns_and_so_do_the_uploads_of_each(folk: People) -> None:
    case = make_case(folk.team)
    line_up(case, "abcdef", by=folk.alice)
    line_up(case, "uvw", by=folk.bob)
    assert taken(4) in {"aubv", "uavb"}
    line_up(case, "XY", by=folk.alice)
    assert sorted(taken(3)) == ["X", "c", "w"]
    assert taken(4) in {"dYef", "Ydef"}


def test_an_account_that_is_gone_waits_no_longer_and_no_shorter_than_others(folk: People) -> None:
    case = make_case(folk.team)
    line_up(case, "abc")
    line_up(case, "uvw", by=folk.bob)
    assert [name in "abc" for name in taken(6)] == [True, False] * 3


def test_files_that_passed_to_another_upload_get_its_line(folk: People) -> None:
    case = make_case(folk.team)
    made = line_up(case, "ab")
    heir = make_bundle(case)
    Artifact.objects.filter(pk__in=[one.pk for one in made]).update(bundle=heir)
    Bundle.objects.exclude(pk=heir.pk).delete()
    assert taken(2) == "ab"


def test_files_of_a_case_in_the_trash_keep_nobody_waiting(folk: People) -> None:
    gone = make_case(folk.team)
    line_up(gone, "abc")
    Case.objects.filter(pk=gone.pk).update(trashed_at=timezone.now())
    line_up(make_case(folk.team), "XY")
    assert taken(3) == "XY"


def test_a_line_is_closed_when_nothing_of_its_upload_waits(folk: People) -> None:
    line_up(make_case(folk.team), "ab")
    for lines in (1, 0):
        taken(1)
        turns.close_lines()
        assert UploadTurn.objects.count() == lines


def test_large_files_have_turns_of_their_own(folk: People) -> None:
    line_up(make_case(folk.team), "ab", size=LIGHT, of_bytes=LIGHT)
    line_up(make_case(folk.other_team), "X", size=LIGHT, of_bytes=LIGHT)
    line_up(make_case(folk.team), "c")
    assert taken(4, "heavy")[1:] in {"Xb", "ab"}
    assert taken(2) == "c"


def test_a_file_that_another_worker_was_quicker_to_take_is_left_to_it(folk: People) -> None:
    line_up(make_case(folk.team), "abc")
    tried = turns.waiting("light")
    Artifact.objects.filter(pk=next(tried).pk).update(state="reading")
    assert Artifact.objects.get(pk=next(tried).pk).path == "b"


def test_windows_of_a_huge_file_take_turns_with_large_files_of_others(folk: People) -> None:
    [huge] = line_up(make_case(folk.team), "h", size=LIGHT, of_bytes=LIGHT)
    Artifact.objects.filter(pk=huge.pk).update(state="reading")
    ReadingWindow.objects.bulk_create(
        [ReadingWindow(artifact=huge, number=number, first_line=1 + number) for number in range(4)]
    )
    line_up(huge.case, "i", size=LIGHT, of_bytes=LIGHT)
    assert taken(1, "heavy") == "0"
    line_up(make_case(folk.other_team), "XY", size=LIGHT, of_bytes=LIGHT)
    assert taken(7, "heavy") == "XiY123"
    assert taken(2, "light") == ""


def test_a_message_of_a_window_reads_what_has_its_turn_and_that_of_a_killed_reader_its_own(folk: People) -> None:
    case = make_case(folk.team)
    [huge] = line_up(case, "h", size=LIGHT, of_bytes=LIGHT)
    Artifact.objects.filter(pk=huge.pk).update(
        state="reading", turn_kind=None, turn_of=None
    )  # taken up by a release that had no turns
    first, second = (
        ReadingWindow.objects.create(artifact=huge, number=number, first_line=1 + number) for number in range(2)
    )
    tasks.read_window(second.pk, turn_of="heavy")
    assert state_of(first) != "queued"
    assert state_of(second) == "queued"
    third = ReadingWindow.objects.create(artifact=huge, number=2, first_line=9)
    tasks.read_window(third.pk)
    assert (state_of(second), state_of(third) == "queued") == ("queued", False)


def state_of(window: ReadingWindow) -> str:
    return ReadingWindow.objects.get(pk=window.pk).state


def test_a_turn_costs_the_same_however_many_files_are_waiting(folk: People) -> None:
    counts = []
    for _ in range(2):
        line_up(make_case(folk.team), "n" * 300)
        with CaptureQueriesContext(connection) as queries:
            next(turns.waiting("light"))
        counts.append(len(queries))
    assert counts[0] - counts[1] in {0, 2}  # the first of a team and of a person makes its row
    assert counts[1] <= 5


def test_the_next_file_is_found_by_its_index(folk: People) -> None:
    """Without it each turn would look at all that is waiting: 200,000 files would cost their square."""
    case = make_case(folk.team)
    line_up(case, "n" * 400)
    line_up(make_case(folk.other_team), "x" * 5)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE cases_artifact")  # without figures of the table the planner guesses
    waiting = Artifact.objects.filter(
        state="queued", turn_kind=turns.Kind.SMALL_UPLOAD, bundle=case.bundles.get()
    ).order_by("turn_at")
    plan = waiting.values("pk")[:1].explain()
    assert "artifact_line" in plan, plan
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan


# Messages


def test_a_message_reads_the_file_whose_turn_it_is_and_not_the_one_it_was_sent_for(
    folk: People, queue: Waiting
) -> None:
    case, other = make_case(folk.team), make_case(folk.other_team)
    bundle, late = make_bundle(case), make_bundle(other)
    first, second = (make_artifact(bundle, f"{n}.txt", waiters(f"oulu-n{n}"), state="queued") for n in (1, 2))
    last = make_artifact(late, "3.txt", waiters("oulu-n3"), state="queued")
    for artifact in (first, second, last):
        tasks._send_artifact(artifact.pk, artifact.size, of_bytes=100)
    assert queue.take() == [("read_artifact", first.pk), ("read_artifact", second.pk), ("read_artifact", last.pk)]
    order = []
    for artifact in (first, second, last):
        before = set(unread())
        tasks.read_artifact(artifact.pk, "light")
        order += sorted(before - set(unread()))
    assert order in ([first.pk, last.pk, second.pk], [last.pk, first.pk, second.pk])


def unread() -> list[int]:
    return list(Artifact.objects.filter(state="queued").values_list("pk", flat=True))


def test_a_message_too_many_reads_nothing(folk: People, queue: Waiting) -> None:
    artifact = make_artifact(make_bundle(make_case(folk.team)), "1.txt", waiters(), state="queued")
    tasks._send_artifact(artifact.pk, artifact.size)
    for _ in range(4):
        tasks.read_artifact(artifact.pk, "light")
    artifact.refresh_from_db()
    assert (artifact.state, artifact.attempts, artifact.facts_generation) == ("parsed", 1, 1)


def test_a_message_of_a_file_that_is_gone_is_a_turn_for_another(folk: People) -> None:
    """Its own file may have been read by the message of the one that still waits."""
    artifact = make_artifact(make_bundle(make_case(folk.team)), "1.txt", waiters(), state="queued")
    turns.stand_in_line(artifact.pk, artifact.size)
    tasks.read_artifact(987654321, "light")
    artifact.refresh_from_db()
    assert artifact.state == "parsed"


def test_a_message_from_before_turns_reads_the_file_it_names(folk: People) -> None:
    bundle = make_bundle(make_case(folk.team))
    first, second = (make_artifact(bundle, f"{n}.txt", waiters(f"oulu-n{n}"), state="queued") for n in (1, 2))
    turns.stand_in_line(first.pk, first.size)
    tasks.read_artifact(second.pk)
    assert unread() == [first.pk]


def test_a_file_whose_reader_was_killed_is_read_by_its_own_message(folk: People, queue: Waiting) -> None:
    bundle = make_bundle(make_case(folk.team))
    left = make_artifact(bundle, "1.txt", waiters(), state="reading", lease_until=expired(), lease_by="dead")
    line_up(bundle.case, "abc")
    tasks.sweep()
    assert queue.take() == [("read_artifact", left.pk)]
    tasks.read_artifact(left.pk)
    left.refresh_from_db()
    assert left.state == "parsed"


# Unpacking


def received(case: Case, number: int, size: int = 100) -> list[Bundle]:
    return [
        make_bundle(case, f"{n}.tgz", size=size, state=Bundle.State.RECEIVED, uploaded_at=expired())
        for n in range(number)
    ]


def priorities(queue: Waiting) -> dict[int, int]:
    """Bundle to the priority at which it waits."""
    found = {}
    for priority in (0, 3, 6):
        for name in ("light", "heavy"):
            for raw in queue._channel.client.lrange(queue._channel._q_for_pri(name, priority), 0, -1):
                found[json.loads(json.loads(raw)["headers"]["argsrepr"].replace("(", "[").replace(",)", "]"))[0]] = (
                    priority
                )
    return found


def test_one_large_upload_of_a_team_is_unpacked_ahead_and_the_others_when_nothing_is_left_to_read(
    folk: People, queue: Waiting
) -> None:
    many = received(make_case(folk.team), 4, LIGHT)
    [other] = received(make_case(folk.other_team), 1, LIGHT)
    for bundle in (*many, other):
        tasks._send_bundle(bundle.pk, bundle.size)
    assert priorities(queue) == {many[0].pk: 0, other.pk: 0} | {bundle.pk: tasks.AFTER_ALL_ELSE for bundle in many[1:]}


def test_small_uploads_are_unpacked_ahead_until_their_sender_has_enough_in_hand(folk: People, queue: Waiting) -> None:
    case = make_case(folk.team)
    [first] = received(case, 1)
    line_up(case, "n" * 300)  # many files of one upload are no reason
    tasks._send_bundle(first.pk, first.size)
    assert priorities(queue) == {first.pk: 0}
    for _ in range(turns.UPLOADS_AHEAD["light"] - 1):
        line_up(case, "n")
    tasks._send_bundle(first.pk, first.size)
    assert priorities(queue) == {first.pk: tasks.AFTER_ALL_ELSE}
    [other] = received(case, 1)
    Bundle.objects.filter(pk=other.pk).update(uploaded_by=folk.bob)
    tasks._send_bundle(other.pk, other.size)
    assert priorities(queue)[other.pk] == 0


def test_an_upload_of_very_many_files_is_unpacked_among_the_large_ones_and_loses_none(
    folk: People, queue: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "MANY_MEMBERS", 3)
    case = make_case(folk.team)
    made = store_bytes(case, tar({f"n{n}/w.txt": waiters(f"oulu-n{n}") for n in range(8)}), filename="b.tgz", user=None)
    tasks.expand_bundle(made.pk)
    made.refresh_from_db()
    assert (made.state, made.members, case.artifacts.count()) == ("received", 3, 3)
    [again] = [name for name in ("light", "heavy") if waits_in(queue, name, 0)]
    assert again == "heavy"
    tasks.expand_bundle(made.pk)
    made.refresh_from_db()
    assert (made.state, made.members, made.attempts) == ("expanded", 8, 1)
    assert case.artifacts.values("path").distinct().count() == case.artifacts.count() == 8


def waits_in(queue: Waiting, name: str, priority: int) -> int:
    return int(queue._channel.client.llen(queue._channel._q_for_pri(name, priority)))


def test_the_next_upload_goes_ahead_once_the_one_before_was_read(folk: People, queue: Waiting) -> None:
    case = make_case(folk.team)
    first, second = received(case, 2, LIGHT)
    assert list(turns.first_to_unpack()) == [(first.pk, LIGHT)]
    Bundle.objects.filter(pk=first.pk).update(state="expanded")
    [file] = line_up(case, "n", of_bytes=LIGHT)
    assert list(turns.first_to_unpack()) == []
    Artifact.objects.filter(pk=file.pk).update(state="parsed")
    tasks.sweep()
    assert priorities(queue)[second.pk] == 0


def test_an_upload_that_came_just_now_is_left_to_its_own_message(folk: People) -> None:
    make_bundle(
        make_case(folk.team), size=LIGHT, state=Bundle.State.RECEIVED, uploaded_at=timezone.now() - timedelta(seconds=1)
    )
    assert list(turns.first_to_unpack()) == []
