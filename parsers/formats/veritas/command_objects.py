"""What a command works on, for messages that do not name it: ``mount -t vxfs /dev/vx/dsk/rolls/rolls /rolls`` works on
that device. No parser of its own.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.transcript import Command

_ON_DEVICE: Final = frozenset((
    "mount", "umount", "fsck", "fsck.vxfs", "mount.vxfs", "mkfs", "fsadm", "fstyp", "vxtunefs", "vxupgrade",
    "vxfsconvert", "fsckptadm", "cfsmount", "cfsumount", "fsdb", "df", "fsclustadm", "vxfsstat",
))  # fmt: skip
_ON_NAMES: Final = frozenset((
    "vxassist", "vxdg", "vxdisk", "vxdisksetup", "vxedit", "vxmend", "vxplex", "vxrecover", "vxrelayout", "vxresize",
    "vxrlink", "vxrvg", "vxsd", "vxsnap", "vxvol",
))  # fmt: skip
_VALUED: Final = frozenset(("-g", "-o", "-t", "-F", "-T", "-U", "-d", "-s", "-l", "-n", "-c", "-i", "-k", "-r"))
"""Options whose value is a word of its own."""
_DEVICE: Final = re.compile(r"/dev/[\w./:-]{1,200}$")
_PATH: Final = re.compile(r"/[\w./:-]{1,200}$")
_NAME: Final = re.compile(r"[A-Za-z][\w.:-]{0,126}$")


def object_of(command: Command | None) -> str | None:
    """The device, else the folder, else the first name behind the verb; None where the command tells none."""
    if command is None:
        return None
    words = _plain(command.args)
    if command.program in _ON_DEVICE:
        paths = [word for word in words if _PATH.match(word)]
        return next((word for word in paths if _DEVICE.match(word)), paths[-1] if paths else None)
    if command.program in _ON_NAMES:
        named = [word for word in words if _NAME.match(word)]
        return named[1] if len(named) > 1 else None
    return None


def _plain(args: tuple[str, ...]) -> list[str]:
    """Arguments that are neither options nor their values; a device is no value, as -n of fsck has none."""
    found: list[str] = []
    is_value = False
    for word in args:
        if word.startswith("-") or (is_value and not _DEVICE.match(word)):
            is_value = not is_value and word in _VALUED
            continue
        is_value = False
        if "=" not in word:
            found.append(word.rstrip(";"))
    return found
