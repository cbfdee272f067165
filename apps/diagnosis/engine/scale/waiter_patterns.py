"""How a row of the taxonomy fits a Scale waiter: patterns over its text.

A pattern is a set of globs, never a regular expression, so that matching is linear in the text whatever an upload
holds. Old and new spellings meet in one folded form: ``Mount handler`` and ``MountHandlerThread`` both become
``mounthandler``, ``MsgRecord`` and ``MsgRecordCondvar`` both ``msgrecord``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from apps.diagnosis.engine.core.words.wait_kinds import (
    FIELD_LIMIT,
    check_types,
    fold,
    glob_name,
    globs_of,
    need,
)
from parsers.dataclass import dataclass
from parsers.records.waits import WaiterShape

CUT_MIN: Final = 6  # shorter fragments of a cut line fit too many literals
BLANKS: Final = re.compile(r"\s+")
NAME_ENDINGS: Final = ("condvar", "condva", "condv", "cond", "con", "mutex", "mute", "mut")
RPC_REASON: Final = "RPC wait"
SAYING_CHARS: Final = 16
COMMON: Final = ("waitingforrpcreplies", "waitingforhelperthreads", "fornsdiocompletion", "waitingforlogspace")
"""Of such a wait the reason alone says too little."""
WAIT_KINDS: Final = ("ThCond", "ThMutex")


def fold_thread(text: str) -> str:
    """A thread's name without the word Thread that new releases append."""
    return fold(text).removesuffix("thread")


def fold_name(text: str) -> str:
    """A condition variable's or mutex's name without its ending, even when the ending was cut."""
    folded = fold(text)
    return next((folded.removesuffix(e) for e in NAME_ENDINGS if folded.endswith(e) and folded != e), folded)


FOLDS: Final[dict[str, Callable[[str], str]]] = {
    "thread": fold_thread,
    "wait_name": fold_name,
    "text": fold,
    "rpc": fold,
}
GLOB_FIELDS: Final = tuple(FOLDS)
TEXT_PATTERN_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys((*GLOB_FIELDS, "object"), (str, list)),
    **dict.fromkeys(("wait_kind", "spelling"), str),
    **dict.fromkeys(("delaying", "target", "text_may_be_lost"), bool),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a waiter in the three forms that globs are compared with."""

    raw: str = ""
    folded: str = ""
    words: str = ""
    present: bool = False
    cut: bool = False


NOTHING: Final = Field()


@dataclass(frozen=True, slots=True)
class WaiterText:
    """A waiter's text, folded once and compared with many patterns."""

    thread: Field
    wait_name: Field
    rpc: Field
    texts: tuple[Field, ...]
    shape: WaiterShape

    @classmethod
    def of(cls, shape: WaiterShape) -> WaiterText:
        cut = not shape.complete
        reason = shape.reason or (RPC_REASON if shape.rpc else None)
        seen = dict.fromkeys(t for t in (reason, shape.aux) if t)
        return cls(
            thread=name_field(shape.thread, fold_thread, cut=False),
            wait_name=name_field(shape.wait_name, fold_name, cut=cut and not seen),
            rpc=name_field(shape.rpc, fold, cut=cut),
            texts=tuple(text_field(t, cut) for t in seen),
            shape=shape,
        )

    def index_keys(self) -> list[tuple[str, str]]:
        """The literals under which rows for this waiter can stand in an index."""
        names = [("thread", self.thread.folded), ("wait_name", self.wait_name.folded), ("rpc", self.rpc.folded)]
        return names + [("text", text.folded) for text in self.texts]

    @property
    def new_spelling(self) -> bool:
        return self.thread.raw.endswith("Thread") and " " not in self.thread.raw

    @property
    def delaying(self) -> bool:
        return self.shape.delay_s is not None or any(t.folded.startswith(("delaying", "fordelay")) for t in self.texts)


def name_field(text: str | None, folding: Callable[[str], str], *, cut: bool) -> Field:
    return NOTHING if not text else Field(text[:FIELD_LIMIT], folding(text), text[:FIELD_LIMIT], True, cut)


def text_field(text: str, cut: bool) -> Field:
    clipped = text[:FIELD_LIMIT]
    # Machine output has been seen to repeat the word "reason" and the quote inside the field itself.
    return Field(
        clipped, fold(clipped).removeprefix("reason"), f" {BLANKS.sub(' ', clipped).strip().lower()} ", True, cut
    )


Test = Callable[[Field], bool]


def any_value(field: Field) -> bool:
    return field.present


def exact(literal: str, field: Field) -> bool:
    if field.folded == literal:
        return True
    return field.cut and len(field.folded) >= CUT_MIN and literal.startswith(field.folded)


def prefix(literal: str, field: Field) -> bool:
    return field.folded.startswith(literal) or exact(literal, field)


def between(start: str, end: str, field: Field) -> bool:
    text = field.folded
    return len(text) >= len(start) + len(end) and text.startswith(start) and text.endswith(end)


