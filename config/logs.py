"""Log lines: JSON for a server, plain for `make run`. They name cases and artifacts by key and id, never customer text
or tokens.
"""

from __future__ import annotations

import logging
import re
from typing import Any

import structlog

# The part of an address that is itself a key to something: share links and one-time sign-in links.
TOKEN_IN_PATH = re.compile(r"""(/(?:s|enter|invitation|accounts/mail|password/new)/)[^/?#\s"']+""")


def hide_tokens(text: str) -> str:
    return TOKEN_IN_PATH.sub(r"\1[token]", text)


def one_line(text: str) -> str:
    """Without line ends, escape codes and direction marks: what somebody sends makes no line of its own."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


class TokenFilter(logging.Filter):
    """Takes tokens out of every line, whoever wrote it: Django itself logs the path of each refused request."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.msg, str):
            record.msg = hide_tokens(record.getMessage())
            record.args = None
        return True


def formatter(*, as_json: bool) -> logging.Formatter:
    renderer: Any = structlog.processors.JSONRenderer() if as_json else console()
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    if not as_json:
        shared.pop()  # the console renderer prints tracebacks itself
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )


def console() -> structlog.dev.ConsoleRenderer:
    """Plain tracebacks: the colourful ones print local variables, and those hold customers' lines."""
    return structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)


def logging_config(*, as_json: bool, level: str) -> dict[str, Any]:
    """For Django's LOGGING. Names, not objects, so that reading the settings does not import structlog."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"tokens": {"()": "config.logs.TokenFilter"}},
        "formatters": {"line": {"()": "config.logs.formatter", "as_json": as_json}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["tokens"]}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django's own handlers would write the same lines a second time, unfiltered.
            "django": {"handlers": [], "propagate": True, "level": level},
            "django.server": {"handlers": [], "propagate": True, "level": level},
            # Twice a minute "sending due task" says nothing.
            "celery.beat": {"level": "WARNING"},
        },
    }
