"""Rules on traced disk requests of VxFS: broken-up I/O (R20), requests above the direct I/O limit (R21)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.storage.disk_requests import MIB, Call, Trace, Traces
from apps.diagnosis.engine.veritas.vxfs_tunables import TUNING_OF, Tunable, Tunables

PREFERRED: Final = {"write": ("write_pref_io",), "read": ("read_pref_io",), "": ("write_pref_io", "read_pref_io")}


@rule("R20")
def io_breakup(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the same copy is slower on one file system than on another of the same host.

    Reasoning: traced requests are smaller on one device than on the other while the process asks for the same; the time adds up.
    Source: a published study of a VxFS copy with TNF; what the flags mean is recalled.
    """
    found = facts.get(Traces).all
    for slow, fast in _pairs(found, limits):
        yield _compared(facts, slow, fast, limits)
    if len(found) == 1 and _is_cut_up(found[0], limits):
        yield _alone(facts, found[0], limits)


def _pairs(found: Sequence[Trace], limits: Limits) -> Iterator[tuple[Trace, Trace]]:
    """The device with the smallest requests against the one with the largest, for reads and writes."""
    for op in ("write", "read", ""):
        same = sorted((trace for trace in found if trace.op == op), key=lambda trace: trace.size)
        cut = [trace for trace in same if trace.asked is None or trace.asked > trace.size]  # else the process asks for so little
        if cut and same[-1].size >= limits.factor * cut[0].size:
            yield cut[0], same[-1]


def _is_cut_up(trace: Trace, limits: Limits) -> bool:
    return trace.asked is not None and trace.asked >= limits.alone_factor * trace.size


def _matching(facts: CaseFacts, trace: Trace, *names: str) -> Tunable | None:
    """A tunable whose value is the size of the requests."""
    return next((one for one in facts.get(Tunables).of(*names) if one.value == trace.size), None)


def _mode(slow: Trace, fast: Trace) -> str:
    """What the flags say about the way that the requests go."""
    if slow.flags is None or fast.flags is None:
        return " The trace does not show the flags of the requests, so whether they go through the page cache is open."
    if slow.is_buffered and fast.is_direct:
        return (
            f" The flags tell two ways of I/O: {slow.flags:#x} has the bit of page I/O (buffered), {fast.flags:#x} that of physical"
            " (direct) I/O. So the first question is why the small requests were not direct: mount options (mincache=, convosync=), a"
            " file that is mapped, or pages of it that are in the cache already."
        )
    if slow.flags & 0x30 == fast.flags & 0x30:
        return " The flags are of one kind on both sides, so the way of I/O does not explain it."
    return f" The flags differ ({slow.flags:#x} and {fast.flags:#x}); what they mean is not known for certain."


def _calls_compared(slow: Trace, fast: Trace) -> tuple[Call, Call] | None:
    """The first call of either process, where both ask for the same."""
    if not slow.calls or not fast.calls or slow.asked != fast.asked:
        return None
    return slow.calls[0], fast.calls[0]


def _times(slow: Trace, fast: Trace, calls: tuple[Call, Call] | None) -> str:
    """Serial forecast and measured times, with a leading blank."""
    words = ""
    if slow.service_ms is not None and fast.service_ms is not None:
        words = f" One request took {slow.service_ms:.3f} ms there and {fast.service_ms:.3f} ms here"
        asked = slow.asked or fast.asked
        forecasts = (slow.serial_ms(asked), fast.serial_ms(asked)) if asked else (None, None)
        if asked and forecasts[0] is not None and forecasts[1] is not None:
            words += f"; {asked / MIB:g} MiB one after the other would take {forecasts[0]:.0f} ms and {forecasts[1]:.0f} ms"
        words += "."
    if calls is not None:
        first, second = calls
        ratio = first.ms / second.ms if second.ms else 0.0
        words += (
            f" The first call took {first.ms:.1f} ms against {second.ms:.1f} ms, {ratio:.2f} times as long:"
            " requests in flight at the same time make it less than the sum."
        )
    return words


