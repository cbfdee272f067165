"""Health, errors and the headers of every answer."""

from __future__ import annotations

import json
import logging

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django_htmx.middleware import HtmxMiddleware

from apps.web import health, views
from apps.web.errors import DomainError, DomainErrorMiddleware, error_response, locked_out
from apps.web.htmx import render_page
from apps.web.middleware import forwarded_address, page_headers
from config import heartbeat

POLICY = {
    "default-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
}


def request_to(path: str = "/", **headers: str) -> HttpRequest:
    """As it arrives at a view: with what django_htmx and the session add."""
    request = RequestFactory().get(path, headers=headers)
    request.user = AnonymousUser()
    HtmxMiddleware(lambda _request: HttpResponse())(request)
    return request


def test_the_process_says_that_it_lives(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_ready_needs_a_worker(client: Client) -> None:
    cache.delete("heartbeat:worker")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert json.loads(answer.content) == {"database": "ok", "broker": "ok", "storage": "ok", "worker": "failed"}


@pytest.mark.django_db
def test_ready_when_a_worker_was_heard(client: Client) -> None:
    heartbeat.send("worker")
    answer = client.get("/readyz")
    assert (answer.status_code, set(json.loads(answer.content).values())) == (200, {"ok"})
    cache.delete("heartbeat:worker")


@pytest.mark.django_db
def test_readiness_leaves_no_file_behind() -> None:
    health.readiness()
    assert default_storage.listdir("probe")[1] == []


@override_settings(BROKER_URL="redis+socket:///nowhere/redis.sock?virtual_host=0")
@pytest.mark.django_db
def test_a_broker_that_is_away_is_named_and_not_explained(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        answer = client.get("/readyz")
    assert json.loads(answer.content)["broker"] == "failed"
    assert b"nowhere" not in answer.content
    assert "broker" in caplog.text


def test_the_version_is_reported(client: Client) -> None:
    assert set(client.get("/version").json()) == {"lockscope", "django", "python"}


def test_t25_the_content_policy_is_strict_on_every_answer(client: Client) -> None:
    policy = client.get("/healthz")["Content-Security-Policy"]
    assert {part.strip() for part in policy.split(";")} == POLICY
    assert "unsafe" not in policy


def test_t29_headers_of_an_ordinary_answer(client: Client) -> None:
    answer = client.get("/version")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    assert "noindex" in answer["X-Robots-Tag"]
    assert "camera=()" in answer["Permissions-Policy"]


def test_a_shared_page_is_kept_nowhere_and_sends_no_referrer() -> None:
    answer = page_headers(lambda _request: HttpResponse("x"))(request_to("/s/some-token/"))
    assert (answer["Referrer-Policy"], answer["Cache-Control"]) == ("no-referrer", "private, no-store")
    other = page_headers(lambda _request: HttpResponse("x"))(request_to("/cases/"))
    assert other["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "seen"),
    [
        (0, "198.51.100.7", "127.0.0.1"),
        (1, "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        (2, "203.0.113.9, 198.51.100.7, 10.0.0.1", "198.51.100.7"),
        (2, "198.51.100.7", "127.0.0.1"),
    ],
)
def test_only_what_our_own_proxies_wrote_is_believed(proxies: int, forwarded: str, seen: str) -> None:
    addresses: list[str] = []

    def remember(request: HttpRequest) -> HttpResponse:
        addresses.append(request.META["REMOTE_ADDR"])
        return HttpResponse()

    with override_settings(PROXIES=proxies):
        forwarded_address(remember)(request_to("/", **{"X-Forwarded-For": forwarded}))
    assert addresses == [seen]


def test_a_refusal_becomes_a_page_with_its_status() -> None:
    middleware = DomainErrorMiddleware(lambda _request: HttpResponse())
    answer = middleware.process_exception(
        request_to("/", Accept="text/html"), DomainError("The case is in the trash.", 409)
    )
    assert answer is not None
    assert answer.status_code == 409
    assert b"The case is in the trash." in answer.content
    assert b"<html" in answer.content
    assert middleware.process_exception(request_to(), ValueError("a bug stays a bug")) is None


def test_a_refusal_inside_a_page_is_a_fragment_and_escapes_its_words() -> None:
    answer = error_response(request_to("/", **{"HX-Request": "true"}), "<b>No</b>", status=422)
    assert b"<html" not in answer.content
    assert b"&lt;b&gt;No" in answer.content


def test_a_program_that_asks_gets_a_line_of_text() -> None:
    answer = error_response(request_to("/", Accept="*/*"), "Too large.", status=413)
    assert (answer["Content-Type"], answer.content) == ("text/plain; charset=utf-8", b"Too large.\n")


def test_who_guesses_passwords_is_made_to_wait() -> None:
    assert locked_out(request_to("/", Accept="text/html")).status_code == 429


@pytest.mark.parametrize("name", ["forbidden", "not_found"])
def test_error_pages_have_their_status(name: str) -> None:
    answer = getattr(views, name)(request_to("/nothing"), Exception("kept to ourselves"))
    assert answer.status_code == {"forbidden": 403, "not_found": 404}[name]
    assert b"kept to ourselves" not in answer.content


def test_the_page_for_our_own_faults_needs_nothing_of_the_request() -> None:
    answer = views.server_error(HttpRequest())
    assert answer.status_code == 500
    assert b"<html" in answer.content


def test_a_host_that_is_not_ours_is_refused_without_a_page(client: Client) -> None:
    answer = client.get("/version", headers={"Host": "evil.test"})
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/plain; charset=utf-8")


@pytest.mark.parametrize(
    ("headers", "template"),
    [
        ({}, "web/404.html"),
        ({"HX-Request": "true"}, "web/_error.html"),
        ({"HX-Request": "true", "HX-Boosted": "true"}, "web/404.html"),
        ({"HX-Request": "true", "HX-History-Restore-Request": "true"}, "web/404.html"),
    ],
)
def test_one_view_serves_page_and_fragment(headers: dict[str, str], template: str) -> None:
    answer = render_page(request_to("/", **headers), "web/404.html", partial="web/_error.html", context={}, status=404)
    assert (b"<html" in answer.content) == (template == "web/404.html")
    assert "HX-Request" in answer["Vary"]
    assert answer.status_code == 404
