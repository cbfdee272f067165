"""Reading archives and compressed streams of unknown origin. Nothing here writes to disk or trusts a name."""

from __future__ import annotations
