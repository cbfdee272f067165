"""Mails whose texts were sent in base64."""

from __future__ import annotations

from base64 import encodebytes
from quopri import encodestring

import pytest

from parsers.records.states import Membership
from parsers.text import BLOCK_BYTES
from tests.parsers.golden import Reading

PORTS = f"[root@tarn1 ~]# gabconfig -a\nGAB Port Memberships\n{'=' * 63}\nPort a gen   51c001 membership 01\n"
HEAD = "From: Anna Berg <anna@example.com>\nSubject: ports\nMIME-Version: 1.0\n"
ENCODED = "Content-Transfer-Encoding: base64\n\n"


def part(text: str, sort: str = "text/plain; charset=utf-8", charset: str = "utf-8") -> str:
    return f"Content-Type: {sort}\n{ENCODED}{encodebytes(text.encode(charset)).decode()}"


def several(sort: str, *parts: str) -> str:
    body = "".join(f"--b1\n{one}\n" for one in parts)
    return f'{HEAD}Content-Type: multipart/{sort}; boundary="b1"\n\n{body}--b1--\n'


def nodes(mail: str, *, block_bytes: int = BLOCK_BYTES) -> list[str | None]:
    reading = Reading(mail, block_bytes=block_bytes)
    assert reading.adds_up
    return [one.node for one in reading.of(Membership)]


@pytest.mark.parametrize("block_bytes", [40, 333, 1 << 20])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_text_of_a_mail_is_read(block_bytes: int, end: str) -> None:
    mail = (HEAD + part(f"Bonjour,\n\n{PORTS}\nSalutations\n")).replace("\n", end)
    expected = ["tarn1"] if block_bytes > 200 else []  # what is in the first block tells
    assert nodes(mail, block_bytes=block_bytes) == expected


def test_a_copy_as_a_web_page_counts_once() -> None:
    page = f"<html><body><pre>{PORTS}</pre></body></html>"
    assert nodes(several("alternative", part(PORTS), part(page, "text/html; charset=utf-8"))) == ["tarn1"]


def test_other_sets_of_letters() -> None:
    text = f"Grüße\n{PORTS}"
    assert nodes(HEAD + part(text, 'text/plain; charset="iso-8859-1"', "iso-8859-1")) == ["tarn1"]
    assert nodes(HEAD + part(text, "text/plain; charset=no-such", "utf-8")) == ["tarn1"]


def test_files_that_are_attached_are_of_their_nodes() -> None:
    output = PORTS.split("\n", 1)[1]
    attached = [
        part(output, f'application/octet-stream; name="{name}_gabconfig.txt"').replace(
            ENCODED, f"Content-ID: <{name}>\n{ENCODED}"
        )
        for name in ("tarn1", "tarn2")
    ]
    assert nodes(several("mixed", *attached)) == ["tarn1", "tarn2"]


def test_what_is_no_text_or_no_base64_stays() -> None:
    picture = part("\0\1\2" * 90, "image/png; name=screen.png")
    assert nodes(several("mixed", part(PORTS), picture)) == ["tarn1"]
    assert nodes(f"{HEAD}{ENCODED}{PORTS}") == ["tarn1"]
    assert nodes(f"We had base64 in it\n{PORTS}") == ["tarn1"]


def printable(text: str) -> str:
    return encodestring(text.encode()).decode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_parts_with_signs_are_read_whatever_their_share(end: str) -> None:
    head = 'Content-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\n\n'
    long = f"Grüße, our node says, and nothing else than this very long line tells of it today, that:\n-- \n{PORTS}"
    assert nodes((HEAD + head + printable(long)).replace("\n", end)) == ["tarn1"]
    assert nodes(several("mixed", head + printable(long), part(PORTS.replace("tarn1", "tarn2")))) == ["tarn1", "tarn2"]


def test_a_ruler_between_named_boundaries_is_no_boundary() -> None:
    plain = "Content-Type: text/plain\n\n-- GROUP STATE\n---------------\nrest\n"
    reading = Reading(several("mixed", plain, part(PORTS)))
    assert [one.node for one in reading.of(Membership)] == ["tarn1"]


@pytest.mark.parametrize("name", ["messages", "bench.md", "ports.tarn1"])
def test_what_a_file_holds_tells_whether_it_is_text(name: str) -> None:
    sort = f'application/octet-stream; name="{name}"'
    assert nodes(several("mixed", part(PORTS, sort))) == ["tarn1"]
    assert nodes(several("mixed", part("\x00\x01\x02" * 40 + PORTS, sort))) == []
