"""What a line takes over from the text above it: the state of a reader between two sections, as a value that can be
compared.
"""

from __future__ import annotations

import hashlib
from dataclasses import field, replace

from parsers.dataclass import dataclass
from parsers.headings.context import Context
from parsers.headings.node_banners import NodeBanners
from parsers.layouts.local_forms import ALL_ENGLISH, LocalForms
from parsers.layouts.prefixes import CarriedPrefixes
from parsers.times.years import CarriedYears


@dataclass(frozen=True, slots=True)
class CarriedOver:
    """State below line ``line``. Two readers in the same standing make the same of what follows a structural line."""

    line: int
    context: Context
    typed: tuple[str | None, str]
    """Node of the last prompt and its basis."""
    last_host: str | None
    years: tuple[tuple[int | None, CarriedYears], ...]
    """Years that dates without one have had so far, per day on which a text was taken."""
    prefixes: CarriedPrefixes
    banners: NodeBanners = field(compare=False, repr=False)
    is_certain: bool = True
    """False where more is carried on than stands here: a mail goes on below, or lines were passed over uncounted."""
    forms: LocalForms = ALL_ENGLISH
    """How the beginning of the text prints what differs between languages."""

    @property
    def mark(self) -> str:
        """Equal for equal standings; empty for one that is not certain."""
        if not self.is_certain:
            return ""
        context = self.context._replace(epoch=0)
        loop = sorted(context.command.loop) if context.command is not None else []
        plain = replace(context.command, loop=frozenset()) if context.command is not None else None
        kept, hosts, *rest = self.prefixes
        held = (
            self.line,
            context._replace(command=plain),
            loop,
            self.typed,
            self.last_host,
            self.years,
            kept,
            sorted(hosts),
            rest,
        )
        return hashlib.sha256(repr(held).encode("utf-8", "surrogatepass")).hexdigest()
