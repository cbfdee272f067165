"""Celery tasks of webhooks."""

from __future__ import annotations

from celery import shared_task

from apps.webhooks import sending
from apps.webhooks.services import queue


@shared_task(name="webhooks.send", soft_time_limit=40, time_limit=60)
def send(delivery_id: int) -> None:
    """One attempt; the row says when the next one is due."""
    sending.send(delivery_id)


@shared_task(name="webhooks.send_due")
def send_due() -> None:
    """Queue what is to be tried again, and forget what is old."""
    for delivery_id in sending.due():
        queue(delivery_id)
    sending.forget_old()
