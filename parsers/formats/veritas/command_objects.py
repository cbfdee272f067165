"""What a command works on, for messages that do not name it: ``mount -t vxfs /dev/vx/dsk/rolls/rolls /rolls`` works on
that device. No parser of its own.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.headings.transcript import Command

_ON_DEVICE: Final = frozenset((
    "mount", "umount", "fsck", "fsck.vxfs", "mount.vxfs", "mkfs", "fsadm", "fstyp", "vxtunefs", "vxupgrade",
    "vxfsconvert", "fsckptadm", "cfsmount", "cfsumount", "fsdb", "df", "fsclustadm", "vxfsstat",
))  # fmt: skip
_ON_NAMES: Final = frozenset((
    "vxassist", "vxdg", "vxdisk", "vxdisksetup", "vxedit", "vxmend", "vxplex", "vxrecover", "vxrelayout", "vxresize",
    "vxrlink", "vxrvg", "vxsd", "vxsnap", "vxvol",
))  # fmt: skip
_ON_VOLUMES: Final = frozenset((
    "vxassist", "vxmend", "vxplex", "vxrecover", "vxrelayout", "vxresize", "vxsd", "vxsnap", "vxvol",
))  # fmt: skip
_VALUED: Final = frozenset(("-g", "-o", "-t", "-F", "-T", "-U", "-d", "-s", "-l", "-n", "-c", "-i", "-k", "-r"))
"""Options whose value is a word of its own."""
_DEVICE: Final = re.compile(r"/dev/[\w./:-]{1,200}$")
_PATH: Final = re.compile(r"/[\w./:-]{1,200}$")
_NAME: Final = re.compile(r"[A-Za-z][\w.:-]{0,126}$")
_LETTERS_TO_G: Final = re.compile(r"-[a-zA-Z]{1,8}g$")


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


def group_of(command: Command | None) -> str | None:
    """The disk group that a command of the volume manager works on: ``vxvol -g rolls start crumbs``."""
    if command is None or not command.program.startswith("vx"):
        return None
    args = command.args
    found = next((args[at + 1] for at, word in enumerate(args[:-1]) if word in ("-g", "--diskgroup")), None)
    if found is None:  # written together
        found = next((word[2:] for word in args if word.startswith("-g") and not word.startswith("-gt")), None)
    if found is None:  # the last of several letters: -htg rolls
        found = next((args[at + 1] for at, word in enumerate(args[:-1]) if _LETTERS_TO_G.match(word)), None)
    return found if found and _NAME.match(found) else None


def object_spoken_of(name: str | None, command: Command | None) -> str | None:
    """What the answer of a command is about: the name in it, else the object of the command; a volume, plex or subdisk
    with the disk group that the command names, for names are unique within one alone.
    """
    name = name or object_of(command)
    group = group_of(command)
    if name is None or command is None or group is None or command.program not in _ON_VOLUMES:
        return name
    return name if "/" in name or name == group else f"{group}/{name}"


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
