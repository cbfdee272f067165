"""Naming addresses, and writing down what they are to be told. Sending is in sending.py."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from apps.accounts.models import Team, User
from apps.audit.services import record
from apps.web.errors import DomainError
from apps.web.queueing import send_or_leave
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.outgoing import RefusedError, target_of
from parsers.dataclass import dataclass

if TYPE_CHECKING:
    from apps.cases.models import Case

SEND: Final = "webhooks.send"
MOST_OF_A_TEAM: Final = 20
EVENTS: Final[Mapping[str, str]] = {
    "case.assigned": "a case is assigned",
    "case.state": "the state of a case changes",
    "bundle.read": "an upload has been read",
    "bundle.failed": "an upload cannot be read",
    "case.blocked": "a live watch sees one blocker in three samples",
    "note.added": "somebody writes a note",
}
TEST: Final = "test"
ENOUGH: Final = f"A team can have {MOST_OF_A_TEAM} webhooks."
NO_EVENT: Final = "Choose at least one event."
LOST: Final = "The address was kept under another key of this installation. Enter it again."


def named_hosts() -> frozenset[str]:
    """Hosts of the own network that an administrator has allowed."""
    return frozenset(host.lower() for host in settings.WEBHOOK_HOSTS)


@transaction.atomic
def add_webhook(team: Team, *, address: str, shape: str, events: Sequence[str], by: User) -> Webhook:
    """Looked at, not called: the button for a test does that."""
    try:
        target = target_of(address.strip(), named_hosts())
    except RefusedError as error:
        raise DomainError(str(error), status=422) from None
    if not events or not set(events) <= set(EVENTS):
        raise DomainError(NO_EVENT, status=422)
    if Webhook.objects.filter(team=team).count() >= MOST_OF_A_TEAM:
        raise DomainError(ENOUGH, status=409)
    webhook = Webhook.objects.create(
        team=team,
        shape=Webhook.Shape(shape),
        sealed_address=_fernet().encrypt(address.strip().encode()).decode(),
        host=f"{target.scheme}://{target.authority}",
        nonce=secrets.token_hex(16),
        events=[event for event in EVENTS if event in events],
        created_by=by,
    )
    record("webhook.added", user=by, team=team.slug, webhook=webhook.pk, to=webhook.host, events=webhook.events)
    return webhook


@transaction.atomic
def remove_webhook(webhook: Webhook, *, by: User) -> None:
    record("webhook.removed", user=by, team=webhook.team.slug, webhook=webhook.pk, to=webhook.host)
    webhook.delete()


def _fernet() -> Fernet:
    return Fernet(urlsafe_b64encode(sha256(b"webhook:" + settings.SECRET_KEY.encode()).digest()))


def address_of(webhook: Webhook) -> str:
    try:
        return _fernet().decrypt(webhook.sealed_address.encode()).decode()
    except InvalidToken:
        raise RefusedError(LOST) from None


def secret_of(webhook: Webhook) -> str:
    """By which the receiver checks that it was us."""
    return salted_hmac("lockscope.webhook", f"{webhook.pk}:{webhook.nonce}", algorithm="sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened to a case, in words that are no customer's: no title, no verdict, no text of a note."""

    event: str
    key: str
    """Names this happening; the same key is sent once."""
    words: str
    by: str = ""
    more: Mapping[str, Any] | None = None


def announce(case: Case, happening: Happening, *, path: str) -> None:
    """Write it down for each address of the team that wants it, and have it sent once the transaction is through."""
    wanted = [hook for hook in Webhook.objects.filter(team=case.team_id) if happening.event in hook.events]
    content = {
        "event": happening.event,
        "words": happening.words,
        "by": happening.by or None,
        "case": {
            "key": case.key,
            "state": case.state,
            "severity": case.severity or None,
            "verdict_form": case.verdict_form or None,
        },
        "path": path,
        **(happening.more or {}),
    }
    for hook in wanted:
        delivery, is_new = Delivery.objects.get_or_create(
            webhook=hook, key=happening.key, defaults={"case": case, "event": happening.event, "told": content}
        )
        if is_new:
            transaction.on_commit(partial(queue, delivery.pk))


@transaction.atomic
def send_test(webhook: Webhook, *, by: User) -> Delivery:
    content = {
        "event": TEST,
        "words": f"{by} tries out this webhook",
        "by": by.get_username(),
        "case": None,
        "path": "",
    }
    delivery = Delivery.objects.create(webhook=webhook, key=f"test-{secrets.token_hex(8)}", event=TEST, told=content)
    record("webhook.tested", user=by, team=webhook.team.slug, webhook=webhook.pk, to=webhook.host)
    transaction.on_commit(partial(queue, delivery.pk))
    return delivery


def queue(delivery_id: int) -> None:
    """While the broker is away the row waits: whoever sends what is due finds it."""
    send_or_leave(SEND, delivery_id)
