"""The real queue; a test takes out what was put in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from celery import current_app
from django.core.cache import cache

from apps.cases.models import Artifact, Case
from apps.ingest.reading.bundles import expand_bundle
from apps.ingest.scheduling import diagnoses, queue_mark
from apps.ingest.uploads.receive import store_bytes
from tests.builders import People, make_case
from tests.ingest.material import bundle
from tests.workers import empty_queues


class Waiting:
    """What stands in the queues, in the order in which a worker would take it."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    def take(self) -> list[tuple[str, int]]:
        """[(task, argument)], emptied."""
        found = []
        for priority in (0, 3, 6, 9):
            for name in ("light", "heavy"):
                while raw := self._channel.client.rpop(self._channel._q_for_pri(name, priority)):
                    message = json.loads(raw)
                    arguments = json.loads(
                        message["headers"]["argsrepr"].replace("(", "[").replace(",)", "]").replace(")", "]")
                    )
                    found.append((message["headers"]["task"].removeprefix("ingest."), *arguments))
        return found


@pytest.fixture
def queue() -> Iterator[Waiting]:
    cache.clear()
    with current_app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        empty_queues(channel)
        queue_mark.leave()
        yield Waiting(channel)
        empty_queues(channel)


@pytest.fixture
def case(folk: People) -> Case:
    return make_case(folk.team)


def unpacked(case: Case, content: bytes | None = None, name: str = "snap.tgz") -> list[Artifact]:
    made = store_bytes(case, bundle() if content is None else content, filename=name, user=None)
    diagnoses.note_change(case.pk)
    list(expand_bundle(made.pk))
    return list(made.artifacts.order_by("pk"))
