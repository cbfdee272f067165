"""Sign in and out, the own password, one-time links, and the list of accounts for administrators."""

from __future__ import annotations

from typing import Final

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.forms import SetPasswordForm
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.accounts import known_device, password_reset, services
from apps.accounts.access import administrator, person, public, signed_in
from apps.accounts.forms import NewPasswordForm, NewUserForm
from apps.accounts.guessing import note_wrong_guess, refuse_guessing
from apps.accounts.models import TeamMembership, User
from apps.accounts.second_factor import can_have_passkeys, remove_second_factors
from apps.accounts.sessions import end_other_sessions
from apps.accounts.sign_in_form import SignInForm
from apps.accounts.signing_in import BY_LINK, NO_WAY_BACK, sign_in_as
from apps.accounts.sso_address import callback_path, sign_in_url
from apps.audit.services import record

ACCOUNTS_SHOWN: Final = 200
QUERY_CHARS: Final = 80


@never_cache
@require_http_methods(["GET", "POST"])
@public
def sign_in(request: HttpRequest) -> HttpResponse:
    target = _safe_next(request)
    if request.method == "GET" and request.user.is_authenticated:
        return redirect(target)
    form = SignInForm(request, data=request.POST or None)
    if form.is_valid():
        user: User = form.get_user()
        return known_device.remember(sign_in_as(request, user, method="password", to=target), user)
    ways = {
        "sso": settings.OIDC,
        "sso_url": sign_in_url(target),
        "passkeys": can_have_passkeys(request),
        "can_reset": password_reset.is_on(),
    }
    context = {"form": form, "next": target, **ways}
    return render(request, "accounts/sign_in.html", context, status=422 if form.is_bound else 200)


def _safe_next(request: HttpRequest) -> str:
    """Where to go afterwards; never to another site."""
    target = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    if is_ours and target.startswith("/"):
        return target
    return resolve_url(settings.LOGIN_REDIRECT_URL)


@require_POST
@public
def sign_out(request: HttpRequest) -> HttpResponse:
    """Who could not come back is led to set a password, and may go all the same."""
    if request.session.get(NO_WAY_BACK) and "anyway" not in request.POST:
        return redirect("accounts:password")
    logout(request)
    return redirect("accounts:sign_in")


@never_cache
@require_GET
@public
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """The one address where a GET changes something: the link works once, and opening it is the act."""
    try:
        user = services.use_sign_in_token(token)
    except services.LinkGoneError as gone:
        if not services.was_sign_in_token(token):
            refuse_guessing(request, "sign-in")
            note_wrong_guess(request, "sign-in")
        return render(request, "accounts/link_gone.html", {"message": gone.message}, status=gone.status)
    return sign_in_as(request, user, method=BY_LINK)


@never_cache
@require_http_methods(["GET", "POST"])
@signed_in
def password(request: HttpRequest) -> HttpResponse:
    """Who came in by a link has no password yet and is not asked for the old one."""
    user = person(request)
    form_class = NewPasswordForm if user.has_usable_password() else SetPasswordForm
    form = form_class(user, request.POST or None)
    if form.is_valid():
        ends_tokens = not form.cleaned_data.get("keeps_tokens", True)
        _set_password(request, user, form, ends_tokens=ends_tokens)
        note = " API tokens have ended." if ends_tokens else ""
        messages.success(request, f"Your password is set. Other browsers have been signed out.{note}")
        return redirect("cases:list")
    context = {"form": form, "needs_password": bool(request.session.get(NO_WAY_BACK))}
    return render(request, "accounts/password.html", context, status=422 if form.is_bound else 200)


@transaction.atomic
def _set_password(request: HttpRequest, user: User, form: SetPasswordForm[User], *, ends_tokens: bool) -> None:
    form.save()
    if ends_tokens:
        services.password_ended.send(User, user=user)
    update_session_auth_hash(request, user)
    request.session.pop(NO_WAY_BACK, None)
    end_other_sessions(user, request.session.session_key)
    record("account.password_set", request=request)


@require_http_methods(["GET", "POST"])
@administrator
def users(request: HttpRequest) -> HttpResponse:
    form = NewUserForm(request.POST or None, initial={"team": _only_team(request)})
    if form.is_valid():
        user = services.create_user(**form.cleaned_data, by=person(request))
        return _show_link(request, user, services.make_sign_in_token(user))
    with_factor = Exists(Authenticator.objects.filter(user=OuterRef("pk")))
    query = request.GET.get("q", "").strip()[:QUERY_CHARS]
    active = Count("pk", filter=Q(is_active=True))
    counts = User.objects.aggregate(open_n=active, all_n=Count("pk"))
    found = User.objects.all()
    if query:
        by_team = Q(pk__in=TeamMembership.objects.filter(team__name__icontains=query).values("user"))
        found = found.filter(Q(username__icontains=query) | Q(display_name__icontains=query) | by_team)
    found_n = found.count()
    rows = found.annotate(has_factor=with_factor).prefetch_related("team_memberships__team")
    context = {
        "form": form,
        "accounts": list(rows.order_by("-is_active", "username")[:ACCOUNTS_SHOWN]),
        "query": query,
        **counts,
        "closed_n": counts["all_n"] - counts["open_n"],
        "found_n": found_n,
        "more_n": max(0, found_n - ACCOUNTS_SHOWN),
        "sso": settings.OIDC,
        "callback": request.build_absolute_uri(callback_path()),
    }
    return render(request, "accounts/users.html", context, status=422 if form.is_bound else 200)


def _only_team(request: HttpRequest) -> int | None:
    teams = list(person(request).team_memberships.values_list("team", flat=True)[:2])
    return teams[0] if len(teams) == 1 else None


@require_POST
@administrator
def make_link(request: HttpRequest, user_id: int) -> HttpResponse:
    user = get_object_or_404(User, pk=user_id)
    return _show_link(request, user, services.reset_link(user, by=person(request)))


def _show_link(request: HttpRequest, user: User, token: str) -> HttpResponse:
    """Shown once, in the answer to the post: the link itself is kept nowhere."""
    link = request.build_absolute_uri(reverse("accounts:enter", args=[token]))
    context = {"account": user, "link": link, "hours": services.LINK_HOURS}
    response = render(request, "accounts/link.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_POST
@administrator
def second_factor_off(request: HttpRequest, user_id: int) -> HttpResponse:
    """For somebody who lost the device that made the codes."""
    user = get_object_or_404(User, pk=user_id)
    remove_second_factors(user, by=person(request))
    messages.success(request, f"{user.get_username()} signs in without a second factor until a new one is set up.")
    return redirect("accounts:users")


@require_POST
@administrator
def set_active(request: HttpRequest, user_id: int) -> HttpResponse:
    user = get_object_or_404(User, pk=user_id)
    is_active = request.POST.get("active") == "yes"
    services.set_active(user, is_active=is_active, by=person(request))
    messages.success(request, f"The account {user.get_username()} is {'open' if is_active else 'closed'}.")
    return redirect("accounts:users")
