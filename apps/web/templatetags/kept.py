"""An include whose result is kept: what it shows depends on nothing but the plain values that are handed to it."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.safestring import SafeString

from apps.web import kept

register = template.Library()
PLAIN = (str, int, float, bool, type(None))


@register.simple_tag
def include_kept(name: str, **values: Any) -> SafeString:
    """``{% include_kept "components/_verdict.html" verdict=verdict %}``: no request, user or token is seen inside.

    The values themselves are the key, so nobody gets what was made from other ones. Whatever is not plain is not kept.
    """
    if not all(is_plain(value) for value in values.values()):
        return render_to_string(name, values)
    return kept.pages.part(("include", name, get_script_prefix(), repr(values)), lambda: render_to_string(name, values))


def is_plain(value: Any) -> bool:
    """Of these types themselves: a text that is marked as safe reads like another one, and is shown otherwise."""
    if type(value) is dict:
        return all(is_plain(key) and is_plain(inner) for key, inner in value.items())
    if type(value) in {list, tuple}:
        return all(is_plain(inner) for inner in value)
    return type(value) in PLAIN
