"""Rules on hash tables that are too small: those of the lock manager (DH-01), that of the glocks (DH-02)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.claims import Claims
from apps.diagnosis.engine.core.metrics import metric
from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed
from apps.diagnosis.engine.gfs2.cluster import Figure as Count
from apps.diagnosis.engine.gfs2.cluster import figures, kernels, values
from apps.diagnosis.engine.gfs2.profiles import HASH_WALKS, Profile, ProfileRow, Profiles
from apps.diagnosis.engine.gfs2.stated_scans import StatedScans

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

RESOURCES: Final = metric("lock-manager-resources")
GLOCKS: Final = metric("glocks-in-memory")
TREE_SINCE: Final = (3, 3)
RESIZED_SINCE: Final = (6, 10)
DEFAULT_BUCKETS: Final = 1024.0
SIZES: Final = ("rsbtbl_size", "lkbtbl_size", "dirtbl_size")


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the release says about the tables; all None where no release was sent."""

    text: str | None = None
    release: tuple[int, int, int, int] | None = None

    @property
    def is_tree(self) -> bool:
        """Whether each bucket holds a tree."""
        return self.release is not None and TREE_SINCE <= self.release[:2] < RESIZED_SINCE

    @property
    def resizes(self) -> bool:
        """Whether the resource table grows by itself."""
        return self.release is not None and self.release[:2] >= RESIZED_SINCE

    @property
    def resizes_glocks(self) -> bool:
        """Whether the glock table grows by itself: RHEL 7 from 3.10.0-514, mainline from about 4.9."""
        if self.release is None:
            return False
        if self.release[:3] == (3, 10, 0):
            return self.release[3] >= 514
        return self.release[:2] >= (4, 9)

    @property
    def has_glock_option(self) -> bool:
        """RHEL 6 from 2.6.32-642 can be told the size."""
        return self.release is not None and self.release[:3] == (2, 6, 32) and self.release[3] >= 642


def _kernel(facts: CaseFacts) -> Kernel:
    found = kernels(facts)
    return Kernel(found[-1][1], found[-1][0]) if found else Kernel()


