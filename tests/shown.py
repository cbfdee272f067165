"""What a page says, whatever its template's lines are."""

from __future__ import annotations

import re
from typing import Any


def shown(response: Any) -> str:
    """The text of an answer with each run of blanks as one blank, as a browser reads it."""
    return re.sub(r"\s+", " ", response.content.decode())
