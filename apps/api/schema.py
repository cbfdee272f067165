"""The description of the API in OpenAPI 3, made once from the views, and what all of them share: errors and tokens."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import Any, Final

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator

from apps.web.errors import TITLES

ONE_AT_A_TIME: Final = Lock()
PREFIX: Final = "/api/v1/"
METHODS: Final = ("get", "post", "patch", "delete")
READING: Final = (401, 403, 404, 422, 429)
WRITING: Final = (400, 409, 412, 413, 415)
ONLY_IF: Final = {
    "name": "If-Match",
    "in": "header",
    "description": (
        "ETags of a GET to the same address: the change is made only if one of them is still that of what is "
        "there (else 412)."
    ),
    "schema": {"type": "string"},
}
TUS: Final = (
    "An upload that goes on after a lost connection: the tus protocol 1.0.0 (tus.io), which tells of itself by OPTIONS."
)
PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a token is sent."""

    target_class = "apps.api.authentication.ByToken"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:  # noqa: ARG002 - the framework's signature
        words = "A token of the page API tokens. To change something it must be of scope write."
        return {"type": "http", "scheme": "bearer", "description": words}


def only_api(endpoints: list[Any]) -> list[Any]:
    """Views outside of the API are pages."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith(PREFIX)]


def with_problems(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Every view may refuse, and all refuse in the same form."""
    schemas = result["components"]["schemas"]
    schemas["Problem"] = {
        "type": "object",
        "description": "An error (RFC 9457).",
        "required": ["title", "status", "detail"],
        "properties": {
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "fields": {
                "type": "object",
                "additionalProperties": {},
                "description": "With 422: what is wrong, by field.",
            },
        },
        "example": {
            "title": TITLES[404],
            "status": 404,
            "detail": "There is no such thing among the cases that this token may see.",
        },
    }
    result["components"]["securitySchemes"]["session"] = {
        "type": "apiKey",
        "in": "cookie",
        "name": settings.SESSION_COOKIE_NAME,
    }
    for path, item in result["paths"].items():
        for method in METHODS:
            if method in item:
                _refusals(item[method], READING if method == "get" else (*READING, *WRITING))
                _tidied(item[method])
                if method != "get" and "{key}" in path:
                    item[method].setdefault("parameters", []).append(ONLY_IF)
    result["paths"][f"{PREFIX}schema/"]["get"]["security"].append({"session": []})
    # The package does not see that one of two forms has to be sent.
    for path in ("judgements/{judged}/", "outcome/"):
        result["paths"][f"{PREFIX}cases/{{key}}/{path}"]["post"]["requestBody"]["required"] = True
    return result


def _refusals(operation: dict[str, Any], statuses: tuple[int, ...]) -> None:
    for status in sorted(statuses):
        response = {
            "description": TITLES.get(status, "Refused"),
            "content": {"application/problem+json": {"schema": PROBLEM}},
        }
        operation["responses"].setdefault(str(status), response)


def _tidied(operation: dict[str, Any]) -> None:
    """A view of several methods has one docstring: the summary of each is enough. No view is open to everybody."""
    if operation.get("description", "").startswith("GET:"):
        del operation["description"]
    operation["security"] = [way for way in operation["security"] if way]


def description() -> dict[str, Any]:
    """The same until the program is started again. Made once: two at once would change each other's views."""
    with ONE_AT_A_TIME:
        return _made()


@lru_cache(maxsize=1)
def _made() -> dict[str, Any]:
    made: dict[str, Any] = SchemaGenerator(api_version="v1").get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    made["paths"] |= {f"{PREFIX}uploads/": {"description": TUS}, f"{PREFIX}uploads/{{name}}/": {"description": TUS}}
    return made
