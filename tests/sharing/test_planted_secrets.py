"""T38: secrets in many spellings, planted into lines and names of many formats: none survives the mask."""

from __future__ import annotations

import ipaddress
import random
import re
from itertools import product
from pathlib import Path

import pytest

from apps.sharing.shapes import forms
from apps.sharing.textmask import TextMask
from tests.sharing.spellings import FILES, LINES, NETS, NOT_IN_FILES, SEED, SPELLINGS, is_seen


def masked_by(known: dict[str, tuple[str, str]] | None = None) -> TextMask:
    return TextMask(known or {}, lambda kind, _: f"{kind}-1")


def shown(text: str, *, is_file: bool) -> str:
    mask = masked_by()
    return (mask.file(text) if is_file else mask.text(text)).casefold()


@pytest.mark.parametrize("is_file", [False, True], ids=["lines", "files"])
def test_no_planted_secret_survives_in_any_spelling(is_file: bool) -> None:
    rng, found = random.Random(SEED), []
    forms_of_text = FILES if is_file else LINES
    for (kind, spell), form in product((SPELLINGS | NETS).items(), forms_of_text):
        if is_file and kind in NOT_IN_FILES:
            continue
        for _ in range(4):
            written, secret = spell(rng)
            text = form.replace("{}", written)
            after = shown(text, is_file=is_file)
            if is_seen(secret, after):
                found.append(f"{kind}: {text} -> {after}")
    assert found == []


@pytest.mark.parametrize("address", ["10.33.44.55", "172.20.1.9", "192.0.2.77", "203.0.113.5"])
def test_a_known_address_is_hidden_as_one_number_too(address: str) -> None:
    known = dict.fromkeys(forms(address), ("addr", address)) | {address: ("addr", address)}
    mask = masked_by(known)
    packed = ipaddress.IPv4Address(address).packed
    for order in (packed, packed[::-1]):
        value = int.from_bytes(order)
        for written in (f"0x{order.hex()}", f"0x{value:x}", str(value), order.hex(), f"0X{order.hex().upper()}"):
            assert mask.text(f"nodeid {written} left") == "nodeid addr-1 left"
    assert mask.text("10-33-44-55") == "addr-1"


@pytest.mark.parametrize("mac", ["52.23.9b.93.cc.8b", "0a.1b.2c.3d.4e.5f", "5223.9b93.cc8b", "feed.0123.4567"])
@pytest.mark.parametrize("before", ["logs/mmfs.log.", "waiters.", "n1/dump-3.", ""])
def test_an_address_of_a_card_behind_the_dot_of_a_file_is_hidden(mac: str, before: str) -> None:
    assert shown(f"{before}{mac}", is_file=True).endswith("mac-1")


def test_an_address_inside_another_has_the_stand_in_of_its_own() -> None:
    mask = masked_by({"10.33.44.55": ("node", "lund-n1")})
    plain = mask.text("from 10.33.44.55 port 22")
    assert mask.text("from ::ffff:10.33.44.55 port 22") == plain
    assert mask.text("from 0x0a.0x21.0x2c.0x37 port 22") == plain


@pytest.mark.parametrize(
    "text",
    [
        "2027-06-15-09-12-40",
        "snap.2027.06.15.09.12.40",
        "kernel 5.14.0-70.13.1.el9",
        "0x7fd96401a4c0",
        "0xffff888123456780",
        "09:12:40",
        "12.5 s, 1,024 KiB, 99.9%",
        "gfs2::glock",
        "V-16-1-10077",
        "GPFS 5.1.9",
        "release 10.2.1 of 8.0.2, 30.1.0",
        "5.14.x and 4.18.x",
        "1.52/16 of 8.20/24, 12/24",
        "0x10 0x12.5, 3 (.) 4",
        "1.024.000 and 100.000.000 bytes, 300.12.7",
        "n:2/805b",
        "thread 4711",
        "gfs2_glock_wait+0x12/0x34",
        "NSDThread",
        "1024 2048 4096 8191",
        "error -110",
        "0:0:0:1",
    ],
)
def test_figures_times_and_releases_stay(text: str) -> None:
    assert masked_by().text(text) == text


FUNCTIONS = re.compile(r"\b[A-Za-z_][\w.]*\+0x[0-9a-f]+")
THREADS = re.compile(r"\b[A-Za-z]{4,40}(?:Thread|Condvar|Mutex)\b|\b[a-z]{0,12}Msg[A-Z]\w+")
MOST_LOST = 0.03


@pytest.mark.parametrize("pattern", [FUNCTIONS, THREADS], ids=["functions", "threads"])
def test_names_of_the_products_in_all_samples_stay_readable(pattern: re.Pattern[str]) -> None:
    samples = (Path(__file__).parents[1] / "fixtures" / "parsers").rglob("*.txt")
    names = {name for sample in samples for name in pattern.findall(sample.read_text("utf-8", "replace"))}
    lost = sorted(name for name in names if masked_by().text(name) != name)
    assert len(names) > 20
    assert len(lost) <= MOST_LOST * len(names), lost
