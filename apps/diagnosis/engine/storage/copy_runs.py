"""Runs of ``dd``: what each wrote to (raw device or file system), through which cache, and which run repeats which.

The commands above a run decide: ``mkfs`` and ``mount`` tell what lies on a path, flags tell the cache. A result without
a command is bound to another run only by a sentence behind it whose figure fits (``a 32 percent drop``, ``two and a
half times faster``).
"""

from __future__ import annotations

import re
import shlex
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records, grouped
from apps.diagnosis.engine.core.model import Ref
from parsers.dataclass import dataclass
from parsers.records import Claim, CommandRun, Measurement

Cache = Literal["direct", "buffered", "fsync", "unknown"]
NEAR_LINES: Final = 3
DROP_POINTS: Final = 1.5
TIMES_SHARE: Final = 0.06
_FLUSHES: Final = frozenset(("fsync", "fdatasync"))
_SYNCS: Final = frozenset(("sync", "dsync"))
_LESS: Final = re.compile(r"\b(?:drop|drops|dropped|slower|loss|lost|less)\b")
_FASTER: Final = re.compile(r"\bfaster\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRun:
    """One run. ``fs`` is empty for a raw device, None where the target is not known; ``bound``: by a sentence only."""

    ref: Ref
    node: str | None
    command: str | None
    target: str | None
    device: str | None
    fs: str | None
    protocol: str | None
    cache: Cache
    bytes: float
    seconds: float
    printed: float | None
    partial: float
    flushed_before: bool
    mounted: bool
    bound: bool = False
    elsewhere: bool = False

    @property
    def rate(self) -> float:
        """MB/s of 10^6 bytes, computed from bytes and seconds."""
        return self.bytes / self.seconds / 1e6

    @property
    def raw(self) -> bool:
        """Whether it wrote to a device without a file system."""
        return self.fs == ""

    @property
    def mismatch(self) -> float | None:
        """How far the printed rate is from the computed one, in per cent; None where it printed none."""
        return None if not self.printed else abs(self.printed / self.rate - 1) * 100


@dataclass(slots=True)
class _Layout:
    """What the commands so far made of devices and mount points."""

    fs: dict[str, tuple[str, str | None]]
    mounts: dict[str, tuple[str, str | None, str | None]]
    _last: str | None = None
    _other: str | None = None

    def run(self, command: str) -> None:
        """Follow one command line."""
        if command != self._last:
            self._last, self._other = command, self._last
        for words in _statements(command):
            name = words[0].rsplit("/", 1)[-1]
            if name.startswith("mkfs") or name in ("mke2fs", "newfs"):
                self._mkfs(name, words[1:])
            elif name == "mount":
                self._mount(words[1:])
            elif name == "umount":
                self._unmount(words[1:])

    def flushed_before(self, command: str | None) -> bool:
        """Whether the last command before ``command``, its own repetitions left out, dropped the caches."""
        return "drop_caches" in ((self._other if self._last == command else self._last) or "")

    def _mkfs(self, name: str, words: list[str]) -> None:
        device = next((word for word in reversed(words) if word.startswith("/dev/")), None)
        if device is not None:
            kind = name.partition(".")[2] or _after(words, "-t") or "unknown"
            self.fs[device] = (kind, _after(words, "-p"))

    def _mount(self, words: list[str]) -> None:
        paths = [word for word in words if word.startswith("/")]
        if len(paths) < 2:
            return
        device, directory = paths[-2], paths[-1].rstrip("/") or "/"
        made = self.fs.get(device, (None, None))
        options = _after(words, "-o") or ""
        given = next((part.partition("=")[2] for part in options.split(",") if part.startswith("lockproto=")), None)
        self.mounts[directory] = (device, _after(words, "-t") or made[0], given or made[1])

    def _unmount(self, words: list[str]) -> None:
        for word in words:
            self.mounts.pop(word.rstrip("/"), None)
            self.mounts = {place: what for place, what in self.mounts.items() if what[0] != word}

    def of(self, target: str) -> tuple[str | None, str | None, str | None, bool]:
        """Device, file system and lock protocol of a path, and whether a device is mounted."""
        if target.startswith("/dev/"):
            return target, "", None, any(device == target for device, _, _ in self.mounts.values())
        place = max(
            (p for p in self.mounts if target == p or target.startswith(p.rstrip("/") + "/")), key=len, default=None
        )
        return (*self.mounts[place], False) if place is not None else (None, None, None, False)


def _statements(command: str) -> list[list[str]]:
    found = []
    for part in re.split(r";|&&|\|", command):
        try:
            words = shlex.split(part)
        except ValueError:
            words = part.split()
        while words and (words[0] in ("sudo", "time") or "=" in words[0].split("/")[0]):
            words = words[1:]
        if words:
            found.append(words)
    return found


def _after(words: Sequence[str], option: str) -> str | None:
    return next((words[i + 1] for i, word in enumerate(words[:-1]) if word == option), None)


class CopyRuns:
    """Runs of ``dd`` in one case."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def all(self) -> tuple[CopyRun, ...]:
        """Runs in the order of the text."""
        by_line = grouped(self._records.of(Measurement, pl.col("tool") == "dd"), lambda one: one.ref)
        if not by_line:
            return ()
        commands, layouts = self._commands(), defaultdict[int, _Layout](lambda: _Layout({}, {}))
        made = {}
        for ref in sorted(by_line, key=attrgetter("artifact", "line")):
            layout, earlier = layouts[ref.artifact], commands.get(ref.artifact, [])
            while earlier and earlier[-1].line < ref.line:
                layout.run(earlier.pop().command)
            made[ref] = _run(ref, by_line[ref], layout)
        runs = [run for ref in by_line if (run := made[ref]) is not None]
        return tuple(_bound(self._records.of(Claim), runs))

    def _commands(self) -> dict[int, list[CommandRun]]:
        """Commands of each text, the last line first."""
        return grouped(reversed(self._records.of(CommandRun)), lambda one: one.artifact)

    @cached_property
    def by_device(self) -> tuple[tuple[str, tuple[CopyRun, ...]], ...]:
        """Runs of each device of each node and text; a run on other hardware belongs to none."""
        groups: dict[tuple[int, str | None, str], list[CopyRun]] = defaultdict(list)
        for run in self.all:
            if run.device is not None and not run.elsewhere:
                groups[run.ref.artifact, run.node, run.device].append(run)
        return tuple((key[2], tuple(runs)) for key, runs in groups.items())


def _run(ref: Ref, figures_of: Sequence[Measurement], layout: _Layout) -> CopyRun | None:
    first = figures_of[0]
    figures = {one.unit: one.value for one in figures_of}
    size, seconds, target = figures.get("B"), figures.get("s"), first.scope
    if not size or not seconds:
        return None
    device, fs, protocol, mounted = layout.of(target) if target else (None, None, None, False)
    return CopyRun(
        ref=ref,
        node=first.node,
        command=first.command,
        target=target,
        device=device,
        fs=fs,
        protocol=protocol,
        cache=_cache(first.command),
        bytes=size,
        seconds=seconds,
        printed=figures.get("printed MB/s"),
        partial=figures.get("records") or 0.0,
        flushed_before=layout.flushed_before(first.command),
        mounted=mounted,
    )


def _cache(command: str | None) -> Cache:
    if command is None:
        return "unknown"
    given: dict[str, set[str]] = defaultdict(set)
    for word in command.split():
        name, _, value = word.partition("=")
        given[name] |= set(value.split(","))
    if "direct" in given["oflag"]:
        return "direct"
    return "fsync" if given["conv"] & _FLUSHES or given["oflag"] & _SYNCS else "buffered"


def _bound(claims: Sequence[Claim], runs: list[CopyRun]) -> list[CopyRun]:
    """Runs without a command, tied to the last direct run by what the next sentences say of them."""
    result: list[CopyRun] = []
    bases: dict[int, CopyRun] = {}
    by_text = grouped(claims, lambda one: one.artifact)
    for run in runs:
        artifact = run.ref.artifact
        if run.command is None and artifact in bases:
            run = _tied(run, bases[artifact], _next_claims(by_text.get(artifact, []), run.ref.line))
        if run.raw and run.cache == "direct" and not run.elsewhere:
            bases[artifact] = run
        result.append(run)
    return result


def _next_claims(claims: list[Claim], line: int) -> list[Claim]:
    by_line = attrgetter("line")
    return claims[bisect_right(claims, line, key=by_line) : bisect_left(claims, line + NEAR_LINES + 1, key=by_line)]


def _tied(run: CopyRun, base: CopyRun, near: Sequence[Claim]) -> CopyRun:
    ratio = run.rate / base.rate
    for claim in near:
        if claim.value is None:
            continue
        if claim.unit == "%" and _LESS.search(claim.text) and abs(100 * (1 - ratio) - claim.value) <= DROP_POINTS:
            return replace(run, device=base.device, fs="", cache="buffered", bound=True)
        if _FASTER.search(claim.text) and claim.unit in ("times", "x") and abs(ratio / claim.value - 1) <= TIMES_SHARE:
            return replace(run, fs="", cache="direct", bound=True, elsewhere=True)
    return run
