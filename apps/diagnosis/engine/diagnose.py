"""Facts to diagnosis: the one entry. Equal facts and versions give an equal diagnosis."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.alarms.collected import Alarm, Alarms, alarms_taught
from apps.diagnosis.engine.core.alarms.findings import Unexplained
from apps.diagnosis.engine.core.facts.case import Case, Judged
from apps.diagnosis.engine.core.facts.node_clocks import Clocks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.offsets import with_offsets
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.facts.taught import Taught, named_waits
from apps.diagnosis.engine.core.facts.unread import UnreadOutputs
from apps.diagnosis.engine.core.findings.registry import RuleNotes
from apps.diagnosis.engine.core.findings.tunings import tunings_for
from apps.diagnosis.engine.core.model import (
    AT_STAKE,
    SEVERITIES,
    Diagnosis,
    Finding,
    Kind,
    Missing,
    NextStep,
    NodeName,
    Root,
)
from apps.diagnosis.engine.core.products import (
    empty_dumps_by_product,
    products_of_commands,
    products_of_stacks,
    records_by_product,
)
from apps.diagnosis.engine.core.times.open_years import known_part, known_part_of
from apps.diagnosis.engine.core.verdicts.checks import Checks
from apps.diagnosis.engine.core.verdicts.examples import in_doubt
from apps.diagnosis.engine.core.verdicts.unexplained import unexplained
from apps.diagnosis.engine.core.verdicts.verdict import verdict
from apps.diagnosis.engine.core.words.knowledge import rule_texts
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.core.words.steps import merged
from apps.diagnosis.engine.products import IN_KINDS, IN_PLACES, IN_STACKS, PRODUCTS, run_rules
from parsers.messages.catalogue import meanings
from parsers.records import Section

ENGINE_VERSION: Final = 1
CLASHES_SHOWN: Final = 20
STEPS_OF_ALARMS: Final = 6
MINUTE_US: Final = 60_000_000


def diagnose(facts: Facts, case: Case | None = None) -> Diagnosis:
    """Everything that can be said from these facts."""
    case = case or Case(facts, PRODUCTS)
    notes = RuleNotes()
    found = run_rules(case, notes)
    kinds = list(named_waits(kind for product in PRODUCTS for kind in product.kinds(case)))
    waits = alarms_taught(taught for _, taught in kinds if taught is not None)
    alarms = tuple(unexplained(case.get(Alarms), found, waits))
    doubted = in_doubt([*found, *(one.finding for one in alarms)], case.get(Records))
    findings = with_offsets(compete(doubted), case.get(Records))
    span = window(facts)
    roots = order_roots([root for product in PRODUCTS for root in product.roots(case)])
    judged = Judged(findings, roots)
    shown_in = _merged(products_of_stacks(facts, IN_STACKS), products_of(findings, case.get(Alarms).logged))
    return Diagnosis(
        products=products(facts) or shown_in or products_of_commands(facts),
        nodes=_with_peers(case.get(Clocks).nodes, case.get(Nodes).only_listed(), findings),
        start=span.start,
        end=span.end,
        zone_min=span.zone_min,
        start_zone_min=span.start_zone_min,
        end_zone_min=span.end_zone_min,
        kinds=tuple(sorted((kind for kind, _ in kinds), key=_by_age)),
        waits_for=tuple(edge for product in PRODUCTS for edge in product.edges(case)),
        roots=roots,
        cycles=tuple(cycle for product in PRODUCTS for cycle in product.cycles(case)),
        lock_roles=tuple(role for product in PRODUCTS for role in product.lock_roles(case)),
        findings=findings,
        tunings=tunings_for(case, findings),
        verdict=verdict(
            findings,
            facts,
            case.get(Checks).passed(),
            case.get(UnreadOutputs).outputs,
            case.get(Alarms).doubtful(),
            case.get(Taught).read_lines,
            case.get(Alarms).noted(),
            case.get(Checks).burdened(),
            case.get(UnreadOutputs).heard,
        ),
        missing=missing(case, judged, notes),
        next_steps=steps_of(alarms, (step for product in PRODUCTS for step in product.next_steps(case, judged))),
    )


def _with_peers(
    nodes: Sequence[NodeName], listed: Iterable[NodeName], findings: Sequence[Finding]
) -> tuple[NodeName, ...]:
    """All nodes of the case, with those that only others speak of: a finding names them. listed: what tables of names
    list besides.
    """
    known = {name for one in nodes for name in (one.name, *one.aliases)}
    peers = {name for one in findings if one.severity != "info" for name in one.nodes} - known
    if not peers:
        return tuple(nodes)
    spelt = {one.name: one for one in listed}
    own = (spelt.get(name, NodeName(name, ())) for name in peers)
    return tuple(sorted((*nodes, *own), key=lambda one: one.name))


def _by_age(kind: Kind) -> tuple[float, str, str, str, str]:
    """Longest first; those of one age in an order that does not depend on which file was read first."""
    return -(kind.longest_s or 0), kind.kind_id or "", kind.thread or "", kind.reason or "", kind.wait_on or ""


def _in_order(finding: Finding) -> Finding:
    """A finding ends where it begins or later, in whichever order the lines stood."""
    if finding.start is None or finding.end is None or finding.start <= finding.end:
        return finding
    return replace(finding, start=finding.end, end=finding.start)


def compete(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Most severe first, danger to data before lost time; a symptom stands behind its cause and is never more severe
    than it; what is worth knowing only makes no symptom harmless.
    """
    by_ref: dict[str, Finding] = {}
    for finding in findings:
        if finding.ref not in by_ref or _rank(finding) < _rank(by_ref[finding.ref]):
            by_ref[finding.ref] = finding
    caused = {symptom: cause for cause in by_ref.values() for symptom in cause.causes if symptom in by_ref}
    settled = [_in_order(_below(finding, caused.get(finding.ref))) for finding in findings]
    return tuple(sorted(settled, key=lambda f: (SEVERITIES.index(f.severity), f.ref in caused, _rank(f))))


