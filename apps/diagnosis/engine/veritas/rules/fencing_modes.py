"""Rule on nodes of one cluster whose I/O fencing runs in different modes, or not at all (VX-04)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.veritas.files import VeritasFiles
from parsers.dataclass import dataclass
from parsers.records import Setting
from parsers.records.states import ClusterMember, FencingSwitch

WANTED: Final = setting("mode-of-fencing-to-be")
FENCES: Final = frozenset(("scsi3", "customized", "majority", "dmp", "raw"))


@dataclass(frozen=True, slots=True)
class ModesWords:
    """modes: each with a node that runs it; none: a node that does not fence at all."""

    nodes: tuple[str, ...]
    modes: tuple[str, ...]
    none: str | None


@dataclass(frozen=True, slots=True)
class UnfencedModeWords:
    """Nodes whose fencing is off, in a cluster in which no other node fences; wanted: the mode by their own file."""

    nodes: tuple[str | None, ...]
    wanted: str | None


@rule("VX-04", needs=(VeritasFiles, Records, Settings), words=(ModesWords, UnfencedModeWords))
def fencing_modes_differ(files: VeritasFiles, records: Records, settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: a node does not take over, or does not come back after a restart.

    Reasoning: the last look at each of two members of one cluster shows another mode of fencing. Source: vxfenadm(1M).
    """
    if not files.are_read:
        return
    every = {one.node: one for one in records.of(FencingSwitch)}
    known = {node: one for node, one in every.items() if node is not None}
    if joined := _differing(known, _peers(records)):
        yield _seen("differ", joined, _modes(joined))
    elif off := [one for one in every.values() if one.standing == "off"]:
        files_of = [
            one for one in settings.shown(WANTED) if one.value in FENCES and one.node in {row.node for row in off}
        ]
        words = UnfencedModeWords(tuple(one.node for one in off), files_of[0].value if files_of else None)
        yield _seen("against" if files_of else "off", [*off, *files_of], words)


def _modes(joined: Sequence[FencingSwitch]) -> ModesWords:
    modes = {_mode(one): one for one in joined}
    return ModesWords(
        nodes=tuple(sorted(one.node or "" for one in joined)),
        modes=tuple(phrase("compared.value-on", value=one.state, node=one.node) for one in modes.values()),
        none=next((one.node for one in joined if one.standing == "off"), None),
    )


def _seen(level: str, switches: Sequence[FencingSwitch | Setting], words: ModesWords | UnfencedModeWords) -> Seen:
    return Seen(
        level=level,
        words=words,
        shown=switches,
    )


def _peers(records: Records) -> Mapping[str, set[str]]:
    """The other members of its cluster that a node lists."""
    peers = defaultdict[str, set[str]](set)
    for one in records.of(ClusterMember):
        if one.layer == "fencing" and one.node is not None and one.member is not None:
            peers[one.node].add(one.member)
    return peers


def _differing(last: Mapping[str, FencingSwitch], peers: Mapping[str, set[str]]) -> list[FencingSwitch]:
    """The members of the first cluster whose nodes run more than one mode."""
    clusters = ([one for other, one in last.items() if other == node or other in peers.get(node, ())] for node in last)
    return next((joined for joined in clusters if len({_mode(one) for one in joined}) > 1), [])


def _mode(switch: FencingSwitch) -> str:
    return (switch.state or "").casefold()