def _mean_figures(slow: Trace, fast: Trace) -> list[Figure]:
    """Mean times over as many calls of either side as both have."""
    least = min(len(slow.calls), len(fast.calls))
    if least < 2 or slow.asked != fast.asked:
        return []
    was, now = (fmean(call.ms for call in trace.calls[:least]) for trace in (slow, fast))
    return [
        Figure(f"Mean of {least} calls, small requests", round(was, 3), "ms"),
        Figure(f"Mean of {least} calls, large requests", round(now, 3), "ms"),
        Figure("Means against each other", round(was / now, 2), "\u00d7"),
    ]


def _figures(slow: Trace, fast: Trace, calls: tuple[Call, Call] | None, limits: Limits) -> tuple[Figure, ...]:
    figures = [
        Figure("Size of the small requests", slow.size, "B"),
        Figure("Size of the large requests", fast.size, "B"),
        Figure("Sizes against each other", round(fast.size / slow.size, 1), "\u00d7", limits.words("factor")),
    ]
    for name, trace in (("small", slow), ("large", fast)):
        if trace.service_ms is not None:
            figures.append(Figure(f"Time of a {name} request", round(trace.service_ms, 6), "ms"))
        if trace.asked and (serial := trace.serial_ms(trace.asked)) is not None:
            figures.append(Figure(f"One call in {name} requests, one after the other", round(serial, 3), "ms"))
    if calls is not None:
        for name, call in zip(("small", "large"), calls, strict=True):
            figures += [
                Figure(f"First call in {name} requests", round(call.ms, 3), "ms"),
                Figure(f"Rate in {name} requests", round(call.bytes / MIB / (call.ms / 1000), 1), "MiB/s"),
            ]
        figures.append(Figure("First calls against each other", round(calls[0].ms / calls[1].ms, 2), "\u00d7"))
    return (*figures, *_mean_figures(slow, fast))


def _compared(facts: CaseFacts, slow: Trace, fast: Trace, limits: Limits) -> Draft:
    calls = _calls_compared(slow, fast) if all(call.ms for trace in (slow, fast) for call in trace.calls[:1]) else None
    small = _matching(facts, slow, *PREFERRED[slow.op])
    large = _matching(facts, fast, "max_direct_iosz")
    tuned = tuple(one.ref for one in (small, large) if one is not None)
    evidence = (*slow.refs, *fast.refs, *tuned, *((call.ref for call in calls) if calls else ()))
    by_limit, differs = _compared_advice(facts, slow, fast)
    advice = (*by_limit, *facts.get(Tunables).for_stripes(slow.op or "write"))
    return Draft(
        severity="medium" if slow.asked is not None else "low",
        evidence=evidence,
        words={
            "asked": _asked(slow, fast),
            "op": slow.op or "I/O",
            "small": _size(slow.size),
            "large": _size(fast.size),
            "slow_device": slow.device,
            "fast_device": fast.device,
            "times": _times(slow, fast, calls),
            "tuned": _tuned(small, large, bool(facts.get(Tunables).of(*PREFERRED[slow.op]))),
            "mode": _mode(slow, fast) + differs,
            "adjoin": " The small ones follow each other on the disk without a gap." if slow.contiguous else "",
        },
        nodes=tuple(sorted({trace.node for trace in (slow, fast) if trace.node})),
        figures=_figures(slow, fast, calls, limits),
        parts=(
            evidence_part(len(evidence), 1),
            Part("completeness", 0.8 if small is None else 0.9, "mount options and fragmentation of both file systems are not compared"),
            Part("agreement", 1.0 if calls is None or calls[0].ms > calls[1].ms else 0.6, "the calls above the requests take longer there"),
        ),
        tunings=tuple(dict.fromkeys(one.tuning for one in advice)),
        advice=advice,
        weight=calls[0].ms / 1000 if calls else 0.0,
    )


