"""Putting a task into the queue that is named and not imported: apps that say what is to be done need not know who does
it.
"""

from __future__ import annotations

import logging

from celery import current_app
from kombu.exceptions import OperationalError as BrokerError

logger = logging.getLogger(__name__)


def send_or_leave(task: str, number: int) -> None:
    """For light work on one row. While the broker is away the page goes on without it; what is left out is noted."""
    try:
        current_app.send_task(task, args=[number], queue="light")
    except BrokerError as error:
        logger.warning("%s was not queued: %s", task, type(error).__name__)
