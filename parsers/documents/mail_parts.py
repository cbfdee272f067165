"""Parts of a mail as they were sent: text in base64 or with signs ``=`` (``quoted-printable``), in place of its letters
and figures.

    Content-Type: text/plain; charset=utf-8
    Content-Transfer-Encoding: base64

    R0FCIFBvcnQgTWVtYmVyc2hpcHMK...

Parts that hold no text stay as they are; so does a copy of the text as a web page (``multipart/alternative``), of which
nothing is left.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64, a2b_qp
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

LOOKED_AT: Final = 256 << 10
LONGEST_LINE: Final = 1000
_ENCODED: Final = re.compile(
    rb"^Content-Transfer-Encoding:[ \t]{0,8}(base64|quoted-printable)[ \t]{0,8}\r?$", re.IGNORECASE | re.MULTILINE
)
_LETTERS: Final = re.compile(rb"[A-Za-z0-9+/]{1,998}={0,2}[ \t\r]{0,4}$")
_TYPE: Final = re.compile(rb"Content-Type:[ \t]{0,8}([\w.+-]{1,60}/[\w.+-]{1,80})", re.IGNORECASE)
_CHARSET: Final = re.compile(rb"charset=\"?([\w.:-]{1,40})", re.IGNORECASE)
_BOUNDARY: Final = re.compile(rb"boundary=\"?([^\"\s;]{1,100})", re.IGNORECASE)
_NO_TEXT: Final = re.compile(rb"[\x00-\x08\x0e-\x1a]")
_FILE: Final = re.compile(rb"name=\"?([\w.@+-]{1,200})", re.IGNORECASE)
_TEXT_ENDINGS: Final = (b".txt", b".log", b".out", b".dat", b".csv", b".json", b".conf", b".yaml", b".html", b".htm")


def is_encoded(head: bytes) -> bool:
    """Whether a text that begins so is a mail with parts that are encoded."""
    return _ENCODED.search(head[:LOOKED_AT]) is not None


def plain(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The mail in chunks of whole lines, its texts decoded."""
    mail, carry = _Mail(), b""
    for chunk in chunks:
        data = carry + chunk
        end = data.rfind(b"\n") + 1
        carry = data[end:]
        if len(carry) > LONGEST_LINE and end == 0:
            yield carry
            carry = b""
        elif end:
            yield b"".join(mail.line(line) for line in data[:end].splitlines(keepends=True))
    yield mail.line(carry) + mail.end() if carry else mail.end()


class _Mail:
    """What is known of the part that is being read."""

    def __init__(self) -> None:
        self._type = b""
        self._charset = "utf-8"
        self._file = b""
        self._encoding = b""
        self._boundaries: set[bytes] = set()
        self._is_inside = False
        self._is_alternative = self._has_text = False
        self._letters = b""
        self._ends_open = False

    def line(self, line: bytes) -> bytes:
        """A line as it is to be read."""
        bare = line.rstrip(b"\r\n")
        is_end = self._is_boundary(bare)
        if self._is_inside and self._encoding == b"quoted-printable" and not (is_end and self._boundaries):
            return self._shown(a2b_qp(line))
        if self._is_inside:
            if _LETTERS.match(bare) and not is_end:
                return self._decoded(bare)
            rest = self.end()
            self._is_inside, self._encoding = False, b""
            return rest + self._outside(line, bare)
        return self._outside(line, bare)

    def end(self) -> bytes:
        """What is left of the part."""
        rest = self._decoded(b"", is_last=True) if self._letters else b""
        ends_open, self._ends_open = self._ends_open, False
        return rest + (b"\n" if ends_open else b"")

    def _is_boundary(self, bare: bytes) -> bool:
        """Whether a line stands between two parts: one that the mail named, or any where it named none."""
        if not bare.startswith(b"--"):
            return False
        return bare[2:].rstrip().removesuffix(b"--") in self._boundaries or not self._boundaries

    def _outside(self, line: bytes, bare: bytes) -> bytes:
        if not bare.strip():
            self._is_inside = bool(self._encoding) and (self._is_text() or self._is_unknown())
            return b"==> " + self._file + b" <==\n" if self._is_inside and self._file else line
        if self._is_boundary(bare):
            self._type, self._charset, self._encoding, self._file = b"", "utf-8", b"", b""
            return b"\n"  # between the parts nothing is said
        if (found := _TYPE.match(bare)) is not None:
            self._type = found[1].lower()
            self._is_alternative = self._is_alternative or self._type == b"multipart/alternative"
        if (boundary := _BOUNDARY.search(bare)) is not None:
            self._boundaries.add(boundary[1])
        if (charset := _CHARSET.search(bare)) is not None:
            self._charset = charset[1].decode("ascii", "replace")
        if (name := _FILE.search(bare)) is not None:
            self._file = name[1]
        if (encoding := _ENCODED.match(bare)) is not None:
            self._encoding = encoding[1].lower()
        return line

    def _is_text(self) -> bool:
        return not self._type or self._type.startswith(b"text/") or self._file.lower().endswith(_TEXT_ENDINGS)

    def _is_unknown(self) -> bool:
        """Whether only a look at it tells what a part holds."""
        return self._type == b"application/octet-stream"

    def _decoded(self, bare: bytes, *, is_last: bool = False) -> bytes:
        letters = self._letters + bare.strip()
        end = len(letters) if is_last else len(letters) // 4 * 4
        self._letters = letters[end:]
        try:
            data = a2b_base64(letters[:end] + b"=" * (-end % 4))
        except (Error, ValueError):
            return bare + b"\n"
        if self._is_unknown() and not self._is_text() and _NO_TEXT.search(data) is not None:
            self._is_inside, self._encoding, self._letters = False, b"", b""
            return bare + b"\n"
        return self._shown(data)

    def _shown(self, data: bytes) -> bytes:
        """Text of a part in UTF-8; nothing of what a part above says in plain text."""
        if self._is_alternative and self._has_text and self._type == b"text/html":
            return b""
        self._has_text = self._has_text or self._type == b"text/plain"
        if self._charset.lower() not in ("utf-8", "us-ascii"):
            with suppress(LookupError):
                data = data.decode(self._charset, "replace").encode("utf-8")
        self._ends_open = not data.endswith(b"\n") if data else self._ends_open
        return data