def _rank(finding: Finding) -> tuple[int, int, float, float, str, str]:
    return (
        SEVERITIES.index(finding.severity),
        AT_STAKE.index(finding.at_stake),
        -finding.weight,
        -finding.confidence,
        finding.ref,
        finding.title,
    )


def _below(finding: Finding, cause: Finding | None) -> Finding:
    if (
        cause is None
        or cause.ref == finding.ref
        or cause.severity == "info"
        or SEVERITIES.index(finding.severity) >= SEVERITIES.index(cause.severity)
    ):
        return finding
    return replace(finding, severity=cause.severity)


def steps_of(alarms: Sequence[Unexplained], steps: Iterable[NextStep]) -> tuple[NextStep, ...]:
    """What to do: about alarms that nothing explains, the gravest first, then what the products know."""
    order = sorted(
        (one for one in alarms if one.step is not None), key=lambda one: SEVERITIES.index(one.finding.severity)
    )
    return merged([*steps, *(one.step for one in order[:STEPS_OF_ALARMS] if one.step is not None)])


def products(facts: Facts) -> tuple[str, ...]:
    """Products by the number of records that speak of them, most first; where there is none, by dumps that list
    nothing.
    """
    tally = records_by_product(facts) or empty_dumps_by_product(facts)
    return tuple(sorted(tally, key=lambda p: (-tally[p], p)))


def _merged(*products: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for names in products for name in names))


def products_of(findings: Sequence[Finding], alarms: Sequence[Alarm] = ()) -> tuple[str, ...]:
    """Products that the findings are about, most first: for texts of people and logs of hosts, which hold no dump of
    any product. Where no finding names one, the messages do: several products share some kinds of them.
    """
    tally = Counter(rule_texts()[finding.ref].product for finding in findings if finding.severity != "info")
    tally.pop("", None)
    if not tally:
        tally.update(_product_of(alarm) for alarm in alarms)
        tally.pop("", None)
    return tuple(name for name, _ in sorted(tally.items(), key=lambda item: (-item[1], item[0])))


def _product_of(alarm: Alarm) -> str:
    """The product that messages of a kind speak of, or that the place in the kernel is of which they speak."""
    kind = alarm.kind
    own = meanings()[kind].product if kind in meanings() else ""
    own = own or next((name for name, pattern in IN_KINDS.items() if re.match(pattern, kind)), "")
    return own or next((name for name, pattern in IN_PLACES.items() if re.search(pattern, alarm.text)), "")


