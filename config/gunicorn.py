"""How the web server runs: gunicorn -c python:config.gunicorn config.wsgi:application."""

from __future__ import annotations

import gc
from typing import Any, Final

from gunicorn.glogging import Logger

from config.env import env_bool, env_int, env_str
from config.logs import hide_tokens, one_line

GARBAGE_THRESHOLD: Final = 20_000  # a page makes about as many objects


class AccessLogger(Logger):  # type: ignore[misc]  # gunicorn has no types
    """The address of a share link opens it, so the access log gets it without its token."""

    def atoms(self, *args: Any) -> dict[str, Any]:
        atoms: dict[str, Any] = super().atoms(*args)
        return {
            name: one_line(hide_tokens(value)) if isinstance(value, str) else value for name, value in atoms.items()
        }


bind = env_str("LOCKSCOPE_BIND", "127.0.0.1:8000")
workers = env_int("LOCKSCOPE_WEB_WORKERS", 1, least=1)
worker_class = "gthread"
threads = env_int("LOCKSCOPE_WEB_THREADS", 16, least=1)
timeout = 120
graceful_timeout = 5
umask = 0o077
control_socket_disable = True  # nothing here steers a running server, so it need not listen for orders
accesslog = "-" if env_bool("LOCKSCOPE_ACCESS_LOG", default=False) else None
access_log_format = '%(h)s "%(m)s %(U)s" %(s)s %(b)s %(M)sms'
loglevel = "warning"
logger_class = AccessLogger


def post_worker_init(worker: Any) -> None:
    """What was imported stays for good: the collector need not walk through it again with every few pages."""
    del worker
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE_THRESHOLD, 20, 20)
