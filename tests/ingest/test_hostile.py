"""Broken and hostile uploads: each ends in a clear row, nothing hangs, nothing leaves its place, good members beside
are read.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from apps.cases import storage
from apps.cases.models import Artifact, Bundle, BundleProblem, Case
from apps.diagnosis.services import diagnose_case
from apps.ingest.reading.artifacts import read_artifact
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.uploads.receive import store_bytes, store_upload
from tests.builders import People, make_case
from tests.ingest.material import tar, waiters, zipped
from tests.ingest.reading import read_all
from tests.patience import HANGS_CPU_S

pytestmark = pytest.mark.django_db

MIB = 1 << 20
GOOD = waiters()


@pytest.fixture
def case(folk: People) -> Case:
    return make_case(folk.team)


def taken_in(case: Case, content: bytes, name: str = "b.tgz") -> Bundle:
    """Unpacked and read."""
    return _worked_off(store_bytes(case, content, filename=name, user=None))


def _worked_off(bundle: Bundle) -> Bundle:
    began = time.process_time()
    read_all(bundle.pk)
    assert time.process_time() - began < HANGS_CPU_S
    bundle.refresh_from_db()
    return bundle


def the_good_one_is_read(bundle: Bundle) -> None:
    good = bundle.artifacts.get(path__endswith="good/waiters.txt")
    assert (good.state, good.records) == ("parsed", 20)


def messages(bundle: Bundle) -> list[str]:
    return [f"{problem.path}: {problem.message}" for problem in bundle.problems.all()]


def with_links() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, kind, target in (
            ("soft", tarfile.SYMTYPE, "/etc"),
            ("hard", tarfile.LNKTYPE, "/etc/passwd"),
            ("pipe", tarfile.FIFOTYPE, ""),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
        for name in ("soft/shadow", "good/waiters.txt"):
            info = tarfile.TarInfo(name)
            info.size = len(GOOD)
            archive.addfile(info, io.BytesIO(GOOD))
    return buffer.getvalue()


def test_t02_t03_links_and_pipes_are_named_and_never_followed(case: Case) -> None:
    bundle = taken_in(case, with_links())
    reported = messages(bundle)
    assert any("b.tgz!soft: Not read: a symbolic link to “/etc”" in line for line in reported)
    assert any("b.tgz!hard: Not read: a hard link to “/etc/passwd”" in line for line in reported)
    assert any("b.tgz!pipe: Not read" in line for line in reported)
    assert set(bundle.artifacts.values_list("path", flat=True)) == {"b.tgz!soft/shadow", "b.tgz!good/waiters.txt"}
    assert not bundle.artifacts.exclude(sha256=bundle.artifacts.first().sha256).exists()  # type: ignore[union-attr]


@pytest.mark.parametrize("pack", [tar, zipped])
def test_t01_a_member_that_steps_out_of_the_archive_is_read_under_a_safe_name(
    case: Case, pack: Callable[..., bytes]
) -> None:
    bundle = taken_in(
        case, pack({"../../etc/x": waiters("oulu-n7"), "/abs/y": b"plain\n", "good/waiters.txt": GOOD}), "z.bin"
    )
    paths = set(bundle.artifacts.values_list("path", flat=True))
    assert paths == {"z.bin!etc/x", "z.bin!abs/y", "z.bin!good/waiters.txt"}
    assert any("steps out of its folder" in line for line in messages(bundle))
    assert any("is absolute" in line for line in messages(bundle))
    assert not Path("/etc/x").exists()
    the_good_one_is_read(bundle)


def test_t03_times_that_no_calendar_holds_are_unknown_and_cost_no_member(case: Case) -> None:
    """In PAX headers and in numbers of 256: beyond what a column holds, before 1970, no numbers at all."""
    times = ["9223372036855", "99999999999999", "1e400", "-62135596801", "nan", "", "1" * 400]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for number, time in enumerate(times):
            info = tarfile.TarInfo(f"n{number}/waiters.txt")
            info.pax_headers = {"mtime": time}
            text = waiters(f"oulu-n{number}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    wide = io.BytesIO()
    with tarfile.open(fileobj=wide, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for number, seconds in enumerate((1 << 62, 1 << 80, -(1 << 40))):
            info = tarfile.TarInfo(f"w{number}/waiters.txt")
            info.mtime, info.size = seconds, len(GOOD)
            archive.addfile(info, io.BytesIO(GOOD))
    for content, members in ((buffer.getvalue(), len(times)), (wide.getvalue(), 3)):
        bundle = taken_in(case, content, f"{members}.tar")
        assert bundle.state == "expanded", bundle.message
        assert bundle.members == members
        assert not bundle.artifacts.filter(modified_us__isnull=False).exists()


def test_t04_a_folder_whose_name_begins_like_ours_gets_nothing(case: Case, settings: Settings) -> None:
    ours = Path(settings.MEDIA_ROOT)
    before = sorted(ours.parent.iterdir())
    steps = "../" * 12 + f"{ours}-evil/x"
    bundle = taken_in(
        case, tar({steps: waiters("oulu-n7"), f"{ours}-evil/y": waiters("oulu-n8"), "good/waiters.txt": GOOD})
    )
    assert sorted(ours.parent.iterdir()) == before
    kept = {artifact.blob for artifact in bundle.artifacts.exclude(blob="")}
    assert kept
    assert all(blob.startswith(f"cases/{case.pk}/texts/") and ".." not in blob for blob in kept)
    the_good_one_is_read(bundle)


def test_t07_collections_in_collections_are_opened_and_limits_hold_for_all_of_them(
    case: Case, settings: Settings
) -> None:
    explorer = tar({"explorer_oulu-v1/storage/vxfs.txt": b"good\n", "explorer_oulu-v1/good/waiters.txt": GOOD})
    sos = tar(
        {
            "sosreport-oulu/sos_commands/VRTSexplorer_oulu-v1.tar.gz": explorer,
            "sosreport-oulu/uname": b"Linux oulu-n1\n",
        }
    )
    snap = tar({"master/gpfs.snap.oulu-n2/waiters": waiters("oulu-n2")})
    bundle = taken_in(case, tar({"sosreport-oulu.tar.xz": sos, "gpfs.snap.tgz": snap}))
    inner = {path.rsplit("!", 1)[-1] for path in bundle.artifacts.values_list("path", flat=True)}
    assert {"explorer_oulu-v1/good/waiters.txt", "master/gpfs.snap.oulu-n2/waiters", "sosreport-oulu/uname"} <= inner
    assert bundle.artifacts.get(path__endswith="gpfs.snap.oulu-n2/waiters").state == "parsed"
    the_good_one_is_read(bundle)
    settings.LIMITS = replace(settings.LIMITS, members=2)
    cut = taken_in(case, tar({"again.tgz": sos, "b.tgz": snap}), "second.tgz")
    assert cut.artifacts.count() <= 2
    assert any("members" in line for line in messages(cut))


def test_t15_names_with_html_are_shown_as_text_everywhere(client: Client, folk: People, case: Case) -> None:
    name = "<script>alert(1)</script><img src=x onerror=alert(2)>/waiters.txt"
    bundle = taken_in(case, tar({name: waiters("<b>oulu</b>"), "good/waiters.txt": GOOD}), "<i>snap</i>.tgz")
    diagnose_case(case.pk)
    client.force_login(folk.bob)
    artifact = bundle.artifacts.get(path__contains="script")
    for url in (
        reverse("ingest:add", args=[case.key]),
        reverse("ingest:reading", args=[case.key]),
        reverse("cases:files", args=[case.key]),
        reverse("cases:file", args=[case.key, artifact.pk]),
        reverse("diagnosis:timeline", args=[case.key]),
        reverse("diagnosis:waiters", args=[case.key]),
        reverse("cases:list"),
    ):
        page = client.get(url).content.decode()
        assert "<script>alert" not in page, url
        assert "<img src=x" not in page, url
        assert "<b>oulu</b>" not in page, url
        assert "<i>snap" not in page, url
    the_good_one_is_read(bundle)


def test_t06_a_truncated_gzip_is_read_as_far_as_it_goes_and_says_so(case: Case) -> None:
    whole = gzip.compress(waiters(lines=5000), mtime=0)
    bundle = taken_in(case, whole[: len(whole) // 2], "w.gz")
    artifact = bundle.artifacts.get()
    assert 0 < (artifact.records or 0) < 5000
    assert any("cut after" in line for line in messages(bundle))


def test_t06_a_truncated_tar_gz_keeps_the_members_before_the_cut(case: Case) -> None:
    noise = b"".join(f"{n:x} {os.urandom(20).hex()}\n".encode() for n in range(20_000))
    whole = tar({"good/waiters.txt": GOOD, "late/noise.txt": noise})
    bundle = taken_in(case, whole[: len(whole) // 2])
    the_good_one_is_read(bundle)
    assert any("cut" in line for line in messages(bundle))


def test_t11_a_file_in_a_bundle_is_empty_a_picture_or_utf_16(case: Case) -> None:
    jpeg = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + os.urandom(50_000)
    members = {
        "none.txt": b"",
        "photo.jpg": jpeg,
        "good/waiters.txt": GOOD,
        "wide.txt": waiters("oulu-n5").decode().encode("utf-16"),
    }
    bundle = taken_in(case, tar(members))
    state = {a.path.removeprefix("b.tgz!"): (a.state, a.message) for a in bundle.artifacts.all()}
    assert state["none.txt"] == ("skipped", "The file is empty.")
    assert state["photo.jpg"] == (
        "skipped",
        "Not a text file: it was not read; send the output of commands as plain text.",
    )
    assert state["wide.txt"] == ("parsed", "")
    assert bundle.artifacts.get(path__endswith="wide.txt").nodes == ["oulu-n5"]
    the_good_one_is_read(bundle)


@pytest.mark.parametrize(
    ("content", "name"), [(b"", "none.txt"), (b"\xff\xd8\xff\xe0" + bytes(range(256)) * 90, "photo.jpg")]
)
def test_an_upload_that_is_no_text_at_all_ends_in_a_row(
    client: Client, folk: People, case: Case, content: bytes, name: str
) -> None:
    bundle = taken_in(case, content, name)
    artifact = bundle.artifacts.get()
    assert (bundle.state, artifact.state) == ("expanded", "skipped")
    client.force_login(folk.bob)
    assert artifact.message in client.get(reverse("cases:files", args=[case.key])).content.decode()


def test_t11_a_line_of_300_megabytes_costs_its_rest_only(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "line.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(GOOD)
        for _ in range(300):
            file.write(b"A" * MIB)
        file.write(
            b"\n"
            + (
                b"Waiting 99.0000 sec since 09:12:40, monitored, thread 77 NSDThread: for I/O completion on "
                b"disk oulu_nsd09\n"
            )
        )
    bundle = taken_in(case, path.read_bytes(), "line.gz")
    artifact = bundle.artifacts.get()
    assert (artifact.state, artifact.records) == ("partly", 21)
    assert artifact.size > 300 * MIB
    problem = bundle.problems.get()
    assert (problem.artifact, problem.line) == (artifact, 26)
    assert (
        problem.message == f"1 line is longer than the limit: the beginning is kept, {299 * MIB:,} bytes are not read."
    )
    assert artifact.problems_n == 1


def zeros(mebibytes: int) -> bytes:
    """A zip with the good file and so many MiB of zeros."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("good/waiters.txt", GOOD)
        with archive.open("zeros", "w", force_zip64=True) as member:
            for _ in range(mebibytes):
                member.write(bytes(MIB))
        archive.writestr("after.txt", waiters("oulu-n8"))
    return buffer.getvalue()


