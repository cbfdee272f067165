"""Settings and releases of Spectrum Scale as the files show them: whose value is whose, and which release a
node runs.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import grouped, in_order
from apps.diagnosis.engine.core.facts.setting_history import plain
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.metrics import setting
from parsers.dataclass import dataclass
from parsers.records import Version

CONFIGURATION: Final = setting("daemon-configuration")
ATTRIBUTES: Final = setting("file-system-attributes")
BATCHING: Final = "dioSmallSeqWriteBatching"
BATCHING_SINCE: Final = "5.0.4.2"
PRODUCT: Final = "spectrum-scale"
QOS: Final = "qos "
LEVEL: Final = "file system format of "
Release = tuple[int, ...]
_NUMBERS = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,5}")
_LEVEL = re.compile(r"(\d{1,3}\.\d{2}) ?\((\d[\d.]{1,20})\)")


@dataclass(frozen=True, slots=True)
class Held:
    """The last value that the files show for a holder: a node, a list of nodes or a node class, or (None) the whole
    cluster.
    """

    name: str
    holder: str | None
    value: str
    source: str
    holds: str
    ref: Ref
    note: str | None

    @property
    def is_on(self) -> bool:
        """Yes, however it is spelled."""
        return plain(self.value) == "1"

    @property
    def is_dumped(self) -> bool:
        """What a daemon itself has in force."""
        return self.holds == "now"

    @property
    def is_configured(self) -> bool:
        """What the configuration of the cluster says."""
        return self.holds == "configured"

    def covers(self, node: str | None) -> bool:
        """Whether it holds for a node: its own, one of the list, or the whole cluster's."""
        return self.holder is None or node is None or node == self.holder or node in self.holder.split(",")


def _artifact(one: Held) -> int:
    return one.ref.artifact


def shell_word(text: str) -> str:
    """A name from the customer's text for a command that is copied into a shell; braces would be taken for fields of a
    text.
    """
    return shlex.quote(text.replace("{", "").replace("}", ""))


def release_of(text: str) -> Release | None:
    """``5.0.4.2`` as numbers; None where the text holds none."""
    match = _NUMBERS.match(text.strip().strip('"'))
    return tuple(int(part) for part in match[0].split(".")) if match else None


