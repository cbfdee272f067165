"""What a database takes of customers' text: PostgreSQL stores no NUL character, and JSON knows no infinity."""

from __future__ import annotations

import math
from typing import Any


def storable(value: Any) -> Any:
    """The same value with NUL as the replacement mark, and None for a number that is none; tuples become lists."""
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd") if "\x00" in value else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {storable(key): storable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(inner) for inner in value]
    return value
