#!/usr/bin/env python
"""Lockscope's command line."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from parsers.patterns.kept_start import keep, kept_start


def main(arguments: list[str]) -> None:
    import config  # noqa: F401  # before NumPy

    if arguments[1:2] == ["analyze"]:
        _analyze(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(arguments)


def _analyze(arguments: list[str]) -> None:
    """Needs neither the settings nor a database: it runs on a machine that has nothing but the program, and starts in
    a third of the time.
    """
    gc.disable()  # modules stay: the command looks for cycles again when it begins to read
    with kept_start():
        analyze_call = import_module("apps.diagnosis.analyze_call")
        options = analyze_call.options_of(arguments[2:])
        import_module("apps.diagnosis.readiness").import_all()
    if options is None:
        import_module("apps.diagnosis.management.commands.analyze").Command().run_from_argv(arguments)
    else:
        analyze_call.call(options)
    keep()
    # It leaves nothing open, and taking a large case apart object by object would only keep its caller waiting.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv)
