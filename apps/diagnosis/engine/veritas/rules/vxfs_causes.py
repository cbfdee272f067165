"""Rules on what else stops a Veritas file system: freezes (R31), log replay (R33), replication and resynchronisation (R34)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure, LockRole, Part, Ref, Severity, comparable
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.veritas.files import VeritasFiles
from apps.diagnosis.engine.veritas.lock_mounts import Mount, Mounts
from apps.diagnosis.engine.veritas.slow_commands import SlowRun, SlowRuns
from parsers.records import CommandRun, Counter, Event

_FREEZES = re.compile(
    r"(?:^|[\s;&|/])(?:fsckptadm\s{1,8}(?:-\S{1,20}\s{1,8}){0,8}(?:create|remove)\b|fsadm\s.{0,200}?-b\s|vxresize\s|fsfreeze\s{1,8}(?:-f|--freeze)\b"
    r"|vxsnap\s.{0,200}?(?:make|refresh|restore|reattach|split)\b|mount\s.{0,200}?remount|vxtunefs\s.{0,400}?-o)"
)
_HOLDS = re.compile(r"fsfreeze\s{1,8}(?:-f|--freeze)\b")
_THAWS = re.compile(r"fsfreeze\s{1,8}(?:-u|--unfreeze)\b")
_ORDINARY = re.compile(r"vxtunefs\s")
RESYNC: Final = ("RDWRBACK", "PLXATT", "ATCOPY", "RESYNC", "RECOV", "SNAPSYNC", "SNAPBACK", "REVIVE", "PARITY")


@dataclass(frozen=True, slots=True)
class _Command:
    """A command that may freeze a file system."""

    text: str
    node: str | None
    at: int | None
    ref: Ref

    def names(self, scope: str | None) -> bool:
        """Whether it names the mount."""
        return scope is not None and any(word.rstrip("/") == scope for word in self.text.split())


def _commands(facts: CaseFacts, pattern: re.Pattern[str]) -> list[_Command]:
    rows = (
        facts.named(facts.facts.frame(CommandRun)).sort("artifact", "line").select("command", "node", "at", "artifact", "line").iter_rows()
    )
    return [_Command(text, node, at, Ref(artifact, line)) for text, node, at, artifact, line in rows if pattern.search(text or "")]


@rule("R31")
def freeze(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: all commands on all nodes stop at once and go on together.

    Reasoning: a command that freezes the file system stands in the transcript where the lock rates of all nodes fall to nothing.
    Source: vxtunefs(1M) for its own freeze; the other commands are recalled.
    """
    if not facts.get(VeritasFiles).are_there:
        return
    slow = facts.get(SlowRuns).all
    for command in _commands(facts, _FREEZES):
        stalled = next((pair for mount in facts.get(Mounts).all if (pair := _stall(mount, command, limits))), None)
        held_s = _held_s(facts, command) if _HOLDS.search(command.text) else None
        if stalled is None and (held_s is None or held_s < limits.held_s) and (_ORDINARY.search(command.text) or not slow):
            continue
        yield _frozen(command, stalled, held_s, slow, limits)


def _stall(mount: Mount, command: _Command, limits: Limits) -> list[LockRole] | None:
    """Samples of all nodes in which nothing moved while the command ran, between samples in which much did."""
    if command.at is None or (mount.scope is not None and "/" in command.text and not command.names(mount.scope)):
        return None
    idle: list[LockRole] = []
    for node in dict.fromkeys(role.node for role in mount.roles):
        own = [role for role in mount.roles if role.node == node]
        found = next((role for place, role in enumerate(own) if _is_stalled(own, place, command.at, limits)), None)
        if found is None:
            return None  # a node that went on: no freeze
        idle.append(found)
    return idle or None


def _is_stalled(own: Sequence[LockRole], place: int, at: int, limits: Limits) -> bool:
    role = own[place]
    if not 0 < place < len(own) - 1 or role.at is None or not comparable(role.at, at) or role.interval_s < limits.stall_s:
        return False
    slack = round(limits.slack_s * 1e6)
    overlaps = role.at - round(role.interval_s * 1e6) - slack <= at <= role.at + slack
    return overlaps and _moved(role) < 1 and min(_moved(own[place - 1]), _moved(own[place + 1])) >= limits.busy_per_s