@rule("DH-01")
def dlm_hash(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: work on many files is slow although storage and network are idle.

    Reasoning: a large part of the lock manager's processor time walks hash chains, or the chains are long by count.
    Source: Red Hat guidance on the table sizes; which function walks which table.
    """
    kernel = _kernel(facts)
    if kernel.resizes:
        return
    chosen = [(profile, share) for profile in facts.get(Profiles).all if (share := _share(profile, kernel)) >= limits.share_pct]
    chain = _chain(facts, limits.chain_tree if kernel.is_tree else limits.chain)
    if chosen or chain:
        profile, share = max(chosen, key=lambda pair: pair[1]) if chosen else (None, 0.0)
        yield _dlm(facts, kernel, profile, share, chain, limits)


def _share(profile: Profile, kernel: Kernel) -> float:
    """Per cent of a report on the lock manager that walk chains. Trees have other functions than lists."""
    return profile.share(HASH_WALKS, "dlm") if profile.module == "dlm" or profile.rows else 0.0


def _chain(facts: CaseFacts, most: float) -> tuple[float, float, Count] | None:
    """Resources of the largest lock space for each bucket, if that is more than ``most``."""
    counted = figures(facts, RESOURCES)
    if not counted:
        return None
    largest = max(counted, key=lambda one: one.value)
    sizes = [float(value.value) for value in values(facts, ("rsbtbl_size",)) if value.value.isdigit() and int(value.value) > 0]
    buckets = sizes[-1] if sizes else DEFAULT_BUCKETS
    chain = largest.value / buckets
    return (chain, buckets, largest) if chain > most else None


def _rows(profile: Profile) -> list[ProfileRow]:
    return [row for row in profile.rows if row.module == "dlm" and row.symbol in HASH_WALKS]


def _dlm(
    facts: CaseFacts, kernel: Kernel, profile: Profile | None, share: float, chain: tuple[float, float, Count] | None, limits: Limits
) -> Draft:
    rows = _rows(profile) if profile else []
    spent = sum(row.seconds for row in rows if row.seconds is not None) if rows and all(row.seconds is not None for row in rows) else None
    evidence = (*(row.ref for row in rows[:5]), *((chain[2].ref,) if chain else ()))
    what = f"{share:.2f} % of the processor samples inside the lock manager are hash-chain walks" if profile else ""
    if chain:
        long = f"the lock manager has {count(chain[0])} resources per bucket"
        what = f"{what}; {long}" if what else f"{long[0].upper()}{long[1:]}"
    tables = _tables(facts)
    known = bool(kernel.release)
    return Draft(
        severity=_severity(facts, spent, limits),
        evidence=evidence,
        words={
            "what": what,
            "profile": _profile_words(rows, spent, profile),
            "chain": f"{count(chain[2].value)} resources in {count(chain[1])} buckets make {count(chain[0])} per bucket. " if chain else "",
            "tables": f"Table sizes: {tables}. " if tables else "The table sizes were not sent. ",
            "window": _window(facts, profile, spent) if profile else "",
            "gate": _gate(kernel),
        },
        nodes=(profile.node,) if profile and profile.node else (),
        figures=tuple(_figures(share, spent, chain, rows, limits)),
        parts=(
            evidence_part(len(evidence), 1),
            Part("completeness", 0.75 if known and chain else 0.6, "profile window, kernel release or lock counts were not sent"),
        ),
        tunings=_tunings(kernel),
        weight=spent or share,
    )


def _window(facts: CaseFacts, profile: Profile, spent: float | None) -> str:
    """Which command it is a profile of is not printed: what it would be of the scan that its speaker states."""
    scan = next((scan for scan in facts.get(StatedScans).all if scan.speaker == _speaker(facts, profile)), None) if spent else None
    if scan is None or not spent:
        return "Which command the profile covers is not shown, so how much of its time this is stays open. "
    share = 100 * spent / scan.seconds.high
    return (
        "Which command the profile covers, and from when to when, is not shown: if it is just the "
        f"{scan.what} of {scan.seconds.text} that {scan.speaker or 'the text'} states, on one processor, "
        f"the walks are {share:.1f} % of it. "
    )


def _speaker(facts: CaseFacts, profile: Profile) -> str | None:
    """Who shows a profile: the speaker of the nearest statement above it."""
    first = min((row.ref for row in profile.rows), key=lambda ref: ref.line, default=None)
    return facts.get(Claims).speaker_at(first) if first is not None else None


def _severity(facts: CaseFacts, spent: float | None, limits: Limits) -> Severity:
    """High only where the walks are a large part of the time of a slow command that was timed."""
    longest = max((run.seconds for run in facts.timed_runs), default=0.0)
    return "high" if spent and longest and 100 * spent / longest >= limits.wall_pct else "medium"


def _profile_words(rows: Sequence[ProfileRow], spent: float | None, profile: Profile | None) -> str:
    if not rows or profile is None:
        return ""
    names = listed((f"{row.symbol} {row.percent:.2f} %" for row in rows), 6)
    total = f" of {profile.seconds:.1f} s in the module" if profile.seconds else ""
    cost = f", {spent:.1f} CPU seconds{total}" if spent else ""
    return f"{names}{cost}; the base is the module, not the machine. "


def _figures(
    share: float, spent: float | None, chain: tuple[float, float, Count] | None, rows: Sequence[ProfileRow], limits: Limits
) -> Iterator[Figure]:
    if rows:
        yield Figure("Share of hash walks in the module", round(share, 4), "%", limits.words("share_pct"))
    if spent:
        yield Figure("CPU seconds of hash walks", round(spent, 3), "s")
    if chain:
        yield Figure("Resources per bucket", round(chain[0], 1), "", limits.words("chain"))


def _tables(facts: CaseFacts) -> str:
    found = {value.name: value.value for value in values(facts, SIZES)}
    return ", ".join(f"{name} {found[name]}" for name in SIZES if name in found)


def _gate(kernel: Kernel) -> str:
    if kernel.release is None:
        return (
            " The kernel release was not sent: on RHEL 5 more than 2048 needs cman 2.0.115-118.el5_10.1 or later, and all an unmount; "
            "from 6.10 the resource table grows by itself, and later kernels have fewer of these tables."
        )
    if kernel.is_tree:
        return f" Kernel {kernel.text} keeps a tree in each bucket: only far longer chains cost much."
    return f" Kernel {kernel.text} keeps a list in each bucket."


def _tunings(kernel: Kernel) -> tuple[str, ...]:
    """Only tables that the kernel has; RHEL 6 keeps all three."""
    if kernel.release is None or kernel.release[:3] <= (2, 6, 32):
        return ("rsbtbl-size", "lkbtbl-size", "dirtbl-size")
    gone = [name for name, since in (("lkbtbl-size", (3, 1)), ("dirtbl-size", (3, 6))) if kernel.release[:2] >= since]
    return tuple(name for name in ("rsbtbl-size", "lkbtbl-size", "dirtbl-size") if name not in gone)


@rule("DH-02")
def glock_hash(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: as above, with millions of glocks on a kernel of fixed table size.

    Reasoning: the share of search_bucket in a profile of the gfs2 module, or the number of glocks.
    Source: Red Hat notes on the glock hash table.
    """
    kernel = _kernel(facts)
    if kernel.resizes_glocks:
        return
    shares = [(profile, profile.share(("search_bucket",), "gfs2")) for profile in facts.get(Profiles).all]
    slow = max((pair for pair in shares if pair[1] >= limits.share_pct), key=lambda pair: pair[1], default=None)
    many = max((one for one in figures(facts, GLOCKS) if one.value > limits.glocks), key=lambda one: one.value, default=None)
    if slow is None and (many is None or kernel.release is None):
        return  # a number alone says nothing on a kernel that is not known
    yield _glock(kernel, slow, many, limits)


def _glock(kernel: Kernel, slow: tuple[Profile, float] | None, many: Count | None, limits: Limits) -> Draft:
    rows = [row for row in slow[0].rows if row.symbol == "search_bucket" and row.module == "gfs2"] if slow else []
    refs: tuple[Ref, ...] = (*(row.ref for row in rows), *((many.ref,) if many else ()))
    parts = [f"{slow[1]:.2f} % of the samples of the gfs2 module walk the glock hash"] if slow else []
    parts += [f"{count(many.value)} glocks are cached"] if many else []
    release = f" Kernel {kernel.text} has a table of fixed size." if kernel.text else " The kernel release was not sent."
    return Draft(
        severity="medium" if slow and many else "low",
        evidence=refs,
        words={"what": listed(parts), "evidence": f"{listed(parts)}.", "gate": release},
        nodes=(many.node,) if many and many.node else (),
        figures=(
            *((Figure("Share of search_bucket in the module", round(slow[1], 4), "%", limits.words("share_pct")),) if slow else ()),
            *((Figure("Glocks", many.value, "", limits.words("glocks")),) if many else ()),
        ),
        parts=(
            evidence_part(len(refs), 1),
            Part("completeness", 0.9 if slow and many else 0.6, "profile and count" if slow and many else "one of two"),
        ),
        tunings=("gl-hash-size",) if kernel.has_glock_option else ("vm-vfs-cache-pressure",) if many else (),
        weight=slow[1] if slow else 0.0,
    )
