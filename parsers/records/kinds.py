"""All kinds of records, and groups of kinds."""

from __future__ import annotations

from typing import Final

from parsers.records import (
    Claim,
    CommandRun,
    Counter,
    DiskIo,
    DiskName,
    Event,
    Measurement,
    Narration,
    NodeAlias,
    NodeNamed,
    Problem,
    Quotation,
    Record,
    Repeat,
    Section,
    Setting,
    Skipped,
    Version,
)
from parsers.records.locks import DlmLock, GlmLock, Glock, GlockCount, GlockHolder, PosixLock
from parsers.records.states import (
    ClusterMember,
    Connection,
    DiskPath,
    FencingKeys,
    FencingSwitch,
    HealthState,
    HeartbeatLink,
    Interface,
    ListedState,
    Manager,
    Membership,
    Quorum,
    Room,
    ServiceState,
    Statement,
    StorageState,
)
from parsers.records.waits import DeadlockFact, PendingRpc, Stack, Waiter, WaiterShape

RECORD_TYPES: Final[tuple[type[Record], ...]] = (
    Section, Repeat, Skipped, Problem, WaiterShape, Waiter, DeadlockFact, Counter, Setting, Measurement, CommandRun,
    Glock, GlockHolder, GlockCount, NodeAlias, NodeNamed, DiskIo, DiskPath, Interface, HeartbeatLink, Connection,
    ClusterMember, Membership, Quorum,
    Manager, HealthState, ServiceState, StorageState, Room, ListedState, FencingSwitch, FencingKeys, Version,
    Event, Claim, Quotation, Narration, PendingRpc, DlmLock,
    PosixLock, GlmLock, Stack,
    DiskName,
)  # fmt: skip
BULK: Final[frozenset[type[Record]]] = frozenset((
    Skipped, WaiterShape, Waiter, Counter, Glock, GlockHolder, GlockCount, DiskIo, Event, PendingRpc, DlmLock,
    PosixLock, GlmLock, Stack,
))  # fmt: skip
"""Kinds of which a case may hold millions: they are read as frames, not as objects."""
LINKS: Final[tuple[type[Statement], ...]] = (DiskPath, Interface, HeartbeatLink, Connection)
"""What connects a node to something."""
MEMBERS: Final[tuple[type[Statement], ...]] = (
    ClusterMember, Membership, Quorum, Manager, HealthState, ServiceState, FencingKeys,
)  # fmt: skip
"""Who belongs to what, and how it stands."""
