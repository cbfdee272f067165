"""How long a test waits for what must come.

A limit is there against hanging, not for speed: what is quick on a machine of its own takes ten times as long beside
other programs, and a test that fails by that says nothing of the change that it was asked about. Speed is measured
by ``scripts/bench``, and growth by tests/growth.py.
"""

from __future__ import annotations

from typing import Final

HANGS_S: Final = 600.0
"""What has not come by then never comes. Nothing that tests wait for takes a tenth of it on an idle machine."""
HANGS_MS: Final = 1000 * HANGS_S
HANGS_CPU_S: Final = 60.0
"""Of one process, for what takes a second or two of it: a walk that grows with the square of its text takes minutes."""
