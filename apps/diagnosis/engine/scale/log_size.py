"""Whether a larger recovery log is worth advice: its disks are quick in the I/O history, and the log is known to be small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Advice
from apps.diagnosis.engine.scale.settings import shell_word

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

TUNING: Final = "logfilesize"
SMALL_BYTES: Final = 32 << 20  # the largest default that is recalled
GROWTH: Final = 4


def log_advice(facts: CaseFacts, node: str | None) -> tuple[Advice, ...]:
    """For the one file system whose log size is shown; nothing where the log's disks are slow or not in a history."""
    bounds = limits_of("scale-history")
    writes, median_ms = facts.scale_tables.io.log_writes(node)
    if writes < bounds.requests or median_ms > bounds.fast_ms:
        return ()
    systems = facts.scale_tables.settings.file_systems
    held = [(fs, size) for fs in systems if (size := facts.scale_tables.settings.attribute(fs, "-L", "logfileSize")) is not None]
    if len(held) != 1 or len(systems) != 1:
        return ()
    fs, size = held[0]
    if not size.value.isdigit() or int(size.value) > SMALL_BYTES:
        return ()
    words = (("fs", shell_word(fs)), ("value", str(GROWTH * int(size.value))), ("before", size.value))
    return (Advice(TUNING, None, words),)
