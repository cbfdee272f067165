"""The shape of a chain of waits: what it ends at, what it is waited for through, which rule tells of it. Pure
functions.

Two cases of one trouble name other nodes, disks, addresses and moments, and count other waits. What stays is what the
chain ends at (a disk, a lock, a thread) and, level by level from there, the message or lock through which most waits
pass:

    disk <- I/O completion <- NSD I/O completion      rule SC-01
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from parsers.dataclass import dataclass

VERSION: Final = 1
"""Of the way shapes are made: signatures of another version are not compared."""
ROOTS: Final = 20
DEEPEST: Final = 4
LEAST_SHARE: Final = 0.1  # of the waits at the end: fewer are the noise of a busy cluster
DIGEST_CHARS: Final = 24
VIA_CHARS: Final = 2000
OF: Final = " of "
BEFORE: Final = " \u2190 "
ALONE: Final = "finding"
NAMED: Final = re.compile(
    r"0x[0-9a-f]+|\S*\d\S*[/:]\S*|\S*[/:]\S*\d\S*|(?<![0-9a-z])[0-9a-f]{8,}(?![0-9a-z])", re.IGNORECASE
)
DIGITS: Final = re.compile(r"\d+")
HOLDER: Final = re.compile(r"^(held|kept) (\S+)\b.*$")
WANTED: Final = re.compile(r"^wants \S+$")
KINDS: Final = {
    "disk": "a disk",
    "node": "a node",
    "thread": "a thread",
    "lock": "a lock",
    "link": "a link",
    "daemon": "a daemon",
    ALONE: "no chain of waits",
}
Edge = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Concluded:
    """What a signature needs of a finding."""

    ref: str
    title: str
    severity: str
    nodes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Chain:
    """One shape. ``steps`` begins beside the end."""

    kind: str
    rule: str
    steps: tuple[str, ...]

    @property
    def digest(self) -> str:
        parts = json.dumps([VERSION, self.kind, self.rule, self.steps], ensure_ascii=False)
        return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:DIGEST_CHARS]

    @property
    def words(self) -> str:
        return BEFORE.join((KINDS.get(self.kind, self.kind), *self.steps))


def sentence(words: str) -> str:
    """A disk holds up: I/O completion, then NSD I/O completion."""
    root, *steps = words.split(BEFORE)
    root = f"{root[:1].upper()}{root[1:]}"
    return f"{root} holds up: {', then '.join(steps)}" if steps else root


def chains(summary: Mapping[str, Any], findings: Sequence[Concluded], verdict_ref: str) -> list[Chain]:
    """The shapes of a diagnosis, that with most waits first; each once. Without a chain, the rule of the verdict stands
    alone.
    """
    harmful = [finding for finding in findings if finding.severity != "info"]
    found = [_chain(root, summary, harmful, verdict_ref) for root in summary.get("roots", ())[:ROOTS]]
    if not found and any(finding.ref == verdict_ref for finding in harmful):
        found = [Chain(ALONE, verdict_ref, ())]
    return list(dict.fromkeys(found))


def _chain(
    root: Mapping[str, Any], summary: Mapping[str, Any], findings: Iterable[Concluded], verdict_ref: str
) -> Chain:
    about = (finding.ref for finding in findings if root["node"] in finding.nodes or root["what"] in finding.title)
    names = {
        spelling.casefold()
        for node in summary.get("nodes", ())
        for spelling in (node["name"], *node.get("aliases", ()))
    }
    return Chain(root["kind"], next(about, verdict_ref), tuple(_steps(root, summary.get("waits_for", ()), names)))


def _steps(root: Mapping[str, Any], edges: Iterable[Edge], names: set[str]) -> Iterator[str]:
    """Away from the end; a level that only few waits reach ends the way."""
    into: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        into[edge["to"]].append(edge)
    owned = f"{root['what']}{OF}{root['node']}"
    level = {owned if owned in into else root["what"]}
    seen, at_end = set(level), 0
    for _ in range(DEEPEST):
        counts: dict[str, int] = defaultdict(int)
        reached = [edge for name in sorted(level) for edge in into.get(name, ()) if edge["frm"] not in seen]
        for edge in reached:
            counts[via_shape(edge["via"], names)] += edge["count"]
        at_end = at_end or sum(counts.values())
        if not counts or sum(counts.values()) < LEAST_SHARE * at_end:
            return
        yield max(counts, key=lambda shape: (counts[shape], shape))
        level = {edge["frm"] for edge in reached}
        seen |= level


def via_shape(via: str, names: set[str]) -> str:
    """A message or lock without the names, numbers and addresses of one case. Who holds a lock is a name, in which mode
    is not.
    """
    held = HOLDER.match(via)
    if held:
        return f"{held[1]} {held[2]}"
    if WANTED.match(via):
        return "wanted"
    plain = NAMED.sub("*", via[:VIA_CHARS])
    return " ".join("*" if word.casefold() in names else DIGITS.sub("#", word) for word in plain.split())[:200]