def test_t05_a_bomb_of_zeros_stops_at_the_limit_and_takes_nothing_from_the_others(
    case: Case, settings: Settings
) -> None:
    settings.LIMITS = replace(settings.LIMITS, expanded_bytes=200 * MIB, ratio_free_bytes=100 * MIB)
    bundle = taken_in(case, zeros(2048), "bomb.zip")
    assert bundle.state == "expanded"
    the_good_one_is_read(bundle)
    assert bundle.artifacts.get(path__endswith="after.txt").state == "parsed"
    assert any("bomb.zip!zeros: " in line and "limit" in line for line in messages(bundle))
    assert bundle.expanded_bytes <= 200 * MIB


def test_zeros_that_do_fit_are_no_text(case: Case) -> None:
    bundle = taken_in(case, zeros(64), "zeros.zip")
    zero = bundle.artifacts.get(path__endswith="zeros")
    assert (zero.state, zero.size) == ("skipped", 64 * MIB)
    the_good_one_is_read(bundle)


def test_an_archive_in_an_archive_is_opened_to_the_limit(case: Case) -> None:
    content = tar({"good/waiters.txt": GOOD})
    for level in range(6):
        content = tar({f"level{level}.tgz": content, f"beside{level}.txt": waiters(f"oulu-n{level}")})
    bundle = taken_in(case, content)
    assert any("Not read: an archive inside" in line for line in messages(bundle))
    assert bundle.artifacts.filter(state="parsed").count() == 4


