"""One waiter followed over dumps: the samples of one wait become one span.

    dump        1      2      3      4
    thread 7    4 s    14 s   24 s   -        one span of 3 dumps, finished
    thread 8    2 s    3 s    1 s    2 s      four spans, moving: each dump shows a wait that began again
    thread 9    -      5 s    15 s   25 s     one span, stuck: the last dump of the node still shows it

Two samples belong together when node, thread and text are the same and the waits began within 1.1 s of each other: a
dump is often stamped with whole seconds, which moves a start by up to one second, and 1.1 s was measured to lose no
pair and to join 0.5 % falsely. Where a clock is coarser the caller widens the tolerance. A wait grows older from dump
to dump.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from parsers.dataclass import dataclass

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

NO_TIME: Final = np.iinfo(np.int64).min
NO_DUMP: Final = -1
TOLERANCE_US: Final = 1_100_000
STATES: Final = ("unknown", "stuck", "moving", "finished")
UNKNOWN, STUCK, MOVING, FINISHED = range(4)


@dataclass(frozen=True, slots=True)
class Samples:
    """Waiters of many dumps, a row each. ``key`` is equal for equal node, thread and text; 0 is a thread nobody can
    follow.
    """

    key: Keys
    start: Ints  # NO_TIME where unknown
    end: Ints  # moment of the dump
    seconds: Floats  # NaN where unknown
    dump: Codes  # ordinal of the dump among those of its node, NO_DUMP where absence from it would prove nothing
    final_dump: Codes  # ordinal of the node's last dump
    tolerance_us: Ints | int = TOLERANCE_US


@dataclass(frozen=True, slots=True)
class Spans:
    """A row per span, as rows of the samples. ``order`` lists all samples span by span, in order of time."""

    order: Ints
    first: Ints  # position in ``order``
    rows: Ints  # number of samples
    last: Ints  # row of the last sample
    dumps: Codes
    state: npt.NDArray[np.uint8]


def merge(samples: Samples) -> Spans:
    """All spans, in the order of their keys and times."""
    if not len(samples.key):
        none = np.zeros(0, np.int64)
        return Spans(none, none, none, none, none.astype(np.int32), none.astype(np.uint8))
    order = by_key_and_time(samples.key, samples.end)
    joined = _joined(samples, order)
    _cut_drift(samples, order, joined)
    first = np.flatnonzero(~joined)
    rows = np.diff(first, append=len(order))
    last = order[first + rows - 1]
    return Spans(
        order, first, rows, last, _dumps(samples, order, joined, first), _states(samples, order, first, last, rows)
    )


def by_key_and_time(key: Keys, end: Ints) -> Ints:
    """Rows sorted by key, then time, then place. Rows mostly come in order of time, so one sort of the keys does."""
    order = _by_key(key)
    same = key[order[1:]] == key[order[:-1]]
    if bool(np.any(same & (end[order[1:]] < end[order[:-1]]))):
        early = np.argsort(end, kind="stable")
        order = early[_by_key(key[early])]
    return order


def _by_key(key: Keys) -> Ints:
    """Stable order of the keys: upper bits of the key and the row in one number, whose plain sort is several times
    faster.
    """
    bits = max(1, int(len(key) - 1).bit_length())
    row_mask = np.uint64((1 << bits) - 1)
    packed = (key & ~row_mask) | np.arange(len(key), dtype=np.uint64)
    packed.sort()
    order = (packed & row_mask).astype(np.int64)
    ordered = key[order]
    clash = (packed[1:] & ~row_mask) == (packed[:-1] & ~row_mask)
    if bool(np.any(clash & (ordered[1:] != ordered[:-1]))):
        return np.argsort(key, kind="stable")
    return order


def _joined(samples: Samples, order: Ints) -> Flags:
    """Whether a sample continues the one before it in the order."""
    key, start, end, seconds = samples.key[order], samples.start[order], samples.end[order], samples.seconds[order]
    joined = np.zeros(len(order), np.bool_)
    known = (key != 0) & (start != NO_TIME)
    near = np.abs(start[1:] - start[:-1]) <= _tolerance(samples, order)[1:]
    older = (seconds[1:] > seconds[:-1]) | (end[1:] == end[:-1]) | np.isnan(seconds[1:])
    joined[1:] = (key[1:] == key[:-1]) & known[1:] & known[:-1] & near & older
    return joined


def _tolerance(samples: Samples, order: Ints) -> Ints:
    if isinstance(samples.tolerance_us, int):
        return np.full(len(order), samples.tolerance_us)
    return samples.tolerance_us[order]


def _cut_drift(samples: Samples, order: Ints, joined: Flags) -> None:
    """Cut where starts creep: each within tolerance of the one before, but not of the first. Happens with dumps every
    second.
    """
    start, tolerance = samples.start[order], _tolerance(samples, order)
    first = np.flatnonzero(~joined)
    rows = np.diff(first, append=len(order))
    anchor = np.repeat(start[first], rows)
    far = joined & (np.abs(start - anchor) > tolerance)
    if not far.any():
        return
    span = np.repeat(np.arange(len(first)), rows)
    for number in np.unique(span[far]).tolist():
        at = int(first[number])
        reference = int(start[at])
        for place in range(at + 1, at + int(rows[number])):
            if abs(int(start[place]) - reference) > int(tolerance[place]):
                joined[place] = False
                reference = int(start[place])


def _dumps(samples: Samples, order: Ints, joined: Flags, first: Ints) -> Codes:
    """Distinct moments of each span: two files may show one dump twice."""
    end = samples.end[order]
    new = ~joined
    new[1:] |= end[1:] != end[:-1]
    return np.add.reduceat(new, first, dtype=np.int32)


def _states(samples: Samples, order: Ints, first: Ints, last: Ints, rows: Ints) -> npt.NDArray[np.uint8]:
    """What became of each wait, as far as later dumps of its node tell."""
    begin, end = order[first], last
    key = samples.key[begin]
    first_dump, last_dump, final = samples.dump[begin], samples.dump[end], samples.final_dump[end]
    follows = np.zeros(len(first), np.bool_)  # the same thread waits for the same again in the very next dump
    follows[1:] = (
        (key[1:] == key[:-1]) & (key[1:] != 0) & (first_dump[1:] == last_dump[:-1] + 1) & (last_dump[:-1] != NO_DUMP)
    )
    followed = np.append(follows[1:], False)
    state = np.full(len(first), UNKNOWN, np.uint8)
    state[(last_dump < final) & (last_dump != NO_DUMP)] = FINISHED
    seen_again = (rows > 1) & (samples.end[begin] != samples.end[end])
    state[(last_dump >= final) & seen_again] = STUCK
    state[followed | (follows & (state == UNKNOWN))] = MOVING
    return state
