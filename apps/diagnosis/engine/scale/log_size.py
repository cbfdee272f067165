"""Whether a larger recovery log is worth advice: its disks are quick in the I/O history, and the log is known to be
small.
"""

from __future__ import annotations

from typing import Final

from apps.diagnosis.engine.core.model import Advice
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.scale.io import ScaleIo
from apps.diagnosis.engine.scale.settings import ScaleSettings, shell_word

TUNING: Final = "logfilesize"
SMALL_BYTES: Final = 32 << 20  # the largest default that is recalled
GROWTH: Final = 4


def log_advice(io: ScaleIo, settings: ScaleSettings, node: str | None) -> tuple[Advice, ...]:
    """For the one file system whose log size is shown; nothing where the log's disks are slow or not in a history."""
    bounds = limits_of("scale-history")
    writes, median_ms = io.log_writes(node)
    if writes < bounds.requests or median_ms > bounds.fast_ms:
        return ()
    systems = settings.file_systems
    held = [(fs, size) for fs in systems if (size := settings.attribute(fs, "-L", "logfileSize")) is not None]
    if len(held) != 1 or len(systems) != 1:
        return ()
    fs, size = held[0]
    if not size.value.isdigit() or int(size.value) > SMALL_BYTES:
        return ()
    words = (("fs", shell_word(fs)), ("value", str(GROWTH * int(size.value))), ("before", size.value))
    return (Advice(TUNING, None, words),)
