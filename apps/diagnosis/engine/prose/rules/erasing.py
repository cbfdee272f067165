"""Commands that erase what another record of the case shows in use: a device that was mounted, a group or a volume that
is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.prose.presence import ProductShown
from parsers.dataclass import dataclass
from parsers.records import CommandRun, DiskName, Setting
from parsers.records.states import FencingKeys, Membership

SHOWN: Final = 4
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
_MAKES: Final = re.compile(_START + r"(?:mkfs(?:\.\w{2,10})?|newfs)\s")
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


@dataclass(frozen=True, slots=True)
class ErasingWords:
    """commands: how many; names: what they erase and a record shows in use."""

    commands: int
    names: tuple[str, ...]


@rule("DESTRUCTIVE", needs=(Records, ProductShown), words=ErasingWords)
def destructive(records: Records, product: ProductShown, limits: Limits) -> Iterator[Seen]:
    """Symptom: a command in the text erases what another record shows in use.

    Reasoning: the command names a device, a group or a volume that another record of the case shows in use.
    Source: dd(1), mkfs(8), manuals of the volume manager.
    """
    found = list(_erasures(records)) if product.any else []
    if found:
        names = tuple(dict.fromkeys(one.use.name for one in found))
        lines = tuple(dict.fromkeys(ref for one in found[:SHOWN] for ref in (one.ref, one.use.ref)))
        nodes = {one.node for one in found if one.node}
        yield Seen(level="in use", words=ErasingWords(len(found), names), lines=lines, nodes=nodes, parts=("between",))


def _erasures(records: Records) -> Iterator[_Erasure]:
    uses: dict[str, _Use] = {}
    for listed in _uses(records):
        uses.setdefault(listed.name, listed)
    registered = next(iter(_registered(records)), None)
    mounted: dict[tuple[int, str], _Use] = {}
    for run in records.of(CommandRun):
        ref = Ref(run.artifact, run.line)
        target = next((_name(match["target"]) for pattern in _ERASES if (match := pattern.search(run.command))), None)
        if _FENCING.search(run.command) is not None:
            use = registered
        else:
            use = (mounted.get((run.artifact, target)) or uses.get(target)) if target else None
        if use is not None and not (_MAKES.search(run.command) and _is_behind(use.ref, ref)):
            yield _Erasure(ref, run.node, use)
        if (match := _MOUNTS.search(run.command)) is not None:
            name = _name(match["target"])
            mounted.setdefault((run.artifact, name), _Use(name, ref))


def _is_behind(use: Ref, command: Ref) -> bool:
    """Whether a file shows the use below the command: what was made there came into use by it."""
    return use.artifact == command.artifact and use.line > command.line


def _uses(records: Records) -> tuple[_Use, ...]:
    """Devices of mounts, volumes and disk groups that records list."""
    mounts = [
        _Use(_name(one.value), Ref(one.artifact, one.line))
        for one in records.of(Setting, pl.col("name") == "mount device")
    ]
    listed = [
        _Use(_name(name), Ref(disk.artifact, disk.line))
        for disk in records.of(DiskName)
        for name in (disk.name, disk.device, disk.pool)
        if name
    ]
    return (*mounts, *listed)


def _registered(records: Records) -> Iterator[_Use]:
    """Members of the cluster: their registrations are what fencing holds."""
    places = [one.ref for one in records.of(Membership) if one.members]
    places += [one.ref for one in records.of(FencingKeys) if one.holders]
    yield from (
        _Use("registrations of members", ref) for ref in sorted(places, key=lambda ref: (ref.artifact, ref.line))
    )


def _name(text: str) -> str:
    """A device without the difference between the raw and the block device."""
    return text.replace("/rdsk/", "/dsk/").replace("/rdmp/", "/dmp/")
