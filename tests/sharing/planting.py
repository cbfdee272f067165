"""Samples of all formats with secrets in them: where their readers find names, in lines that nobody reads, and in the
names of files.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import cycle
from pathlib import Path
from typing import Final

from apps.diagnosis.engine.core.facts.nodes import is_address
from apps.sharing.names import KIND_OF
from apps.sharing.textmask import SYSTEM_FOLDERS, is_harmless
from tests.parsers.golden import Reading, case_id, cases
from tests.sharing.spellings import FILES, LINES, NOT_IN_FILES, SPELLINGS, v4

LARGEST: Final = 12_000
"""Bytes of a sample; of a longer one its beginning."""
LEAST: Final = 4
LETTERS: Final = ("kvz", "oua", "rst", "qxy", "eio", "lmn", "bdg")
SHORT: Final = 7
IN_LINES: Final = 6
SPLIT: Final = re.compile(r"[\s,;|/:()\[\]\"'=<>]+")


@dataclass(frozen=True)
class Planted:
    """A sample as a member of an upload, and what of it must not be seen."""

    path: str
    content: bytes
    secrets: frozenset[str]


def planted(samples: list[Path], rng: random.Random) -> Iterator[Planted]:
    """Each sample with a spelling of each kind in turn."""
    spellings, in_files = cycle(SPELLINGS.values()), cycle([name for name in SPELLINGS if name not in NOT_IN_FILES])
    for sample in samples:
        text, secrets = _renamed(sample.read_bytes()[:LARGEST].decode("utf-8", "replace"), rng)
        lines = text.splitlines()
        for number in range(IN_LINES):
            written, secret = next(spellings)(rng)
            at = rng.randrange(len(lines) + 1) if number < IN_LINES // 3 else len(lines)
            lines.insert(at, rng.choice(LINES).replace("{}", written))
            secrets.add(secret)
        written, secret = SPELLINGS[next(in_files)](rng)
        secrets.add(secret)
        name = rng.choice(FILES).replace("{}", written).replace("!", "-")
        path = f"{case_id(sample)}/{name}"
        yield Planted(path, "\n".join([*lines, ""]).encode(), frozenset(one.casefold() for one in secrets))


def _renamed(text: str, rng: random.Random) -> tuple[str, set[str]]:
    """What its readers take for names of hosts, disks, paths, users and for addresses has others."""
    changed: dict[str, str] = {}
    for word in sorted(_names(text), key=lambda name: (-len(name), name)):  # alike in each process
        changed[word] = str(v4(rng)) if is_address(word) else _other(word, rng)
    whole = "|".join(re.escape(word) for word in changed)
    if not whole:
        return text, set()
    pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{whole})(?![A-Za-z0-9])")
    used = {found[0] for found in pattern.finditer(text)}
    return pattern.sub(lambda match: changed[match[0]], text), {changed[word] for word in used}


def _names(text: str) -> set[str]:
    reading, found = Reading(text), set()
    for kind in reading.sink.columns:
        disclosing = [field.name for field in fields(kind) if field.metadata.get("discloses") in KIND_OF]
        for record in reading.of(kind) if disclosing else ():
            for name in disclosing:
                found |= {word for word in SPLIT.split(str(getattr(record, name) or "")) if _is_name(word)}
    return found


def _is_name(word: str) -> bool:
    if is_address(word):
        return word.count(".") == 3
    return (
        len(word) >= LEAST
        and word.isascii()
        and any(letter.isalpha() for letter in word)
        and word.casefold() not in SYSTEM_FOLDERS
        and not all(is_harmless(part) for part in re.split(r"[._\-@+]+", word) if part)
    )


def _other(word: str, rng: random.Random) -> str:
    """Of the same length and with the same digits, so that columns stay where they are; a short one is made longer."""
    made = "".join(rng.choice(rng.choice(LETTERS)) if letter.isalpha() else letter for letter in word)
    return made + "".join(rng.choice(pair) for pair in LETTERS[: SHORT - len(made)])


def chunks(number: int) -> list[list[Path]]:
    """All samples in so many lots, each with some of all products."""
    found = cases()
    return [found[first::number] for first in range(number)]
