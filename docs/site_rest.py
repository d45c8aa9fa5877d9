"""The REST page of the site, generated from the app's OpenAPI description."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import armtwin
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm

Schema = Mapping[str, Any]
INTRODUCTION = """# REST API

Every request of the app's API, with its parameters, body and response. The running app serves the
same description as OpenAPI (`/openapi.json`, `/docs`). How control is requested, what the WebSocket
sends and examples are in [REST and WebSocket](../api.md). Refusals are JSON: `{"error": "..."}`.
"""


def rest_page() -> str:
    """Return the page of all requests and of the objects that they exchange."""
    described = description()
    parts = [INTRODUCTION]
    for tag, requests in sorted(_by_tag(described).items()):
        parts += [f"## {tag.capitalize()}", "", *requests]
    parts += ["## Objects", ""]
    for name, schema in sorted(described["components"]["schemas"].items()):
        if "properties" in schema:
            parts += _object(name, schema)
    return "\n".join(parts)


def description() -> Schema:
    """Return the OpenAPI description of the whole app with a simulated arm."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(SimulatedArm(armtwin.load("ur5e")), folder=Path(folder))
        return create(session, AppSettings(), pages=False).openapi()


def _by_tag(described: Schema) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, methods in described["paths"].items():
        for method, request in methods.items():
            lines = found.setdefault(request.get("tags", ["other"])[0], [])
            lines += _request(method.upper(), path, request)
    return found


def _request(method: str, path: str, request: Schema) -> list[str]:
    """Return a request's heading, its sentence, and what goes in and out."""
    lines = [f"### {method} {path}", "", request.get("description", "").strip(), ""]
    for given in request.get("parameters", ()):
        required = "required" if given.get("required") else "optional"
        note = given.get("description", "")
        lines.append(
            f"- `{given['name']}` ({given['in']}, {kind(given['schema'])}, {required}) {note}"
        )
    if "requestBody" in request:
        lines.append(f"- body: {_content(request['requestBody'])}")
    for code, response in request["responses"].items():
        if code.startswith("2"):
            lines.append(f"- response {code}: {_content(response)}")
    return [*lines, ""]


def _content(body: Schema) -> str:
    made = [
        f"{kind(content.get('schema', {}))} (`{media}`)"
        for media, content in body.get("content", {}).items()
    ]
    return ", ".join(made) or "empty"


def _object(name: str, schema: Schema) -> list[str]:
    required = schema.get("required", ())
    lines = [f"### {name}", "", schema.get("description", "").strip(), ""]
    lines += ["| field | type | required | meaning |", "|---|---|---|---|"]
    for field, given in schema["properties"].items():
        meaning = " ".join(given.get("description", "").split())
        needed = "yes" if field in required else "no"
        lines.append(f"| `{field}` | {kind(given)} | {needed} | {meaning} |")
    return [*lines, ""]


def kind(schema: Schema) -> str:
    """Return a schema's type in words, with links to objects."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(_kinds(schema.get("anyOf") or schema["oneOf"]))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum") or [schema["const"]]
        return ", ".join(f"`{value}`" for value in values)
    if schema.get("type") == "array":
        return f"array of {kind(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _kinds(schemas: list[Schema]) -> Iterator[str]:
    """Return the types of alternatives, each once."""
    return iter(dict.fromkeys(kind(schema) for schema in schemas))
