"""The page on which owners of a team run its webhooks and see what was sent."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.access import person, team_access
from apps.accounts.models import Role, Team
from apps.web.errors import DomainError
from apps.webhooks import services
from apps.webhooks.forms import WebhookForm
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.sending import LOG_DAYS

DELIVERIES_SHOWN = 100


@never_cache
@require_http_methods(["GET", "POST"])
@team_access(Role.OWNER)
def webhooks(request: HttpRequest, team: Team) -> HttpResponse:
    form = WebhookForm(request.POST or None)
    if form.is_valid():
        try:
            made = services.add_webhook(team, **form.cleaned_data, by=person(request))
        except DomainError as error:
            form.add_error("address", error.message)
        else:
            messages.success(request, f"{made.host} gets messages now. Send a test to see whether it answers.")
            return redirect("webhooks:list", team.slug)
    return render(request, "webhooks/webhooks.html", _context(team, form), status=422 if form.is_bound else 200)


def _context(team: Team, form: WebhookForm) -> dict[str, object]:
    failed = Count("deliveries", filter=Q(deliveries__state=Delivery.State.FAILED))
    hooks = team.webhooks.select_related("created_by").annotate(failed_n=failed).order_by("pk")
    log = Delivery.objects.filter(webhook__team=team).select_related("webhook", "case").order_by("-created_at", "-pk")
    return {
        "team": team,
        "hooks": [{"row": hook, "secret": services.secret_of(hook), "events": _words(hook)} for hook in hooks],
        "log": [{"row": row, "what": services.EVENTS.get(row.event, "a test")} for row in log[:DELIVERIES_SHOWN]],
        "log_days": LOG_DAYS,
        "form": form,
        "section": "teams",
    }


def _words(hook: Webhook) -> str:
    return ", ".join(services.EVENTS[event] for event in hook.events if event in services.EVENTS)


@require_POST
@team_access(Role.OWNER)
def test(request: HttpRequest, team: Team, webhook_id: int) -> HttpResponse:
    hook = get_object_or_404(team.webhooks, pk=webhook_id)
    services.send_test(hook, by=person(request))
    messages.success(request, f"A test is on its way to {hook.host}. Reload this page to see its answer below.")
    return redirect("webhooks:list", team.slug)


@require_POST
@team_access(Role.OWNER)
def remove(request: HttpRequest, team: Team, webhook_id: int) -> HttpResponse:
    hook = get_object_or_404(team.webhooks.select_related("team"), pk=webhook_id)
    services.remove_webhook(hook, by=person(request))
    messages.success(request, f"{hook.host} gets no more messages.")
    return redirect("webhooks:list", team.slug)
