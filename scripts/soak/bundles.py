"""Mixed bundles, each made from its number alone: samples of all formats and generated dumps, both also damaged as
files get damaged.
"""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zipfile
from functools import cache
from pathlib import Path

from scripts.bench.corpus import counter_text, glock_text, waiter_text

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "parsers"
WRITTEN = 1_709_632_800
"""When members were written: the clock of the run must not be in a bundle."""
MOST_MEMBERS = 8
GENERATED_BYTES = 60_000
Members = list[tuple[str, bytes]]


def bundle(number: int) -> tuple[str, bytes]:
    """(file name, content); the same for the same number, today and tomorrow."""
    rng = random.Random(number)
    members = [(f"n{rng.randrange(4)}/{place:02d}.txt", _text(rng)) for place in range(rng.randint(1, MOST_MEMBERS))]
    if rng.random() < 0.15:
        members.append(("copies/again.txt", members[0][1]))
    if rng.random() < 0.15:
        members.append(("core.bin", rng.randbytes(3_000)))
    name, content = _packed(rng, members)
    if rng.random() < 0.1:
        content = content[: rng.randrange(1, len(content) + 1)]
    return f"{number:05d}-{name}", content


@cache
def _samples() -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted(FIXTURES.glob("*/*.txt")))


def _text(rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.7:
        text = rng.choice(_samples())
    else:
        source = rng.choice((waiter_text, counter_text, glock_text))
        text = "".join(source(rng.randrange(2_000, GENERATED_BYTES), rng.randrange(1 << 30))).encode()
    return text if rng.random() < 0.5 else _damaged(rng, text)


def _damaged(rng: random.Random, text: bytes) -> bytes:
    """One of the ways in which a file reaches support."""
    lines = text.splitlines(keepends=True) or [b"\n"]
    at = rng.randrange(len(lines))
    return rng.choice(
        (
            lambda: text[: rng.randrange(len(text) + 1)],
            lambda: _bytes_changed(rng, text),
            lambda: text.replace(b"\n", b"\r\n"),
            lambda: b"".join(b"    " + line for line in lines),
            lambda: b"".join(b"heron%d: " % (place % 3) + line for place, line in enumerate(lines)),
            lambda: b"".join(lines[at:] + lines[:at]),
            lambda: b"".join(lines[:at] + lines[at : at + 1] * 40 + lines[at:]),
            lambda: b"".join([*lines[:at], b"\x00" * 50 + b"\n", *lines[at:]]),
            lambda: text.decode("utf-8", "replace").encode("utf-16"),
            lambda: b"\x1b[1m" + text + b"\x1b[0m",
        )
    )()


def _bytes_changed(rng: random.Random, text: bytes) -> bytes:
    changed = bytearray(text or b"\n")
    for _ in range(1 + len(changed) // 500):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _packed(rng: random.Random, members: Members) -> tuple[str, bytes]:
    kind = rng.random()
    if kind < 0.45:
        return "snap.tar.gz", gzip.compress(_tar(members), mtime=0)
    if kind < 0.6:
        return "snap.zip", _zip(members)
    if kind < 0.75:
        inner = ("inner/more.tar.gz", gzip.compress(_tar(members[1:]), mtime=0))
        return "snap.tar", _tar([members[0], inner])
    if kind < 0.9:
        return "dump.txt", members[0][1] or b"\n"
    return "dump.txt.gz", gzip.compress(members[0][1], mtime=0)


def _tar(members: Members) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), WRITTEN
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _zip(members: Members) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name, (2024, 3, 5, 10, 0, 0)), content)
    return buffer.getvalue()
