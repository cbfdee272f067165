"""Figures that people state in the five articles: a row for each that the tables of expected results name."""

from __future__ import annotations

from functools import cache

import pytest

from parsers.prose.claims import REMARK
from parsers.records import Claim, Counter, Repeat
from tests.parsers.golden import Reading
from tests.references import article

M, Q = "Marc Grimme", "Alan Brown"
THREAD = "dlm-speed-thread.txt"
STORAGE = "gfs2-or-storage.txt"


@cache
def stated(name: str) -> list[Claim]:
    reading = Reading(article(name).read_bytes(), path=name)
    return [c for c in reading.of(Claim) if not any(r.line <= c.line <= r.last_line for r in reading.of(Repeat))]


FIGURES = [
    ("E1 files", M, 2e6, None, "files"), ("E1 size", M, 2, None, "GB"), ("E2", M, 5, None, "min"),
    ("E3", M, 10, 20, "s"),
    ("E12", M, 46, None, "%"), ("E13", Q, 5000, None, "locks/s"), ("E13 three nodes", Q, 1, 9, "locks/s"),
    ("E13 nodes", Q, 3, None, "nodes"),
    ("E14", Q, 1.8e6, 2.5e6, "locks/s"), ("E17 nodes", Q, 2, None, "nodes"), ("E17 files", Q, 2.5e6, 3e6, "files"),
    ("E18 filesystems", Q, 90, None, "filesystems"), ("E18 size", Q, 1, None, "Tb"), ("E18 each", Q, 1e6, 4e6, "files"),
    ("E18 all", Q, 150e6, None, "files"), ("E19", Q, 10_000, None, "files"), ("E20 backup", Q, 20, 28, "h"),
    ("E20 changed", Q, 0, None, "files"), ("E20 files", Q, 2.1e6, None, "files"), ("E20 ext4", Q, 8, None, "min"),
    ("E21 rate", Q, 120, None, "kb/s"), ("E21 packets", Q, 4000, None, "packets/s"), ("E22 cards", Q, 4, None, "cards"),
    ("E22 speed", Q, 8, None, "Gb"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("speaker", "value", "high", "unit"), [row[1:] for row in FIGURES], ids=[row[0] for row in FIGURES]
)
def test_a_figure_of_the_thread(speaker: str, value: float, high: float | None, unit: str) -> None:
    assert (speaker, value, high, unit) in {(c.speaker, c.value, c.high, c.unit) for c in stated(THREAD)}


@pytest.mark.parametrize(
    ("name", "value"),
    [("max messages/second", 17), ("window_size", 50), ("encryption/decryption threads", 1), ("netmtu", 1500)],
)
def test_a_quoted_default_of_the_manual_is_a_claim(name: str, value: float) -> None:
    assert [(c.speaker, c.value) for c in stated(THREAD) if c.what == name] == [(Q, value)]


def test_the_times_of_the_mails_are_kept_as_what_they_are() -> None:
    assert [c.text for c in stated(THREAD) if c.what == "date of the mail"] == ["Tue Feb 15 20:07:31 UTC 2011"]


def test_the_signature_states_nothing() -> None:
    assert not [c for c in stated(THREAD) if c.line > 177]


ARTICLE = [
    ("D1", 140, None, "MB/s"), ("SAN", 2.5, None, "times"), ("D3", 28, None, "%"), ("D3 rate", 101, None, "MB/s"),
    ("D4", 32, None, "%"),
    ("mean", 30, None, "%"), ("both buffered runs", 95.4, 101, "MB/s"), ("D5", 111, None, "MB/s"),
    ("A1 slower", 19, None, "%"),
    ("A1 share", 81, None, "%"), ("D6 slower", 39, None, "%"), ("D6 share", 61, None, "%"), ("D6", 85.4, None, "MB/s"),
    ("against ext3", 23, None, "%"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "high", "unit"), [row[1:] for row in ARTICLE], ids=[row[0] for row in ARTICLE])
def test_a_figure_of_the_article_on_storage(value: float, high: float | None, unit: str) -> None:
    assert (value, high, unit) in {(c.value, c.high, c.unit) for c in stated(STORAGE)}


def test_the_article_on_storage_states_the_wrong_share_twice() -> None:
    assert [c.line for c in stated(STORAGE) if c.value == 19] == [74, 95]


@pytest.mark.parametrize(
    ("name", "value", "high", "unit"),
    [
        ("cfs-slow-inode-access.txt", 3, 4, "MB/s"),
        ("cfs-slow-inode-access.txt", 0.1, None, "%"),
        ("vxfs-slow-copy.txt", 500, None, "mb"),
        ("vxfs-slow-copy.txt", 4, None, "times"),
        ("vxfs-slow-copy.txt", 65, None, "k"),
        ("scale-performance-talk.txt", 8, None, "times"),
    ],
)
def test_a_figure_of_the_other_articles(name: str, value: float, high: float | None, unit: str) -> None:
    assert (value, high, unit) in {(c.value, c.high, c.unit) for c in stated(name)}


def test_a_remark_behind_data_is_at_most_a_claim() -> None:
    reading = Reading(article("cfs-slow-inode-access.txt").read_bytes())
    assert 24996 not in {row.value for row in reading.of(Counter)}
    prose = [c for c in stated("cfs-slow-inode-access.txt") if c.what != REMARK]
    assert not {24996, 50} & {c.value for c in prose}
