"""All spellings of a node joined by evidence: first labels, and aliases that a table states. Never on a guess."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterable

from apps.diagnosis.engine.model import NodeName


def is_address(text: str) -> bool:
    """An IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_index(text: str) -> bool:
    """``c0n4``: the position in the view of one daemon, not a name."""
    cluster, mark, index = text[1:].partition("n")
    return text.startswith("c") and mark == "n" and cluster.isdigit() and index.isdigit()  # cn142 is a host name


class Nodes:
    """Resolver of one case. ``name`` gives the canonical name of any spelling; an unknown one stays as it is."""

    def __init__(self, seen: Iterable[str], aliases: Iterable[tuple[str, str]] = ()) -> None:
        seen = sorted({name for name in seen if name})
        pairs = sorted({(node, alias) for node, alias in aliases if node and alias})
        named = [n for n in [*seen, *(node for node, _ in pairs)] if not is_address(n) and not _is_index(n)]
        self._short = _short_names(named)
        self._alias: dict[str, str] = {}
        self.clashes: list[tuple[str, str, str]] = []
        for node, alias in pairs:
            self._link(node, alias)
        self._seen = {self.name(name) for name in seen}

    def _link(self, node: str, alias: str) -> None:
        canonical = self._short.get(node, node)
        if alias in self._short and not is_address(alias):
            return  # a name of its own, joined by its first label or not at all
        known = self._alias.setdefault(alias, canonical)
        if known != canonical:
            self.clashes.append((alias, known, canonical))

    def name(self, text: str) -> str:
        """Canonical name of a spelling."""
        if text in self._short:
            return self._short[text]
        if text in self._alias:
            return self._alias[text]
        return text if is_address(text) else self._short.get(text.lower(), text)

    def known(self, text: str) -> bool:
        """Whether dumps or tables of this case speak of that node by name."""
        name = self.name(text)
        return not is_address(name) and not _is_index(name) and (name in self._seen or name in self._alias.values())

    def has_dump(self, text: str) -> bool:
        """Whether records of that node itself are in the case."""
        return self.name(text) in self._seen

    def all(self) -> tuple[NodeName, ...]:
        """Nodes that records speak for, with all spellings."""
        spellings: dict[str, set[str]] = defaultdict(set)
        for full, short in self._short.items():
            spellings[short].add(full)
        for alias, name in self._alias.items():
            spellings[name].add(alias)
        return tuple(NodeName(name, tuple(sorted(spellings[name] - {name}))) for name in sorted(self._seen))


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """First label for each name; the full name where two different full names share a first label."""
    by_label: dict[str, set[str]] = defaultdict(set)
    for name in names:
        by_label[name.split(".", 1)[0]].add(name)
    short: dict[str, str] = {}
    for label, full in by_label.items():
        long = {name for name in full if "." in name}
        for name in full:
            short[name] = label if len(long) <= 1 or name == label else name
    return short
