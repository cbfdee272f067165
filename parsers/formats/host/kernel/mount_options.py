"""What the options of a mount say of its state: Linux lists there what it did to a file system after an error.

Source: the kernel's ext4, f2fs and btrfs, which print ``emergency_ro`` and ``shutdown``; mount(8), ext4(5).
"""

from __future__ import annotations

from typing import Final

from parsers.records.states import ServiceStanding, ServiceState
from parsers.sections.open_section import OpenSection

_SHUT: Final = frozenset(("shutdown", "emergency_ro"))
_AT_ERRORS: Final = frozenset(("errors=remount-ro", "onerror=lock", "errors=remount_ro"))


def tell_failed(section: OpenSection, line: int, where: str, options: str, source: str) -> None:
    """A mount that the kernel shut or made read-only after an error, or that looks like it."""
    words = {word.strip() for word in options.split(",")}
    standing: ServiceStanding
    if "shutdown" in words:
        state, standing = "shut down after an error", "faulted"
    elif words & _SHUT:
        state, standing = "read-only after an error", "faulted"
    elif "ro" in words and words & _AT_ERRORS:
        state, standing = "read-only, as an error would make it", "unsure"
    else:
        return
    section.add(
        ServiceState, line, source=source, sort="mount", group=where, on=section.node, state=state, standing=standing
    )
