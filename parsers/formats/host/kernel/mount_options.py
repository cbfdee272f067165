"""What the options of a mount say of its state: Linux lists there what it did to a file system after an error.

Source: the kernel's ext4, f2fs and btrfs, which print ``emergency_ro`` and ``shutdown``; mount(8), ext4(5).
"""

from __future__ import annotations

from typing import Final

from parsers.records.states import ServiceStanding, ServiceState
from parsers.sections.open_section import OpenSection

_SHUT: Final = frozenset(("shutdown", "emergency_ro"))
_AT_ERRORS: Final = frozenset(("errors=remount-ro", "onerror=lock", "errors=remount_ro"))


SHARED: Final = frozenset(
    (
        "nfs",
        "nfs4",
        "gfs",
        "gfs2",
        "gpfs",
        "mmfs",
        "ocfs2",
        "lustre",
        "ceph",
        "cifs",
        "smb3",
        "beegfs",
        "vxfs",
        "orangefs",
    )
)
"""Types of file systems that several hosts mount at once."""
_OF_SEVERAL: Final = "fuse.glusterfs"


def tell_shared(section: OpenSection, line: int, where: str, kind: str, options: str, source: str) -> None:
    """How a named node mounts what other nodes mount too: whether it may write there tells only beside theirs."""
    if section.node is None or (kind not in SHARED and kind != _OF_SEVERAL):
        return
    section.add(
        ServiceState,
        line,
        source=source,
        sort="mount",
        group=where,
        on=section.node,
        state="mounted read-only" if "ro" in options.split(",") else "mounted",
        standing="online",
    )


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
