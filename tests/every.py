"""One test over many cases, where each case is a glance and a test for each would cost more than what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Case = TypeVar("Case")


def every(
    cases: Iterable[Case], show: Callable[[Case], str] = str
) -> Callable[[Callable[[Case], None]], Callable[[], None]]:
    """Makes a test of a check: it goes on after a case that fails, and names all of them."""
    chosen = list(cases)

    def made(check: Callable[[Case], None]) -> Callable[[], None]:
        def test() -> None:
            found = []
            for case in chosen:
                try:
                    check(case)
                except AssertionError as fault:
                    found.append(f"{show(case)}: {fault}")
                except Exception as fault:
                    fault.add_note(f"In {show(case)}.")
                    raise
            assert not found, "\n".join(found)

        test.__name__, test.__qualname__, test.__module__, test.__doc__ = (
            check.__name__,
            check.__name__,
            check.__module__,
            check.__doc__,
        )
        return test

    return made
