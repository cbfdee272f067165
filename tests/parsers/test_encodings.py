"""Texts as mails and web pages carry them: quoted-printable and lines that end in a tag."""

from __future__ import annotations

import io
import quopri

import pytest

from parsers.documents.quoted_printable import is_quoted_printable
from parsers.text import blocks

TEXT = "name = größe\nWaiting 2.5 sec since 10:00:01, monitored, thread 4711 NSDThread: for I/O completion\n\n=====\n"


def _read(data: bytes, size: int) -> str:
    return b"".join(block.data for block in blocks(io.BytesIO(data), block_bytes=size)).decode()


@pytest.mark.parametrize("size", [130, 131, 132, 133, 140, 4096])
def test_quoted_printable_is_read_as_what_it_stands_for(size: int) -> None:
    encoded = quopri.encodestring(TEXT.encode())
    assert b"=\n" in encoded
    assert _read(encoded, size) == TEXT
    assert _read(encoded.replace(b"\n", b"\r\n"), size) == TEXT


@pytest.mark.parametrize(
    "text", ["bs=20 (len=24)\n", "=====\nA=\nB=\nC=\n", "a=3D b=c d=e f=g\n", "no sign at all\n", ""]
)
def test_a_text_with_signs_of_its_own_is_not_decoded(text: str) -> None:
    assert not is_quoted_printable(text.encode())
    assert _read(text.encode(), 4096) == text


@pytest.mark.parametrize("size", [1, 2, 3, 5, 4096])
def test_a_break_of_a_web_page_ends_a_line_once(size: int) -> None:
    assert _read(b"one<br>two<br/>\nthree<BR />\nfour < five\n", size) == "one\ntwo\nthree\nfour < five\n"
    assert _read(b"a <b", size) == "a <b"