def _moved(role: LockRole) -> float:
    return max(role.per_s.values(), default=0.0)


def _held_s(facts: CaseFacts, command: _Command) -> float | None:
    """How long a freeze was held at least; None where it was released, or where no time is known."""
    thaws = [one for one in _commands(facts, _THAWS) if one.ref.artifact == command.ref.artifact and one.ref.line > command.ref.line]
    if thaws or command.at is None:
        return None
    later = facts.facts.scan(CommandRun).filter(pl.col("at").is_not_null()).select(pl.col("at").max()).collect().item()
    return (later - command.at) / 1e6 if later is not None and comparable(later, command.at) else None


def _frozen(command: _Command, stalled: list[LockRole] | None, held_s: float | None, slow: Sequence[SlowRun], limits: Limits) -> Draft:
    held = held_s is not None and held_s >= limits.held_s
    harmed = bool(stalled) or bool(slow)
    severity: Severity = "high" if held and harmed else "medium" if held or stalled else "info"
    evidence = (command.ref, *(role.ref for role in (stalled or ())[:3]))
    length = sum(role.interval_s for role in stalled or ()) / len(stalled) if stalled else 0.0
    return Draft(
        severity=severity,
        variant="held" if held else "" if stalled else "seen",
        evidence=evidence,
        words={
            "command": command.text[:120],
            "node": f" on {command.node}" if command.node else "",
            "stall": f"{length:.0f} s",
            "held": seconds(held_s or 0.0),
        },
        nodes=tuple(sorted({role.node for role in stalled or () if role.node} | ({command.node} if command.node else set()))),
        start=command.at,
        end=command.at,
        figures=(
            *((Figure("Window without any lock traffic", round(length, 1), "s", limits.words("stall_s")),) if stalled else ()),
            *((Figure("Frozen without a thaw for", round(held_s or 0.0), "s", limits.words("held_s")),) if held else ()),
        ),
        parts=(
            evidence_part(len(evidence), len(stalled or ())),
            Part("completeness", 0.9 if stalled else 0.5, "stalls are seen in lock samples only"),
        ),
        weight=length,
        basis="proposed" if severity != "info" else None,
        harm=f"no lock of the mount moved on any node for {length:.0f} s" if stalled else "",
    )


