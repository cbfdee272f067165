"""Commands that erase what another record of the case shows in use: a device that was mounted, a group or a volume that is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.prose.rules.contradictions import Note, note
from parsers.records import CommandRun, DiskName, FencingKeys, Membership, Setting

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

_DEVICE: Final = r"(?P<target>/dev/(?!null\b|zero\b|stdout\b|stderr\b|tty)\S{1,200})"
_START: Final = r"(?:^|[\s;&|/])"
_ERASES: Final = tuple(
    re.compile(_START + pattern)
    for pattern in (
        rf"dd\s.{{0,400}}?\bof={_DEVICE}",
        rf"(?:mkfs(?:\.\w{{2,10}})?|mke2fs|newfs|wipefs|blkdiscard|shred)\s(?:.{{0,400}}?\s)?{_DEVICE}",
        rf"fsck\S{{0,6}}\s(?=.{{0,80}}?(?:-o\s{{0,3}}full|\s-y\b))(?:.{{0,400}}?\s)?{_DEVICE}",
        r"vxdg\s(?:.{0,80}?\s)?destroy\s+(?P<target>[\w.-]{1,64})",
        r"vxassist\s(?:.{0,80}?\s)?remove\s+(?:volume\s+)?(?P<target>[\w.-]{1,64})",
        r"vxedit\s(?:.{0,80}?\s)?rm\s+(?P<target>[\w.-]{1,64})",
        r"vxdiskunsetup\s(?:.{0,80}?\s)?(?P<target>[\w.-]{1,64})$",
        r"vxrlink\s(?:.{0,80}?\s)?(?:det|dis)\s+(?P<target>[\w.-]{1,64})",
    )
)
_MOUNTS: Final = re.compile(rf"(?:^|[\s;&])mount\s(?:.{{0,400}}?\s)?{_DEVICE}")
_FENCING: Final = re.compile(rf"{_START}(?:vxfenclearpre|vxfentsthdw)\b")


class _Use(NamedTuple):
    """What a record shows in use: a device, a group or a volume, and where it stands."""

    name: str
    ref: Ref


class _Erasure(NamedTuple):
    """A command, and the record that shows what it erases."""

    ref: Ref
    node: str | None
    use: _Use


@note("DESTRUCTIVE")
def erasing_commands(facts: CaseFacts) -> Iterator[Note]:
    """All of them in one note."""
    found = list(_erasures(facts))
    if not found:
        return
    names = list(dict.fromkeys(one.use.name for one in found))
    commands = "1 command of the text erases" if len(found) == 1 else f"{len(found)} commands of the text erase"
    yield Note(
        title=f"{commands} what another record shows in use: {', '.join(names[:4])}",
        explanation=(
            "Where it is repeated, data or protection is lost. Before that: back the data up, unmount the file system on all nodes and "
            "look into the mount table of each, or use a spare device."
        ),
        evidence=tuple(dict.fromkeys(ref for one in found[:8] for ref in (one.ref, one.use.ref))),
        disproved_by="What is in use held nothing that is needed.",
        nodes=tuple(sorted({one.node for one in found if one.node})),
        sure=0.9,
        why="both stand in the text; what was done between them is not known",
    )


def _erasures(facts: CaseFacts) -> Iterator[_Erasure]:
    uses = _uses(facts)
    mounted: list[_Use] = []
    for run in facts.records.of(CommandRun):
        ref = Ref(run.artifact, run.line)
        target = next((_name(match["target"]) for pattern in _ERASES if (match := pattern.search(run.command))), None)
        if _FENCING.search(run.command) is not None:
            use = next(iter(_registered(facts)), None)
        else:
            earlier = (use for use in mounted if use.ref.artifact == run.artifact)
            use = next((one for one in (*earlier, *uses) if one.name == target), None) if target else None
        if use is not None:
            yield _Erasure(ref, run.node, use)
        if (match := _MOUNTS.search(run.command)) is not None:
            mounted.append(_Use(_name(match["target"]), ref))


def _uses(facts: CaseFacts) -> tuple[_Use, ...]:
    """Devices of mounts, volumes and disk groups that records list."""
    rows = facts.facts.frame(Setting).filter(pl.col("name") == "mount device").sort("artifact", "line")
    mounts = [_Use(_name(value), Ref(artifact, line)) for artifact, line, value in rows.select("artifact", "line", "value").iter_rows()]
    listed = [
        _Use(_name(name), Ref(disk.artifact, disk.line))
        for disk in facts.records.of(DiskName)
        for name in (disk.name, disk.device, disk.pool)
        if name
    ]
    return (*mounts, *listed)


def _registered(facts: CaseFacts) -> Iterator[_Use]:
    """Members of the cluster: their registrations are what fencing holds."""
    places = [one.ref for one in facts.records.of(Membership) if one.members]
    places += [one.ref for one in facts.records.of(FencingKeys) if one.holders]
    yield from (_Use("the registrations of cluster members", ref) for ref in sorted(places, key=lambda ref: (ref.artifact, ref.line)))


def _name(text: str) -> str:
    """A device without the difference between the raw and the block device."""
    return text.replace("/rdsk/", "/dsk/").replace("/rdmp/", "/dmp/")
