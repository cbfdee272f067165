"""Celery tasks of accounts."""

from __future__ import annotations

from celery import shared_task

from apps.accounts import password_reset


@shared_task(name="accounts.mail_reset", autoretry_for=(password_reset.NotSentError,), retry_backoff=10, max_retries=4)
def mail_reset(user_id: int) -> None:
    """Send the link for a new password; it is made here, so that it stands in no queue."""
    password_reset.send(user_id)
