"""Mounts that do not answer, as ``df``, ``ls``, ``stat`` and other commands complain of them.

    df: /gpfs/home: Stale file handle
    ls: cannot access '/mnt/shared/a': Transport endpoint is not connected
    mount.nfs: mounting 10.4.5.39:/gpfs/fs1 failed, reason given by server: No such file or directory
    mount: 0506-324 Cannot mount /dev/fs1 on /gpfs/fs1: A system call received a parameter that is not valid.
    Mounting arguments: -t nfs -o nfsvers=4.1 reed1:/herd /var/lib/kubelet/pods/11/mount
    Output: mount.nfs: Resource temporarily unavailable
    mount: /dev/fslv04 on /oradata
    Cannot mount guarded filesystem.

Yields ``Event``: the path and the line; a mount that was refused is another kind, and what is mounted already is none.
No times. Tolerated: quotation marks of any sort, ``bash`` and its builtins in front, the node in front. Source:
errno(3), ESTALE and ENOTCONN; GNU coreutils; mount(8), mount.nfs(8); mount of the AIX commands reference.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Event
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

TEXT_KEPT: Final = 400


def _gone(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        Event,
        line.number,
        source=found["tool"],
        kind="mount-gone",
        about=found["path"],
        weight="disaster",
        text=line.text.strip()[:TEXT_KEPT],
    )


def _refused(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        Event,
        line.number,
        node=found["at"] or section.node,
        source="mount",
        kind="mount-refused",
        about=next((found[name] for name in _NAMED if found[name]), None) or _of_command(section),
        weight="trouble",
        text=line.text.strip()[:TEXT_KEPT],
    )


def _guarded(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    section.add(
        Event,
        line.number,
        source="mount",
        kind="mount-refused",
        about=_of_command(section),
        weight="trouble",
        text=line.text.strip()[:TEXT_KEPT],
    )


def _arguments(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    words = found[0].split()
    section.state["wanted"] = next((word for word in words if ":/" in word or word.startswith("/dev/")), None)


def _of_command(section: OpenSection) -> str | None:
    """The export or device that the command above wanted to mount."""
    wanted: str | None = section.state.pop("wanted", None)
    if wanted is not None:
        return wanted
    command = section.command
    if command is None or not command.program.startswith("mount"):
        return None
    return next((word for word in command.args if ":/" in word or word.startswith("/dev/")), None)


_NAMED: Final = ("what", "denied", "device", "unknown", "bare", "later", "asked", "version", "named", "file")
_ROWS: Final = Rows(
    Row(
        "path that does not answer",
        r"(?:-?(?:bash|sh|ksh|zsh): )?(?:line \d{1,6}: )?"
        r"(?P<tool>df|ls|stat|cd|cp|mv|rm|du|find|touch|mkdir|cat|tar|rsync|umount)"
        r": (?:(?:cannot|can't|could not|failed to) [a-z ]{2,30} )?[\"'‘“`]?(?P<path>/[^\s:'’”\"`]{1,400})[\"'’”`]?: "
        r"(?:Stale (?:NFS )?file handle|Transport endpoint is not connected)$",
        _gone,
    ),
    Row(
        "mounted already, or without writing",
        r"mount(?:\.\w{1,12})?: /[^\n]{1,400}?(?:already mounted|mounted read-only|\bis busy\b)",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("what AIX does not mount", r"mount: /dev/\S{1,200} on /\S{1,400}$", _arguments, fate=Fate.FRAME),
    Row("guarded", r"Cannot mount guarded file ?system\b", _guarded),
    Row(
        "why it is guarded", r"The file ?system is potentially mounted on another node", fate=Fate.EVERYDAY, opens=False
    ),
    Row("what a kubelet ran", r"Mounting command: \S", fate=Fate.EVERYDAY),
    Row("with which words", r"Mounting arguments: [^\n]{0,1200}$", _arguments, fate=Fate.FRAME),
    Row(
        "what a mount tries",
        r"mount\.nfs4?: (?:timeout set for|trying (?:text-based options|\S{1,80} prog)|prog \d{1,9}, trying"
        r"|mount options:|mount\(2\): Protocol not supported)[^\n]{0,600}$",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "mount that was refused",
        r"(?:Output: |(?P<at>[A-Za-z0-9][\w.-]{0,252}): {1,4})?mount(?:\.\w{1,12})?: (?:0506-\d{3} )?"
        r"(?:(?:mounting |mount |[Cc]annot mount )?(?P<what>(?:[\w.-]{1,253}:|\[[0-9a-fA-F:]{2,45}\]:)?/[^\s:,]{0,400})"
        r"(?:,? (?:on \S{1,400} )?failed\b|(?: on /[^\s:]{1,400})?: (?!WARNING)[^\n]{4,300})"
        r"|(?:mounting|mount) (?P<named>[\w.-]{1,120}) on /\S{1,400} failed: [^\n]{4,160}"
        r"|(?P<file>(?!/dev/)/?[\w./-]{1,400}) is not a block device\b[^\n]{0,80}"
        r"|access denied by server while mounting (?P<denied>\S{1,400})"
        r"|special device (?P<device>/\S{1,400}) does not exist"
        r"|(?:[\w.-]{1,253}: )?(?:wrong fs type, bad option, bad superblock on|unknown filesystem type|can't find in)"
        r" (?P<unknown>/?[\w./-]{1,400})"
        r"|(?:[\w.-]{1,253}: )?(?:mount\(2\) system call failed|special device) (?P<bare>[\w.-]{1,253})?[^\n]{4,160}"
        r"|backgrounding \"(?P<later>[^\s\"]{1,400})\""
        r"|portmap query (?:failed|retrying): RPC: (?!Program not registered)[^\n]{4,160}"
        r"|requested NFS version or transport protocol is not supported(?: for (?P<version>\S{1,400}))?$"
        r"|mount\(2\): (?!Device or resource busy|Protocol not supported)[^\n]{4,160}"
        r"|(?:Connection (?:timed out|refused)|No route to host|Network is unreachable|Protocol not supported"
        r"|Resource temporarily unavailable|Stale file handle|Input/output error|Operation not permitted)"
        r"(?: for (?P<asked>\S{1,400}))?)",
        _refused,
    ),
)


@parser("mount_errors", version=5, product="", rows=_ROWS)
def mount_errors(section: OpenSection, out: Output) -> None:
    """Paths whose file system is gone beneath them."""
    _ROWS.read(section, out, "no path that does not answer")
