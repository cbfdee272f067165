"""What a stream is, by its first bytes; names are never asked."""

from __future__ import annotations

import re
from typing import Final

from parsers.archives.tar import BLOCK, is_header

SNIFF_BYTES: Final = BLOCK
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_SKIPPABLE_ZSTD = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_CPIO = re.compile(rb"07070[127][0-9A-Fa-f]{70}")
_MAGIC: Final = (
    (b"\x1f\x8b\x08", "gzip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PK\x07\x08", "zip"),
    (b"\x1f\x9d", ".Z"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"LZIP\x01", "lzip"),
    (b"\xed\xab\xee\xdb", "rpm"),
    (b"MSCF\x00\x00\x00\x00", "cab"),
)
COMPRESSED: Final = frozenset(("gzip", "bzip2", "xz", "zstd", ".Z"))
ARCHIVES: Final = frozenset(("tar", "zip"))


def sniff(head: bytes) -> str:
    """``gzip bzip2 xz zstd .Z`` (compressed), ``tar zip`` (archives), another archive's name, or "" for
    anything else.
    """
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if _BZIP2.match(head):
        return "bzip2"
    if _SKIPPABLE_ZSTD.match(head):
        return "zstd"
    if _CPIO.match(head):
        return "cpio"
    return "tar" if is_header(head) else ""
