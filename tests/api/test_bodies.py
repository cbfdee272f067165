"""Bodies of requests hold what the description says of each field, and nothing that is like it: a number is no text,
a text that holds a number is no number, and neither is true or false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from django.test import Client

from apps.api.schema import PREFIX, description
from apps.api.services import create_token
from apps.diagnosis.pages.judging.judgements import Subject
from apps.sharing.services import create_share_link
from tests.api.test_api import Program
from tests.builders import Built, People, build_case
from tests.learning.pack import ROW

pytestmark = pytest.mark.django_db
JSON: Final = "application/json"
LIKE: Final[tuple[Any, ...]] = (7, 0, 1.5, 1e300, True, False, "7", "true", "0", [], ["7"], {}, {"a": 7}, None)
"""One of each kind, and what looks like another kind."""
BY_HAND: Final = {"transcript"}
"""Read without a form, which names no field."""


def _shape(shape: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without a reference."""
    if "$ref" not in shape:
        return shape
    found: dict[str, Any] = description()["components"]["schemas"][shape["$ref"].rsplit("/", 1)[-1]]
    return found


def _is_of(shape: Mapping[str, Any], value: Any) -> bool:
    """Of the same kind, whether or not it is one of the values that are taken."""
    if value is None:
        return bool(shape.get("nullable"))
    kind = _shape(shape["allOf"][0] if "allOf" in shape else shape)["type"]
    if kind == "integer":
        return type(value) is int
    return type(value) is {"string": str, "boolean": bool, "object": dict}[kind]


def _bodies() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, item in description()["paths"].items():
        for method in ("post", "patch"):
            kinds = item.get(method, {}).get("requestBody", {}).get("content", {})
            if JSON in kinds:
                whole = _shape(kinds[JSON]["schema"])
                for shape in whole.get("oneOf", [whole]):
                    yield method, path, _shape(shape)


@pytest.fixture
def places(folk: People) -> dict[str, str]:
    """What stands in addresses."""
    built: Built = build_case(folk.team)
    link = create_share_link(case=built.case, user=folk.alice, days=3).link
    made = Program(folk.alice).call("post", f"teams/{folk.team.slug}/knowledge/", {"entry": ROW})
    judged = Subject("finding", "slow-disk", "One disk is slow").token
    return {
        "key": built.case.key,
        "link_id": str(link.pk),
        "judged": judged,
        "slug": folk.team.slug,
        "entry_id": str(made.json()["id"]),
    }


def test_a_field_takes_no_value_of_another_kind(
    folk: People, places: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rest_framework.throttling.UserRateThrottle.allow_request", lambda *args: True)
    program, taken, fields_n = Program(folk.alice), [], 0
    for method, path, shape in _bodies():
        address = path.removeprefix(PREFIX).format(**places)
        for name, of in shape["properties"].items():
            fields_n += name not in BY_HAND
            for value in LIKE:
                if name in BY_HAND or _is_of(of, value):
                    continue
                answer = program.call(method, address, {name: value})
                if answer.status_code != 422 or name not in answer.json().get("fields", {}):
                    taken.append((method, path, name, value, answer.status_code))
    assert taken == []
    assert fields_n >= 30


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("cases/{key}/links/", {"view": "node=lund-n3", "note": "7"}),
        ("cases/{key}/links/", {"view": "", "views_most": None, "password": "  7 blanks  "}),
        ("cases/{key}/notes/", {"text": "7", "finding_ref": "SC-01", "at_us": 0}),
        ("cases/{key}/live/", {"node": "7", "number": 7, "every_s": 60, "is_over": True}),
    ],
)
def test_texts_that_hold_figures_are_texts(
    folk: People, places: dict[str, str], path: str, fields: dict[str, Any]
) -> None:
    assert Program(folk.alice).call("post", path.format(**places), fields).status_code in (200, 201)


@pytest.mark.parametrize("name", ["customer", "ticket", "solution"])
def test_blanks_count_as_they_were_sent(folk: People, places: dict[str, str], name: str) -> None:
    program, address = Program(folk.alice), f"cases/{places['key']}/"
    assert program.call("patch", address, {name: " " * 80}).status_code == 200
    assert program.call("patch", address, {name: " " * 2001}).status_code == 422


def test_a_password_is_kept_as_it_was_sent(folk: People, places: dict[str, str]) -> None:
    address = f"cases/{places['key']}/links/"
    assert Program(folk.alice).call("post", address, {"password": "eight\x00and more"}).status_code == 422
    assert Program(folk.alice).call("post", address, {"password": " " * 8}).status_code == 201


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"found": "other", "sure": "proven", "finding": 1}, 201),
        ({"found": "other", "sure": "proven", "finding": 0}, 422),
        ({"found": "other", "sure": "proven", "finding": 2}, 422),
        ({"found": "other", "sure": "proven"}, 422),
        ({"found": "healthy", "sure": "guessed", "finding": 7, "more": "7"}, 201),
        ({"found": "none", "sure": "likely", "finding": "7"}, 422),
    ],
)
def test_another_finding_is_named_by_its_place(
    folk: People, places: dict[str, str], fields: dict[str, Any], status: int
) -> None:
    assert Program(folk.alice).call("post", f"cases/{places['key']}/outcome/", fields).status_code == status


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/x-www-form-urlencoded", b"note=%00"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="note"\r\n\r\n\x00\r\n--x--'),
        (f"multipart/form-data; boundary={'x' * 300}", b"z"),
    ],
)
def test_a_damaged_form_is_refused_as_other_errors_are(
    folk: People, places: dict[str, str], content_type: str, body: bytes
) -> None:
    token = create_token(user=folk.alice, name="t", scope="write", days=1).text
    client = Client(headers={"Authorization": f"Bearer {token}"})
    refused = client.post(f"/api/v1/cases/{places['key']}/bundles/", body, content_type=content_type)
    assert refused.status_code == 400
    assert refused["Content-Type"] == "application/problem+json"
    assert refused.json()["status"] == 400
    assert Client().get("/?page=%00")["Content-Type"].startswith("text/plain")
