"""A waiter of Spectrum Scale in fields with names: a row of a table or an object that a script made of the dump.

What each field holds follows from its name, in any case and with any marks between its words: ``waitTime``,
``wait_seconds``, ``Waiting (ms)``; ``threadName``; ``condVarName``, ``condVarReason``, ``auxReason``, ``reason``,
``Waiting on``. Without a name of a thread, or of what is waited for, or without a time there is no waiter. No parser.
Source: the columns of ``mmdiag --waiters -Y``; names of scripts and exports as recalled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from parsers.formats.scale.waits.detail import Detail, plain, read_detail, split_reason
from parsers.formats.scale.waits.line import WaiterLine
from parsers.times.clock import Instant, find_instant

_UNIT: Final = r"(?P<unit>s|secs?|seconds|ms|msecs?|millis|milliseconds|us|usecs?|min|minutes)"
_SECONDS: Final = re.compile(
    rf"(?:(?:(?:longest|max|total|current)?wait(?:ing|ed|er)?(?:time|for|duration|age)?|age|duration|elapsed(?:time)?"
    rf"|timewaiting|timewaited|wartezeit|dauer|espera|attente|attesa|durata|duree|duracion|time)"
    rf"(?:in)?{_UNIT}?|(?P<alone>secs?|seconds))"
)
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "node": (
        "node", "nodename", "host", "hostname", "server", "machine", "system", "member", "client", "knoten", "rechner",
        "nodo", "servidor", "noeud", "serveur",
    ),
    "thread": ("threadname", "thread", "waiter", "waitername", "handler", "threadtype", "daemonthread", "hilo"),
    "thread_id": ("threadid", "tid", "threadnumber", "lwp"),
    "address": ("threadaddr", "threadaddress"),
    "since": ("since", "waitstarttime", "start", "started", "starttime", "waitingsince", "begin", "seit"),
    "at": (
        "time", "timestamp", "date", "datetime", "ts", "sampled", "sampletime", "collected", "collectedat", "when",
        "zeit", "zeitstempel", "clock",
        "hora", "heure", "ora", "fecha", "data",
    ),
    "condition": ("condvarname", "condvar", "condition", "cond", "condname", "conditionvariable"),
    "mutex": ("mutexname", "mutex"),
    "reason": ("condvarreason", "reason", "waitreason", "why", "grund", "motivo", "raison", "razon", "motif"),
    "text": (
        "auxreason", "aux", "auxinfo", "waitingon", "waitson", "waiton", "waitingfor", "waitsfor", "detail", "details",
        "description", "text", "what", "info", "wartetauf",
    ),
    "target": ("target", "targetnode", "onnode", "peer", "destination", "remotenode", "tonode"),
    "rpc": ("rpc", "message", "msg", "rpcname", "messagetype"),
}  # fmt: skip
_FIELD_OF: Final = {name: field for field, names in _NAMES.items() for name in names}
_ENDINGS: Final = (
    ("reason", "reason"), ("threadname", "thread"), ("thread", "thread"), ("threadid", "thread_id"),
    ("timestamp", "at"), ("hostname", "node"), ("nodename", "node"),
)  # fmt: skip
_WORDS: Final = re.compile(r"[^a-z0-9]+")
_AGE: Final = re.compile(r"(\d{1,12}(?:[.,]\d{1,12})?) ?(s|secs?|seconds|ms|msecs?|milliseconds|min|minutes)?\.?$")
_CLOCK: Final = re.compile(
    r"(?:(\d{1,4})(?:d|-| days?,?) ?)?(?:(\d{1,3})[h:] ?)?(\d{1,3})(?:m|min|:) ?(\d{1,2}(?:\.\d{1,9})?)s?$"
)
_FACTORS: Final = {"m": 1e-3, "u": 1e-6, "min": 60.0}
_NAME: Final = re.compile(
    r"(?:\bon )?(?:Th(?:Cond|Mutex)\b ?)?\(?\b([A-Za-z]\w{0,80}(?:Condvar|CondVar|Cond|Mutex))\b\)?"
)
_DETAILED: Final = re.compile(r"\bon Th(?:Cond|Mutex)(?: 0x| ?\()|\breason:? ?'")
_WAIT_WORDS: Final = re.compile(r"(?:waiting |wait |Waiting |RPC wait)")
TELLING: Final = re.compile(
    r"\bTh(?:Cond|Mutex)\b|\b[A-Za-z]\w{0,80}(?:Condvar|CondVar|Mutex)\b|\breason:? ?'|\bRPC wait\b"
    r"|\bfor (?:NSD )?I/O completion\b|\bwaiting for (?:[a-z]{2} |[A-Z]{2} )?lock\b|\bwaiting for RPC repl"
)
"""Words that only a waiter of Spectrum Scale has."""


def seconds_unit(name: str) -> str | None:
    """The unit that the name of a column of waiting times says, empty where it says none; None of other columns."""
    words = _WORDS.sub("", name.lower())
    match = _SECONDS.fullmatch(words)
    if match is None or words in _FIELD_OF:
        return None
    return match["unit"] or match["alone"] or ""


@lru_cache(maxsize=2_000)
def columns_of(names: tuple[str, ...]) -> Mapping[str, int]:
    """Field -> column; empty where the names are not those of waiters: a time, and a thread or a reason."""
    found: dict[str, int] = {}
    for at, name in enumerate(names):
        field = "seconds" if seconds_unit(name) is not None else _field_of(_WORDS.sub("", name.lower()))
        if field == "reason" and "reason" in found:
            field = "text"
        if field is not None:
            found.setdefault(field, at)
    named = {"thread", "condition", "mutex", "reason", "text"} & found.keys()
    if "seconds" not in found and "at" in found and len(named) > 1:
        found["seconds"] = found.pop("at")
    return found if "seconds" in found and ("thread" in named or len(named) > 1) and len(named) > 1 else {}


def _field_of(words: str) -> str | None:
    """By the whole name, else by how it ends: "condreason", "gpfsthread"."""
    return _FIELD_OF.get(words) or next((field for end, field in _ENDINGS if words.endswith(end)), None)


def waiter_in(names: tuple[str, ...], cells: Sequence[str]) -> WaiterLine | None:
    """The waiter of a row; None where its time or what it waits for is none. names: of the columns."""
    columns = columns_of(names)
    if not columns:
        return None
    fields = {field: plain(cells[at]) for field, at in columns.items() if at < len(cells)}
    unit = seconds_unit(names[columns["seconds"]]) or "s"
    seconds = age_in(fields.get("seconds", ""), unit)
    return waiter_of_fields(fields, seconds) if seconds is not None else None


def waiter_in_object(values: Mapping[str, object]) -> WaiterLine | None:
    """The waiter of an object."""
    known = {key: value for key, value in values.items() if isinstance(value, (str, int, float))}
    names = tuple(known)
    return waiter_in(names, [str(value) for value in known.values()]) if columns_of(names) else None


def waiter_of_fields(fields: Mapping[str, str], seconds: float | None) -> WaiterLine | None:
    """The waiter that some fields tell; None where nothing in them is said as only Spectrum Scale does."""
    detail = _detail(fields)
    if detail is None:
        return None
    thread_id, begun, at = fields.get("thread_id", ""), fields.get("since", ""), fields.get("at", "")
    started, seen = _moment(begun), _moment(at)
    return WaiterLine(
        style="new",
        node=fields.get("node") or None,
        logged=seen,
        seconds=seconds,
        since=started.us if started is not None else None,
        zone_min=started.zone_min if started is not None else None,
        thread=fields.get("thread", "")[:128] or None,
        thread_id=int(thread_id) if thread_id.isascii() and thread_id.isdigit() and len(thread_id) <= 18 else None,
        detail=detail,
    )


def _moment(text: str) -> Instant | None:
    found = find_instant(text)
    return found[0] if found is not None else None


def age_in(text: str, unit: str) -> float | None:
    """Seconds of a cell in a unit, which a unit of its own overrules; None where it is no time."""
    body = text.strip().lower()
    if (match := _AGE.match(body)) is not None:
        own = match[2] or unit
        factor = _FACTORS["min"] if own.startswith("min") else _FACTORS.get(own[:1], 1.0) if own[:1] in "mu" else 1.0
        return float(match[1].replace(",", ".")) * factor
    if (match := _CLOCK.match(body)) is not None:
        days, hours, minutes, rest = match.groups()
        return int(days or 0) * 86_400.0 + int(hours or 0) * 3_600.0 + int(minutes) * 60.0 + float(rest)
    return None


def _detail(fields: Mapping[str, str]) -> Detail | None:
    texts = [text for field in ("condition", "mutex", "reason", "text") if (text := fields.get(field, ""))]
    whole = next((text for text in texts if _DETAILED.search(text) is not None), None)
    if not any(TELLING.search(text) for text in texts):
        return None
    if whole is not None:
        detail = read_detail(" ".join([whole, *(text for text in texts if text is not whole)]))
    else:
        detail = _of_parts(texts)
    target, rpc = fields.get("target", "").removeprefix("node "), fields.get("rpc", "")
    is_rpc = re.fullmatch(r"[A-Za-z]\w{0,120}", rpc) is not None
    return replace(detail, target=detail.target or target or None, rpc=detail.rpc or (rpc if is_rpc else None))


def _of_parts(texts: Iterable[str]) -> Detail:
    """Name, reason and what more there is, each in a text of its own or in one."""
    name, reason, more = "", "", []
    for text in texts:
        if not name and (match := _NAME.search(text)) is not None:
            name, text = match[1], f"{text[: match.start()]} {text[match.end() :]}"
        text = plain(text.strip(" ,;:-'\"()"))
        if not text:
            continue
        if not reason and (_WAIT_WORDS.match(text) is not None or name):
            reason = text.strip("'")
        else:
            more.append(text)
    detail = read_detail(", ".join(more)) if more else Detail()
    if reason:
        detail = replace(detail, **split_reason(reason))
    if name:
        detail = replace(detail, wait_kind="ThMutex" if name.endswith("Mutex") else "ThCond", wait_name=name)
    return detail
