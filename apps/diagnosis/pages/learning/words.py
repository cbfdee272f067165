"""The words of a message as they are chosen for the match of an entry: what is likely is chosen already. Nobody types
a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from apps.web.errors import DomainError
from parsers.dataclass import dataclass
from parsers.messages.site_entries import ANY, NAMED, TEXT_READ, TITLE_MOST, TOKENS_MOST, Entry, words_of

KEPT: Final = "kept"
OUT: Final = "out"
CHOICES: Final = (
    (KEPT, "this word"),
    (ANY, "any word"),
    *((name, f"a {name}") for name in NAMED),
    (OUT, "left out"),
)
OUT_INSIDE: Final = "Words are left out at both ends only; inside, choose \u201cany word\u201d."
_KINDS: Final = frozenset(kind for kind, _ in CHOICES)
_FIGURE: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?([A-Za-z%]{0,4})")
_DISK: Final = re.compile(
    r"/dev/\S+|sd[a-z]{1,3}|dm-\d+|x?vd[a-z]{1,2}|nvme\d+n\d+|hdisk\d+|emc\w*_\w*|\w*(?:nsd|lun|disk)\w*\d\w*",
    re.IGNORECASE,
)
_UNITS: Final = {
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "ms": "ms", "msec": "ms", "milliseconds": "ms",
    "us": "us", "minutes": "min", "min": "min", "%": "%", "percent": "%", "kb": "kB", "mb": "MB", "gb": "GB",
    "kib": "KiB", "mib": "MiB", "gib": "GiB", "bytes": "bytes", "blocks": "blocks",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a message and what it is in the match: ``kept``, ``any``, a named one, or ``out``. ``text`` is empty
    where the word is not known any more.
    """

    text: str
    kind: str
    unit: str = ""

    @property
    def choices(self) -> Sequence[tuple[str, str]]:
        """What it may be."""
        return CHOICES if self.text else CHOICES[1:]


def words_in(message: str, nodes: Collection[str]) -> list[Word]:
    """The words of a message, each with what it most likely is. nodes: names in small letters."""
    tokens = words_of(message[:TEXT_READ])[:TOKENS_MOST]
    words = [
        Word(word, kind, _unit(word, after) if kind == "figure" else "")
        for word, kind, after in zip(
            tokens, (_likely(one, nodes) for one in tokens), [*tokens[1:], ""][: len(tokens)], strict=True
        )
    ]
    inner = [number for number, word in enumerate(words) if word.kind != ANY]
    if len(words) > 1 and words[-1].kind == KEPT and words[-2].unit and words[-1].text.lower() in _UNITS:
        inner.pop()  # the unit is kept with its figure
    if not inner:
        return words
    return [word if inner[0] <= number <= inner[-1] else Word(word.text, OUT) for number, word in enumerate(words)]


def _likely(word: str, nodes: Collection[str]) -> str:
    if word.lower() in nodes:
        return "node"
    if _DISK.fullmatch(word) is not None:
        return "disk"
    if word.startswith("/"):
        return "file system"
    if _FIGURE.fullmatch(word) is not None:
        return "figure"
    return ANY if any(sign.isdigit() for sign in word) else KEPT


def words_of_entry(entry: Entry) -> list[Word]:
    """The match of an entry, to be changed."""
    return [Word(token.word, token.named or KEPT, token.unit) for token in entry.match]


def words_sent(form: Mapping[str, str]) -> list[Word]:
    """What a form says: ``word-0`` and ``kind-0`` to the last one. Anything but a known kind is a kept word."""
    words = []
    for number in range(TOKENS_MOST):
        if f"kind-{number}" not in form:
            break
        kind = form[f"kind-{number}"]
        text = form.get(f"word-{number}", "")[:TEXT_READ]
        words.append(Word(text, kind if kind in _KINDS else KEPT, form.get(f"unit-{number}", "")[:12]))
    return words


def match_of(words: Sequence[Word]) -> list[Any]:
    """``match`` of a row. Raises DomainError where a word inside is left out."""
    chosen = list(words)
    while chosen and chosen[0].kind == OUT:
        chosen.pop(0)
    while chosen and chosen[-1].kind == OUT:
        chosen.pop()
    if any(word.kind == OUT for word in chosen):
        raise DomainError(OUT_INSIDE, status=422)
    return [_token(word, after.text if after else "") for word, after in zip(chosen, [*chosen[1:], None], strict=True)]


def _token(word: Word, after: str) -> Any:
    if word.kind == KEPT:
        return word.text
    if word.kind == ANY:
        return {"any": True}
    unit = (word.unit or _unit(word.text, after)) if word.kind == "figure" else ""
    return {"named": word.kind} | ({"unit": unit} if unit else {})


def _unit(word: str, after: str) -> str:
    """Behind the figure, or the word that follows it."""
    figure = _FIGURE.fullmatch(word)
    unit = (figure[1] if figure is not None else "") or after
    return _UNITS.get(unit.lower(), "")


_JOINTS: Final = frozenset(("after", "at", "by", "for", "from", "in", "of", "on", "to", "with"))


def title_for(words: Sequence[Word]) -> str:
    """A title made of the kept words, with the mark for the first thing that is named."""
    parts: list[str] = []
    is_named = False
    for word in words:
        if word.kind == KEPT:
            parts.append(word.text)
        elif word.kind not in (ANY, OUT, "figure") and not is_named:
            parts.append("{about}")
            is_named = True
    while parts and parts[-1].lower() in _JOINTS:
        parts.pop()
    title = re.sub(r"[<>{}]", "", " ".join(parts).replace("{about}", "\0"))[: TITLE_MOST - 10].replace("\0", "{about}")
    return title[:1].upper() + title[1:]


def name_for(words: Sequence[Word]) -> str:
    """A name of small letters made of the first kept words; empty where they give none."""
    parts = (re.sub(r"[^a-z0-9]+", "", word.text.lower()) for word in words if word.kind == KEPT)
    name = "-".join([part for part in parts if part][:4])[:60].strip("-")
    return name if re.fullmatch(r"[a-z][a-z0-9-]{2,59}", name) else ""
