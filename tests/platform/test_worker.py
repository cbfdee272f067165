"""What a worker does besides its tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django import Settings

from config import celery as worker
from config import heartbeat
from tests.workers import empty_queues

pytestmark = pytest.mark.usefixtures("services")


@pytest.fixture
def channel() -> Iterator[Any]:
    """The broker of the tests, emptied before and after."""
    with worker.app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        empty_queues(channel)
        yield channel
        empty_queues(channel)


def leave_unfinished(channel: Any) -> None:
    """As a worker leaves it that was killed after taking a task: delivered, not acknowledged."""
    worker.app.send_task("ingest.sweep", queue="light")
    body = json.loads(channel.client.rpop("light"))
    tag = body["properties"]["delivery_tag"]
    channel.client.zadd(channel.unacked_index_key, {tag: 0})
    channel.client.hset(channel.unacked_key, tag, json.dumps([body, "light", "light"]))
    assert channel.client.llen("light") == 0


def test_the_only_worker_takes_back_what_its_predecessor_left(channel: Any, settings: Settings) -> None:
    settings.WORKER_IS_ALONE = settings.WORKER_SWEEPS = True
    leave_unfinished(channel)
    worker.take_back_unfinished()
    assert channel.client.llen("light") == 1
    assert channel.client.zcard(channel.unacked_index_key) == 0


@pytest.mark.parametrize(
    ("alone", "sweeps"), [(False, True), (True, False)], ids=["on a server", "the one for small work"]
)
def test_one_of_many_workers_leaves_the_work_of_the_others_alone(
    channel: Any, settings: Settings, alone: bool, sweeps: bool
) -> None:
    settings.WORKER_IS_ALONE, settings.WORKER_SWEEPS = alone, sweeps
    leave_unfinished(channel)
    worker.take_back_unfinished()
    assert channel.client.llen("light") == 0
    assert channel.client.zcard(channel.unacked_index_key) == 1


def test_a_sweep_is_queued_and_does_not_pile_up(channel: Any, settings: Settings) -> None:
    worker.queue_regular(settings.CELERY_BEAT_SCHEDULE["sweep"])
    message = json.loads(channel.client.rpop("light"))
    assert message["headers"]["task"] == "ingest.sweep"
    assert message["headers"]["expires"] is not None


def test_every_task_of_the_schedule_exists(settings: Settings) -> None:
    worker.app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(worker.app.tasks)


def test_a_heartbeat_is_heard_and_seen(settings: Settings) -> None:
    cache.delete("heartbeat:worker")
    assert not heartbeat.is_heard("worker")
    worker.beat("worker")
    assert heartbeat.is_heard("worker")
    assert heartbeat.alive_file(settings.VAR_DIR, "worker").exists()
    cache.delete("heartbeat:worker")


def test_a_cache_that_is_away_does_not_end_the_worker(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere/cache.sock?db=1"}}
    worker.beat("worker")
    assert "heartbeat not written" in caplog.text
