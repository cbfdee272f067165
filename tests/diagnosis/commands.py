"""Management commands called in this process."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import BaseCommand

Run = Callable[..., tuple[int, str, str]]


def runner(command: type[BaseCommand], capfd: pytest.CaptureFixture[str]) -> Run:
    """Calls give exit status, output and errors."""
    name = command.__module__.rsplit(".", 1)[-1]

    def call(*arguments: object) -> tuple[int, str, str]:
        status = 0
        try:
            command().run_from_argv(["manage.py", name, *map(str, arguments)])
        except SystemExit as ended:
            status = int(ended.code or 0)
        printed = capfd.readouterr()
        return status, printed.out, printed.err

    return call
