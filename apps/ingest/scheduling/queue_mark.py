"""A mark in the broker: where it is missing, the broker was emptied, and with the mark whatever had been queued is
lost.
"""

from __future__ import annotations

import logging
from typing import Any

from celery import current_app

logger = logging.getLogger(__name__)

NAME = "lockscope-queue-is-known"


def is_missing() -> bool:
    """Also true at the very first start, where nothing is there to be lost."""
    with current_app.connection_for_write() as broker:
        channel: Any = broker.default_channel
        missing = not channel.client.exists(NAME)
    if missing:
        logger.warning("the queue is new or was emptied: all that waits is queued again")
    return missing


def leave() -> None:
    """Once all that waits is queued again."""
    with current_app.connection_for_write() as broker:
        channel: Any = broker.default_channel
        channel.client.set(NAME, 1)
