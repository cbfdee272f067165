#!/usr/bin/env python
"""Lockscope's command line."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from parsers.patterns.kept_start import keep, kept_start

# Commands that need neither the settings nor a database: they run on a machine that has nothing but the program,
# and start in a third of the time.
WITHOUT_DJANGO = {"analyze": "apps.diagnosis.management.commands.analyze"}


def main(arguments: list[str]) -> None:
    name = arguments[1] if len(arguments) > 1 else ""
    if name in WITHOUT_DJANGO:
        gc.disable()  # modules stay: the command looks for cycles again when it begins to read
        with kept_start():
            command = import_module(WITHOUT_DJANGO[name])
            import_module("apps.diagnosis.readiness").import_all()
        command.Command().run_from_argv(arguments)
        keep()
        # It leaves nothing open, and taking a large case apart object by object would only keep its caller waiting.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(arguments)


if __name__ == "__main__":
    main(sys.argv)
