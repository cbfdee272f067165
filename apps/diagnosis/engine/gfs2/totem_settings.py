"""What totem is set to: values in force, from files, or as a person quotes them; and the MTU of interfaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.claims import Claims, place
from apps.diagnosis.engine.core.events import Events
from apps.diagnosis.engine.core.metrics import setting
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.settings import Settings

# The value in force first, then what the files ask for.
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    name: (f"runtime.config.totem.{name}", f"totem.{name}", f"totem.interface.{name}")
    for name in ("token", "consensus", "window_size", "max_messages", "netmtu", "secauth", "transport")
}
TOTEM: Final = setting("totem")
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
        rows = self._settings.of(TOTEM)
        for key in _NAMES[name] if rows.height else ():
            found = rows.filter(pl.col("name") == key)
            mine = found.filter(pl.col("node") == node) if node is not None else found
            for some in (mine, found.filter(pl.col("node").is_null())):
                if some.height:
                    row = some.row(-1, named=True)
                    return Value(name, row["value"], row["node"], Ref(row["artifact"], row["line"]))
        return self._logged_token(node) if name == "token" else None

    def _logged_token(self, node: str | None) -> Value | None:
        """The token timeout by a message of its loss: it is the one in force."""
        lost = self._events.of(("totem-token-lost",)).filter(pl.col("value").is_not_null())
        lost = lost.filter(pl.col("node") == node) if node is not None else lost
        if lost.is_empty():
            return None
        row = lost.row(-1, named=True)
        return Value("token", f"{row['value']:g}", row["node"], Ref(row["artifact"], row["line"]))

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
        return [
            Value(row["scope"], row["value"], row["node"], Ref(row["artifact"], row["line"]))
            for row in rows.iter_rows(named=True)
        ]


def at_default(values: Sequence[Value]) -> list[Value]:
    """Those that stand at the default of the oldest releases."""
    return [value for value in values if value.number is not None and value.number == DEFAULTS.get(value.name)]
