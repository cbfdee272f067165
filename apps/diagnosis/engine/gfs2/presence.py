"""Whether the records of a case show GFS2 or its lock manager. What people write about it shows nothing."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.products import records_by_product
from apps.diagnosis.engine.gfs2.profiles import Profiles
from parsers.records import CommandRun, Event
from parsers.records.locks import DlmLock, Glock, PosixLock
from parsers.records.states import Membership, ServiceState

_OF_LOCKS: Final = r"(?i)\b(?:dlm|gfs2?|ocfs2|o2cb|clvmd|lvmlockd|lock_dlm)\b|dlm_controld|gfs_controld|dlm_stonith"
_LOCK_SERVICE: Final = re.compile(r"(?i)dlm|controld|clvm|lvmlock|gfs|ocfs2|o2cb")
_COMMAND: Final = re.compile(r"(?:^|[\s;&|/])(?:mkfs\.gfs2|(?:mount|mkfs|fsck)\b.{0,200}\s-t\s{0,3}gfs2)\b")


def has_lock_manager(records: Records) -> bool:
    """Whether anything shows that the cluster grants locks: its own records, lines of its log, or a resource."""
    if any(records.has(kind) for kind in (Glock, DlmLock, PosixLock)):
        return True
    if any(one.sort in ("lock space", "daemon group") for one in records.of(Membership)):
        return True
    of_locks = pl.any_horizontal(pl.col(column).str.contains(_OF_LOCKS) for column in ("kind", "source", "text"))
    if records.has(Event) and records.frame(Event, of_locks).height:
        return True
    names = (name for one in records.of(ServiceState) for name in (one.resource, one.group, one.resource_type) if name)
    return any(_LOCK_SERVICE.search(name) for name in names)


class Presence:
    """GFS2 in one case."""

    def __init__(self, store: Facts, records: Records, settings: Settings, profiles: Profiles) -> None:
        self._store = store
        self._records = records
        self._settings = settings
        self._profiles = profiles

    @cached_property
    def shown(self) -> bool:
        """A dump or setting of GFS2, a profile of its modules, a mount of its type, or a command that makes or mounts
        one.
        """
        if records_by_product(self._store).get("gfs2") or any(profile.module for profile in self._profiles.all):
            return True
        types = self._settings.all
        if types.height:
            types = types.filter((pl.col("name") == "mount type") & pl.col("value").str.starts_with("gfs"))
        return bool(types.height) or any(_COMMAND.search(run.command) for run in self._records.of(CommandRun))
