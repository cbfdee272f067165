"""The Celery application, and what a worker does besides tasks: a heartbeat, and in the embedded shape the clock of the
sweeper.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from celery import Celery, bootsteps
from celery.beat import PersistentScheduler
from celery.signals import setup_logging, worker_init, worker_process_init
from django.conf import settings

from config import heartbeat
from parsers.patterns.kept_start import forget, keep, kept_start, start_of_workers

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

logger = logging.getLogger(__name__)
AUTOGROUP: Final = Path("/proc/self/autogroup")

app = Celery("lockscope")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logging(**_kwargs: Any) -> None:
    """Django has set up logging already; that this receiver exists stops Celery from setting up its own."""


@worker_process_init.connect
def look_for_cycles_less_often(**_kwargs: Any) -> None:
    """Reading makes millions of tuples that no cycle holds; looking for cycles after each 700 would take a tenth of the
    time.
    """
    gc.set_threshold(100_000, 20, 20)


@worker_init.connect
def take_back_unfinished(**_kwargs: Any) -> None:
    """Where one worker sweeps: whatever is unacknowledged when it starts was left by its killed predecessor, so queue
    it at once.
    """
    if not (settings.WORKER_IS_ALONE and settings.WORKER_SWEEPS):
        return
    with app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        tags = channel.client.zrange(channel.unacked_index_key, 0, -1)
        for tag in tags:
            channel.qos.restore_by_tag(tag.decode(), channel.client)
    if tags:
        logger.info("%s unfinished tasks queued again", len(tags))


@worker_init.connect
def import_before_forking(**_kwargs: Any) -> None:
    """Readers, rules and tables once, for all processes of the pool and those that follow them: otherwise each takes
    seconds for them with its first text, and memory of its own.
    """
    with kept_start(start_of_workers()):
        import_module("apps.diagnosis.readiness").import_all()
        import_module("parsers.lookup").prepare_claims()
    keep()
    forget()
    gc.freeze()  # what nobody looks through stays shared


@worker_init.connect
def give_way_to_pages(**_kwargs: Any) -> None:
    """Reading takes whatever cores there are; a page that somebody waits for goes first. The pool's processes inherit
    it.
    """
    os.nice(settings.WORKER_NICE)
    if os.getsid(0) == os.getpid():
        _let_session_give_way()


def _let_session_give_way() -> None:
    """Linux shares cores between sessions first and heeds niceness only inside each, unless control groups stand above
    them.
    """
    try:
        AUTOGROUP.write_text(str(settings.WORKER_NICE), encoding="ascii")
    except OSError as error:
        logger.debug("the session keeps its share of the cores: %s", type(error).__name__)


class Pulse(bootsteps.StartStopStep):
    """Timers of a worker's main process, which stay on time while its pool is busy."""

    requires = ("celery.worker.components:Timer",)

    def __init__(self, worker: Any, **kwargs: Any) -> None:
        super().__init__(worker, **kwargs)
        self.timers: list[Any] = []

    def start(self, worker: Any) -> None:
        self.timers = [worker.timer.call_repeatedly(heartbeat.EVERY_S, beat, ("worker",))]
        beat("worker")
        if settings.WORKER_SWEEPS:
            for entry in settings.CELERY_BEAT_SCHEDULE.values():
                self.timers.append(worker.timer.call_repeatedly(entry["schedule"], queue_regular, (entry,)))
                queue_regular(entry)  # a laptop's worker may never run for an hour

    def stop(self, worker: Any) -> None:  # noqa: ARG002 - the framework's signature
        for timer in self.timers:
            timer.cancel()


app.steps["worker"].add(Pulse)


def beat(role: str) -> None:
    """A broker or cache that is away for a moment must not end the worker; the missing heartbeat is what tells."""
    try:
        heartbeat.send(role)
    except OSError as error:
        logger.warning("heartbeat not written: %s", type(error).__name__)


def queue_regular(entry: Mapping[str, Any]) -> None:
    try:
        app.send_task(entry["task"], **entry["options"])
    except app.connection_for_write().connection_errors as error:
        logger.warning("%s not queued: %s", entry["task"], type(error).__name__)


class BeatingScheduler(PersistentScheduler):
    """Beat with a heartbeat, for the health check of its container."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        beat("beat")
        return min(super().tick(*args, **kwargs), heartbeat.EVERY_S)
