"""What to do now about waits of Spectrum Scale: where a chain ends decides. Only ``mmdiag``: the other dump tool can stop a busy node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.model import Finding, NextStep
from apps.diagnosis.engine.core.wording import listed, plural
from apps.diagnosis.engine.scale.chains import Behind, Chains, Deadlock
from apps.diagnosis.engine.scale.spans import SpanTable
from apps.diagnosis.engine.scale.wants import LOG

ENDS_SHOWN: Final = 3
MEMBERS_SHOWN: Final = 12
COLLECT: Final = ("mmlsnode -N waiters -L",)


def steps(chains: Chains, table: SpanTable, findings: Sequence[Finding]) -> tuple[NextStep, ...]:
    """Nearest to the cause first: ends that the gravest findings speak of. Nothing where no wait is long."""
    behind = sorted(chains.behind, key=lambda one: _first_about(one, findings))[:ENDS_SHOWN]
    found = [_before_restart(deadlock) for deadlock in chains.deadlocks[:ENDS_SHOWN]]
    found += [NextStep(why=why, commands=commands) for b in behind for why, commands in _for_end(b)]
    if behind and max(group.dumps for b in behind for group in b.groups) < 2:
        found.append(NextStep(why="One dump does not tell a hang from a slow moment: collect again ten seconds later", commands=COLLECT))
    elif behind:
        found.append(NextStep(why="Collect again when it is mended: waits that began before must be gone", commands=COLLECT))
    return tuple(dict.fromkeys(found))


def _first_about(behind: Behind, findings: Sequence[Finding]) -> int:
    """The place of the first finding that rests on waits behind an end; findings are in the order of their severity."""
    refs = {group.ref for group in behind.groups}
    return next((place for place, finding in enumerate(findings) if not refs.isdisjoint(finding.evidence)), len(findings))


def _before_restart(deadlock: Deadlock) -> NextStep:
    """A restart of one member would free the others, and destroy what tells why."""
    members = listed(deadlock.members, MEMBERS_SHOWN)
    why = f"Collect on {members}, which wait for each other, before anything is restarted; then let vendor support choose the node"
    return NextStep(why=why, commands=("mmdiag --deadlock", "mmdiag --waiters", "mmdiag --network"))


def _for_end(behind: Behind) -> Iterator[tuple[str, tuple[str, ...]]]:
    end, waits = behind.end, plural(behind.waiters, "wait")
    if end.is_deadlock:
        return
    where = end.node or "that node"
    if end.kind == "disk":
        yield f"Check disk {end.what} on {where} ({waits} behind it)", disk_commands(end.what)
    elif end.leaves_data:
        yield (
            f"Collect on {end.what}: no waiter of it of that time is here ({waits} behind it)",
            ("mmdiag --waiters", "mmdiag --network"),
        )
    elif end.in_circle:
        yield f"See which messages are pending around {end.what} ({waits} behind it)", ("mmdiag --network", "mmdiag --waiters")
    elif end.kind == "node":
        yield (
            f"Check the connection to {end.what}: its own dumps show nothing ({waits} behind it)",
            ("mmdiag --network", "mmdiag --rpc"),
        )
    elif end.what == LOG:
        yield (
            f"Check the disks that hold the recovery log of {where} ({waits} behind it)",
            ("mmdiag --iohist", "mmlsdisk FILESYSTEM -e", "mmlsnsd -X"),
        )
    elif end.kind == "lock":
        yield f"See on {where} who holds {end.what} ({waits} behind it)", ("mmdiag --waiters", "mmdiag --deadlock")
    else:
        yield f"See on {where} what thread {end.what} does ({waits} behind it)", ("mmdiag --waiters", "mmdiag --stats")


def disk_commands(disk: str) -> tuple[str, ...]:
    """From the file system's view of a disk down to its paths."""
    device = disk.removeprefix("/dev/")
    paths = (f"multipath -ll {device}",) if device.startswith(("dm-", "mpath")) else ()
    return ("mmdiag --iohist", "iostat -xmt 1 5", *paths, "mmlsnsd -X", "mmlsdisk FILESYSTEM -e")