class ScaleSettings:
    """Settings of one case by name."""

    def __init__(self, store: Facts, nodes: Nodes, settings: Settings) -> None:
        self._store = store
        self._nodes = nodes
        self._settings = settings
        self._by_name: dict[str, tuple[Held, ...]] = {}
        self._by_holder: dict[str, dict[str | None, list[int]]] = {}

    @cached_property
    def _shown(self) -> dict[str, list[Held]]:
        """All that the files show, by name in lower case."""
        rows = in_order(self._settings.in_force, CONFIGURATION.rows)
        # What is configured holds for the cluster, or for a list in it, on whichever node it was asked for.
        holder = pl.when(pl.col("holds") == "configured").then("scope").otherwise(pl.coalesce("node", "scope"))
        return grouped(_held(rows, holder), lambda one: one.name.lower())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all settings, in lower case."""
        return tuple(sorted(self._shown))

    def held(self, name: str) -> tuple[Held, ...]:
        """The last value of each holder, in the order of the files."""
        if name not in self._by_name:
            last: dict[str | None, Held] = {}
            for one in self._shown.get(name.lower(), ()):
                last.pop(one.holder, None)
                last[one.holder] = one
            self._by_name[name] = tuple(last.values())
        return self._by_name[name]

    def configured(self, name: str) -> tuple[Held, ...]:
        """The last value that is configured for the cluster and for each list of nodes, whatever runs there."""
        return tuple({one.holder: one for one in self._shown.get(name.lower(), ()) if one.is_configured}.values())

    def copies(self, name: str) -> dict[int, Held]:
        """By artifact: the value in the copy of the configuration that it holds; nothing where lists of nodes have
        values of their own.
        """
        by_artifact = grouped([one for one in self._shown.get(name, ()) if one.is_configured], _artifact)
        is_one = all(len({plain(one.value) for one in some}) == 1 for some in by_artifact.values())
        return {artifact: some[-1] for artifact, some in by_artifact.items()} if is_one else {}

    def _covering(self, name: str, node: str | None) -> list[Held]:
        """Values that hold for a node, in the order of the files."""
        held = self.held(name)
        if node is None:
            return list(held)
        if name not in self._by_holder:
            places = self._by_holder[name] = defaultdict(list)
            for place, one in enumerate(held):
                names = (None,) if one.holder is None else {one.holder, *one.holder.split(",")}
                for holder in names:
                    places[holder].append(place)
        found = self._by_holder[name]
        return [held[place] for place in sorted((*found.get(None, ()), *found.get(node, ())))]

    def of_node(self, name: str, node: str | None) -> Held | None:
        """What is in force on a node: its own dump first, then a list that names it, then the cluster's; the last one
        of those.
        """
        found = self._covering(name, node)
        found.sort(key=lambda held: (held.holder == node and node is not None, held.holder is not None))
        return found[-1] if found else None

    def number(self, name: str, node: str | None) -> float | None:
        """A value that is a number, a letter for its size resolved."""
        held = self.of_node(name, node)
        text = plain(held.value) if held is not None else ""
        return float(text) if text.isascii() and text.isdigit() else None

    # releases

    @cached_property
    def _releases(self) -> dict[str | None, tuple[Release, Ref]]:
        found: dict[str | None, tuple[Release, Ref]] = {}
        for one in self._versions:
            if one.product == PRODUCT and (release := release_of(one.version)) is not None:
                found[one.node] = (release, one.ref)
        return found

    @cached_property
    def _versions(self) -> tuple[Version, ...]:
        rows = in_order(self._nodes.named(self._store.frame(Version)))
        return tuple(Version(**row) for row in rows.iter_rows(named=True))

    def release(self, node: str | None) -> tuple[Release, Ref] | None:
        """Release of a node; for a node that is not named, the oldest one seen."""
        if node is not None and (node in self._releases or None in self._releases):
            return self._releases.get(node) or self._releases[None]
        return min(self._releases.values(), default=None) if node is None else None

    @cached_property
    def minimum(self) -> tuple[Release, Ref] | None:
        """minReleaseLevel: every node runs this release or a later one."""
        held = self.of_node("minReleaseLevel", None)
        release = release_of(held.value) if held else None
        return (release, held.ref) if held and release else None

    def reaches(self, gate: str, node: str | None, parameter: str = "") -> bool | None:
        """Whether a node's release is the gate or later; None where the files do not tell.

        A node whose dump lists the parameter knows it, whatever its release.
        """
        wanted = release_of(gate) or ()
        if parameter and any(held.is_dumped for held in self._covering(parameter, node)):
            return True
        known = self.release(node)
        if known is not None:
            return known[0] >= wanted
        if self.minimum is not None and self.minimum[0] >= wanted:
            return True
        return None

    @cached_property
    def levels(self) -> dict[str, tuple[int, Release, Ref, str]]:
        """Level of each file system: its number, the release of that level, the line, the text."""
        found: dict[str, tuple[int, Release, Ref, str]] = {}
        for one in self._versions:
            match = _LEVEL.match(one.version) if one.product.startswith(LEVEL) else None
            release = release_of(match[2]) if match else None
            if match and release:
                number = int(match[1].replace(".", ""))
                found[one.product.removeprefix(LEVEL)] = (number, release, one.ref, one.version)
        return found

    @cached_property
    def _of_service(self) -> pl.DataFrame:
        return self._settings.in_force.filter(pl.col("name").str.starts_with(QOS))

    @cached_property
    def classes_of_service(self) -> tuple[Held, ...]:
        """Limits of quality of service by file system and class, as shown last."""
        rows = self._of_service.filter(pl.col("name").str.contains(" .* "))
        last = {(one.holder, one.name): one for one in _held(rows, pl.col("scope"))}
        return tuple(last.values())

    @cached_property
    def throttled_file_system(self) -> str | None:
        """The file system of which quality of service is shown last."""
        scopes = self._of_service["scope"].drop_nulls()
        return scopes[-1] if scopes.len() else None

    @cached_property
    def file_systems(self) -> tuple[str, ...]:
        """File systems of which mmlsfs shows attributes."""
        rows = self._settings.in_force.filter(ATTRIBUTES.rows & pl.col("scope").is_not_null())
        return tuple(rows["scope"].unique(maintain_order=True).to_list())

    def attribute(self, fs: str | None, *names: str) -> Held | None:
        """An attribute that ``mmlsfs`` prints, under its flag or its long name."""
        return next((one for one in reversed(self._attributes.get(fs, ())) if one.name in names), None)

    @cached_property
    def _attributes(self) -> dict[str | None, list[Held]]:
        """Attributes in force by file system."""
        rows = self._settings.in_force.filter(ATTRIBUTES.rows)
        return grouped(_held(rows, pl.col("scope")), lambda one: one.holder)


def _held(rows: pl.DataFrame, holder: pl.Expr) -> Iterator[Held]:
    """Values in the order of the rows; holder: whose they are."""
    if rows.is_empty():
        return
    columns = rows.select("name", "value", "source", "holds", "note", "artifact", "line", holder.alias("holder"))
    for name, value, source, holds, note, artifact, line, of in columns.iter_rows():
        yield Held(name, of or None, value, source, holds, Ref(artifact, line), note)
