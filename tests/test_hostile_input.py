"""Every parameter of every address with what nobody means to send: refused or ignored, no failure of the server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from tests.part import part
from tests.test_access_matrix import PATTERNS, World, address, taken_back, world

__all__ = ["world"]  # a fixture
pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[1]
READ = re.compile(
    r"""(?:GET|POST|query|query_params|data|params|given)(?:\.get|\.getlist)?[\(\[]\s*"([a-z_]{1,30})\""""
)
FIELDS = re.compile(r"^    ([a-z_]+)(?:: [^=\n]+)? = (?:forms|fields|serializers)\.\w+\(", re.MULTILINE)
RAW = {
    "nul": "%00",
    "nul-inside": "1%00x",
    "bad-utf8": "%ff%fe%c3%28",
    "surrogate": "%ed%a0%80",
    "huge-float": "1e309",
    "nan": "nan",
    "no-date": "2031-13-45T25:61:61Z",
    "first-date": "0001-01-01T00:00:00%2B23:59",
    "last-date": "9999-12-31T23:59:59-23:59",
    "digits": "9" * 20,
    "minus-digits": "-" + "9" * 19,
    "very-many-digits": "9" * 5000,
    "right-to-left": "%e2%80%ae%d7%90%d9%a2%d9%a3",
    "other-digits": "%d9%a1%d9%a2",
    "superscript": "%c2%b2",
    "separators": "%e2%80%a8%0d%0a%1b[31m",
    "braces": "%7b%7b%25",
    "patterns": "(((((a%2b)%2b)%2b[",
}
FINE = range(200, 500)
NOT_READY = {"web:readyz"}  # 503 says that no worker runs


def parameters() -> list[str]:
    """Every name that a view, a form or a serializer reads."""
    found: set[str] = set()
    for path in (ROOT / "apps").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        found |= {*READ.findall(text), *FIELDS.findall(text)}
    return sorted(found)


NAMES = parameters()


def in_path(url: str, name: str, value: str) -> Iterator[str]:
    """The address with one of its parts replaced; numbers take digits only."""
    for number, piece in enumerate(pieces := url.split("/")):
        if piece:
            yield "/".join([*pieces[:number], value, *pieces[number + 1 :]])


def ask(world: World, who: str, verb: str, url: str, body: str = "") -> int:
    headers = world.programs[who] if url.startswith("/api/") else {}
    client: Client = world.people[who]
    sent = {"data": body, "content_type": "application/x-www-form-urlencoded"} if body else {}
    with taken_back(verb):
        return int(getattr(client, verb)(url, headers=headers, **sent).status_code)


def test_there_are_parameters_to_try() -> None:
    assert len(NAMES) > 60
    assert {"q", "case", "line", "page", "days"} <= set(NAMES)


@pytest.mark.parametrize("value", RAW.values(), ids=RAW.keys())
@pytest.mark.part("hostile values", 2)
def test_every_address_with_it_in_its_parts_and_parameters(world: World, value: str) -> None:
    failed = []
    for name in part(sorted(set(PATTERNS) - NOT_READY), 12, value):
        url = address(name, world, world.numbers)
        given = "&".join(f"{one}={value}" for one in NAMES)
        tried = [
            ("get", f"{url}?{given}", ""),
            ("post", url, given),
            *(("get", one, "") for one in in_path(url, name, value)),
            *(("get", f"{url}?{one}={value}", "") for one in part(NAMES, 4, name, value)),
            *(("post", url, f"{one}={value}") for one in part(NAMES, 2, name, value)),
        ]
        for who in ("owner", "anonymous") if "%00" in value else ("owner",):
            for verb, where, body in tried:
                try:
                    status = ask(world, who, verb, where, body)
                except Exception as error:  # noqa: BLE001 - whatever comes out of a view is a failure of it
                    failed.append(f"{name} {verb} {where[:90]}: {type(error).__name__}")
                    continue
                if status not in FINE:
                    failed.append(f"{name} {verb} {where[:90]} {body[:40]}: {status}")
    assert failed == []


@pytest.mark.parametrize(
    "text", ['{"title": "a\\u0000b"}', '{"title": 1e309}', '{"title": ' + "[" * 2000, "\x00", "[]", '"x"', "1" * 20]
)
@pytest.mark.part("hostile bodies", 1)
def test_what_programs_send_is_refused_or_taken_without_nul(world: World, text: str) -> None:
    headers = world.programs["owner"]
    client = world.people["owner"]
    for name in sorted(PATTERNS):
        if name.startswith("api:"):
            url = address(name, world, world.numbers)
            for verb in ("post", "patch", "put"):
                with taken_back():
                    answer = getattr(client, verb)(url, data=text, content_type="application/json", headers=headers)
                assert answer.status_code in FINE, (name, verb, answer.status_code)


def test_a_cookie_with_nul_is_no_cookie(world: World) -> None:
    client = Client()
    client.cookies["sessionid"] = "a\0b"
    client.cookies["csrftoken"] = "\0"
    assert client.get("/").status_code in FINE
