"""What tables of Spectrum Scale tell of a case, each worked out once: settings, disks, I/O histories, room."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from apps.diagnosis.engine.scale.io import ScaleIo
from apps.diagnosis.engine.scale.nsds import ScaleNsds
from apps.diagnosis.engine.scale.room import ScaleRoom
from apps.diagnosis.engine.scale.settings import ScaleSettings

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts


class ScaleTables:
    """Tables of one case."""

    def __init__(self, case: CaseFacts) -> None:
        self._case = case

    @cached_property
    def settings(self) -> ScaleSettings:
        """Settings and releases."""
        return ScaleSettings(self._case)

    @cached_property
    def nsds(self) -> ScaleNsds:
        """Disks by all their names."""
        return ScaleNsds(self._case)

    @cached_property
    def io(self) -> ScaleIo:
        """I/O histories."""
        return ScaleIo(self._case)

    @cached_property
    def room(self) -> ScaleRoom:
        """Space and inodes."""
        return ScaleRoom(self._case)
