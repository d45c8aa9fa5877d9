"""Error responses as JSON: what was wrong, what was expected, what to do."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from armtwin.app.server.plain_text import for_clients
from armtwin.errors import (
    ArmTwinError,
    BusyError,
    LinkError,
    MissingDataError,
    NotPermittedError,
    QueueFullError,
    UnknownArmError,
)

STATUS = (
    (NotPermittedError, 403),
    (UnknownArmError, 404),
    (LinkError, 503),
    (QueueFullError, 429),
    (BusyError, 503),
    (MissingDataError, 409),
    (ArmTwinError, 422),
)
SEE = "see /api/openapi.json for what this address takes"


class ErrorResponse(BaseModel):
    """Content of every error response."""

    error: str
    expected: str = ""
    hint: str = ""


_SAME = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorResponse"}}}
"""Refers to the model, which FastAPI would build anew for every code of every address (0.6 s)."""
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorResponse, "description": "not readable as JSON"},
    **{
        code: {"description": text, "content": _SAME}
        for code, text in (
            (401, "no token, or a wrong one"),
            (403, "not allowed now: no control, no token, or a foreign page"),
            (404, "not found"),
            (409, "the arm lacks data that this needs"),
            (413, "the request is too large"),
            (422, "an invalid value"),
            (429, "too many requests, or too many jobs wait"),
            (503, "the robot cannot be reached or refuses, or the work process restarts"),
        )
    },
}


def register(app: FastAPI) -> None:
    """Register the error handlers of an app."""
    app.add_exception_handler(ArmTwinError, _refused)
    app.add_exception_handler(RequestValidationError, _misread)
    app.add_exception_handler(HTTPException, _plain)


def error_response(status: int, error: str, expected: str = "", hint: str = "") -> JSONResponse:
    """Return an error as JSON.

    Args:
        status: HTTP status.
        error: what was wrong.
        expected: what was expected.
        hint: what to do.
    """
    content = ErrorResponse(error=error, expected=expected, hint=hint).model_dump()
    return JSONResponse(content, status)


def status_of(error: ArmTwinError) -> int:
    """Return the HTTP status that fits an error."""
    return next(code for kind, code in STATUS if isinstance(error, kind))


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ArmTwinError)
    return error_response(status_of(error), for_clients(str(error)))


async def _misread(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return error_response(422, f"{place}: {first['msg']}", str(first.get("ctx", "")), SEE)


async def _plain(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    response = error_response(error.status_code, str(error.detail), "", SEE)
    response.headers.update(error.headers or {})
    return response
