"""Rule on what has no room left (ST-11), whichever tool shows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records.states import Room


@dataclass(frozen=True, slots=True)
class FullWords:
    """what: sort and name; of: the file system it is a part of; share: taken, in per cent; state: what is left."""

    what: str
    of: str | None
    nodes: tuple[str | None, ...]
    share: float
    state: str | None
    are: str


@rule("ST-11", needs=(Records,), words=FullWords)
def no_room(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: writes and creates fail, or become slow long before.

    Reasoning: the last look shows no space or no inode left, or hardly any.
    Source: df(1); limits of parsers/filling.py, proposed.
    """
    last = {(one.sort, one.name, one.of, one.node): one for one in records.of(Room)}
    full: dict[tuple[str, str | None, str | None, float], list[Room]] = defaultdict(list)
    spent = {one.ref for one in last.values() if one.standing == "spent"}
    for room in last.values():
        # a row on a limit that is spent is reported as such: what is merely tight in it would stand in its place
        is_lesser = room.standing == "tight" and room.ref in spent
        if room.standing in ("full", "tight") and room.share is not None and not is_lesser:
            full[room.sort, room.name, room.of, round(room.share)].append(room)
    for rooms in full.values():
        yield _full(rooms)


def _full(rooms: list[Room]) -> Seen:
    worst = max(rooms, key=lambda room: room.share or 0.0)
    nodes = tuple(dict.fromkeys(room.node for room in rooms))
    share = worst.share or 0.0
    return Seen(
        level=worst.standing,
        words=FullWords(
            f"{worst.sort} {worst.name or ''}".strip(),
            worst.of,
            nodes,
            share,
            worst.state,
            "many" if worst.sort.startswith("inodes") else "one",
        ),
        lines=[room.ref for room in rooms[:5]],
        nodes=nodes,
        times=[room.at for room in rooms],
        zone_min=worst.zone_min,
        parts=("shown",),
        weight=share / 10,
    )
