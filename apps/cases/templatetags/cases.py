"""Filters of the pages of cases: pure functions of values."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe

from apps.cases.notes.markdown import to_html
from apps.cases.page.wallclock import moment_text

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    return mark_safe(to_html(text))  # noqa: S308 - cleaned by nh3


@register.filter
def moment(us: int | None, zone: str = "") -> str:
    """A printed time: 18 Mar 2027 18:14:02 CET."""
    return moment_text(us, zone)