def _compared_advice(facts: CaseFacts, slow: Trace, fast: Trace) -> tuple[list[Advice], str]:
    found = facts.get(Tunables).explaining(slow, fast)
    if found is None:
        return [], ""
    present, wanted = found
    words = (
        f" {present.name} is {present.value} on {present.scope or 'one file system'} and {wanted.value} on {wanted.scope or 'the other'}:"
        " that alone explains the two sizes, if these are the two file systems."
    )
    return [Advice(TUNING_OF[present.name], present.scope, (("value", str(wanted.value)),))], words


def _asked(slow: Trace, fast: Trace) -> str:
    """What the processes ask for."""
    if slow.asked is None:
        return "What the process asks for on the first is not shown; if it asks for so little at a time, nothing is cut up."
    if slow.asked == fast.asked:
        return f"The process asks for the same on both, but on {slow.device} the file system cuts it up."
    return f"On {slow.device} the process asks for {_size(slow.asked)} at a time and the file system cuts it up."


def _tuned(small: Tunable | None, large: Tunable | None, any_shown: bool) -> str:
    words = []
    if small is not None:
        words.append(f"{small.name} is {_size(small.value)}, as the small requests are")
    if large is not None:
        words.append(f"max_direct_iosz is {_size(large.value)}, as the large ones are")
    if words:
        return f" In vxtunefs {' and '.join(words)}."
    return " No tunable in these files has these sizes." if any_shown else " The tunables of the file systems are not in these files."


def _size(size: int) -> str:
    if size >= MIB and size % MIB == 0:
        return f"{size // MIB} MiB"
    return f"{size // 1024} KiB" if size % 1024 == 0 else f"{count(size)} bytes"


def _alone(facts: CaseFacts, trace: Trace, limits: Limits) -> Draft:
    """One traced process only: its calls are cut into small requests, with nothing to compare."""
    small = _matching(facts, trace, *PREFERRED[trace.op])
    evidence = (*trace.refs, *(call.ref for call in trace.calls[:1]), *((small.ref,) if small else ()))
    advice = tuple(facts.get(Tunables).for_stripes(trace.op or "write"))
    return Draft(
        severity="low",
        variant="alone",
        evidence=evidence,
        words={
            "small": _size(trace.size),
            "asked": _size(trace.asked or 0),
            "device": trace.device,
            "tuned": _tuned(small, None, bool(facts.get(Tunables).of(*PREFERRED[trace.op]))),
        },
        nodes=(trace.node,) if trace.node else (),
        figures=(
            Figure("Size of the requests", trace.size, "B"),
            Figure("Requests per call", round((trace.asked or 0) / trace.size, 1), "", limits.words("alone_factor")),
        ),
        parts=(evidence_part(len(evidence), 1), Part("completeness", 0.6, "no trace of a quicker file system to compare with")),
        tunings=tuple(dict.fromkeys(one.tuning for one in advice)),
        advice=advice,
    )


@rule("R21")
def direct_io_threshold(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one process that reads or writes large blocks gets no more than one request's latency allows.

    Reasoning: a call larger than discovered_direct_iosz is done without the cache, one request after the other per process.
    Source: VxFS administration guides on tunable I/O parameters.
    """
    calls = facts.get(Traces).calls
    bounds = facts.get(Tunables).of("discovered_direct_iosz")
    if not calls or not bounds:
        return
    bound = max(bounds, key=lambda one: one.value)
    above = [call for call in calls if call.bytes > bound.value]
    if not above:
        return
    evidence: tuple[Ref, ...] = (bound.ref, *(call.ref for call in above[:3]))
    yield Draft(
        severity="info",
        evidence=evidence,
        words={"asked": _size(max(call.bytes for call in above)), "bound": _size(bound.value), "calls": count(len(above))},
        figures=(
            Figure("Largest call", max(call.bytes for call in above), "B", f"limit {bound.value} B (discovered_direct_iosz)"),
            Figure("Calls above the limit", len(above)),
        ),
        parts=(evidence_part(len(evidence), 1), Part("completeness", 0.8, "which file system the calls went to is not shown")),
    )
