"""The description of the API: complete, true to what is answered, and to be read by those who may."""

from __future__ import annotations

import io
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from typing import Any, cast

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from django.urls import URLPattern, get_resolver
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, settings
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test

from apps.api import schema
from apps.api.knowledge_shapes import ORDER_MOST
from apps.api.schema import METHODS, description
from apps.api.services import create_token
from apps.cases.models import Note
from apps.diagnosis.pages.judging.judgements import Subject
from apps.sharing.services import create_share_link
from tests.builders import People, build_case
from tests.part import part

pytestmark = pytest.mark.django_db
EXAMPLES = 5
IN_A_RUN = 5
"""Of the operations."""
SLUG, PERSON = r"[-a-zA-Z0-9_]+", r"(?s).{1,150}"
SETTINGS = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)


def test_the_description_is_valid_and_made_without_a_warning() -> None:
    schema._made.cache_clear()
    warnings = io.StringIO()
    with redirect_stderr(warnings):
        made = description()
    validate_schema(made)  # type: ignore[no-untyped-call]
    assert warnings.getvalue() == ""


def test_the_first_who_ask_at_once_get_one_description_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    schema._made.cache_clear()
    made, make = [], cast(Any, SchemaGenerator).get_schema

    def slow(*given: Any, **more: Any) -> Any:
        made.append(1)
        time.sleep(0.1)
        return make(*given, **more)

    monkeypatch.setattr(SchemaGenerator, "get_schema", slow)
    with ThreadPoolExecutor(6) as pool:
        found = [requests.result() for requests in [pool.submit(description) for _ in range(6)]]
    assert len(made) == 1
    assert all(one is found[0] for one in found)


def test_every_address_of_the_api_is_in_the_description() -> None:
    routes = [
        str(p.pattern)
        for part in get_resolver().url_patterns
        for p in getattr(part, "url_patterns", [part])
        if isinstance(p, URLPattern)
    ]
    described = {path.lstrip("/").replace("{", "<").replace("}", ">") for path in description()["paths"]}
    plain = {route.replace("<slug:", "<").replace("<int:", "<") for route in routes if route.startswith("api/v1/")}
    assert plain == described
    assert len(described) >= 15


def test_it_is_read_by_token_or_signed_in_and_by_nobody_else(folk: People, client: Client) -> None:
    headers = {"Authorization": f"Bearer {create_token(user=folk.alice, name='t', scope='read', days=5).text}"}
    assert Client().get("/api/v1/schema/", headers=headers).json()["openapi"].startswith("3.")
    assert Client().get("/api/v1/schema/").status_code == 401
    client.force_login(folk.charlie)
    assert client.get("/api/v1/schema/").status_code == 200
    assert client.get("/api/v1/cases/").status_code == 401  # a session is no token anywhere else
    assert client.get("/api/v1/schema/", headers={"Authorization": "Bearer lsc_wrong"}).status_code == 401


def test_the_page_names_every_operation_and_keeps_the_policy_of_contents(folk: People, client: Client) -> None:
    assert client.get("/docs/api/").status_code == 302
    client.force_login(folk.alice)
    page = client.get("/docs/api/")
    text = page.content.decode()
    for item in description()["paths"].values():
        for method in {"get", "post", "patch", "delete"} & set(item):
            assert f'id="{item[method]["operationId"]}"' in text
    assert "'unsafe-inline'" not in page["Content-Security-Policy"]
    assert " style=" not in text


# Against the program itself
# ----------------------------------------------------------------------------------------------


