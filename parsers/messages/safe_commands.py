"""Commands that look and change nothing, as far as their words tell."""

from __future__ import annotations

import re
from typing import Final

_SHELL: Final = frozenset(";&|<>`$\\\n")
_WRITES: Final = frozenset((
    "add", "attach", "awk", "bash", "clean", "cleanup", "clear", "cp", "create", "dd", "debugfs", "delete",
    "destroy", "detach", "disable", "down", "edit", "enable", "env", "erase", "eval", "evict", "exec", "expel",
    "fence", "fence_node", "find", "flush", "format", "freeze", "fsck", "halt", "import", "install", "kill",
    "killall", "logout", "mkfs", "modify", "modprobe", "mount", "mv", "offline", "online", "perl", "poweroff",
    "purge", "python", "python3", "reboot", "recover", "refresh", "reload", "remount", "remove", "repair",
    "reset", "resize", "restart", "restore", "resume", "rm", "rmmod", "rotate", "scrub", "set", "sh",
    "shutdown", "ssh", "start", "stop", "sudo", "suspend", "switch", "tee", "terminate", "truncate", "tune2fs",
    "umount", "unfence", "unfreeze", "unmount", "up", "update", "upgrade", "vacuum", "wipefs", "write", "xargs",
))  # fmt: skip
_LOOKS: Final = frozenset((
    "blkid", "cat", "df", "du", "free", "getfacl", "glocktop", "grep", "hastatus", "head", "iostat",
    "journalctl", "last", "lltstat", "ls", "lsblk", "lscpu", "lsof", "lsscsi", "mpstat", "netstat", "nfsstat",
    "nstat", "numastat", "pidstat", "ping", "pmap", "ps", "sar", "sestatus", "stat", "tail", "uname", "uptime",
    "vmstat", "vxprint", "vxstat", "w", "who",
))  # fmt: skip
"""Tools that look only, unless an argument is a word that changes."""
_OPTIONS_THAT_LOOK: Final = {
    "dmesg": frozenset(("-T", "-H", "-x", "--ctime", "--human")),
    "gabconfig": frozenset(("-a",)),
    "iscsiadm": frozenset(("-m", "-P")),
    "multipath": frozenset(("-l", "-ll", "-v2", "-v3")),
    "smartctl": frozenset(("-a", "-x", "-H", "-i", "-A", "-l")),
    "ss": frozenset(("-s", "-t", "-i", "-n", "-p", "-ti", "-tn", "-tin", "-tinp", "-tnp")),
    "sysctl": frozenset(("-a", "-n")),
}
"""Tools that look with these options, and change things with others."""
_LOOKING: Final = frozenset((
    "check", "describe", "display", "dump", "examine", "get", "getsubpaths", "info", "inspect", "list",
    "listctlr", "ls", "print", "query", "show", "stat", "state", "stats", "status", "summary", "test", "top",
    "view",
))  # fmt: skip
_PARTS: Final = re.compile(r"[-=]+")
_SCALE_LOOKS: Final = re.compile(r"mm(?:ls|diag|health|get|df|perfmon|lsmgr)")
_CHANGES: Final = re.compile(
    r"(?:mm(?:ch|cr|del|add|start|shut|u?mount|restripe|restore|expel|fsck|rpldisk|export)\w*"
    r"|mkfs\..+|fsck\..+|fence_.+|vxedit|vxassist|vxdisksetup|vxunroot)"
)


def changing_word(command: str) -> str | None:
    """The first word of a command that changes something, wherever it stands."""
    words = [word.rsplit("/", 1)[-1].lower() for word in re.split(r"[\s;&|'\"]+", command) if not word.startswith("-")]
    return next((word for word in words if word in _WRITES or _CHANGES.fullmatch(word)), None)


def changes(command: str) -> str | None:
    """What makes one think that a command changes something; None where it seems to look only."""
    if mark := next((sign for sign in command if sign in _SHELL or not sign.isprintable()), None):
        return f"the mark {mark!r}"
    tool, *given = command.split()
    tool = tool.rsplit("/", 1)[-1]
    words = [word.lower() for word in given if not word.startswith("-")]
    words += [part.lower() for word in given if word.startswith("-") for part in _PARTS.split(word)]
    if found := next((word for word in (tool, *words) if word in _WRITES or _CHANGES.fullmatch(word)), None):
        return f"the word {found}"
    if (options := _OPTIONS_THAT_LOOK.get(tool)) is not None:
        odd = (word for word in given if "=" in word or (word.startswith("-") and word not in options))
        return next((f"the option {word}" for word in odd), None)
    if tool in _LOOKS or _SCALE_LOOKS.match(tool) or not _LOOKING.isdisjoint(words):
        return None
    return "no word of it says that it looks only, such as list, show or status"
