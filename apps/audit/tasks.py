"""What is done for the trail now and then."""

from __future__ import annotations

from celery import shared_task

from apps.audit import chain


@shared_task(name="audit.extend_chain")
def extend_chain() -> int:
    """Give new events their place."""
    return chain.extend()
