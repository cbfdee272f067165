"""How a row of the taxonomy fits a waiter: patterns over the text of a Scale waiter, and over a GFS2 lock or holder
line.

A pattern is a set of globs and bounds, never a regular expression, so that matching is linear in the text whatever an
upload holds. Old and new spellings meet in one folded form: ``Mount handler`` and ``MountHandlerThread`` both become
``mounthandler``, ``MsgRecord`` and ``MsgRecordCondvar`` both ``msgrecord``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from parsers.records import WaiterShape

FIELD_LIMIT: Final = 512  # a hostile line may hold a name of a megabyte; what identifies a kind stands at the front
CUT_MIN: Final = 6  # shorter fragments of a cut line fit too many literals
NOT_ALNUM: Final = re.compile(r"[^0-9a-z]+")
BLANKS: Final = re.compile(r"\s+")
NAME_ENDINGS: Final = ("condvar", "condva", "condv", "cond", "con", "mutex", "mute", "mut")
RPC_REASON: Final = "RPC wait"

Role = Literal["holder", "waiter", "idle", "lkb"]


def fold(text: str) -> str:
    """Lower case, letters and digits only: the form in which all spellings of a text meet."""
    return NOT_ALNUM.sub("", text[:FIELD_LIMIT].lower())


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


def glob_name(glob: str, value: str | None) -> bool:
    """A plain name, or one that starts with what stands before a closing star; case counts."""
    if value is None:
        return False
    return value.startswith(glob[:-1]) if glob.endswith("*") else value == glob


@dataclass(frozen=True, slots=True, kw_only=True)
class GlockView:
    """What is known about one GFS2 holder line, idle lock or DLM lock when it is classified.

    ``captures`` counts the dumps in which the same process stood at the same place in the same function;
    ``held_somewhere`` is None unless the dumps of all nodes are there; ``waited_rgrps`` counts the resource groups of
    the file system that somebody waits for in this dump.
    """

    role: Role
    type: int = 0
    number: int = 0
    state: str = ""
    flags: str = ""
    function: str | None = None
    command: str | None = None
    glock_flags: str = ""
    min_hold: int | None = None
    captures: int = 1
    waiting_nodes: int = 1
    held_somewhere: bool | None = None
    holder_function: str | None = None
    waited_rgrps: int = 0
    lkb_status: int | None = None
    lkb_converting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GlockPattern:
    """One way in which a GFS2 lock or holder line can fit a row; what a row does not name may be anything."""

    role: str | None = None
    glocks: tuple[str, ...] = ()
    not_glocks: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    holder_functions: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    flags: str = ""
    glock_flags_all: str = ""
    glock_flags_none: str = ""
    glock_flags_only: str | None = None
    min_hold: int | None = None
    captures_min: int = 0
    captures_max: int | None = None
    waiting_nodes_min: int = 0
    waited_rgrps_min: int = 0
    held_somewhere: bool | None = None
    lkb_status: int | None = None
    lkb_converting: bool | None = None

    def fits(self, seen: GlockView) -> bool:
        return (
            self._equal(seen) and self._bounds(seen) and self._lock(seen) and self._names(seen) and self._letters(seen)
        )

    def _equal(self, seen: GlockView) -> bool:
        pairs = (
            (self.role, seen.role),
            (self.held_somewhere, seen.held_somewhere),
            (self.lkb_status, seen.lkb_status),
            (self.lkb_converting, seen.lkb_converting),
        )
        return all(want is None or want == have for want, have in pairs)

    def _bounds(self, seen: GlockView) -> bool:
        if self.captures_max is not None and seen.captures > self.captures_max:
            return False
        # Older kernels do not print the minimum hold time: unknown is no sign that it was shortened.
        if self.min_hold is not None and seen.min_hold not in (None, self.min_hold):
            return False
        enough = seen.captures >= self.captures_min and seen.waiting_nodes >= self.waiting_nodes_min
        return enough and seen.waited_rgrps >= self.waited_rgrps_min

    def _lock(self, seen: GlockView) -> bool:
        if self.states and seen.state not in self.states:
            return False
        name = f"{seen.type}/{seen.number:x}"
        if any(glob_name(g, name) for g in self.not_glocks):
            return False
        return not self.glocks or any(glob_name(g, name) for g in self.glocks)

    def _names(self, seen: GlockView) -> bool:
        wanted = (
            (self.functions, seen.function),
            (self.holder_functions, seen.holder_function),
            (self.commands, seen.command),
        )
        return all(not globs or any(glob_name(g, bare_function(have)) for g in globs) for globs, have in wanted)

    def _letters(self, seen: GlockView) -> bool:
        if self.glock_flags_only is not None and set(seen.glock_flags) != set(self.glock_flags_only):
            return False
        held = set(self.flags) <= set(seen.flags) and set(self.glock_flags_all) <= set(seen.glock_flags)
        return held and not set(self.glock_flags_none) & set(seen.glock_flags)


def bare_function(name: str | None) -> str | None:
    """A function without the offset that stack lines append."""
    return None if name is None else name.partition("+")[0]
