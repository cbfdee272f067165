"""Sending what was written down: signed, tried again for some hours, and told in a log."""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from apps.web.addresses import whole
from apps.web.unlocked import nobody_waited_for
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.outgoing import FailedError, RefusedError, Resolver, post, system_resolver
from apps.webhooks.services import address_of, named_hosts, secret_of

# Minutes after each failed attempt; after the last one it is given up.
PAUSES: Final = (1, 5, 30, 120, 480)
LOG_DAYS: Final = 30
AT_ONCE: Final = 200
REDIRECTED: Final = "It answered with another address ({status}), which is not followed."
ANSWERED: Final = "It answered {status}."


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The timestamp is signed too, so that a receiver can refuse what somebody sends again later."""
    return "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, sha256).hexdigest()


def headers_of(delivery: Delivery, body: bytes, now: datetime) -> dict[str, str]:
    timestamp = str(int(now.timestamp()))
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Lockscope/{settings.VERSION}",
        "Lockscope-Event": delivery.event,
        "Lockscope-Delivery": str(delivery.pk),
        "Lockscope-Timestamp": timestamp,
        "Lockscope-Signature": signature(secret_of(delivery.webhook), timestamp, body),
    }


def body_of(delivery: Delivery) -> bytes:
    content: dict[str, Any] = {name: value for name, value in delivery.told.items() if name != "path"}
    address = whole(delivery.told["path"]) if delivery.told.get("path") else ""
    if delivery.webhook.shape == Webhook.Shape.SLACK:
        return json.dumps({"text": _message(content, address)}).encode()
    return json.dumps(
        {"id": delivery.pk, "at": delivery.created_at.isoformat(), **content, "address": address or None}
    ).encode()


def _message(content: Mapping[str, Any], address: str) -> str:
    key = content["case"]["key"] if content["case"] else "Lockscope"
    name = f"<{address}|{key}>" if address else key
    return f"{name}: {_plain(content['words'])}"


def _plain(text: str) -> str:
    """What Slack takes for its own marks, and names that would call somebody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def send(delivery_id: int, *, resolver: Resolver = system_resolver) -> None:
    """One attempt, if it is due; of two at once only one takes it."""
    now = timezone.now()
    due = Delivery.objects.filter(pk=delivery_id, state=Delivery.State.WAITING, next_at__lte=now)
    delivery = due.select_related("webhook").first()
    if delivery is None:
        return
    pause = timedelta(minutes=PAUSES[min(delivery.attempts, len(PAUSES) - 1)])
    if not due.filter(attempts=delivery.attempts).update(attempts=F("attempts") + 1, next_at=now + pause):
        return
    delivery.attempts += 1
    _note(delivery, *_attempt(delivery, now, resolver))


def _attempt(delivery: Delivery, now: datetime, resolver: Resolver) -> tuple[int | None, str, bool]:
    """Status of the answer, what went wrong, and whether there is sense in another attempt."""
    body = body_of(delivery)
    try:
        address = address_of(delivery.webhook)
        status = post(address, body, headers_of(delivery, body, now), allowed=named_hosts(), resolver=resolver)
    except RefusedError as error:
        return None, str(error), False
    except FailedError as error:
        return None, str(error), True
    if 200 <= status < 300:
        return status, "", False
    return status, (REDIRECTED if 300 <= status < 400 else ANSWERED).format(status=status), True


def _note(delivery: Delivery, status: int | None, message: str, again: bool) -> None:
    rows = Delivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts)
    if again and delivery.attempts <= len(PAUSES):
        rows.update(status=status, message=message)
        return
    state = Delivery.State.FAILED if message else Delivery.State.SENT
    rows.update(status=status, message=message, state=state, next_at=None, ended_at=timezone.now())


def due() -> list[int]:
    """What is to be tried again now; what its task never came to, too."""
    rows = Delivery.objects.filter(state=Delivery.State.WAITING, next_at__lte=timezone.now())
    return list(rows.order_by("next_at").values_list("pk", flat=True)[:AT_ONCE])


def forget_old() -> int:
    """The log is kept for a month."""
    with nobody_waited_for(Delivery.objects.filter(created_at__lt=timezone.now() - timedelta(days=LOG_DAYS))) as free:
        return free.delete()[0]
