"""Walking through uploads: every sort of archive, every sort of damage, every limit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import struct
import tarfile
import tempfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.archives import compression
from parsers.archives.bundle import BundleLimits, Member, joined, walk
from tests.part import tries
from tests.patience import HANGS_CPU_S

GOOD = b"0x7F00 waiting 12.500000000 seconds, Msg handler: on ThMutex 0x2 (0x2) (LogFile instance)\n"
MIB = 1 << 20
NOISE = random.Random(1).randbytes(400_000)
Read = dict[str, bytes]


def read(data: bytes | BinaryIO, limits: BundleLimits | None = None) -> tuple[Read, list[Member]]:
    """Text of all files by path, and all other rows."""
    files: Read = {}
    others: list[Member] = []
    for member in walk(io.BytesIO(data) if isinstance(data, bytes) else data, limits=limits):
        if member.stream is not None:
            assert member.path not in files
            files[member.path] = member.stream.read()
        else:
            others.append(member)
    return files, others


def problems(rows: list[Member]) -> dict[str, str]:
    """Problem texts by path; two of one path are joined."""
    reported: dict[str, str] = {}
    for row in rows:
        if row.kind == "problem":
            reported[row.path] = f"{reported.get(row.path, '')} {row.problem}".strip()
    return reported


def archives(rows: list[Member]) -> list[str]:
    return [row.path for row in rows if row.kind == "archive"]


def tar(*members: tuple[str | tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(data)
            info.mtime = info.mtime or 1_760_000_000
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def special(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.filename = name  # ZipInfo cleans the name; hostile ones do not
            info.compress_type = method
            archive.writestr(info, data)
    return buffer.getvalue()


def unseekable(data: bytes) -> BinaryIO:
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self._inner = io.BytesIO(data)

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            return self._inner.read(min(size, 1000) if size >= 0 else size)

    return Pipe()  # type: ignore[return-value]  # a BinaryIO as far as the walker cares


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": lambda data: bz2.compress(data, 1),
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def test_plain_text_is_one_member_without_a_path() -> None:
    files, others = read(GOOD)
    assert files == {"": GOOD}
    assert not others
    assert joined("waiters.txt", "") == "waiters.txt"
    assert joined("b.tgz", "n1/waiters") == "b.tgz!n1/waiters"


def test_an_empty_upload_is_one_empty_file() -> None:
    assert read(b"") == ({"": b""}, [])


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_compressed_text_is_that_text(pack: Callable[[bytes], bytes]) -> None:
    assert read(pack(GOOD * 5000)) == ({"": GOOD * 5000}, [])


@pytest.mark.parametrize("pack", [lambda data: data, *PACKERS.values()], ids=["plain", *PACKERS])
@pytest.mark.parametrize("open_it", [io.BytesIO, unseekable], ids=["file", "pipe"])
def test_every_compression_of_a_tar(pack: Callable[[bytes], bytes], open_it: Callable[[bytes], BinaryIO]) -> None:
    files, others = read(open_it(pack(tar(("n1/waiters", GOOD * 99), ("n2/waiters", b""), ("n3/notes", b"x" * 1024)))))
    assert files == {"n1/waiters": GOOD * 99, "n2/waiters": b"", "n3/notes": b"x" * 1024}
    assert archives(others) == [""]
    assert not problems(others)


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_every_tar_format_with_long_names(form: int) -> None:
    name = "folder/" * 20 + "w" * 90 if form == tarfile.USTAR_FORMAT else "folder-é/" * 40 + "w" * 200
    files, others = read(tar((name, GOOD), ("short", b"1"), form=form))
    assert files == {name: GOOD, "short": b"1"}
    assert not problems(others)


def test_time_and_size_of_a_member() -> None:
    rows = [m for m in walk(io.BytesIO(tar(("a", GOOD)))) if m.kind == "file"]
    assert (rows[0].size, rows[0].mtime) == (len(GOOD), 1_760_000_000)
    zip_rows = [m for m in walk(io.BytesIO(zipped(("a", GOOD)))) if m.kind == "file"]
    assert (zip_rows[0].size, zip_rows[0].mtime) == (len(GOOD), None)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("open_it", [io.BytesIO, unseekable], ids=["file", "pipe"])
def test_every_method_of_a_zip(method: int, open_it: Callable[[bytes], BinaryIO]) -> None:
    files, others = read(open_it(zipped(("n1/waiters", GOOD * 99), ("n1/", b""), ("empty", b""), method=method)))
    assert files == {"n1/waiters": GOOD * 99, "empty": b""}
    assert archives(others) == [""]
    assert not problems(others)


def test_a_zip_behind_other_bytes_is_not_a_zip_but_one_with_a_shifted_directory_is_read() -> None:
    data = zipped(("a", GOOD))
    files, others = read(data[:4] + b"" + data[4:])
    assert files == {"a": GOOD}
    nested, others = read(tar(("b.zip", data)))
    assert nested == {"b.zip!a": GOOD}
    assert archives(others) == ["", "b.zip"]


def test_archives_in_archives_to_depth_four() -> None:
    data = GOOD
    for level in range(5):
        data = (
            gzip.compress(tar((f"level{level}.tgz", data), (f"beside{level}", b"b")))
            if level % 2 == 0
            else zipped((f"level{level}.tgz", data), (f"beside{level}", b"b"))
        )
    files, others = read(data)
    assert "level4.tgz!level3.tgz!level2.tgz!beside1" in files
    assert "level4.tgz!level3.tgz!level2.tgz!level1.tgz" not in files
    assert "inside 4 others" in problems(others)["level4.tgz!level3.tgz!level2.tgz!level1.tgz"]
    deep, _ = read(data, BundleLimits(depth=5))
    assert deep["level4.tgz!level3.tgz!level2.tgz!level1.tgz!level0.tgz"] == GOOD


def test_compression_over_compression_ends() -> None:
    data = GOOD
    for _ in range(9):
        data = gzip.compress(data)
    files, others = read(data)
    assert not files
    assert "compressed more than 4 times" in problems(others)[""]


def test_t06_magic_bytes_count_and_names_do_not() -> None:
    files, others = read(tar(("a.zip", GOOD), ("b.txt", gzip.compress(GOOD)), ("c.gz", b"\x1f\x8b"), ("d.tar", b"")))
    assert files == {"a.zip": GOOD, "b.txt": GOOD, "c.gz": b"\x1f\x8b", "d.tar": b""}
    assert not problems(others)


@pytest.mark.parametrize(
    ("head", "name"), [(b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07\x00", "rar"), (b"\x04\x22\x4d\x18", "lz4")]
)
def test_archives_that_can_not_be_opened_are_named_with_advice(head: bytes, name: str) -> None:
    files, others = read(tar(("x", head + b"1" * 600), ("n1/waiters", GOOD)))
    assert files == {"n1/waiters": GOOD}
    assert f"{name} data" in problems(others)["x"]
    assert "Unpack it" in problems(others)["x"]


def test_t06_concatenated_streams_are_one_text() -> None:
    for pack in PACKERS.values():
        assert read(pack(GOOD) + pack(b"") + pack(GOOD * 3))[0] == {"": GOOD * 4}
    padded = gzip.compress(GOOD) + bytes(700) + gzip.compress(GOOD) + bytes(9)
    assert read(padded) == ({"": GOOD * 2}, [])


def test_thousands_of_tiny_streams_take_linear_time() -> None:
    start = time.process_time()
    assert read(gzip.compress(b"x") * 50_000)[0] == {"": b"x" * 50_000}
    assert time.process_time() - start < HANGS_CPU_S


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_t06_garbage_behind_a_stream_is_reported(pack: Callable[[bytes], bytes]) -> None:
    files, others = read(pack(GOOD) + b"not part of it")
    assert files == {"": GOOD}
    assert "Behind the end" in problems(others)[""]


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_t06_a_cut_stream_gives_what_stands_before_the_cut(pack: Callable[[bytes], bytes]) -> None:
    noise = NOISE[:400_000].hex().encode()
    packed = pack(noise)
    files, others = read(packed[: len(packed) * 3 // 4])
    assert noise.startswith(files[""])
    assert len(files[""]) > 300_000
    assert f"cut after {len(files['']):,} unpacked bytes" in problems(others)[""]


def test_a_cut_trailer_of_gzip_is_noticed() -> None:
    files, others = read(gzip.compress(GOOD * 999)[:-4])
    assert files == {"": GOOD * 999}
    assert "cut after" in problems(others)[""]


def test_a_wrong_checksum_is_noticed() -> None:
    packed = bytearray(gzip.compress(GOOD * 999))
    packed[-6] ^= 1
    files, others = read(bytes(packed))
    assert files == {"": GOOD * 999}
    assert "damaged after" in problems(others)[""]


def test_without_the_fast_decompressor_all_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "igzip_lib", None)
    data = gzip.compress(tar(("a", GOOD * 9), ("b.zip", zipped(("c", GOOD))))) * 2
    files, others = read(data)
    assert files == {"a": GOOD * 9, "b.zip!c": GOOD, "a (2)": GOOD * 9, "b.zip (2)!c": GOOD}
    assert "cut after" in problems(read(gzip.compress(GOOD * 99)[:-9])[1])[""]
    assert set(problems(others)) == {"a (2)", "b.zip (2)"}


def test_damage_in_a_small_file_costs_nothing_before_it() -> None:
    packed = bytearray(gzip.compress(NOISE[:200_000].hex().encode()))
    packed[150_000:150_040] = bytes(40)
    files, others = read(bytes(packed))
    assert NOISE.hex().encode().startswith(files[""][:200_000])
    assert len(files[""]) > 200_000
    assert "damaged after" in problems(others)[""]


def test_t06_a_cut_tar_gz_keeps_the_members_before_the_cut() -> None:
    noise = NOISE[:200_000]
    packed = gzip.compress(tar(("n1/waiters", GOOD), ("n2/noise", noise), ("n3/waiters", GOOD)))
    files, others = read(packed[: len(packed) // 2])
    assert files["n1/waiters"] == GOOD
    assert noise.startswith(files["n2/noise"])
    assert 50_000 < len(files["n2/noise"]) < 150_000
    assert "cut" in problems(others)[""]
    assert "of its 200,000 bytes" in problems(others)["n2/noise"]
    assert "n3/waiters" not in files


def test_a_tar_cut_between_members_is_reported() -> None:
    whole = tar(("a", b"a" * 512), ("b", b"b" * 512))
    files, others = read(whole[:1024])
    assert files == {"a": b"a" * 512}
    assert "no end mark" in problems(others)[""]


def test_a_damaged_header_costs_one_member() -> None:
    data = bytearray(tar(("a", b"a" * 600), ("b", b"b" * 600), ("c", b"c" * 600)))
    data[1536 + 10] ^= 0xFF
    files, others = read(bytes(data))
    assert files == {"a": b"a" * 600, "c": b"c" * 600}
    assert "stepped over" in problems(others)[""]


def test_garbage_behind_a_tar_and_tars_one_behind_the_other() -> None:
    files, others = read(tar(("a", GOOD)) + b"garbage" * 100)
    assert files == {"a": GOOD}
    assert "700 bytes" in problems(others)[""]
    assert read(tar(("a", GOOD)) + tar(("b", GOOD)))[0] == {"a": GOOD, "b": GOOD}


def test_t02_t03_links_and_devices_are_reported_and_files_beside_them_are_read() -> None:
    members = [
        (special("l", tarfile.SYMTYPE, "/etc"), b""),
        (special("h", tarfile.LNKTYPE, "/etc/passwd"), b""),
        (special("f", tarfile.FIFOTYPE), b""),
    ]
    members += [
        (special("c", tarfile.CHRTYPE), b""),
        (special("b", tarfile.BLKTYPE), b""),
        (special("d", tarfile.DIRTYPE), b""),
    ]
    files, others = read(tar(*members, ("l/passwd2", b"x"), ("n1/waiters", GOOD)))
    assert files == {"l/passwd2": b"x", "n1/waiters": GOOD}
    reported = problems(others)
    assert set(reported) == {"l", "h", "f", "c", "b"}
    assert "symbolic link to “/etc”" in reported["l"]
    assert "hard link to “/etc/passwd”" in reported["h"]
    assert "character device" in reported["c"]


def test_t02_links_in_a_zip() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("l")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
        archive.writestr("n1/waiters", GOOD)
    files, others = read(buffer.getvalue())
    assert files == {"n1/waiters": GOOD}
    assert "symbolic link" in problems(others)["l"]


NAMES = {
    "../../../../tmp/escape": "tmp/escape",
    "/etc/shadow": "etc/shadow",
    "C:/Windows/win.ini": "Windows/win.ini",
    "C:evil": "evil",
    "a\\..\\b": "a/b",
    "bell\x07\x1b[31mred": "bell__[31mred",
    "line\nbreak": "line_break",
    "\u202egpj.exe": "gpj.exe",
    "n" * 300: "n" * 200 + "…" + "n" * 40,
    "..": "unnamed",
    "./.": "unnamed (2)",
    "caf\udce9": "caf_",
}


@pytest.mark.parametrize("packer", [tar, zipped], ids=["tar", "zip"])
def test_t01_unsafe_names_are_reported_and_their_content_is_read(packer: Callable[..., bytes]) -> None:
    names = [name for name in NAMES if name.isascii() or packer is tar or "\udce9" not in name]
    files, others = read(packer(*((name, name.encode("utf-8", "replace")) for name in names), ("n1/waiters", GOOD)))
    shown = [NAMES[name] for name in names if "\udce9" not in name]
    assert set(shown) <= set(files)
    assert files["n1/waiters"] == GOOD
    assert set(shown) <= set(problems(others))
    assert all(path.isprintable() for path in files)


def test_t01_names_that_are_not_utf8_are_read_in_the_old_encoding() -> None:
    data = tar(("caf\udce9", GOOD))
    assert read(data) == ({"café": GOOD}, [Member("", "archive", None, len(data))])


def test_t01_a_name_longer_than_the_limit_is_cut() -> None:
    files, others = read(tar(("x/" * 900 + "end", GOOD)), BundleLimits(name_chars=100))
    assert list(files.values()) == [GOOD]
    assert len(next(iter(files))) == 100
    assert "longer than 100" in next(iter(problems(others).values()))


def test_t06_two_members_with_one_name_are_both_read() -> None:
    files, others = read(tar(("a", b"1"), ("a", b"2"), ("./a", b"3")))
    assert files == {"a": b"1", "a (2)": b"2", "a (3)": b"3"}
    assert set(problems(others)) == {"a (2)", "a (3)"}


def test_an_encrypted_zip_and_a_rare_compression_are_reported() -> None:
    data = bytearray(zipped(("secret", GOOD), ("n1/waiters", GOOD)))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    files, others = read(bytes(data))
    assert files == {"n1/waiters": GOOD}
    assert "password" in problems(others)["secret"]
    rare = bytearray(zipped(("old", GOOD), ("n1/waiters", GOOD)))
    rare[rare.index(b"PK\x01\x02") + 10] = 9
    files, others = read(bytes(rare))
    assert files == {"n1/waiters": GOOD}
    assert "deflate64" in problems(others)["old"]


def lying(size: int) -> bytes:
    """A zip whose first member declares another size than it has."""
    data = bytearray(zipped(("liar", GOOD * 100), ("n1/waiters", GOOD)))
    struct.pack_into("<L", data, data.index(b"PK\x01\x02") + 24, size)
    return bytes(data)


def test_t05_sizes_that_lie_are_reported_and_bound() -> None:
    files, others = read(lying(50))
    assert files == {"liar": (GOOD * 100)[:50], "n1/waiters": GOOD}
    assert "more than the 50 bytes" in problems(others)["liar"]
    files, others = read(lying(1_000_000))
    assert files == {"liar": GOOD * 100, "n1/waiters": GOOD}
    assert "declares 1,000,000" in problems(others)["liar"]


def test_t05_overlapping_members_of_a_zip_are_not_read_twice() -> None:
    data = bytearray(zipped(("one", b"0" * 100_000), ("two", b"1" * 100_000), ("n1/waiters", GOOD)))
    first = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", first + 4)
    struct.pack_into("<L", data, second + 42, 0)
    files, others = read(bytes(data))
    assert files == {"n1/waiters": GOOD}
    assert "overlap" in problems(others)["two"]


def test_a_cut_zip_is_read_by_its_local_headers() -> None:
    data = zipped(("n1/waiters", GOOD), ("n2/noise", NOISE[:100_000]), ("n3/waiters", GOOD))
    files, others = read(data[:50_000])
    assert files["n1/waiters"] == GOOD
    assert len(files["n2/noise"]) > 40_000
    assert "directory" in problems(others)[""]
    assert "cut after" in problems(others)["n2/noise"]


def test_a_cut_zip_with_sizes_behind_the_data() -> None:
    class Sink(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            self.data += bytes(data)  # type: ignore[call-overload]
            return len(bytes(data))  # type: ignore[call-overload]

    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", GOOD * 10)
        archive.writestr("b", GOOD * 20)
    files, _ = read(bytes(sink.data)[:-60])
    assert files == {"a": GOOD * 10, "b": GOOD * 20}


def zeros_zip(size_mib: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("n1/waiters", GOOD)
        with archive.open("zeros", "w", force_zip64=True) as file:
            for _ in range(size_mib):
                file.write(bytes(MIB))
        archive.writestr("n2/waiters", GOOD)
    return buffer.getvalue()


def test_t05_a_zip_bomb_takes_nothing_from_its_neighbours() -> None:
    limits = BundleLimits(ratio_free_bytes=20 * MIB)
    files, others = read(zeros_zip(100), limits)
    assert files["n1/waiters"] == GOOD
    assert files["n2/waiters"] == GOOD
    assert 0 < len(files["zeros"]) <= 21 * MIB
    assert "100 MiB pass the limit" in problems(others)["zeros"]


def test_t05_a_nested_zip_bomb_is_left_out_whole() -> None:
    files, others = read(
        tar(("bomb.zip", zeros_zip(100)), ("n3/waiters", GOOD)), BundleLimits(ratio_free_bytes=20 * MIB)
    )
    assert set(files) == {"bomb.zip!n1/waiters", "bomb.zip!n2/waiters", "n3/waiters"}
    assert "It was not read" in problems(others)["bomb.zip!zeros"]


def test_t05_a_gzip_bomb_ends_at_the_ratio() -> None:
    bomb = gzip.compress(tar(("n1/waiters", GOOD), ("zeros", bytes(60 * MIB)), ("n2/waiters", GOOD)))
    files, others = read(bomb, BundleLimits(ratio_free_bytes=10 * MIB))
    assert files["n1/waiters"] == GOOD
    assert len(files["zeros"]) < 61 * MIB
    assert "expands to more than" in problems(others)[""]
    assert "n2/waiters" not in files


def test_what_is_not_read_by_the_caller_counts_too() -> None:
    bomb = gzip.compress(tar(("zeros", bytes(60 * MIB)), ("n2/waiters", GOOD)))
    rows = list(walk(io.BytesIO(bomb), limits=BundleLimits(ratio_free_bytes=10 * MIB)))
    assert [row.path for row in rows if row.kind == "file"] == ["zeros"]
    assert "expands to more than" in problems(rows)[""]


def test_a_member_over_its_limit_is_read_in_part_and_the_next_whole() -> None:
    files, others = read(tar(("big", b"1" * 5000), ("n1/waiters", GOOD)), BundleLimits(member_bytes=2048))
    assert files == {"big": b"1" * 2048, "n1/waiters": GOOD}
    assert "Only the first 2 KiB" in problems(others)["big"]
    assert read(b"1" * 2048, BundleLimits(member_bytes=2048)) == ({"": b"1" * 2048}, [])


def test_t05_too_many_members_end_the_walk_with_one_row() -> None:
    inner = tar(*((f"i{n}", b"") for n in range(50)))
    files, others = read(tar(("a", GOOD), ("inner.tar", inner), ("z", GOOD)), BundleLimits(members=10))
    assert len(files) == 9
    assert "z" not in files
    assert [text for text in problems(others).values() if "more than 10 members" in text] == [
        problems(others)["inner.tar"]
    ]


def test_alike_problems_are_counted_after_many() -> None:
    members = [(special(f"l{n}", tarfile.SYMTYPE, "/etc"), b"") for n in range(30)]
    _, others = read(tar(*members), BundleLimits(alike_problems=20))
    assert len([row for row in others if row.kind == "problem"]) == 21
    assert "10 more members have the same problem: a symbolic link" in problems(others)[""]


def test_a_huge_extension_header_takes_no_memory() -> None:
    info = special("x", b"x")
    info.size = 64 * MIB
    data = info.tobuf(tarfile.GNU_FORMAT) + bytes(64 * MIB) + tar(("n1/waiters", GOOD))
    packed = io.BytesIO(gzip.compress(data, 1))
    tracemalloc.start()
    files, _ = read(packed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert files == {"n1/waiters": GOOD}
    assert peak < 16 * MIB


def test_a_long_chain_of_extension_headers_is_no_recursion() -> None:
    chain = (special("././@LongLink", b"L").tobuf(tarfile.GNU_FORMAT)) * 20_000
    files, _ = read(chain + tar(("n1/waiters", GOOD)))
    assert list(files.values()) == [GOOD]


def test_a_stream_ends_when_the_next_member_is_requested() -> None:
    rows = walk(io.BytesIO(tar(("a", GOOD), ("b", GOOD * 2))))
    next(rows)
    first = next(rows)
    second = next(rows)
    assert first.stream is not None
    assert second.stream is not None
    assert first.stream.read() == b""
    assert second.stream.read(7) == GOOD[:7]
    assert second.stream.read() == (GOOD * 2)[7:]


def test_t09_a_full_disk_costs_the_nested_zip_only() -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    data = tar(("a.zip", zipped(("b", GOOD))), ("n1/waiters", GOOD))
    rows = list(walk(io.BytesIO(data), spool=Full))
    assert "no room" in problems(rows)["a.zip"]
    assert [row.path for row in rows if row.kind == "file"] == ["n1/waiters"]
    _, others = read(data, BundleLimits(spool_bytes=10))
    assert "up to 10 bytes" in problems(others)["a.zip"]


def test_nothing_is_left_in_the_folder_for_temporary_files() -> None:
    before = set(Path(tempfile.gettempdir()).iterdir())
    files, _ = read(tar(("a.zip", zipped(("../../lockscope-escape", GOOD)))))
    assert files == {"a.zip!lockscope-escape": GOOD}
    assert not {name for name in set(Path(tempfile.gettempdir()).iterdir()) - before if "escape" in name.name}


def test_an_archive_without_files_is_reported() -> None:
    only_a_folder = tar((special("d", tarfile.DIRTYPE), b""), (special("l", tarfile.SYMTYPE, "x"), b""))
    assert "no files" not in problems(read(only_a_folder)[1]).get("", "")
    assert "no files" in problems(read(zipped())[1])[""]


SEEDS = [
    gzip.compress(
        tar(("n1/a", GOOD * 3), (special("l", tarfile.SYMTYPE, "/etc"), b""), ("z.zip", zipped(("q", GOOD))))
    ),
    tar(("n1/" + "a" * 150, GOOD * 3), ("b", b"1" * 700), form=tarfile.PAX_FORMAT),
    zipped(("a", GOOD * 9), ("b/c", b""), ("d.tar", tar(("e", GOOD)))),
    bz2.compress(tar(("a", GOOD))),
    lzma.compress(tar(("a", GOOD))),
    zstandard.ZstdCompressor().compress(tar(("a", GOOD))),
]


@settings(max_examples=tries(300, 120), deadline=2000)
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 20_000), st.binary(max_size=8)), max_size=6),
    st.integers(0, 20_000),
)
def test_any_damage_gives_rows_and_never_an_exception(seed: bytes, edits: list[tuple[int, bytes]], cut: int) -> None:
    data = bytearray(seed)
    for at, patch in edits:
        data[at % len(data) : at % len(data) + len(patch)] = patch
    small = BundleLimits(ratio_free_bytes=4 * MIB, members=50)
    for member in walk(io.BytesIO(bytes(data[: max(1, cut)] if cut < 10_000 else data)), limits=small):
        if member.stream is not None:
            while member.stream.read(MIB):
                pass
        assert member.path.isprintable()
        assert (member.kind == "problem") == bool(member.problem)