def test_an_encrypted_member_is_named(case: Case) -> None:
    content = bytearray(zipped({"secret.txt": GOOD, "good/waiters.txt": waiters("oulu-n3")}))
    flag_at = content.index(b"PK\x01\x02") + 8
    content[flag_at] |= 1
    content[6] |= 1
    bundle = taken_in(case, bytes(content), "e.zip")
    assert any("e.zip!secret.txt: Not read: it is encrypted" in line for line in messages(bundle))
    the_good_one_is_read(bundle)


def test_t05_more_members_than_allowed_are_counted_and_reported(case: Case, settings: Settings) -> None:
    settings.LIMITS = replace(settings.LIMITS, members=10)
    bundle = taken_in(case, tar({"good/waiters.txt": GOOD} | {f"m{n}.txt": f"{n}\n".encode() for n in range(30)}))
    the_good_one_is_read(bundle)
    assert bundle.artifacts.count() == 10
    assert any("more than 10 members" in line for line in messages(bundle))


def test_problems_beyond_counting_are_summed_up(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.ingest.reading.bundles.PROBLEMS_KEPT", 3)
    bundle = taken_in(case, tar({"good/waiters.txt": GOOD} | {f"../{n}": f"{n}\n".encode() for n in range(10)}))
    assert messages(bundle)[-1] == ": 7 more problems of this bundle are not listed."
    assert len(messages(bundle)) == 4


def test_t06_the_same_name_twice_gives_two_rows(case: Case) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for content in (GOOD, waiters("oulu-n2")):
            info = tarfile.TarInfo("good/waiters.txt")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    bundle = taken_in(case, buffer.getvalue(), "twice.tar")
    assert sorted(bundle.artifacts.values_list("path", flat=True)) == [
        "twice.tar!good/waiters.txt",
        "twice.tar!good/waiters.txt (2)",
    ]


def test_t11_nul_bytes_and_damaged_characters_in_a_text_reach_the_page(
    client: Client, folk: People, case: Case
) -> None:
    text = GOOD.replace(b"oulu_nsd00", b"oulu\x00nsd\xff00").replace(b"NSDThread", b"NSD\x00Thread", 3)
    taken_in(case, text, "nul.txt")
    row = diagnose_case(case.pk)
    assert row is not None
    client.force_login(folk.bob)
    assert client.get(reverse("diagnosis:timeline", args=[case.key])).status_code == 200
    assert client.get(reverse("diagnosis:waiters", args=[case.key])).status_code == 200


def test_unpacking_again_after_a_kill_keeps_what_was_made(case: Case) -> None:
    content = tar({f"n{n}/w.txt": waiters(f"oulu-n{n}") for n in range(4)} | {"../x": b"x\n"})
    bundle = store_bytes(case, content, filename="b.tgz", user=None)
    run = expand_bundle(bundle.pk)
    made = [next(run)[0], next(run)[0]]
    read_artifact(made[0])
    Bundle.objects.filter(pk=bundle.pk).update(lease_until="2020-01-01T00:00:00Z", lease_by="killed")
    again = [found.pk for found in expand_bundle(bundle.pk)]
    assert made[1] in again  # still waiting, so it is queued once more
    assert made[0] not in again
    assert bundle.artifacts.count() == 5
    assert list(run) == []  # the first one finds out that it lost, and makes nothing
    assert bundle.artifacts.count() == 5
    assert bundle.problems.count() == 1
    bundle.refresh_from_db()
    assert (bundle.state, bundle.attempts, bundle.members) == ("expanded", 2, 5)


def test_t10_a_bundle_that_kills_every_worker_fails_in_the_end_and_can_be_tried_again(
    client: Client, folk: People, case: Case
) -> None:
    bundle = store_bytes(case, tar({"good/waiters.txt": GOOD}), filename="b.tgz", user=None)
    Bundle.objects.filter(pk=bundle.pk).update(state="expanding", lease_until="2020-01-01T00:00:00Z", attempts=4)
    assert list(expand_bundle(bundle.pk)) == []
    bundle.refresh_from_db()
    assert (bundle.state, bundle.failure, bundle.message) == (
        "failed",
        "died",
        "The worker died 4 times while unpacking it. Try again, or send it in smaller parts.",
    )
    client.force_login(folk.bob)
    assert "Unpack again" in client.get(reverse("ingest:add", args=[case.key])).content.decode()
    assert client.post(reverse("ingest:unpack_again", args=[case.key, bundle.pk])).status_code == 302
    bundle.refresh_from_db()
    assert bundle.state == "received"
    _worked_off(bundle)
    the_good_one_is_read(bundle)
    assert client.post(reverse("ingest:unpack_again", args=[case.key, bundle.pk])).status_code == 409


def test_a_bundle_that_the_storage_lost_fails_in_words(case: Case) -> None:
    bundle = store_bytes(case, tar({"good/waiters.txt": GOOD}), filename="b.tgz", user=None)
    Bundle.objects.filter(pk=bundle.pk).update(stored="cases/0/bundles/nowhere")
    assert list(expand_bundle(bundle.pk)) == []
    bundle.refresh_from_db()
    assert (bundle.state, bundle.failure) == ("failed", "storage")
    assert bundle.message.startswith("It could not be unpacked (FileNotFoundError): the storage")


def test_a_failed_upload_can_be_sent_again(case: Case) -> None:
    content = tar({"good/waiters.txt": GOOD})
    first = store_bytes(case, content, filename="a.tgz", user=None)
    Bundle.objects.filter(pk=first.pk).update(state="failed")
    second = store_bytes(case, content, filename="b.tgz", user=None)
    assert (second.state, second.duplicate_of) == ("received", None)


def test_a_large_upload_is_moved_and_not_copied(case: Case, folk: People) -> None:
    upload = TemporaryUploadedFile("big.txt", "text/plain", 0, None)
    upload.write(GOOD)
    upload.seek(0)
    upload.size = len(GOOD)
    inode = Path(upload.temporary_file_path()).stat().st_ino
    bundle = store_upload(case, upload, filename="big.txt", user=folk.bob)
    assert storage.local_path(bundle.stored).stat().st_ino == inode
    assert not Path(upload.temporary_file_path()).exists()
    upload.close()
    in_memory = store_upload(case, SimpleUploadedFile("small.txt", b"small\n"), filename="small.txt", user=folk.bob)
    assert storage.local_path(in_memory.stored).read_bytes() == b"small\n"


def test_no_temporary_file_is_left_behind(case: Case, settings: Settings) -> None:
    before = set(Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir())
    taken_in(case, with_links())
    diagnose_case(case.pk)
    assert set(Path(settings.FILE_UPLOAD_TEMP_DIR).iterdir()) == before


@pytest.fixture(autouse=True)
def nothing_is_stuck() -> Iterator[None]:
    """Whatever came in, every row says in the end what became of it."""
    yield
    assert not Artifact.objects.filter(state__in=("reading",)).exists()
    assert not Bundle.objects.filter(state="expanding").exists()
    assert not Artifact.objects.filter(state__in=("failed", "skipped"), message="").exists()
    assert not BundleProblem.objects.filter(message="").exists()
