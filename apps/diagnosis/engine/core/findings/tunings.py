"""From findings to changes: the present value, whether it is already set, and where it stands in the files."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.setting_history import SettingValue, latest, plain, setting_history
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.model import Advice, Finding, LockRole, Tuning
from apps.diagnosis.engine.core.words.knowledge import TuningText, rule_texts, tuning_texts
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.core.words.wording import listed

Status = Literal["recommended", "applied", "not_applicable"]
SHARES: Final = ("puller", "ping_pong")


def tunings_for(case: Case, findings: Sequence[Finding]) -> tuple[Tuning, ...]:
    """Each tuning once per scope, in the order of the findings that ask for it."""
    findings_at: dict[tuple[str, str | None], list[Finding]] = defaultdict(list)
    first: dict[tuple[str, str | None], Advice] = {}
    for finding in findings:
        for advice in _advice(case, finding):
            place = (advice.tuning, advice.scope)
            if place not in first or (first[place].unfit and not advice.unfit):
                first[place] = advice
            findings_at[place].append(finding)
    stops = {
        symptom: one
        for one in findings
        if rule_texts()[one.ref].stops and one.severity != "info"
        for symptom in one.causes
    }
    found = (_tuning(case, _filled(advice), advice, findings_at[place]) for place, advice in first.items())
    rows = ((place, tuning) for place, tuning in zip(first, found, strict=True) if tuning is not None)
    return tuple(_not_here(_not_now(tuning, findings_at[place], stops), first[place]) for place, tuning in rows)


def _not_here(tuning: Tuning, advice: Advice) -> Tuning:
    """A change whose gate is not met: why, and nothing to copy into a shell."""
    if not advice.unfit or tuning.status == "applied":
        return tuning
    why = tuning.why + phrase("tuning.unfit", why=advice.unfit)
    return replace(tuning, status="not_applicable", commands=(), why=why)


def _not_now(tuning: Tuning, asking: Sequence[Finding], stops: Mapping[str, Finding]) -> Tuning:
    """A change that only waits ask for whose cause no setting can mend: that cause goes first."""
    if tuning.status != "recommended" or not all(finding.ref in stops for finding in asking):
        return tuning
    cause = stops[asking[0].ref]
    return replace(tuning, status="not_applicable", why=tuning.why + phrase("tuning.follows", cause=cause.title))


def _advice(case: Case, finding: Finding) -> Iterator[Advice]:
    """Where each tuning of a finding applies: where its rule says so, else where nodes share inodes."""
    for key in finding.tunings:
        given = [advice for advice in finding.advice if advice.tuning == key]
        yield from given or (Advice(key, scope) for scope in _scopes(case, tuning_texts()[key]))


def _filled(advice: Advice) -> TuningText:
    """The text of a tuning with what depends on the case; its scope is filled in later."""
    text = tuning_texts()[advice.tuning]
    words = {**dict(advice.words), "scope": "{scope}"}
    if not advice.words:
        return text
    return replace(
        text,
        recommended=text.recommended.format(**words),
        commands=tuple(command.format(**words) for command in text.commands),
        persist=text.persist.format(**words),
        way_back=text.way_back.format(**words),
        verify=text.verify.format(**words),
        why=text.why.format(**words),
    )


def _scopes(case: Case, text: TuningText) -> list[str | None]:
    """Mounts on which nodes take inodes from each other; a change without a scope stands once."""
    if not any("{scope}" in command for command in text.commands):
        return [None]
    mounts = sorted({role.scope for role in _lock_roles(case) if role.scope and role.role in SHARES})
    return [*mounts] or [None]


def _lock_roles(case: Case) -> list[LockRole]:
    return [role for product in case.products for role in product.lock_roles(case)]


def _tuning(case: Case, text: TuningText, advice: Advice, findings: Sequence[Finding]) -> Tuning | None:
    scope = advice.scope
    found = setting_history(case.get(Settings), text.parameter, scope)
    if not found and text.by_release and not any(product.knows(case, text.id) for product in case.products):
        return None  # whether this release knows the parameter is not shown: the version gate says so
    others = [reading for reading in found if plain(reading.value) != plain(text.recommended)]
    unseen = _unseen(case, scope, found)
    current = latest(others or found) if found else None
    done = bool(found) and not others and not unseen and not advice.lacking
    shown = scope or "MOUNT"
    fill = shlex.quote(shown) if scope else shown  # to be copied into a shell, and it comes from the customer's text
    return Tuning(
        id=text.id,
        parameter=text.parameter,
        scope=scope,
        current=current.value if current else None,
        current_at=current.ref if current else None,
        recommended=text.recommended,
        status="applied" if done else "recommended",
        commands=tuple(command.format(scope=fill) for command in text.commands),
        persist=text.persist.format(scope=shown) + _persisted(case, text, scope),
        caution=text.caution,
        way_back=text.way_back.format(scope=fill),
        verify=text.verify.format(scope=fill),
        since=text.since,
        why=text.why + _state(text, found, unseen, advice.lacking),
        basis=text.basis,
        findings=tuple(sorted({f.rule for f in findings})),
        sources=text.sources,
    )


def _unseen(case: Case, scope: str | None, found: Sequence[SettingValue]) -> list[str]:
    """Nodes that share the mount and do not show the value: a tunable holds for the node on which it is set."""
    if any(reading.node is None for reading in found):
        return []
    sharing = {
        role.node
        for role in _lock_roles(case)
        if role.scope == scope and role.role in (*SHARES, "victim") and role.node
    }
    return sorted(sharing - {reading.node for reading in found})


def _state(text: TuningText, found: Sequence[SettingValue], unseen: Sequence[str], lacking: Sequence[str]) -> str:
    """Where it is set already and since when, node by node; with a leading blank."""
    wanted = plain(text.recommended)
    done = [_where(reading) for reading in found if plain(reading.value) == wanted]
    if not done:
        return ""
    other = [
        phrase("tuning.value-on", value=reading.value, node=reading.node)
        for reading in found
        if plain(reading.value) != wanted
    ]
    rest = phrase("tuning.other", values=listed(other, 8)) if other else ""
    rest += phrase("tuning.lacking", nodes=lacking) if lacking else ""
    rest += phrase("tuning.unseen", nodes=unseen) if unseen else ""
    return phrase("tuning.set", value=text.recommended, where=listed(done, 8), rest=rest)


def _persisted(case: Case, text: TuningText, scope: str | None) -> str:
    """What the files that are read at each mount set already; with a leading blank."""
    kept = (pl.col("holds") == "next mount") & (pl.col("name") == text.parameter) & (pl.col("scope") == (scope or ""))
    rows = case.get(Settings).all.filter(kept).select("source", "value", "node").unique(maintain_order=True)
    shown = [
        phrase("tuning.source-sets", source=source, value=value, node=node) for source, value, node in rows.iter_rows()
    ]
    return phrase("tuning.persisted", sources=listed(shown)) if shown else ""


def _where(reading: SettingValue) -> str:
    if reading.since is None:
        return phrase("tuning.where", node=reading.node)
    return phrase("tuning.since" if reading.changed else "tuning.seen-first", node=reading.node, since=reading.since)