class Window(NamedTuple):
    """First and last instant of the data on the printed clocks, the zone where all agree, and the offset of
    each end.
    """

    start: int | None = None
    end: int | None = None
    zone_min: int | None = None
    start_zone_min: int | None = None
    end_zone_min: int | None = None


def window(facts: Facts) -> Window:
    """From the earliest to the latest, by offset where all lines have one; dated times win over those without a
    year, these over times of day."""
    if not facts.has(Section):
        return Window()
    rows = list(_moments(facts))
    if not rows:
        return Window()
    most = max(known_part(one.at) for one in rows)
    rows = [one for one in rows if known_part(one.at) == most]
    zones = {zone for one in rows for zone in (one.zone_min, one.last_zone) if zone is not None}
    only = zones.pop() if len(zones) == 1 else None
    by_offset = most > 0 and all(one.zone_min is not None for one in rows)

    def in_truth(at: int, zone_min: int | None) -> int:
        return at - (zone_min or 0) * MINUTE_US if by_offset else at

    # Of equal ones always the same, in whichever order the rows came.
    start = min(rows, key=lambda one: (in_truth(one.at, one.zone_min), one.zone_min is not None, one.zone_min or 0))
    end = max(
        rows, key=lambda one: (in_truth(one.last_at, one.last_zone), one.last_zone is not None, one.last_zone or 0)
    )
    of = tuple(only if zone is None else zone for zone in (start.zone_min, end.last_zone))
    return Window(start.at, end.last_at, only, *of)


class _Moments(NamedTuple):
    """First and last instant of some sections of one offset, apart by how much of them is known."""

    at: int
    last_at: int
    zone_min: int | None
    last_zone: int | None


def _moments(facts: Facts) -> Iterator[_Moments]:
    """Of few sections each by itself, of many those of one offset together; in any order."""
    known = pl.col("at").is_not_null() & (pl.col("format") != "unknown")
    if facts.few(Section) is not None:
        columns = ("at", "last_at", "zone_min", "last_zone_min", "format")
        for at, last_at, zone_min, last_zone_min, name in facts.distinct(Section, *columns):
            if at is not None and name != "unknown":
                last_zone = zone_min if last_zone_min is None else last_zone_min
                yield _Moments(at, at if last_at is None else last_at, zone_min, last_zone)
        return
    zones_of = (
        "zone_min",
        pl.coalesce("last_zone_min", "zone_min").alias("last_zone"),
        known_part_of(pl.col("at")).alias("known"),
    )
    last_at = pl.coalesce("last_at", "at").max().alias("last_at")
    rows = facts.scan(Section).filter(known).group_by(*zones_of).agg(pl.col("at").min(), last_at).collect()
    for row in rows.select("at", "last_at", "zone_min", "last_zone").iter_rows():
        yield _Moments(*row)


def order_roots(roots: Sequence[Root]) -> tuple[Root, ...]:
    """By relief: what lets most waits run if it lets go stands first; of equal ones what has most waits behind it."""
    return tuple(sorted(roots, key=lambda root: (-root.relieves, -root.waiters, root.kind, root.what)))


def missing(case: Case, judged: Judged, notes: RuleNotes) -> tuple[Missing, ...]:
    """What would decide the open ends, and which rules could not be run."""
    failed = [
        Missing(phrase("missing.rule", ref=ref), phrase("missing.rule-failed", error=error), node=None, commands=())
        for ref, error in notes.failed
    ]
    by_product = (row for product in PRODUCTS for row in product.missing(case, judged))
    return (*by_product, *failed, *clashing(case), *yearless(case))


def clashing(case: Case) -> Iterator[Missing]:
    """Spellings that the files give to several nodes: only the customer can say which one is meant."""
    for clash in case.get(Nodes).clashes[:CLASHES_SHOWN]:
        yield Missing(phrase("missing.alias", alias=clash.alias), clash.message, node=None, commands=())


def yearless(case: Case) -> Iterator[Missing]:
    """Logs without a year, where neither another file nor the time of the file itself tells it."""
    facts = case.store
    paths = sorted(facts.paths[artifact] for artifact, years in facts.years_added.items() if years is None)
    for path in paths[:CLASHES_SHOWN]:
        yield Missing(phrase("missing.year", path=path), phrase("missing.yearless"), node=None, commands=("date",))