@rule("R33")
def log_replay(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a mount stands still for a while after a node left.

    Reasoning: the intent log of the node that left is replayed first; its text stands in the slow window.
    Source: fsck_vxfs(1M) for the text; the rest is recalled.
    """
    rows = facts.named(facts.facts.frame(Event).filter(pl.col("kind").str.starts_with("log-replay"))) if facts.facts.has(Event) else None
    if rows is None or rows.is_empty():
        return
    slow = facts.get(SlowRuns).all
    events = rows.sort("artifact", "line").to_dicts()
    inside = [event for event in events if any(run.overlaps(event["at"]) for run in slow)]
    shown = inside or events
    nodes = tuple(sorted({event["node"] for event in shown if event["node"]}))
    evidence = tuple(Ref(event["artifact"], event["line"]) for event in shown[:4]) + tuple(run.run.ref for run in slow[:1] if inside)
    yield Draft(
        severity="medium" if inside else "info",
        variant="" if inside else "seen",
        evidence=evidence,
        words={"node": f" on {listed(nodes)}" if nodes else "", "slow": seconds(slow[0].run.seconds) if slow else ""},
        nodes=nodes,
        start=shown[0]["at"],
        end=shown[-1]["at"],
        zone_min=shown[0]["zone_min"],
        figures=(Figure("Replays", sum(event["kind"] == "log-replay" for event in shown)),),
        parts=(
            evidence_part(len(evidence), len(nodes)),
            Part("completeness", 0.8 if inside else 0.6, "who left, and when, is another question"),
        ),
        basis="proposed" if inside else None,
    )


@rule("R34")
def replication(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: writes are slow while reads are quick.

    Reasoning: the log of a replication link fills, or a resynchronisation runs beside the slow command.
    Source: recalled: replication of volumes, vxtask, vxrlink.
    """
    slow = facts.get(SlowRuns).all
    rows = _progress(facts)
    yield from _logs(rows, slow, limits)
    yield from _tasks(rows, slow)
    if not rows:
        yield from _configured(facts, slow)


def _progress(facts: CaseFacts) -> list[dict[str, Any]]:
    if not facts.facts.has(Counter):
        return []
    wanted = pl.col("source").is_in(["vxrlink status", "vxtask list"]) & pl.col("value").is_not_null()
    return facts.named(facts.facts.scan(Counter).filter(wanted).collect()).sort("artifact", "line").to_dicts()


def _logs(rows: Sequence[dict[str, Any]], slow: Sequence[SlowRun], limits: Limits) -> Iterator[Draft]:
    """Logs of replication links that are nearly full."""
    by_link: dict[tuple[str | None, str | None], list[dict[str, Any]]] = {}
    for row in rows:
        if row["name"] == "SRL used":
            by_link.setdefault((row["node"], row["scope"]), []).append(row)
    for (node, link), readings in by_link.items():
        last = readings[-1]
        if last["value"] <= limits.srl:
            continue
        rising = len(readings) > 1 and last["value"] > readings[0]["value"]
        evidence = tuple(Ref(row["artifact"], row["line"]) for row in (readings[0], last)) + tuple(
            run.run.ref for run in slow[:1] if rising
        )
        yield Draft(
            severity="high" if rising and slow else "medium" if rising else "low",
            evidence=evidence,
            words={
                "link": link or "a replication link",
                "used": f"{last['value']:g}",
                "rising": f", up from {readings[0]['value']:g} %" if rising else "",
            },
            nodes=(node,) if node else (),
            start=readings[0]["at"],
            end=last["at"],
            zone_min=last["zone_min"],
            figures=(Figure("Log in use", last["value"], "%", limits.words("srl")),),
            parts=(evidence_part(len(evidence), 1), Part("completeness", 0.9 if rising else 0.6, f"{len(readings)} readings of the log")),
            weight=slow[0].run.seconds if slow else 0.0,
            basis="proposed" if rising else None,
        )


def _tasks(rows: Sequence[dict[str, Any]], slow: Sequence[SlowRun]) -> Iterator[Draft]:
    """Resynchronisation that runs."""
    tasks = [row for row in rows if row["source"] == "vxtask list" and row["name"].startswith(RESYNC)]
    if not tasks:
        return
    beside = [run for run in slow if any(run.overlaps(row["at"]) for row in tasks)]
    volumes = list(dict.fromkeys(row["scope"] or "a volume" for row in tasks))
    nodes = tuple(sorted({row["node"] for row in tasks if row["node"]}))
    evidence = tuple(Ref(row["artifact"], row["line"]) for row in tasks[:4]) + tuple(run.run.ref for run in beside[:1])
    yield Draft(
        severity="high" if beside else "low",
        variant="resync",
        evidence=evidence,
        words={
            "volumes": listed(volumes),
            "names": listed(dict.fromkeys(row["name"].partition("/")[0] for row in tasks)),
            "beside": f" Meanwhile a command took {seconds(beside[0].run.seconds)}, {beside[0].factor:.0f} times its fastest run."
            if beside
            else "",
        },
        nodes=nodes,
        start=tasks[0]["at"],
        end=tasks[-1]["at"],
        zone_min=tasks[0]["zone_min"],
        figures=(Figure("Tasks running", len(tasks)), Figure("Progress of the first", tasks[0]["value"], "%")),
        parts=(evidence_part(len(evidence), len(nodes)), Part("completeness", 0.9 if beside else 0.7, "tasks as listed at one moment")),
        weight=beside[0].run.seconds if beside else 0.0,
        basis="proposed" if beside else None,
    )


def _configured(facts: CaseFacts, slow: Sequence[SlowRun]) -> Iterator[Draft]:
    """Replication that is merely there, in a case with slow commands."""
    links = facts.settings.filter((pl.col("source") == "vxprint") & (pl.col("name") == "synchronous"))
    if not slow or links.is_empty():
        return
    rows = links.to_dicts()
    modes = listed(dict.fromkeys(f"{row['scope'] or 'a link'}: synchronous={row['value']}" for row in rows))
    evidence = tuple(Ref(row["artifact"], row["line"]) for row in rows[:3])
    yield Draft(
        severity="info",
        variant="configured",
        evidence=evidence,
        words={"modes": modes},
        parts=(evidence_part(len(evidence), 1), Part("completeness", 0.5, "how full the log is, and how quick the link, is not shown")),
    )