def _served() -> Callable[[dict[str, Any], Any], list[bytes]]:
    """As a server does it: an answer that was sent is closed, and with it the files of the request."""
    application = get_wsgi_application()

    def serve(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        answer = application(environ, start_response)
        try:
            return [b"".join(answer)]
        finally:
            answer.close()

    return serve


def _with_names(body: Any, known: Mapping[str, tuple[str, str]]) -> Any:
    """A made-up name of a team or a person, and a made-up place of a finding, would only ever be refused; what is no
    name and no place stays wrong. A part of a form without a byte is no file to a server.
    """
    if not isinstance(body, dict):
        return body
    if isinstance(files := body.get("file"), list) and not any(getattr(one, "data", one) for one in files):
        body = {**body, "file": [b"x"]}
    right: dict[str, Any] = {
        name: real
        for name, (form, real) in known.items()
        if isinstance(body.get(name), str) and re.fullmatch(form, body[name])
    }
    if type(place := body.get("finding")) is int and 0 <= place <= ORDER_MOST:
        right["finding"] = 1
    return {**body, **right}


@pytest.fixture
def api(folk: People, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The program in this process, with a token that may write and a case with something of each kind in it."""
    cache.clear()
    for signal in (request_started, request_finished):  # the transaction of the test is on this connection
        signal.disconnect(close_old_connections)
    monkeypatch.setattr("apps.api.views.queue_bundle", lambda bundle: None)
    monkeypatch.setattr("rest_framework.throttling.UserRateThrottle.allow_request", lambda *args: True)
    built = build_case(folk.team)
    Note.objects.create(case=built.case, author=folk.alice, text="seen")
    link = create_share_link(case=built.case, user=folk.alice, days=3).link
    token = create_token(user=folk.alice, name="t", scope="write", days=5).text
    config = SchemathesisConfig(
        projects=ProjectsConfig(
            default=ProjectConfig(
                generation=GenerationConfig(max_examples=EXAMPLES, deterministic=True, database="none"),
                headers={"Authorization": f"Bearer {token}"},
            )
        )
    )
    made = schemathesis.openapi.from_wsgi(
        "/api/v1/schema/", _served(), config=config, headers={"Authorization": f"Bearer {token}"}
    )

    for item in made.raw_schema["paths"].values():
        for operation in (
            item[method] for method in METHODS if method in item
        ):  # a made-up tag would only ever be answered by 412
            operation["parameters"] = [one for one in operation.get("parameters", []) if one["name"] != "If-Match"]

    @made.hook
    def map_path_parameters(_context: Any, parameters: dict[str, Any] | None) -> dict[str, Any] | None:
        """A made-up key would only ever be answered by 404."""
        known = {
            "key": built.case.key,
            "link_id": link.pk,
            "judged": Subject("finding", "slow-disk", "One disk is slow").token,
        }
        return parameters and {name: known.get(name, value) for name, value in parameters.items()}

    known = {"team": (SLUG, folk.team.slug), "assignee": (PERSON, folk.alice.get_username())}
    made.hook("map_body")(lambda _context, body: _with_names(body, known))
    yield made
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
    cache.clear()


def test_whatever_is_sent_the_answer_is_as_described(api: Any) -> None:
    """Examples, every edge of every parameter, and made-up requests, right and wrong ones, to each operation that this
    run looks at; ``make matrix`` looks at all.
    """
    requests: Counter[str] = Counter()
    wrong: dict[str, str] = {}

    def ask(case: Any) -> None:
        requests[case.operation.label] += 1
        case.headers.setdefault(
            "Authorization", api.config.headers["Authorization"]
        )  # the edges of parameters come without it
        with transaction.atomic():
            case.call_and_validate()
            transaction.set_rollback(True)
        cache.clear()

    operations = {found.ok().label: found for found in api.get_all_operations()}
    described = {
        f"{method.upper()} {path}"
        for path, item in description()["paths"].items()
        for method in METHODS
        if method in item
    }
    assert described - set(operations) <= {"GET /api/v1/schema/"}  # which was asked to begin with
    chosen = part(sorted(operations), IN_A_RUN, "operations")
    for found in map(operations.__getitem__, chosen):
        config = HypothesisTestConfig(project=api.config, modes=list(HypothesisTestMode), settings=SETTINGS)
        try:
            create_test(operation=found.ok(), test_func=ask, config=config)()
        except* (schemathesis.errors.SchemathesisError, AssertionError) as error:
            wrong[found.ok().label] = "\n".join(str(one) for one in error.exceptions)
    assert not wrong, "\n\n".join(f"{label}\n{words}" for label, words in wrong.items())
    assert set(requests) == set(chosen)
    assert min(requests.values()) >= 3
