"""Who waits for whom, as boxes, groups of boxes, a tree and answers to "what if it let go?". Pure functions of a
diagnosis's summary.

cn1 ─┐                            ┌───────┐ cn2 ─┼─► nsd02 ─► dm-17   drawn   │ 3 ... │─► nsd02 ─► dm-17      the three
wait for the same, and nobody waits for them cn3 ─┘                            └───────┘
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, Final

from apps.diagnosis.engine.core.arrays.graph import cycles as circles_in
from parsers.dataclass import dataclass

ALL_DRAWN: Final = 12  # so many boxes are read at a glance: nothing is put together
MOST_BOXES: Final = 48
MOST_TREE_ROWS: Final = 400
LETS_GO: Final = 12
DEEPEST: Final = 9
OF: Final = " of "
DRAWN_KINDS: Final = {
    "disk": "disk",
    "lock": "lock",
    "link": "disk",
    "thread": "process",
    "daemon": "process",
    "node": "node",
}

PLURALS: Final = {"node": "nodes", "process": "processes", "lock": "locks", "disk": "disks"}


def _is_lock(counted: tuple[str, int]) -> tuple[bool, str]:
    """Who waits comes first, then what they wait for."""
    return counted[0] in {"lock", "disk"}, counted[0]


@dataclass(frozen=True, slots=True)
class Arrow:
    """All waits of one name for another."""

    frm: str
    to: str
    vias: tuple[str, ...]
    count: int
    longest_s: float
    is_resolved: bool

    @property
    def label(self) -> str:
        """The message or lock with most waits, and how many others there are."""
        return self.vias[0] if len(self.vias) < 2 else f"{self.vias[0]} +{len(self.vias) - 1}"


@dataclass(frozen=True, slots=True)
class Branch:
    """A row of the tree: who waits for the row above. ``members`` has more than one name where they are told
    together.
    """

    members: tuple[str, ...]
    label: str
    via: str
    waits: int
    longest_s: float | None
    mark: str = ""
    node: str = ""
    link: tuple[str, str] | None = None
    is_repeated: bool = False
    children: list[Branch] = field(default_factory=list)


class WaitGraph:
    """The graph of one diagnosis. Of a part of its edges (``is_part``) figures are counted again: the engine counted
    over all.
    """

    def __init__(self, summary: Mapping[str, Any], *, is_part: bool = False) -> None:
        self.is_part = is_part
        self.nodes = {node["name"] for node in summary.get("nodes", ())}
        self.arrows = _arrows(summary.get("waits_for", ()))
        self.names = sorted({name for arrow in self.arrows for name in (arrow.frm, arrow.to)})
        self.roots = self._roots(summary.get("roots", ()))
        named = [tuple(cycle) for cycle in summary.get("cycles", ())]
        self.are_proven = bool(named)
        """Whether the engine named the cycles; else they are only seen in the arrows."""
        self.cycles = named or self._circles()
        self.cycle_of = {name: number for number, cycle in enumerate(self.cycles) for name in cycle}

    def _roots(self, roots: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """By the name that the arrows use: a disk that several nodes call alike is shown as the disk of its node."""
        known = set(self.names)
        found: dict[str, dict[str, Any]] = {}
        for root in roots:
            owned = f"{root['what']}{OF}{root['node']}"
            found.setdefault(owned if owned in known else root["what"], root)
        return found

    def _circles(self) -> list[tuple[str, ...]]:
        """Names that wait for each other. That is no proof of a deadlock: other threads of the same node may run."""
        place = {name: number for number, name in enumerate(self.names)}
        edges: list[list[int]] = [[] for _ in self.names]
        for arrow in self.arrows:
            if arrow.frm != arrow.to:
                edges[place[arrow.frm]].append(place[arrow.to])
        return [tuple(self.names[one] for one in circle) for circle in circles_in(edges)]

    @cached_property
    def out(self) -> dict[str, list[Arrow]]:
        """Arrows by the one who waits."""
        return _by(self.arrows, "frm")

    @cached_property
    def into(self) -> dict[str, list[Arrow]]:
        """Arrows by what is waited for."""
        return _by(self.arrows, "to")

    @property
    def first(self) -> Arrow | None:
        """The arrow into the first root, or the one with most waits."""
        return next(
            (arrows[0] for root in self.roots if (arrows := self.into.get(root))),
            self.arrows[0] if self.arrows else None,
        )

    def is_resource(self, name: str) -> bool:
        """A lock, log or disk: what waits "for it to wait" is no further wait."""
        if name in self.nodes or name.partition(":")[0] in self.nodes:
            return False
        return all(arrow.is_resolved for arrow in self.into.get(name, ())) and bool(self.into.get(name))

    @cached_property
    def total(self) -> int:
        """Waits of nodes and processes."""
        return sum(arrow.count for arrow in self.arrows if not self.is_resource(arrow.frm))

    def freed_by(self, name: str) -> tuple[int, set[str]]:
        """Waits that end and names that run on if ``name`` let go: whoever has all its waits ended runs and lets go in
        turn.
        """
        left = {waiter: len(arrows) for waiter, arrows in self.out.items()}
        freed, queue, ended = {name}, deque([name]), 0
        while queue:
            for arrow in self.into.get(queue.popleft(), ()):
                ended += 0 if self.is_resource(arrow.frm) else arrow.count
                left[arrow.frm] -= 1
                if not left[arrow.frm] and arrow.frm not in freed:
                    freed.add(arrow.frm)
                    queue.append(arrow.frm)
        return ended, freed - {name}

    def ends(self, name: str) -> int:
        """Waits that end if it let go; the engine's own count where it has followed every single wait."""
        root = None if self.is_part else self.roots.get(name)
        return min(root["relieves"], self.total) if root else self.freed_by(name)[0]

    def held_by(self, name: str) -> int:
        """Waits behind a root."""
        return self.freed_by(name)[0] if self.is_part or name not in self.roots else int(self.roots[name]["waiters"])

    # Boxes ------------------------------------------------------------------------------------------------------------

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Names drawn in one box, by the name of the group; empty while there are few boxes."""
        if len(self.names) <= ALL_DRAWN:
            return {}
        groups = self._alike(lambda name: tuple(sorted({arrow.to for arrow in self.out[name]})), leaves=True)
        if len(self.names) - sum(len(g) - 1 for g in groups) > MOST_BOXES:
            groups = self._alike(lambda name: (self.out[name][0].to,), leaves=True) + self._ends_alike()
        if len(self.names) - sum(len(g) - 1 for g in groups) > MOST_BOXES:
            groups = self._alike(lambda name: (self.out[name][0].to,), leaves=False) + self._ends_alike()
        return {f"g{number}": members for number, members in enumerate(groups, start=1)}

    def _alike(self, waits_for: Any, *, leaves: bool) -> list[tuple[str, ...]]:
        """Names with the same answer, two at least; roots and members of cycles always stand alone."""
        alike: dict[tuple[Any, ...], list[str]] = defaultdict(list)
        for name in self.names:
            if name in self.roots or name in self.cycle_of or name not in self.out or (leaves and name in self.into):
                continue
            alike[self.is_resource(name), waits_for(name)].append(name)
        return [tuple(members) for _, members in sorted(alike.items(), key=str) if len(members) > 1]

    def _ends_alike(self) -> list[tuple[str, ...]]:
        """Locks of one name on many nodes, at which chains end: "TokenCondvar of n1", "TokenCondvar of n2"."""
        alike: dict[str, list[str]] = defaultdict(list)
        for name in self.names:
            if OF in name and name not in self.out and name not in self.roots and name not in self.cycle_of:
                alike[name.rpartition(OF)[0]].append(name)
        return [tuple(members) for _, members in sorted(alike.items()) if len(members) > 1]

    @cached_property
    def shown(self) -> set[str]:
        """Names in the drawing: all, or those with most waits where even the groups are too many."""
        grouped = {name for members in self.groups.values() for name in members}
        alone = [name for name in self.names if name not in grouped]
        room = max(0, MOST_BOXES - len(self.groups))
        weight = {name: sum(a.count for a in (*self.out.get(name, ()), *self.into.get(name, ()))) for name in alone}
        kept = sorted(alone, key=lambda name: (name not in self.roots, name not in self.cycle_of, -weight[name], name))[
            :room
        ]
        return grouped | set(kept)

    def cycle_words(self, cycle: Iterable[str]) -> str:
        """Who waits in a circle, and through how many locks: "2 processes and 2 locks"."""
        kinds = Counter("lock" if self.is_resource(name) else self.kind_of(name) for name in cycle)
        parts = [
            f"{count} {PLURALS[kind] if count > 1 else kind}" for kind, count in sorted(kinds.items(), key=_is_lock)
        ]
        return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)

    def drawing(self, opened: Iterable[str], categories: Mapping[str, int] | None = None) -> dict[str, Any]:
        """For the wait-graph module. ``categories``: of the longest wait of each name."""
        known = categories or {}
        return {
            "cycles": [self.cycle_words(cycle) for cycle in self.cycles],
            "boxes": [self._box(name) | {"category": known.get(name)} for name in self.names if name in self.shown],
            "arrows": [
                self._line(arrow) for arrow in self.arrows if arrow.frm in self.shown and arrow.to in self.shown
            ],
            "groups": [
                {"id": key, "label": self.group_label(members), "members": list(members)}
                for key, members in self.groups.items()
            ],
            "opened": [key for key in opened if key in self.groups],
            "total": self.total,
            "left_out": len(self.names) - len(self.shown),
        }

    def group_label(self, members: tuple[str, ...]) -> str:
        """How many of what."""
        return f"{len(members)} {'resources' if self.is_resource(members[0]) else 'waiters'}"

    def _box(self, name: str) -> dict[str, Any]:
        root = self.roots.get(name)
        return {
            "id": name,
            "sub": self.words_of(name),
            "kind": self.kind_of(name),
            "waits": sum(arrow.count for arrow in self.out.get(name, ())),
            "longest": max((arrow.longest_s for arrow in self.out.get(name, ())), default=None),
            "root": root is not None,
            "holds": self.held_by(name) if root else None,
            "cycle": self.cycle_of.get(name),
            "ends": self.ends(name),
        }

    def kind_of(self, name: str) -> str:
        """node, process, lock or disk: how the box is drawn."""
        if root := self.roots.get(name):
            return DRAWN_KINDS.get(root["kind"], "node")
        if name.partition(":")[0] in self.nodes:
            return "process" if ":" in name else "node"
        return "lock" if self.is_resource(name) else "node"

    def words_of(self, name: str) -> str:
        """What stands below a name in its box."""
        waits = sum(arrow.count for arrow in self.out.get(name, ()))
        if waits and not self.is_resource(name):
            return f"{waits} wait{'' if waits == 1 else 's'}"
        root = self.roots.get(name)
        if root is None:
            return "lock or log" if self.is_resource(name) else "waits for nobody"
        return (
            f"{root['kind']} on {root['node']}" if root["node"] and not name.startswith(root["node"]) else root["kind"]
        )

    @staticmethod
    def _line(arrow: Arrow) -> dict[str, Any]:
        return {
            "from": arrow.frm,
            "to": arrow.to,
            "label": arrow.label,
            "count": arrow.count,
            "longest": arrow.longest_s,
        }

    # The tree ---------------------------------------------------------------------------------------------------------

    def tree(self) -> list[Branch]:
        """From every end of the chains to those who wait; then the cycles. Each name is shown once, later ones point to
        it.
        """
        seen: set[str] = set()
        ends = [name for name in self.names if name not in self.out and name not in self.roots]
        tops = [*self.roots, *sorted(ends, key=lambda name: (-self.ends(name), name))]
        rows = [self._top(name, seen) for name in tops if name in self.into]
        rows += [self._cycle(cycle, seen) for cycle in self.cycles]
        rest = [name for name in self.names if name not in seen and name not in self.cycle_of and self.out.get(name)]
        return [*rows, *(self._top(name, seen) for name in rest if name not in seen)]

    def rows(self) -> list[dict[str, Any]]:
        """The tree as rows of a table, each with its depth."""
        rows: list[dict[str, Any]] = []
        stack = [(branch, 0) for branch in reversed(self.tree())]
        while stack:
            branch, depth = stack.pop()
            together = len(branch.members) > 1 and branch.mark != "cycle"
            rows.append(
                {"branch": branch, "depth": min(depth, DEEPEST), "together": branch.children if together else []}
            )
            if not together:
                stack.extend((child, depth + 1) for child in reversed(branch.children))
        return rows

    def _top(self, name: str, seen: set[str]) -> Branch:
        root = self.roots.get(name)
        waits = self.held_by(name) if root else sum(arrow.count for arrow in self.into.get(name, ()))
        longest = max((arrow.longest_s for arrow in self.into.get(name, ())), default=None)
        where = root["node"] or "" if root else ""
        seen.add(name)
        mark = "root" if root else "end"
        return Branch(
            (name,),
            name,
            root["kind"] if root else "",
            waits,
            longest,
            mark,
            where,
            None,
            False,
            self._below(name, seen),
        )

    def _cycle(self, cycle: tuple[str, ...], seen: set[str]) -> Branch:
        inside = set(cycle)
        arrows = [arrow for name in cycle for arrow in self.out.get(name, ()) if arrow.to in inside]
        seen.update(inside)
        rows, waits = [], sum(arrow.count for arrow in arrows if not self.is_resource(arrow.frm))
        for arrow in arrows:
            below = self._outside(arrow.frm, inside, seen)
            link = (arrow.frm, arrow.to)
            rows.append(
                Branch(
                    (arrow.frm,), " → ".join(link), arrow.label, arrow.count, arrow.longest_s, link=link, children=below
                )
            )
        longest = max((arrow.longest_s for arrow in arrows), default=None)
        return Branch(cycle, f"Cycle of {self.cycle_words(cycle)}", "", waits, longest, "cycle", "", None, False, rows)

    def _outside(self, name: str, inside: set[str], seen: set[str]) -> list[Branch]:
        """Those who wait for a member of a cycle and are no members."""
        return [branch for branch in self._below(name, seen) if not set(branch.members) & inside]

    def _below(self, name: str, seen: set[str]) -> list[Branch]:
        """Who waits for it. Those who wait for nothing else, and nobody for them, stand in one row."""
        arrows = sorted(self.into.get(name, ()), key=lambda arrow: (-arrow.count, arrow.frm))
        alike = self._alike_arrows(arrows)
        rows = []
        for arrow in arrows:
            if arrow.frm in alike.get(arrow.vias, ()):
                continue
            repeated = arrow.frm in seen or len(seen) > MOST_TREE_ROWS
            seen.add(arrow.frm)
            below = [] if repeated else self._below(arrow.frm, seen)
            rows.append(self._branch((arrow,), arrow.frm, repeated, below))
        for members in alike.values():
            those = [arrow for arrow in arrows if arrow.frm in members]
            seen.update(members)
            rows.append(
                self._branch(
                    tuple(those),
                    f"{len(those)} waiters",
                    False,
                    [self._branch((one,), one.frm, False, []) for one in those],
                )
            )
        return sorted(rows, key=lambda branch: -branch.waits)

    def _alike_arrows(self, arrows: list[Arrow]) -> dict[tuple[str, ...], set[str]]:
        """Three and more that wait for nothing else, through the same, and nobody for them."""
        alike: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for arrow in arrows:
            if arrow.frm not in self.into and arrow.frm not in self.roots and len(self.out[arrow.frm]) == 1:
                alike[arrow.vias].add(arrow.frm)
        return {vias: members for vias, members in alike.items() if len(members) > 2}

    def _branch(self, arrows: tuple[Arrow, ...], label: str, repeated: bool, below: list[Branch]) -> Branch:
        first = arrows[0]
        return Branch(
            tuple(arrow.frm for arrow in arrows),
            label,
            first.label,
            sum(arrow.count for arrow in arrows),
            max(arrow.longest_s for arrow in arrows),
            link=(first.frm, first.to) if len(arrows) == 1 else None,
            is_repeated=repeated,
            children=below,
        )

    def let_go(self) -> list[dict[str, Any]]:
        """Roots, then other names, by the waits that would end if they let go."""
        rows: list[dict[str, Any]] = [
            {"name": name, "ends": self.ends(name), "nodes": self._nodes_of(self.freed_by(name)[1])}
            for name in self.names
            if name in self.into
        ]
        rows.sort(key=lambda row: (row["name"] not in self.roots, -row["ends"], row["name"]))
        for row in rows:
            row["root"] = self.roots.get(row["name"])
        return rows[:LETS_GO]

    def _nodes_of(self, names: set[str]) -> int:
        return len({name.partition(":")[0] for name in names if not self.is_resource(name)})


def _arrows(edges: Iterable[Mapping[str, Any]]) -> list[Arrow]:
    """Edges of one pair put together, most waits first."""
    pairs: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for edge in edges:
        pairs[edge["frm"], edge["to"]].append(edge)
    arrows = [
        Arrow(
            frm,
            to,
            tuple(edge["via"] for edge in sorted(rows, key=lambda edge: -edge["count"])),
            sum(edge["count"] for edge in rows),
            max(edge["longest_s"] for edge in rows),
            any(edge["resolved"] for edge in rows),
        )
        for (frm, to), rows in pairs.items()
    ]
    return sorted(arrows, key=lambda arrow: (-arrow.count, -arrow.longest_s, arrow.frm, arrow.to))


def _by(arrows: Iterable[Arrow], end: str) -> dict[str, list[Arrow]]:
    found: dict[str, list[Arrow]] = defaultdict(list)
    for arrow in arrows:
        found[getattr(arrow, end)].append(arrow)
    return dict(found)
