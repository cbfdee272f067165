"""Judging through the API, and changes that are made only to what was read."""

from __future__ import annotations

from typing import Any

import pytest

from apps.accounts.models import Role
from apps.cases.models import Case
from apps.cases.services import trash_case
from apps.diagnosis.models import Judgement
from apps.diagnosis.pages.judging.judgements import kind_subject
from tests.api.test_api import Program
from tests.builders import Built, People, build_case, make_diagnosis, person

pytestmark = pytest.mark.django_db

KIND = {
    "kind_id": "io-disk", "thread": "NSDThread", "reason": "for I/O completion", "wait_on": None,
    "meaning": "waits for a disk",
    "nodes": ["n1"],
}  # fmt: skip


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team)


def finding(program: Program, built: Built, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = program.get(f"cases/{built.case.key}/findings/").json()["results"][number]
    return found


def test_a_finding_is_judged_and_what_was_judged_stands_beside_it(folk: People, built: Built) -> None:
    program = Program(folk.bob)
    address = f"cases/{built.case.key}/judgements/{finding(program, built)['id']}/"
    assert program.get(address).json() == {"title": "One disk is slow", "results": []}
    judgement = program.call("post", address, {"word": "disputed", "why": "That disk was replaced."})
    assert judgement.status_code == 201
    assert {name: judgement.json()[name] for name in ("word", "why", "by", "title")} == {
        "word": "disputed",
        "why": "That disk was replaced.",
        "by": "bob",
        "title": "One disk is slow",
    }
    assert finding(program, built)["judgement"]["word"] == "disputed"
    assert finding(program, built, 1)["judgement"] is None
    assert Program(folk.alice).call("post", address, {"word": "withdrawn"}).status_code == 201
    assert finding(program, built)["judgement"] is None
    assert [row["word"] for row in program.get(address).json()["results"]] == ["withdrawn", "disputed"]


def test_the_id_stays_with_what_the_finding_says(folk: People, built: Built) -> None:
    program = Program(folk.bob)
    before = finding(program, built)["id"]
    program.call("post", f"cases/{built.case.key}/judgements/{before}/", {"word": "agreed"})
    make_diagnosis(built.case, built.artifact)
    assert (finding(program, built)["id"], finding(program, built)["judgement"]["word"]) == (before, "agreed")


def test_a_kind_of_waits_is_judged_under_its_id_too(folk: People, built: Built) -> None:
    make_diagnosis(built.case, built.artifact, summary={"kinds": [KIND]})
    program = Program(folk.bob)
    [kind] = program.get(f"cases/{built.case.key}/analysis/").json()["waiter_kinds"]
    assert kind["id"] == kind_subject(KIND).token
    assert (
        program.call(
            "post", f"cases/{built.case.key}/judgements/{kind['id']}/", {"word": "set_aside", "why": "known"}
        ).status_code
        == 201
    )
    assert Judgement.objects.get().about == "kind"


@pytest.mark.parametrize(
    ("judgement", "status"),
    [
        ({"word": "disputed"}, 422),
        ({"word": "set_aside", "why": "  "}, 422),
        ({"word": "wonderful"}, 422),
        ({}, 422),
        ({"word": "agreed", "why": "x" * 2001}, 422),
        ({"word": "agreed", "by": "alice"}, 201),
    ],
)
def test_what_can_be_stated(folk: People, built: Built, judgement: dict[str, str], status: int) -> None:
    program = Program(folk.bob)
    answer = program.call("post", f"cases/{built.case.key}/judgements/{finding(program, built)['id']}/", judgement)
    assert answer.status_code == status
    assert [row.by for row in Judgement.objects.all()] == [folk.bob] * (status == 201)


def test_who_may_judge_and_where(folk: People, built: Built) -> None:
    address = f"cases/{built.case.key}/judgements/{finding(Program(folk.bob), built)['id']}/"
    judgement = {"word": "agreed"}
    viewer = person("vera", folk.team, Role.VIEWER)
    callers = (
        (Program(viewer), 403),
        (Program(folk.bob, "read"), 403),
        (Program(folk.charlie), 404),
        (Program(None), 401),
    )
    assert [one.call("post", address, judgement).status_code for one, _ in callers] == [status for _, status in callers]
    assert Program(viewer).get(address).status_code == 200
    assert (
        Program(folk.bob).call("post", f"cases/{built.case.key}/judgements/{'0' * 24}/", judgement).status_code == 404
    )
    trash_case(built.case, by=folk.alice)
    assert Program(folk.alice).call("post", address, judgement).status_code == 409
    assert not Judgement.objects.exists()


# If-Match
# ---------------------------------------------------------------------------------------------------------------


def changed(program: Program, path: str, tag: str, data: Any, method: str = "patch") -> Any:
    program.headers["If-Match"] = tag
    try:
        return program.call(method, path, data)
    finally:
        del program.headers["If-Match"]


def test_a_change_is_made_only_to_what_was_read(folk: People, built: Built) -> None:
    path, mine, other = f"cases/{built.case.key}/", Program(folk.alice), Program(folk.bob)
    tag = mine.get(path)["ETag"]
    assert other.call("patch", path, {"state": "waiting"}).status_code == 200
    late = changed(mine, path, tag, {"state": "solved"})
    assert (late.status_code, late["Content-Type"], late.json()["status"]) == (412, "application/problem+json", 412)
    assert Case.objects.get().state == "waiting"
    for good in (mine.get(path)["ETag"], "*", f'"x", {mine.get(path)["ETag"]}', f"W/{mine.get(path)['ETag']}"):
        fresh = good if "*" in good else good.replace(good[-34:], mine.get(path)["ETag"])
        assert changed(mine, path, fresh, {"ticket": good[:40]}).status_code == 200


def test_two_judgements_at_once_do_not_pass_each_other_by(folk: People, built: Built) -> None:
    mine, other = Program(folk.alice), Program(folk.bob)
    path = f"cases/{built.case.key}/judgements/{finding(mine, built)['id']}/"
    tag = mine.get(path)["ETag"]
    assert changed(other, path, tag, {"word": "disputed", "why": "no"}, "post").status_code == 201
    assert changed(mine, path, tag, {"word": "agreed"}, "post").status_code == 412
    assert Judgement.objects.get().word == "disputed"


@pytest.mark.parametrize("method", ["patch", "delete"])
def test_a_tag_that_never_was_changes_nothing(folk: People, built: Built, method: str) -> None:
    answer = changed(Program(folk.alice), f"cases/{built.case.key}/", '"never"', {"title": "x"}, method)
    assert answer.status_code == 412
    assert not Case.objects.filter(trashed_at__isnull=False).exists()
    assert Case.objects.get().title != "x"


def test_a_tag_is_no_way_to_learn_of_a_case_or_past_a_role(folk: People, built: Built) -> None:
    path = f"cases/{built.case.key}/"
    assert changed(Program(folk.charlie), path, "*", {"title": "x"}).status_code == 404
    assert changed(Program(folk.bob, "read"), path, '"x"', {"title": "x"}).status_code == 403


def test_the_same_rows_have_the_same_tag_however_they_are_written(folk: People, built: Built) -> None:
    program = Program(folk.alice)
    path = f"cases/{built.case.key}/"
    plain = program.get(path)["ETag"]
    program.headers["Accept"] = "application/json; indent=4"
    assert program.get(path)["ETag"] == plain
