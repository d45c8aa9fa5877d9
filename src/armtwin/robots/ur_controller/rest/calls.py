"""Calls of the REST service: version, handler and error response."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from armtwin.errors import ArmTwinError, InputError
from armtwin.robots.ur_controller.ports.intake import Step
from armtwin.robots.ur_controller.rest.http_port import HttpRequest, HttpResponse

BASE = "/universal-robots/robot-api"
API_VERSIONS = (((10, 14), "5.0.107"), ((10, 12), "3.1.4"), ((10, 11), "3.0.0"))
"""Version of the service by that of PolyScope; the last number is ours, below the next."""
OLD, LATER_API, NEWEST = "3.0.0", "3.1.4", "5.0.107"


class StatusError(ArmTwinError):
    """A request that is refused with a status.

    Attributes:
        status: the HTTP status.
    """

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


Reply = dict[str, Any] | HttpResponse
Handler = Callable[[HttpRequest, str], "Reply | Generator[Step, None, Reply]"]


@dataclass(frozen=True)
class Endpoint:
    """A call of the service.

    Attributes:
        since: first version of the service that has it.
        handle: answers it; takes the request and the name in its path.
        remote: whether it is refused unless the robot is in remote control.
    """

    since: str
    handle: Handler
    remote: bool = False


def api_version(version: tuple[int, ...]) -> str:
    """Return the version of the service on a controller; empty if it has none."""
    return next((api for first, api in API_VERSIONS if version[:2] >= first), "")


def version_numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers that can be compared."""
    return tuple(int(part) for part in version.split(".") if part)


def text_of(request: HttpRequest, key: str) -> str:
    """Return a text of a request's JSON object; raise InputError if it has none."""
    value = request.json().get(key)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"the body has no text {key!r}")
    return " ".join(value.split())[:1000]


def json_response(value: dict[str, Any], status: int) -> HttpResponse:
    """Return a JSON object as a response."""
    return HttpResponse(status, json.dumps(value).encode())
