"""Calls of the REST service about the system: modes, versions, popups, log, support files."""

from __future__ import annotations

from collections.abc import Callable, Generator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from armtwin.errors import InputError
from armtwin.robots.ur_controller.ports.dashboard import robot_model
from armtwin.robots.ur_controller.ports.intake import Step
from armtwin.robots.ur_controller.programs.flight_reports import SERIAL_NUMBER, Reports
from armtwin.robots.ur_controller.programs.loader import LOADER
from armtwin.robots.ur_controller.rest.calls import (
    LATER_API,
    NEWEST,
    OLD,
    Endpoint,
    Reply,
    text_of,
)
from armtwin.robots.ur_controller.rest.http_port import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController


class SystemCalls:
    """Answers the calls about the system.

    Args:
        controller: the controller.
        shut_down: called when a client shuts the controller down.
    """

    def __init__(self, controller: VirtualController, shut_down: Callable[[], None]) -> None:
        self._controller, self._panel = controller, controller.panel
        self._shut_down, self._reports = shut_down, Reports(controller)

    def table(self) -> dict[tuple[str, str], Endpoint]:
        """Return the calls by method and path."""
        controller, panel = self._controller, self._panel
        version = ".".join(map(str, controller.version))
        return {
            ("GET", "/system/v1/controlmode"): Endpoint(
                LATER_API, lambda *_: {"mode": "REMOTE" if panel.remote else "LOCAL"}
            ),
            ("GET", "/system/v1/operationalmode"): Endpoint(
                LATER_API, lambda *_: {"mode": self._operational_mode()}
            ),
            ("GET", "/system/v1/system-time"): Endpoint(OLD, lambda *_: {"systemTime": _now()}),
            ("PUT", "/operational-mode/v1"): Endpoint(NEWEST, self._set_operational_mode, True),
            ("DELETE", "/operational-mode/v1"): Endpoint(
                NEWEST, lambda *_: {"message": panel.clear_operational_mode()}, True
            ),
            ("POST", "/popup/v1"): Endpoint(NEWEST, self._popup),
            ("DELETE", "/popup/v1"): Endpoint(NEWEST, lambda *_: {"message": panel.close_popup()}),
            ("DELETE", "/popup/v1/safety"): Endpoint(
                NEWEST, lambda *_: {"message": "closing safety popup"}
            ),
            ("GET", "/versions/v1"): Endpoint(
                NEWEST, lambda *_: {"marketingVersion": version, "baselineVersion": version}
            ),
            ("GET", "/system/v1/information"): Endpoint(
                NEWEST,
                lambda *_: {"robotType": robot_model(controller), "serialNumber": SERIAL_NUMBER},
            ),
            ("PUT", "/system/v1/shutdown"): Endpoint(NEWEST, self._power_down, True),
            ("POST", "/system/v1/log"): Endpoint(NEWEST, self._add_to_log),
            ("POST", "/supportfiles/v1"): Endpoint(NEWEST, lambda *_: self._flight_report()),
            ("GET", "/supportfiles/v1"): Endpoint(NEWEST, lambda *_: self._support_file()),
        }

    def _operational_mode(self) -> str:
        mode = self._panel.operational_mode
        return mode if mode != "NONE" else "AUTOMATIC" if self._panel.remote else "MANUAL"

    def _set_operational_mode(self, request: HttpRequest, _: str) -> Reply:
        mode = text_of(request, "mode")
        answer = self._panel.set_operational_mode(mode)
        if answer.startswith("Failed"):
            raise InputError(f"mode {mode!r}: there are MANUAL and AUTOMATIC")
        return {"message": answer, "mode": self._operational_mode()}

    def _popup(self, request: HttpRequest, _: str) -> Reply:
        self._panel.popup = text_of(request, "message")
        return {"message": "showing popup"}

    def _add_to_log(self, request: HttpRequest, _: str) -> Reply:
        self._controller.say(text_of(request, "message"))
        return {"message": "Added log message"}

    def _power_down(self, request: HttpRequest, _: str) -> Reply:
        self._panel.power_off()
        self._shut_down()
        return {"message": "Shutting down"}

    def _flight_report(self) -> Generator[Step, None, Reply]:
        name = yield from LOADER.in_thread(self._reports.flight_report("system"))
        return {"message": f"Flight Report generated with id: {name}", "id": name}

    def _support_file(self) -> Generator[Step, None, Reply]:
        write, files = self._reports.support_file("."), self._controller.files
        data = yield from LOADER.in_thread(lambda: files.find(write()).read_bytes())
        return HttpResponse(200, data, "application/zip")


def _now() -> str:
    """Return the time of this machine, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
