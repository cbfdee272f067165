"""Rules on traced disk requests of VxFS: broken-up I/O (R20), requests above the direct I/O limit (R21)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final, Literal

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Advice
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.storage.disk_requests import MIB, MODE, Call, Trace, Traces
from apps.diagnosis.engine.veritas.vxfs_tunables import TUNING_OF, Tunable, Tunables
from parsers.dataclass import dataclass

PREFERRED: Final = {"write": ("write_pref_io",), "read": ("read_pref_io",), "": ("write_pref_io", "read_pref_io")}
Tuned = Literal["both", "small", "large", "others", "none"]
Mode = Literal["hidden", "two_ways", "one_way", "unclear"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakupWords:
    """What two traces show side by side; of one trace alone ``small`` is it and ``large`` is None. Sizes are bytes.

    demand: whether the calls of both ask for the same. tunable: the parameter as large as the small requests. present,
    wanted: a limit of direct I/O on the one mount and on the other, that differs so that it explains the sizes.
    """

    op: str
    request: int | None
    demand: Literal["same", "own", "unknown"]
    small: int
    small_shown: int | None = None
    alone_size: int | None = None
    large: int | None = None
    slow_device: str
    fast_device: str = ""
    factor: float | None = None
    per_call: float | None = None
    served: bool = False
    slow_ms: float | None = None
    fast_ms: float | None = None
    summed: bool = False
    requested_mib: float = 0.0
    slow_sum_ms: float | None = None
    fast_sum_ms: float | None = None
    slow_serial_ms: float | None = None
    fast_serial_ms: float | None = None
    called: bool = False
    slow_call_ms: float | None = None
    fast_call_ms: float | None = None
    slow_rate: float | None = None
    fast_rate: float | None = None
    call_ratio: float | None = None
    calls: int = 0
    slow_mean_ms: float | None = None
    fast_mean_ms: float | None = None
    mean_ratio: float | None = None
    tuned: Tuned
    tunable: str = ""
    mode: Mode = "hidden"
    slow_flags: int = 0
    fast_flags: int = 0
    differs: bool = False
    limit_name: str = ""
    present: int = 0
    present_at: str | None = None
    wanted: int = 0
    wanted_at: str | None = None
    adjoin: bool = False


@rule("R20", needs=(Traces, Tunables), words=BreakupWords)
def io_breakup(traces: Traces, tunables: Tunables, limits: Limits) -> Iterator[Seen]:
    """Symptom: the same copy is slower on one file system than on another of the same host.

    Reasoning: traced requests are smaller on one device than on the other while the process asks for the same; the time
    adds up. Source: a published study of a VxFS copy with TNF; what the flags mean is recalled.
    """
    found = traces.all
    for slow, fast in _pairs(found, limits):
        yield _compared(tunables, slow, fast)
    if len(found) == 1 and found[0].request is not None and found[0].request >= limits.alone_factor * found[0].size:
        yield _alone(tunables, found[0], found[0].request)


def _pairs(found: Sequence[Trace], limits: Limits) -> Iterator[tuple[Trace, Trace]]:
    """The device with the smallest requests against the one with the largest, for reads and writes."""
    for op in ("write", "read", ""):
        same = sorted((trace for trace in found if trace.op == op), key=lambda trace: trace.size)
        cut = [
            trace for trace in same if trace.request is None or trace.request > trace.size
        ]  # else the process asks for so little
        if cut and same[-1].size >= limits.factor * cut[0].size:
            yield cut[0], same[-1]


def _matching(tunables: Tunables, trace: Trace, *names: str) -> Tunable | None:
    """A tunable whose value is the size of the requests."""
    return next((one for one in tunables.of(*names) if one.value == trace.size), None)


def _mode(slow: Trace, fast: Trace) -> Mode:
    """What the flags say about the way that the requests go."""
    if slow.flags is None or fast.flags is None:
        return "hidden"
    if slow.is_buffered and fast.is_direct:
        return "two_ways"
    return "one_way" if slow.flags & MODE == fast.flags & MODE else "unclear"


def _tuned(tunables: Tunables, op: str, small: Tunable | None, large: Tunable | None) -> Tuned:
    if small is not None or large is not None:
        return "both" if small is not None and large is not None else "small" if small is not None else "large"
    return "others" if tunables.of(*PREFERRED[op]) else "none"


def _first_calls(slow: Trace, fast: Trace) -> tuple[Call, Call] | None:
    """The first call of either process, where both ask for the same and both times are known."""
    if not slow.calls or not fast.calls or slow.request != fast.request or not slow.calls[0].ms or not fast.calls[0].ms:
        return None
    return slow.calls[0], fast.calls[0]


def _means(slow: Trace, fast: Trace) -> tuple[int, float | None, float | None]:
    """Mean times over as many calls of either side as both have."""
    least = min(len(slow.calls), len(fast.calls))
    if least < 2 or slow.request != fast.request:
        return 0, None, None
    was, now = (fmean(call.ms for call in trace.calls[:least]) for trace in (slow, fast))
    return least, was, now


def _serial(trace: Trace, request: int | None) -> float | None:
    return trace.serial_ms(request) if request else None


def _rate(call: Call | None) -> float | None:
    return call.bytes / MIB / (call.ms / 1000) if call is not None else None


def _limited(words: BreakupWords, present: Tunable | None, wanted: Tunable | None) -> BreakupWords:
    """With the limit that explains it, where there is one, and the value that the quick one has."""
    if present is None or wanted is None:
        return words
    return replace(
        words,
        differs=True,
        limit_name=present.name,
        present=present.value,
        present_at=present.scope,
        wanted=wanted.value,
        wanted_at=wanted.scope,
    )


def _called(words: BreakupWords, slow: Call, fast: Call) -> BreakupWords:
    """With the first calls of both."""
    return replace(
        words,
        called=True,
        slow_call_ms=slow.ms,
        fast_call_ms=fast.ms,
        slow_rate=_rate(slow),
        fast_rate=_rate(fast),
        call_ratio=slow.ms / fast.ms,
    )


def _compared(tunables: Tunables, slow: Trace, fast: Trace) -> Seen:
    calls = _first_calls(slow, fast)
    one, other = calls or (None, None)
    small, large = _matching(tunables, slow, *PREFERRED[slow.op]), _matching(tunables, fast, "max_direct_iosz")
    present, wanted = tunables.explaining(slow, fast) or (None, None)
    words = replace(
        _limited(_breakup(slow, fast), present, wanted),
        tuned=_tuned(tunables, slow.op, small, large),
        tunable=small.name if small else "",
    )
    if one and other:
        words = _called(words, one, other)
    lines = (
        *slow.refs,
        *fast.refs,
        *(found.ref for found in (small, large) if found),
        *(call.ref for call in calls or ()),
    )
    advice = (*_by_limit(present, wanted), *tunables.for_stripes(slow.op or "write"))
    return Seen(
        level="asked" if slow.request is not None else "not_asked",
        words=words,
        lines=lines,
        most_lines=len(lines),
        nodes=(slow.node, fast.node),
        borne_by=(len(lines), 1),
        parts=("tuned" if small else "not_tuned", *(("quicker",) if one and other and one.ms <= other.ms else ())),
        tunings=tuple(dict.fromkeys(one.tuning for one in advice)),
        advice=advice,
        weight=one.ms / 1000 if one else 0.0,
    )


def _breakup(slow: Trace, fast: Trace) -> BreakupWords:
    """What the traces alone show side by side."""
    least, was, now = _means(slow, fast)
    request = slow.request or fast.request
    slow_sum, fast_sum = _serial(slow, request), _serial(fast, request)
    return BreakupWords(
        op=slow.op,
        request=slow.request,
        demand="unknown" if slow.request is None else "same" if slow.request == fast.request else "own",
        small=slow.size,
        small_shown=slow.size,
        large=fast.size,
        slow_device=slow.device,
        fast_device=fast.device,
        factor=fast.size / slow.size,
        served=slow.service_ms is not None and fast.service_ms is not None,
        slow_ms=slow.service_ms,
        fast_ms=fast.service_ms,
        summed=slow_sum is not None and fast_sum is not None,
        requested_mib=(request or 0) / MIB,
        slow_sum_ms=slow_sum,
        fast_sum_ms=fast_sum,
        slow_serial_ms=_serial(slow, slow.request),
        fast_serial_ms=_serial(fast, fast.request),
        calls=least,
        slow_mean_ms=was,
        fast_mean_ms=now,
        mean_ratio=was / now if was and now else None,
        tuned="none",
        mode=_mode(slow, fast),
        slow_flags=slow.flags or 0,
        fast_flags=fast.flags or 0,
        adjoin=slow.contiguous,
    )


def _by_limit(present: Tunable | None, wanted: Tunable | None) -> list[Advice]:
    if present is None or wanted is None:
        return []
    return [Advice(TUNING_OF[present.name], present.scope, (("value", str(wanted.value)),))]


def _alone(tunables: Tunables, trace: Trace, request: int) -> Seen:
    """One traced process only: its calls are cut into small requests, with nothing to compare."""
    small = _matching(tunables, trace, *PREFERRED[trace.op])
    lines = (*trace.refs, *(call.ref for call in trace.calls[:1]), *((small.ref,) if small else ()))
    advice = tuple(tunables.for_stripes(trace.op or "write"))
    words = BreakupWords(
        op=trace.op,
        request=request,
        demand="own",
        small=trace.size,
        alone_size=trace.size,
        slow_device=trace.device,
        per_call=request / trace.size,
        tuned=_tuned(tunables, trace.op, small, None),
        tunable=small.name if small else "",
    )
    return Seen(
        level="alone",
        words=words,
        lines=lines,
        nodes=(trace.node,),
        borne_by=(len(lines), 1),
        parts=("alone",),
        tunings=tuple(dict.fromkeys(one.tuning for one in advice)),
        advice=advice,
    )


@dataclass(frozen=True, slots=True)
class DirectWords:
    """Bytes of the largest call and of the limit; calls above it."""

    request: int
    bound: int
    calls: int


@rule("R21", needs=(Traces, Tunables), words=DirectWords)
def direct_io_threshold(traces: Traces, tunables: Tunables, limits: Limits) -> Iterator[Seen]:
    """Symptom: one process that reads or writes large blocks gets no more than one request's latency allows.

    Reasoning: a call larger than discovered_direct_iosz is done without the cache, one request after the other per
    process. Source: VxFS administration guides on tunable I/O parameters.
    """
    bounds = tunables.of("discovered_direct_iosz")
    bound = max(bounds, key=lambda one: one.value, default=None)
    above = [call for call in traces.calls if bound is not None and call.bytes > bound.value]
    if bound is None or not above:
        return
    lines = (bound.ref, *(call.ref for call in above[:3]))
    words = DirectWords(max(call.bytes for call in above), bound.value, len(above))
    yield Seen(level="above", words=words, lines=lines, borne_by=(len(lines), 1), parts=("no_mount",))
