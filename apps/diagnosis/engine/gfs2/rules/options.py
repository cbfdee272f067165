"""Rules on how GFS2 is mounted and used (MT-01 to MT-06) and on fragmented files (FR-01)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed, plural
from apps.diagnosis.engine.gfs2.cluster import lock_spaces, tasks
from apps.diagnosis.engine.gfs2.dlm import lockspace_fits
from apps.diagnosis.engine.gfs2.mounts import Exports, Mount, Mounts
from parsers.records import CommandRun, Measurement

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

GIB: Final = float(1 << 30)
STATFS_DEFAULT: Final = 30
STATFS_FRAMES: Final = frozenset(("gfs2_statfs", "gfs2_statfs_slow"))
QUOTA_MODES: Final = ("quota=on", "quota=account")


def _names(nodes: Sequence[str | None]) -> str:
    return listed(sorted(node or "a node not named" for node in nodes), 6)


def _refs(mount: Mount, nodes: Sequence[str | None]) -> tuple[Ref, ...]:
    return tuple(mount.points[node].ref for node in nodes if node in mount.points)[:6]


def _known(nodes: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(sorted(node for node in nodes if node))


@rule("MT-01")
def atime(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: reads are slow as if they wrote.

    Reasoning: the mount table shows no noatime.
    Source: Red Hat guides to GFS2.
    """
    for mount in facts.get(Mounts).all:
        nodes = mount.lacking("noatime")
        if not nodes:
            continue
        options = mount.options[nodes[0]]
        half = "; relatime does so once a day at most" if "relatime" in options else ""
        yield Draft(
            severity="low",
            evidence=_refs(mount, nodes),
            words={"mount": mount.where, "nodes": _names(nodes), "options": ",".join(options), "half": half},
            nodes=_known(nodes),
            parts=(evidence_part(len(nodes), len(nodes)), Part("completeness", 0.95, "the mount table of the node")),
        )


