"""Words of a line: what is explained, where it stands, and that other lines get no words."""

from __future__ import annotations

import time

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.cases.files.line_words import Word, line_words
from tests.builders import People, build_case, make_artifact, make_bundle, make_case, person

GLOCK = "G:  s:EX n:2/609b4 f:Dyqob t:EX d:UN/92418000 a:14 v:0 r:21 m:10 p:3"
HOLDER = " H: s:SH f:AW e:0 p:17527 [python] gfs2_permission+0x176/0x210 [gfs2]"
INODE = " I: n:12/395700 t:4 f:0x00 d:0x00000003 s:3864 p:3"
NEW = (
    "ece_14.localnet.com: Waiting 56.0102 sec since 18:19:02, monitored, thread 407811 BRTHandlerThread: "
    "on ThCond 0x7FD96401A4C0 (MsgRecordCondvar), reason 'RPC wait' for tmMsgRevoke on node 10.0.12.13 <c0n2>"
)
OLD = "0x7F3C0001A000 waiting 10.250000000 seconds, NSDThread: for I/O completion on disk lund_nsd07"
GLM = "    waiter node=cfsdb4 level=EX count=1"


def words_of(line: str) -> dict[str, Word]:
    words = line_words(line)
    for word in words:
        assert line[word.start : word.end] == word.token
    return {word.token: word for word in words}


def test_every_word_of_a_glock() -> None:
    words = words_of(GLOCK)
    assert "395700" in words["n:2/609b4"].words
    assert words["s:EX"].words.endswith("exclusive")
    assert "92.4 s ago" in words["d:UN/92418000"].words
    assert [letter for letter, _ in words["f:Dyqob"].parts] == list("Dyqob")
    assert set(words) >= {"a:14", "v:0", "r:21", "m:10", "p:3", "t:EX"}


def test_a_holder_and_an_inode() -> None:
    words = words_of(HOLDER)
    assert ("W", "waits for the lock") in words["f:AW"].parts
    assert "wanted" in words["s:SH"].words
    assert "[python]" in words
    words = words_of(INODE)
    assert words["t:4"].words.endswith("directory")
    assert len(words["d:0x00000003"].parts) == 2


def test_waiters_of_both_styles() -> None:
    words = words_of(NEW)
    assert {"monitored", "thread 407811", "for tmMsgRevoke", "on node 10.0.12.13 <c0n2>", "reason 'RPC wait'"} <= set(
        words
    )
    assert "condition" in words["on ThCond 0x7FD96401A4C0"].words
    words = words_of(OLD)
    assert "disk itself" in words["for I/O completion"].words
    assert "on disk lund_nsd07" in words


def test_glm_records() -> None:
    assert words_of(GLM)["level=EX"].words.startswith("exclusive")
    assert "111602" in words_of("lockname 0xd21f040 0x7d3c11e500020001 0x3e7 0x1b3f2")["0x1b3f2"].words


@pytest.mark.parametrize(
    "line", ["", "Tue Jun 15 09:13:40 EEST 2027", "vxi_hlockgrant 61305", "G: nothing", "Waiting for Godot"]
)
def test_other_lines_have_no_words(line: str) -> None:
    assert line_words(line) == []


@pytest.mark.parametrize(
    "line",
    [
        "Waiting " + "9" * 100_000,
        "H: " * 50_000,
        "on ThCond 0x" + "A" * 90_000,
        "lockname " + "0x1 " * 40_000,
        "(" * 99_999,
    ],
)
def test_hostile_lines_cost_little(line: str) -> None:
    begun = time.process_time()
    line_words(line)
    assert time.process_time() - begun < 5.0


def test_flags_that_nobody_knows_stay_as_they_are() -> None:
    assert words_of(GLOCK.replace("f:Dyqob", "f:Z"))["f:Z"].parts == (("Z", "not known here: kept as it stands"),)


@pytest.mark.django_db
def test_who_may_ask_for_words(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    url = reverse("cases:file_words", args=[built.case.key, built.artifact.pk])
    client.logout()
    assert client.get(url, {"line": "4"}).status_code == 302
    for user in (folk.alice, folk.bob, person("vera", folk.team, Role.VIEWER)):
        client.force_login(user)
        assert "the disk itself has not answered" in client.get(url, {"line": "4"}).content.decode()
        assert client.get(url).status_code == 404
        assert "nothing of it is explained" in client.get(url, {"line": "999999"}).content.decode()
    client.force_login(folk.charlie)
    assert client.get(url, {"line": "4"}).status_code == 404


@pytest.mark.django_db
def test_the_chosen_line_is_explained_without_javascript(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    artifact = make_artifact(
        make_bundle(case), "glocks", f"{GLOCK}\n H: s:EX f:H e:0 p:1 [<b>x</b>] f+0x1/0x2\n".encode()
    )
    client.force_login(folk.bob)
    url = reverse("cases:file", args=[case.key, artifact.pk])
    assert "demote requested" in client.get(url, {"line": "1"}).content.decode()
    page = client.get(url, {"line": "2"}).content.decode()
    assert "<b>x</b>" not in page
    assert "name of the process" in page
