"""The REST service of PolyScope X: robot state, programs and system, below one address.

Paths, bodies and status codes are those that UR's client library and published clients use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from armtwin.errors import ArmTwinError, InputError, MissingDataError, OutputExistsError
from armtwin.robots.ur_controller.ports.intake import LATER, Step
from armtwin.robots.ur_controller.programs.loader import LOADER
from armtwin.robots.ur_controller.rest.calls import (
    BASE,
    LATER_API,
    OLD,
    Endpoint,
    Reply,
    StatusError,
    api_version,
    json_response,
    text_of,
    version_numbers,
)
from armtwin.robots.ur_controller.rest.http_port import HttpRequest, HttpResponse
from armtwin.robots.ur_controller.rest.program_library import ProgramLibrary
from armtwin.robots.ur_controller.rest.system_calls import SystemCalls
from armtwin.robots.ur_controller.state.modes import RuntimeState, SafetyMode

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

SAFETY = {
    SafetyMode.SYSTEM_EMERGENCY_STOP: "EMERGENCY_STOP",
    SafetyMode.ROBOT_EMERGENCY_STOP: "EMERGENCY_STOP", SafetyMode.VIOLATION: "FAULT",
}  # fmt: skip
"""Modes that the service names otherwise."""


class RobotApi:
    """Answers the calls of the REST service.

    Args:
        controller: the controller.
        shut_down: called when a client shuts the controller down.
    """

    def __init__(self, controller: VirtualController, shut_down: Callable[[], None]) -> None:
        self._controller, self._panel = controller, controller.panel
        self._library = ProgramLibrary(controller.files)
        system = SystemCalls(controller, shut_down)
        self.version = api_version(controller.version)
        known = version_numbers(self.version)
        table = self._state_calls() | self._program_calls() | system.table()
        self._table = {key: e for key, e in table.items() if version_numbers(e.since) <= known}

    def respond(self, request: HttpRequest) -> Generator[Step, None, HttpResponse]:
        """Answer a request; a generator that returns the response."""
        try:
            endpoint, name = self._find(request)
            if endpoint.remote and not self._panel.remote:
                raise StatusError(403, "the robot is not in remote control")
            reply = endpoint.handle(request, name)
            if isinstance(reply, Generator):
                reply = yield from reply
        except StatusError as error:
            reply = json_response({"message": str(error)}, error.status)
        except OutputExistsError as error:
            reply = json_response({"message": str(error)}, 400)
        except MissingDataError as error:
            reply = json_response({"message": str(error)}, 404)
        except InputError as error:
            reply = json_response({"message": str(error)}, 422)
        except (ArmTwinError, OSError) as error:
            reply = json_response({"message": str(error)}, 500)
        return reply if isinstance(reply, HttpResponse) else json_response(reply, 200)

    def _find(self, request: HttpRequest) -> tuple[Endpoint, str]:
        path, name = request.path.removeprefix(BASE).rstrip("/"), ""
        match = re.fullmatch(r"/programs/v1/([^/]+)", path)
        if match:
            path, name = "/programs/v1/{name}", unquote(match[1])
        if not request.path.startswith(BASE + "/"):
            path = ""
        if (request.method, path) in self._table:
            return self._table[request.method, path], name
        known = any(path == other for _, other in self._table)
        raise StatusError(405 if known else 404, f"no {request.method} {request.path[:200]}")

    def _state_calls(self) -> dict[tuple[str, str], Endpoint]:
        modes = self._controller.modes
        return {
            ("GET", "/openapi.json"): Endpoint(OLD, lambda *_: self._description()),
            ("PUT", "/robotstate/v1/state"): Endpoint(OLD, self._change_state, True),
            ("GET", "/robotstate/v1/robotmode"): Endpoint(
                LATER_API, lambda *_: {"mode": modes.robot.name}
            ),
            ("GET", "/robotstate/v1/safetymode"): Endpoint(
                LATER_API, lambda *_: {"mode": SAFETY.get(modes.safety, modes.safety.name)}
            ),
        }

    def _program_calls(self) -> dict[tuple[str, str], Endpoint]:
        library = self._library
        return {
            ("GET", "/program/v1/state"): Endpoint(
                OLD, lambda *_: {"state": self._program_state()}
            ),
            ("PUT", "/program/v1/state"): Endpoint(OLD, self._change_program, True),
            ("PUT", "/program/v1/load"): Endpoint(
                OLD, lambda request, _: self._load(request, "programName"), True
            ),
            ("PUT", "/program/v1/loaded"): Endpoint(
                LATER_API, lambda request, _: self._load(request, "name"), True
            ),
            ("GET", "/program/v1/loaded"): Endpoint(
                LATER_API, lambda *_: {"name": self._loaded_name()}
            ),
            ("GET", "/programs/v1"): Endpoint(
                LATER_API, lambda *_: LOADER.in_thread(lambda: {"programs": library.entries()})
            ),
            ("GET", "/programs/v1/{name}"): Endpoint(
                LATER_API,
                lambda _, name: LOADER.in_thread(lambda: HttpResponse(200, library.download(name))),
            ),
            ("POST", "/programs/v1"): Endpoint(LATER_API, lambda r, _: self._import(r, False)),
            ("PUT", "/programs/v1"): Endpoint(LATER_API, lambda r, _: self._import(r, True)),
        }

    def _description(self) -> dict[str, Any]:
        paths: dict[str, dict[str, Any]] = {}
        for method, path in self._table:
            paths.setdefault(path, {})[method.lower()] = {"responses": {"200": {}}}
        info = {"title": "Robot API (armtwin)", "version": self.version}
        return {"openapi": "3.1.0", "info": info, "paths": paths}

    def _change_state(self, request: HttpRequest, _: str) -> Reply | Generator[Step, None, Reply]:
        panel = self._panel
        actions = {
            "POWER_ON": panel.power_on, "POWER_OFF": panel.power_off,
            "BRAKE_RELEASE": panel.brake_release, "RESTART_SAFETY": panel.restart_safety,
        }  # fmt: skip
        action = text_of(request, "action")
        if action == "UNLOCK_PROTECTIVE_STOP":
            return self._unlock()
        if action not in actions:
            raise InputError(
                f"action {action!r}: there are UNLOCK_PROTECTIVE_STOP, {', '.join(actions)}"
            )
        return {"message": actions[action]()}

    def _unlock(self) -> Generator[Step, None, Reply]:
        """Unlock a protective stop as soon as it has lasted long enough."""
        modes = self._controller.modes
        if modes.safety != SafetyMode.PROTECTIVE_STOP:
            raise StatusError(409, f"no protective stop; the safety mode is {modes.safety.name}")
        answer = self._panel.unlock_protective_stop()
        while modes.safety == SafetyMode.PROTECTIVE_STOP:
            yield LATER
            answer = self._panel.unlock_protective_stop()
        return {"message": answer}

    def _change_program(self, request: HttpRequest, _: str) -> Generator[Step, None, Reply]:
        panel, action = self._panel, text_of(request, "action")
        if action not in ("play", "resume", "pause", "stop"):
            raise InputError(f"action {action!r}: there are play, resume, pause, stop")
        paused = self._controller.modes.runtime == RuntimeState.PAUSED
        if action in ("play", "resume") and (action == "resume") != paused:
            raise StatusError(409, f"cannot {action}: the program is {self._program_state()}")
        if action in ("play", "resume"):
            answer = yield from panel.play_steps()
        else:
            answer = panel.pause() if action == "pause" else panel.stop()
        if answer.startswith("Failed"):
            raise StatusError(409, f"{answer}; the program is {self._program_state()}")
        return {"message": answer, "state": self._program_state()}

    def _load(self, request: HttpRequest, key: str) -> Generator[Step, None, Reply]:
        name = text_of(request, key)
        path = yield from LOADER.in_thread(lambda: self._library.find(name))
        answer = yield from self._panel.load(path)
        if not answer.startswith("Loading"):
            raise StatusError(500, answer)
        return {"message": answer}

    def _import(self, request: HttpRequest, update: bool) -> Generator[Step, None, Reply]:
        active = {self._loaded_name()} if self._controller.modes.program_running else set()

        def write() -> Reply:
            data = request.file()
            if not update:
                return {"programName": self._library.add(data)}
            if self._library.name_of(data) in active:
                raise StatusError(409, "the program is loaded and active")
            return {"programName": self._library.update(data)}

        return (yield from LOADER.in_thread(write))

    def _program_state(self) -> str:
        modes = self._controller.modes
        if not modes.program_running:
            return "STOPPED"
        return "PLAYING" if modes.runtime == RuntimeState.PLAYING else "PAUSED"

    def _loaded_name(self) -> str:
        return self._library.shown_name(self._panel.loaded)
