"""Who may call a view, written on the view: `policy` says it in a word, and a test walks all addresses and
asks each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.http import HttpResponseBase

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def with_policy(view: View, policy: str) -> View:
    """`functools.wraps` carries the word on to the decorators above."""
    vars(view)["policy"] = policy
    return view


def public(view: View) -> View:
    """Open to everybody, on purpose."""
    return with_policy(view, "public")