@rule("MT-02")
def quota(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: writers wait for quota locks.

    Reasoning: quota is switched on, and glocks of type 8 have waiters.
    Source: mount options, glock dump.
    """
    waits = [wait for wait in facts.glocks.waits if wait.glock.startswith("8/")]
    if not waits:
        return
    for mount in facts.get(Mounts).all:
        nodes = mount.having(*QUOTA_MODES)
        if nodes:
            mode = next(option for option in mount.options[nodes[0]] if option in QUOTA_MODES).partition("=")[2]
            yield Draft(
                severity="low",
                evidence=(*_refs(mount, nodes), *(Ref(wait.artifact, wait.line) for wait in waits[:3])),
                words={"mode": mode, "mount": mount.where, "waiters": plural(len({wait.name for wait in waits}), "waiter")},
                nodes=_known(nodes),
                figures=(Figure("Waiters for quota locks", len({wait.name for wait in waits})),),
                parts=(evidence_part(len(nodes) + len(waits), 1), Part("completeness", 0.8, "mount table and glock dump")),
            )


@rule("MT-03")
def statfs(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: df and monitoring are slow.

    Reasoning: statfs_quantum=0 makes every call exact; worse where something asks often.
    Source: gfs2(5).
    """
    asking = [task for task in tasks(facts) if set(task.frames) & STATFS_FRAMES or (task.name == "df" and task.state.startswith("D"))]
    for mount in facts.get(Mounts).all:
        nodes = mount.having("statfs_quantum=0")
        if nodes:
            seen = (
                f"{plural(len(asking), 'task')} stood in statfs."
                if asking
                else "Whether something asks for the free room often is not shown."
            )
            severity: Severity = "medium" if asking else "info"
            yield Draft(
                severity=severity,
                evidence=(*_refs(mount, nodes), *(task.ref for task in asking[:3])),
                words={"mount": mount.where, "evidence": seen, "default": STATFS_DEFAULT},
                nodes=_known(nodes),
                parts=(
                    evidence_part(len(nodes) + len(asking), 1),
                    Part("completeness", 0.95 if asking else 0.6, "mount table, and who asks"),
                ),
            )


@rule("MT-04")
def data_mode(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: files hold strange data after a crash.

    Reasoning: data=writeback in the mount table.
    Source: gfs2(5).
    """
    for mount in facts.get(Mounts).all:
        nodes = mount.having("data=writeback")
        if nodes:
            yield Draft(
                severity="info",
                evidence=_refs(mount, nodes),
                words={"mount": mount.where, "nodes": _names(nodes)},
                nodes=_known(nodes),
                parts=(evidence_part(len(nodes), len(nodes)), Part("completeness", 0.9, "the mount table of the node")),
            )


@rule("MT-05")
def localflocks(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: damaged files, or locks of NFS and Samba clients that nobody else sees.

    Reasoning: the option against the number of nodes that mount it, the protocols that export it, and CTDB: four gates.
    Source: Red Hat guides on exporting GFS2.
    """
    members = max((len(space.members) for space in lock_spaces(facts)), default=0)
    for mount in facts.get(Mounts).all:
        exports = facts.get(Mounts).exports_of(mount)
        local = mount.having("localflocks")
        if local:
            yield from _with_option(mount, local, exports)
        elif exports.protocols:
            yield _without_option(mount, exports, members)


def _with_option(mount: Mount, local: Sequence[str | None], exports: Exports) -> Iterator[Draft]:
    nodes = len(mount.options)
    what = f"{mount.where} is mounted with localflocks"
    if nodes > 1:
        seen = f"localflocks on {_names(local)}; mounted on {_names([*mount.options])}."
        gates = "Locks of files are then no longer seen by the other nodes, which the vendor calls a risk of corruption: mount it without"
        gates += " the option, or on one node only."
        yield _flocks("critical", mount, exports, f"{what} while {nodes} nodes mount it: data is at risk", seen, gates, 0.95)
    elif exports.clustered:
        gates = "With CTDB the option must not be used."
        yield _flocks(
            "critical", mount, exports, f"{what} under clustered Samba (CTDB)", "smb.conf says that Samba is clustered.", gates, 0.9
        )
    elif len(exports.protocols) > 1:
        gates = "The option is only for one protocol and no local use beside it."
        both = " and ".join(exports.protocols)
        yield _flocks("high", mount, exports, f"{what} and exported by {both}", "Two protocols share the files.", gates, 0.9)


def _without_option(mount: Mount, exports: Exports, members: int) -> Draft:
    """Exported without the option. It is never advised here: that nothing local uses the files cannot be read from a bundle."""
    nodes = len(mount.options)
    what = f"{mount.where} is exported by {' and '.join(exports.protocols)}"
    seen = f"Mounted on {_names([*mount.options])}"
    if nodes > 1 or len(exports.protocols) > 1:
        gates = "localflocks is no answer here: with it the nodes would no longer see each other's locks."
        outside = f"{what} and mounted on {plural(nodes, 'node')}: outside the vendor's policy"
        return _flocks("medium", mount, exports, outside, f"{seen}.", gates, 0.85)
    unknown = ["whether a local process uses the files too"]
    unknown += ["whether another member mounts it (its mount table was not sent)"] if members != 1 else []
    unknown += ["whether CTDB runs"] if "Samba" not in exports.protocols or not exports.known else []
    gates = f"Open: {'; '.join(unknown)}. If unsure, do not use localflocks."
    return _flocks("info", mount, exports, f"{what} without localflocks", f"{seen} as far as the files show.", gates, 0.6)


def _flocks(severity: Severity, mount: Mount, exports: Exports, what: str, evidence: str, gates: str, sure: float) -> Draft:
    refs = (*_refs(mount, [*mount.options]), *(value.ref for value in (*exports.nfs, *exports.samba, *exports.clustered)[:4]))
    return Draft(
        severity=severity,
        evidence=refs,
        words={"what": what, "evidence": evidence, "gates": gates},
        nodes=mount.nodes,
        figures=(Figure("Nodes that mount it", len(mount.options)),),
        parts=(evidence_part(len(refs), max(1, len(mount.nodes))), Part("completeness", sure, "mount tables and exports that were sent")),
        weight=float(len(mount.options)),
    )


@rule("MT-06")
def dlm_on_one_node(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: slow file system that one node alone uses.

    Reasoning: its lock space has one member.
    Source: members of the lock space.
    """
    for group in lock_spaces(facts):
        used = {fs for _, fs in facts.glocks.captures if fs is not None and lockspace_fits(group.name, fs)}
        mounted = [mount for mount in facts.get(Mounts).all if mount.where.rstrip("/").rsplit("/", 1)[-1] == group.name]
        if len(group.members) == 1 and (used or mounted):
            yield _alone(group.name, (group.ref,), f"Lock space {group.name} has one member, {group.members[0]}.", 0.85)
            return


def _alone(fs: str, refs: tuple[Ref, ...], words: str, sure: float) -> Draft:
    return Draft(
        severity="info",
        evidence=refs,
        words={"fs": fs, "evidence": words},
        parts=(evidence_part(len(refs), 1), Part("completeness", sure, "who mounts it at other times is not shown")),
    )


@rule("FR-01")
def fragmented(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one large file is read slowly.

    Reasoning: extents per GiB of files of a GiB and more.
    Source: filefrag; the limits are proposed.
    """
    if not facts.facts.has(Measurement) or not (_speaks_of_gfs2(facts)):
        return
    rows = facts.named(facts.facts.scan(Measurement).filter(pl.col("tool") == "filefrag").collect()).sort("artifact", "line")
    sizes: dict[tuple[str | None, str | None], float] = {}
    extents: dict[tuple[str | None, str | None], tuple[float, Ref]] = {}
    for row in rows.iter_rows(named=True):
        key = (row["node"], row["scope"])
        if row["what"] == "size":
            sizes[key] = row["value"]
        elif row["what"] == "extents":
            extents[key] = (row["value"], Ref(row["artifact"], row["line"]))
    for (node, file), (number, ref) in extents.items():
        size = sizes.get((node, file))
        if size is not None and size >= limits.least_gib * GIB and number / (size / GIB) > limits.per_gib:
            yield _pieces(node, file or "a file", number, size, ref, limits)


def _speaks_of_gfs2(facts: CaseFacts) -> bool:
    """filefrag runs on any file system: only a case with GFS2 makes it one of its files."""
    return facts.glocks.any or bool(facts.get(Mounts).all) or _runs(facts)


def _runs(facts: CaseFacts) -> bool:
    return facts.facts.has(CommandRun) and bool(
        facts.facts.scan(CommandRun).filter(pl.col("command").str.contains("gfs2")).select(pl.len()).collect().item()
    )


def _pieces(node: str | None, file: str, number: float, size: float, ref: Ref, limits: Limits) -> Draft:
    per_gib = number / (size / GIB)
    return Draft(
        severity="high" if per_gib > limits.per_gib_high else "medium",
        evidence=(ref,),
        words={"file": file, "extents": plural(int(number), "extent"), "size": f"{size / GIB:.1f} GiB", "per_gib": count(per_gib)},
        nodes=(node,) if node else (),
        figures=(Figure("Extents per GiB", round(per_gib, 1), "", limits.words("per_gib")), Figure("Extents", number)),
        parts=(evidence_part(1, 1), Part("completeness", 0.9, "extents and size")),
        weight=per_gib,
    )