def word_inside(word: str, field: Field) -> bool:
    return word in field.words


def compile_glob(glob: str, name: str) -> Test:
    """The test for one glob: ``Name``, ``Start*``, ``start*end``, ``*inside*`` or ``*`` alone.

    Inside two stars a name is searched as spelled, because ``DM`` and ``RG`` are words only in capitals; a text is
    searched in lower case.
    """
    if glob == "*":
        return any_value
    if glob.startswith("*") and glob.endswith("*"):
        return partial(word_inside, glob[1:-1].lower() if name == "text" else glob[1:-1])
    start, star, end = glob.partition("*")
    folding = FOLDS[name]
    if not star:
        return partial(exact, folding(start))
    return partial(between, fold(start), fold(end)) if end else partial(prefix, folding(start))


@dataclass(frozen=True, slots=True)
class TextPattern:
    """One way in which a Scale waiter can fit a row. ``weight`` counts literal characters as the row first
    spells them.
    """

    weight: int
    wait_kind: str | None
    spelling: str | None
    delaying: bool
    target: bool
    text_may_be_lost: bool
    thread: tuple[Test, ...]
    wait_name: tuple[Test, ...]
    rpc: tuple[Test, ...]
    text: tuple[Test, ...]
    objects: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]  # field and folded literal, one of which a whole line must show to fit
    sayings: tuple[str, ...]  # folded beginnings of reasons that no other program prints

    @property
    def literals(self) -> tuple[str, ...]:
        """Folded words one of which a whole line must show."""
        return tuple(literal for _, literal in self.keys)

    @property
    def conditions(self) -> int:
        """How much it asks for besides the reason."""
        return sum(map(bool, (self.wait_kind, self.thread, self.wait_name, self.rpc, self.objects)))

    def fits(self, seen: WaiterText) -> bool:
        if self.wait_kind is not None and seen.shape.wait_kind != self.wait_kind:
            return False
        return self._names(seen) and (not self.text or self._text(seen)) and self._extras(seen)

    def _extras(self, seen: WaiterText) -> bool:
        if self.target and seen.shape.target is None:
            return False
        if self.spelling is not None and seen.new_spelling != (self.spelling == "new"):
            return False
        if self.objects and not any(glob_name(o, seen.shape.object) for o in self.objects):
            return False
        return not self.delaying or seen.delaying

    def _names(self, seen: WaiterText) -> bool:
        if self.thread and not fits_any(self.thread, seen.thread):
            return False
        if self.wait_name and not fits_any(self.wait_name, seen.wait_name):
            return False
        return not self.rpc or fits_any(self.rpc, seen.rpc)

    def _text(self, seen: WaiterText) -> bool:
        if not seen.texts:
            return self.text_may_be_lost and not seen.shape.complete
        return any(fits_any(self.text, field) for field in seen.texts)


def fits_any(tests: tuple[Test, ...], field: Field) -> bool:
    # A plain loop: `any` over a generator costs three times as much, and this is the innermost step.
    if field.present:
        for test in tests:
            if test(field):
                return True
    return False


def read_text_pattern(row: Mapping[str, Any], where: str) -> TextPattern:
    check_types(row, TEXT_PATTERN_TYPES, where)
    need(bool(row), where, "a pattern without a condition would fit everything")
    need(row.get("wait_kind") in (None, *WAIT_KINDS), where, "wait_kind must be ThCond or ThMutex")
    need(row.get("spelling") in (None, "old", "new"), where, "spelling must be old or new")
    globs = {name: globs_of(row, name, where) for name in GLOB_FIELDS}
    objects = globs_of(row, "object", where)
    firsts = [g[0] for g in (*globs.values(), objects) if g]
    literal = sum(len(first.replace("*", "")) for first in firsts)
    return TextPattern(
        weight=literal + len(row.get("wait_kind", "")) + (len("delaying") if row.get("delaying") else 0),
        wait_kind=row.get("wait_kind"),
        spelling=row.get("spelling"),
        delaying=row.get("delaying", False),
        target=row.get("target", False),
        text_may_be_lost=row.get("text_may_be_lost", False),
        objects=objects,
        keys=index_keys(globs),
        sayings=sayings(globs["text"]),
        **{name: tuple(compile_glob(g, name) for g in globs[name]) for name in GLOB_FIELDS},
    )


def sayings(globs: tuple[str, ...]) -> tuple[str, ...]:
    """Reasons that are spelled out from their beginning, and long enough to be known without the line around them."""
    folded = (fold(glob.removesuffix("*")) for glob in globs if "*" not in glob[:-1])
    return tuple(text for text in folded if len(text) >= SAYING_CHARS and text not in COMMON)


def index_keys(globs: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    """The literals of the first field that is spelled out without stars."""
    for name, folding in FOLDS.items():
        if globs[name] and not any("*" in glob for glob in globs[name]):
            return tuple(dict.fromkeys((name, folding(glob)) for glob in globs[name]))
    return ()
