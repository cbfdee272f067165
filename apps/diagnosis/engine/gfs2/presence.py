"""Whether the records of a case show GFS2 or its lock manager. What people write about it shows nothing."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.products import records_by_product
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.settings import Settings
from apps.diagnosis.engine.core.store import Facts
from apps.diagnosis.engine.gfs2.profiles import Profiles
from parsers.records import CommandRun

_COMMAND: Final = re.compile(r"(?:^|[\s;&|/])(?:mkfs\.gfs2|(?:mount|mkfs|fsck)\b.{0,200}\s-t\s{0,3}gfs2)\b")


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
