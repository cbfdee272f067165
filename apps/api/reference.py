"""The description of the API as a page shows it: groups of addresses, what they take, what they answer, an example."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from apps.api.schema import METHODS

HEADINGS: Final = {
    "cases": "Cases and files",
    "found": "What was found",
    "knowledge": "What teams know",
    "notes": "Notes",
    "links": "Share links",
    "description": "This description",
}
DEEPEST: Final = 3
Doc = Mapping[str, Any]


def groups(description: Doc) -> list[dict[str, Any]]:
    """Operations by heading, in the order of the addresses."""
    found: dict[str, list[dict[str, Any]]] = {tag: [] for tag in HEADINGS}
    for path, item in description["paths"].items():
        for method in METHODS:
            if method in item:
                found[item[method]["tags"][0]].append(_operation(description, path, method, item[method]))
    return [{"id": tag, "heading": HEADINGS[tag], "operations": rows} for tag, rows in found.items() if rows]


def _operation(description: Doc, path: str, method: str, operation: Doc) -> dict[str, Any]:
    parameters = [_parameter(description, one) for one in operation.get("parameters", ())]
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation["summary"],
        "parameters": parameters,
        "fields": list(_body(description, operation)),
        "answers": [_answer(description, status, one) for status, one in sorted(operation["responses"].items())],
        "example": _example(operation),
        "is_read": method == "get",
    }


def _parameter(description: Doc, parameter: Doc) -> dict[str, Any]:
    schema = _resolved(description, parameter["schema"])
    return {
        "name": parameter["name"],
        "is_in_path": parameter["in"] == "path",
        "is_header": parameter["in"] == "header",
        "is_required": parameter.get("required", False),
        "words": parameter.get("description", ""),
        "kind": _kind(description, schema),
        "choices": schema.get("enum", []),
    }


def _body(description: Doc, operation: Doc) -> Iterator[dict[str, Any]]:
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return
    first = next(iter(content.values()))
    schema = _resolved(description, first["schema"])
    for name, field in schema.get("properties", {}).items():
        inner = _resolved(description, field)
        words = field.get("description", "") or inner.get("description", "")
        yield {
            "name": name,
            "kind": _kind(description, inner),
            "is_required": name in schema.get("required", ()),
            "words": words,
        }


def _answer(description: Doc, status: str, answer: Doc) -> dict[str, Any]:
    content = answer.get("content", {})
    first = next((one["schema"] for one in content.values()), None)
    is_refusal = not status.startswith("2")
    names = [] if is_refusal or first is None else list(_resolved(description, first).get("properties", {}))
    return {
        "status": status,
        "words": answer.get("description", ""),
        "kinds": list(content),
        "names": names,
        "is_refusal": is_refusal,
    }


def _example(operation: Doc) -> str:
    """What is sent, or what comes back where nothing is sent."""
    bodies = [
        operation.get("requestBody", {}),
        *(one for status, one in operation["responses"].items() if status.startswith("2")),
    ]
    for body in bodies:
        for content in body.get("content", {}).values():
            for example in content.get("examples", {}).values():
                return json.dumps(example["value"], indent=1, ensure_ascii=False)
    return ""


def _resolved(description: Doc, schema: Doc) -> Doc:
    """The schema itself where it is named elsewhere."""
    for _ in range(DEEPEST):
        if "$ref" in schema:
            schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif len(schema.get("allOf", ())) == 1:
            schema = schema["allOf"][0]
        else:
            break
    return schema


def _kind(description: Doc, schema: Doc) -> str:
    """In a few words."""
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"] if value)
    if "oneOf" in schema:
        kinds = (_kind(description, _resolved(description, one)) for one in schema["oneOf"])
        return " | ".join(kind for kind in kinds if kind)
    if schema.get("type") == "array":
        return f"list of {_kind(description, _resolved(description, schema.get('items', {})))}"
    words = (
        schema.get("format") if schema.get("format") in {"date-time", "binary", "uri"} else schema.get("type", "value")
    )
    most = schema.get("maxLength") or schema.get("maximum")
    return f"{words}, at most {most}" if most and schema.get("type") in {"string", "integer"} else str(words)
