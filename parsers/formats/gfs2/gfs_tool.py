"""``gfs_tool`` and ``gfs2_tool`` of older releases: ``counters``, ``gettune``, and the lock dump of GFS 1.

                             locks 40312           new_files_directio = 0
                        locks held 20156           demote_secs = 300
                   incore inodes 10077             Glock (2, 26843)
                                                     gl_flags = 1
                                                     gl_state = 3
                                                     Holder
                                                       owner = 7312

Yields ``Counter`` (source ``gfs_tool counters``, cumulative for calls, else gauge); ``Setting`` for ``gettune`` with
the mount of the command as scope; ``Glock`` and ``GlockHolder`` for the dump of GFS 1, whose numbers are decimal.
Waiter1 to Waiter3 wait. No times. Source: gfs_tool(8) of Cluster Suite 4 and 5.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.locks import Glock, GlockHolder
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.text import Line

_COUNTED: Final = (
    r"locks|locks held|freeze count|incore inodes|metadata buffers|unlinked inodes|quota IDs|incore log "
    r"buffers|log space used|meta header cache entries|glock dependencies|glocks on reclaim list|log "
    r"wraps|outstanding LM calls|outstanding BIO calls|fh2dentry misses|glocks reclaimed|glock nq "
    r"calls|glock dq calls|glock prefetch calls|lm_lock calls|lm_unlock calls|lm callbacks|address "
    r"operations|dentry operations|export operations|file operations|inode operations|super operations|vm "
    r"operations|block I/O reads|block I/O writes"
)
_COUNTER: Final = rf"(?:{_COUNTED})\s{{1,4}}\d{{1,18}}(?:\.\d{{0,9}})?%?\s{{0,8}}$"
_COUNTER_ROW = re.compile(rf"({_COUNTED})\s{{1,4}}(\d{{1,18}}(?:\.\d{{0,9}})?)(%?)\s{{0,8}}$")
_TUNED: Final = (
    r"(?:new_files_(?:directio|jdata)|quota_(?:simul_sync|warn_period|quantum|scale|account|enforce"
    r"|cache_secs)|ilimit\d?(?:_tries|_min)?\d?|demote_secs|incore_log_blocks|jindex_refresh_secs"
    r"|depend_secs|scand_secs|recoverd_secs|logd_secs|quotad_secs|inoded_secs|glock_purge|statfs_(?:fast"
    r"|slots|quantum|slow)|stall_secs|complain_secs|reclaim_limit|entries_per_readdir|prefetch_secs"
    r"|max_mhc|greedy_\w{2,12}|rgrp_try_threshold|max_(?:atomic_write|readahead)|lockdump_size"
    r"|seq_readahead|log_flush_secs)"
)
_TUNE: Final = rf"{_TUNED} = \d{{1,20}}\s{{0,8}}$"
_TUNE_ROW = re.compile(r"([a-z_0-9]{3,40}) = (\d{1,20})\s{0,8}$")
_GLOCK: Final = r"Glock \(\d{1,4}, \d{1,20}\)"
_GLOCK_ROW = re.compile(r"Glock \((\d{1,4}), (\d{1,20})\)")
_GLOCK_OWNS: Final = rf"(?:{_GLOCK}|[a-z][a-z_ ]{{1,24}} =|(?:Holder|Waiter[123]|Inode|Rgrp|Request|Conversion)\b)"
_VALUE = re.compile(r"(\w{2,20}) = (-?\w{1,20})")
_STATES: Final = {"0": "UN", "1": "EX", "2": "DF", "3": "SH"}
_HOLDS: Final = "Holder"


@parser("gfs_counters", version=1, product="gfs2", claims=_COUNTER, commands=("gfs_tool", "gfs2_tool"))
def gfs_counters(section: OpenSection, out: Output) -> None:
    """``gfs_tool counters``: label and number."""
    for line, match in lines_of(section, out, _COUNTER_ROW, "no counter of gfs_tool"):
        calls = (
            "calls" in match[1]
            or "operations" in match[1]
            or "callbacks" in match[1]
            or "reclaimed" in match[1]
            or "I/O" in match[1]
        )
        section.add(
            Counter,
            line.number,
            scope=_mount(section),
            source="gfs_tool counters",
            name=match[1],
            kind="cumulative" if calls else "gauge",
            unit=match[3],
            value=float(match[2]),
        )


@parser(
    "gfs_gettune",
    version=1,
    product="gfs2",
    claims=_TUNE,
    owns=r"[a-z_0-9]{3,40} = \d{1,20}\s{0,8}$",
    commands=("gfs_tool", "gfs2_tool"),
)
def gfs_gettune(section: OpenSection, out: Output) -> None:
    """``gfs_tool gettune``: tunables of a mount."""
    for line, match in lines_of(section, out, _TUNE_ROW, "no tunable with a number"):
        section.add(
            Setting,
            line.number,
            scope=_mount(section),
            source="gfs_tool gettune",
            name=match[1],
            value=match[2],
        )


def _mount(section: OpenSection) -> str | None:
    command = section.command
    return next((word for word in command.args if word.startswith("/")), None) if command is not None else None


@dataclass(slots=True)
class _Lock:
    """A glock of GFS 1 with those who hold it or wait for it."""

    line: int
    type: int
    number: int
    values: dict[str, str] = field(default_factory=dict)
    people: list[tuple[int, str, dict[str, str]]] = field(default_factory=list)


@parser("gfs_lockdump", version=1, product="gfs2", claims=_GLOCK, owns=_GLOCK_OWNS, commands=("gfs_tool",))
def gfs_lockdump(section: OpenSection, out: Output) -> None:
    """``gfs_tool lockdump``: glocks of GFS 1."""
    lock: _Lock | None = None
    first = 0
    for line in section:
        text = line.text.strip()
        first = first or line.number
        if match := _GLOCK_ROW.match(text):
            _put(section, out, lock, first)
            lock = _Lock(line.number, int(match[1]), int(match[2]))
        elif lock is None or not _inside(lock, line, text):
            out.ignore()
    _put(section, out, lock, first)


def _inside(lock: _Lock, line: Line, text: str) -> bool:
    if text.split()[0] in (_HOLDS, "Waiter1", "Waiter2", "Waiter3"):
        lock.people.append((line.number, text.split()[0], {}))
        return True
    if text.split()[0] in ("Inode", "Rgrp", "Request"):
        lock.people.append((line.number, "", {}))
        return True
    if match := _VALUE.match(text):
        (lock.people[-1][2] if lock.people else lock.values)[match[1]] = match[2]
        return True
    return False


def _put(section: OpenSection, out: Output, lock: _Lock | None, dump: int) -> None:
    if lock is None:
        return
    name = f"{lock.type}/{lock.number:x}"
    people = [person for person in lock.people if person[1]]
    if not people:
        return
    held = sum(kind == _HOLDS for _, kind, _ in people)
    section.add(
        Glock,
        lock.line,
        fs=_mount(section),
        dump=dump,
        object=name,
        type=lock.type,
        number=lock.number,
        state=_STATES.get(lock.values.get("gl_state", ""), "??"),
        generation="GFS1",
        holders=held,
        waiters=len(people) - held,
    )
    for position, (number, kind, values) in enumerate(people):
        pid = values.get("owner", "0")
        section.add(
            GlockHolder,
            number,
            fs=_mount(section),
            dump=dump,
            glock=name,
            glock_line=lock.line,
            position=position,
            state=_STATES.get(values.get("gh_state", ""), "??"),
            flags="H" if kind == _HOLDS else "W",
            error=_whole(values.get("error", "0")),
            pid=_whole(pid),
            waiting=kind != _HOLDS,
            granted=kind == _HOLDS,
        )


def _whole(text: str) -> int:
    return int(text) if is_whole(text.removeprefix("-")) else 0
