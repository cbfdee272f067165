"""What totem is set to: values in force, from files, or as a person quotes them; and the MTU of interfaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.claims import Claims, place
from apps.diagnosis.engine.core.facts.events import Events
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.metrics import setting
from parsers.dataclass import dataclass
from parsers.records import Setting

# The value in force first, then what the files ask for.
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    name: (f"runtime.config.totem.{name}", f"totem.{name}", f"totem.interface.{name}")
    for name in ("token", "consensus", "window_size", "max_messages", "netmtu", "secauth", "transport")
}
TOTEM: Final = setting("totem")
ANY: Final = ""
"""In place of a node: of whichever node it is."""
DEFAULTS: Final = {"window_size": 50.0, "max_messages": 17.0, "netmtu": 1500.0}


@dataclass(frozen=True, slots=True)
class Value:
    """A value and where it stands. ``quoted``: a person wrote it, which shows no configuration."""

    name: str
    value: str
    node: str | None
    ref: Ref
    quoted: bool = False

    @property
    def number(self) -> float | None:
        """The value as a number."""
        return float(self.value) if re.fullmatch(r"\d{1,12}(?:\.\d{1,6})?", self.value) else None


class Totem:
    """Values of totem in force or in files, those that people quote, and the MTU of interfaces."""

    def __init__(self, claims: Claims, settings: Settings, events: Events) -> None:
        self._claims = claims
        self._settings = settings
        self._events = events

    def value(self, name: str, node: str | None = None) -> Value | None:
        """The value in force, of one node where it is given, else the last one read."""
        for key in _NAMES[name]:
            last = self._last.get((key, ANY if node is None else node)) or self._last.get((key, None))
            if last is not None:
                return Value(name, last.value, last.node, last.ref)
        return self._logged_tokens.get(ANY if node is None else node) if name == "token" else None

    @cached_property
    def _last(self) -> dict[tuple[str, str | None], Setting]:
        """The last row of each name, by node and of any."""
        found: dict[tuple[str, str | None], Setting] = {}
        for one in self._settings.shown(TOTEM):
            found[one.name, one.node] = found[one.name, ANY] = one
        return found

    @cached_property
    def _logged_tokens(self) -> dict[str | None, Value]:
        """The token timeout by the last message of its loss, by node and of any: it is the one in force."""
        lost = self._events.of(("totem-token-lost",)).filter(pl.col("value").is_not_null())
        found: dict[str | None, Value] = {}
        for ms, node, artifact, line in lost.select("value", "node", "artifact", "line").iter_rows():
            found[node] = found[ANY] = Value("token", f"{ms:g}", node, Ref(artifact, line))
        return found

    @cached_property
    def quoted(self) -> list[Value]:
        """Values of totem that a person wrote, in the order of the text."""
        return [
            Value(claim.what, f"{claim.value:g}", None, place(claim), quoted=True)
            for claim in self._claims.all
            if claim.what in DEFAULTS and not claim.unit
        ]

    @cached_property
    def mtus(self) -> list[Value]:
        """MTU of each interface but the loopback."""
        rows = self._settings.all.filter((pl.col("name") == "mtu") & (pl.col("scope") != "lo"))
        shown = rows.select("scope", "value", "node", "artifact", "line").iter_rows()
        return [Value(scope, mtu, node, Ref(artifact, line)) for scope, mtu, node, artifact, line in shown]


def at_default(values: Sequence[Value]) -> list[Value]:
    """Those that stand at the default of the oldest releases."""
    return [value for value in values if value.number is not None and value.number == DEFAULTS.get(value.name)]
