"""How figures are written on every page: pure functions of values, no markup. They are built into the templates,
without a load.
"""

from __future__ import annotations

import re
from datetime import datetime

from django import template
from django.utils import timezone

register = template.Library()

THIN_SPACE = "\u2009"
UNKNOWN = "unknown"
BYTE_STEPS = ("B", "KiB", "MiB", "GiB", "TiB")
STEP = 1024
MINUTE_S = 60
HOUR_S = 3600
WIDE_GAP = re.compile(r" {4,}")
DAY_S = 86_400

Figure = int | float | None


@register.filter
def duration(seconds: Figure) -> str:
    """28.0 s, 107.3 s, 2 m 43 s, 3 h 05 m, 2 d 04 h, as the sentences of findings have it; below a second in
    milliseconds.
    """
    if seconds is None:
        return UNKNOWN
    if seconds < 0:
        return f"\u2212{duration(-seconds)}"
    if seconds < 1:
        return _units(f"{seconds * 1000:.0f}", "ms") if 0 < seconds < 0.9995 else _units(f"{seconds:.1f}", "s")
    if seconds < 2 * MINUTE_S:
        return _units(f"{min(seconds, 2 * MINUTE_S - 0.1):.1f}", "s")
    return _long_duration(int(seconds))


def _long_duration(seconds: int) -> str:
    if seconds < 2 * HOUR_S:
        return _units(seconds // MINUTE_S, "m", f"{seconds % MINUTE_S:02d}", "s")
    if seconds < 2 * DAY_S:
        return _units(seconds // HOUR_S, "h", f"{seconds % HOUR_S // MINUTE_S:02d}", "m")
    return _units(seconds // DAY_S, "d", f"{seconds % DAY_S // HOUR_S:02d}", "h")


def _units(*parts: object) -> str:
    return " ".join(str(part) for part in parts)


@register.filter
def thousands(value: Figure) -> str:
    """1234567 as 1 234 567 with thin spaces; whole numbers stay whole, others keep their own digits."""
    if value is None:
        return UNKNOWN
    return f"{value:,}".replace(",", THIN_SPACE).replace("-", "\u2212")


@register.filter
def amount(value: Figure) -> str:
    """1 234 567 whole; below a hundred with three digits that count."""
    if value is None:
        return UNKNOWN
    return thousands(round(value)) if abs(value) >= 100 or float(value).is_integer() else f"{value:.3g}"


@register.filter
def inside(path: str) -> str:
    """A path without the uploaded archive that it lies in; archives in archives stay, set apart."""
    return (path.partition("!")[2] or path).replace("!", " › ")


@register.filter
def narrow(text: str) -> str:
    """Columns of a dump moved together: three spaces still tell them apart, and the line fits beside its address."""
    return WIDE_GAP.sub("   ", text.expandtabs(4).strip())


@register.filter(name="bytes")
def size_text(value: Figure) -> str:
    """340 B, 1.5 KiB, 20 GiB: at most one digit behind the point, none where it would be 0."""
    if value is None:
        return UNKNOWN
    amount, step = float(value), 0
    while round(amount, 1) >= STEP and step < len(BYTE_STEPS) - 1:
        amount, step = amount / STEP, step + 1
    return _units(thousands(round(amount)) if round(amount, 1).is_integer() else f"{amount:.1f}", BYTE_STEPS[step])


@register.filter
def percent(fraction: Figure) -> str:
    """0.934 as 93.4 %; a small share does not look like none."""
    if fraction is None:
        return UNKNOWN
    value = float(fraction) * 100
    if 0 < value < 0.1:
        return _units("<", "0.1", "%")
    return _units(f"{value:.0f}" if round(value, 1).is_integer() else f"{value:.1f}", "%")


@register.filter
def ago(at: datetime | None, now: datetime | None = None) -> str:
    """How long ago, in the largest unit that fits: just now, 5 m ago, 3 h ago, 12 d ago; a moment to come is
    "in 2 d".
    """
    if at is None:
        return UNKNOWN
    seconds = ((now or timezone.now()) - at).total_seconds()
    words = _largest_unit(abs(seconds))
    if not words:
        return "just now"
    return f"{words} ago" if seconds > 0 else f"in {words}"


def _largest_unit(seconds: float) -> str:
    for size_s, unit in ((DAY_S, "d"), (HOUR_S, "h"), (MINUTE_S, "m")):
        if seconds >= size_s:
            return _units(int(seconds // size_s), unit)
    return ""
