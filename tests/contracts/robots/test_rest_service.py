"""The REST service of PolyScope X over HTTP: state, programs, files, and wrong requests."""

import asyncio
import http.client
import io
import json
import socket
import zipfile
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import wait_until

from armtwin.errors import LinkError
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.rest.calls import api_version
from armtwin.robots.ur_controller.rest.http_port import LARGEST_BODY, HttpRequest
from armtwin.robots.ur_controller.rest.service import RobotApi
from armtwin.testing import virtual_robot as running_robot

BASE = "/universal-robots/robot-api"
FORM = {"Content-Type": "multipart/form-data; boundary=XX"}


def urpx(name, script="sleep(100)"):
    """Return a PolyScope X program."""
    content = {"programInformation": {"name": name}, "urscript": {"script": script}}
    return json.dumps({"program": content}).encode()


def form(data, name="file"):
    """Return a multipart form with one part."""
    head = f'--XX\r\nContent-Disposition: form-data; name="{name}"; filename="f"\r\n\r\n'.encode()
    return head + data + b"\r\n--XX--\r\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with one program."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "wait_program.script").write_text("def wait():\n  sleep(100)\nend\n")
    return folder


@pytest.fixture(scope="module")
def running(folder):
    """A running robot of the newest kind."""
    options = {"version": "10.14.0", "rest_port": 0, "unlock_after": 0.2}
    with running_robot("ur5e", programs=folder, **options) as robot:
        yield robot


@pytest.fixture
def call(running):
    """Call the service over one connection; return status and decoded body."""
    link = http.client.HTTPConnection(running.host, running.robot.rest_port, timeout=180)

    def send(method, path, body=None, headers=None):
        data = json.dumps(body) if isinstance(body, dict) else body
        link.request(method, BASE + path, data, headers or {"Content-Type": "application/json"})
        answer = link.getresponse()
        content = answer.read()
        is_json = answer.headers["Content-Type"] == "application/json" and content
        return answer.status, json.loads(content) if is_json else content

    yield send
    link.close()


def act(call, kind, action):
    """Ask for an action and return the status."""
    return call("PUT", f"/{kind}/v1/state", {"action": action})[0]


def test_description(call):
    """Version and paths of the service are reported when a client connects."""
    status, body = call("GET", "/openapi.json")
    assert (status, body["info"]["version"]) == (200, "5.0.107")
    assert "/robotstate/v1/state" in body["paths"]


def test_power_cycle(call):
    """The robot mode follows when a client switches power and brakes."""
    for action, mode in (
        ("POWER_OFF", "POWER_OFF"), ("POWER_ON", "IDLE"), ("BRAKE_RELEASE", "RUNNING"),
    ):  # fmt: skip
        assert act(call, "robotstate", action) == 200
        assert call("GET", "/robotstate/v1/robotmode") == (200, {"mode": mode})


def test_program(call):
    """A program is loaded, played, paused, resumed and stopped when a client says so."""
    assert call("GET", "/program/v1/loaded") == (200, {"name": "Default program"})
    assert act(call, "program", "play") == 409
    assert call("PUT", "/program/v1/loaded", {"name": "nothing"})[0] == 404
    assert call("PUT", "/program/v1/loaded", {"name": "wait_program"})[0] == 200
    assert call("GET", "/program/v1/loaded") == (200, {"name": "wait_program"})
    for action, status, state in (
        ("resume", 409, "STOPPED"), ("play", 200, "PLAYING"), ("pause", 200, "PAUSED"),
        ("play", 409, "PAUSED"), ("resume", 200, "PLAYING"), ("stop", 200, "STOPPED"),
    ):  # fmt: skip
        assert act(call, "program", action) == status
        assert call("GET", "/program/v1/state") == (200, {"state": state})


def test_protective_stop(running, call):
    """The call returns once the stop is unlocked when a protective stop has just begun."""
    running.call(running.controller.protective_stop, "of the test")
    assert call("GET", "/robotstate/v1/safetymode") == (200, {"mode": "PROTECTIVE_STOP"})
    assert act(call, "robotstate", "UNLOCK_PROTECTIVE_STOP") == 200
    assert call("GET", "/robotstate/v1/safetymode") == (200, {"mode": "NORMAL"})
    assert act(call, "robotstate", "UNLOCK_PROTECTIVE_STOP") == 409


def test_emergency_stop(running, call):
    """Fault and recovery are seen when the emergency stop was hit."""
    running.call(running.controller.panel.emergency_stop)
    assert call("GET", "/robotstate/v1/safetymode") == (200, {"mode": "EMERGENCY_STOP"})
    assert act(call, "robotstate", "RESTART_SAFETY") == 200
    assert act(call, "robotstate", "BRAKE_RELEASE") == 200


def test_library(call, folder):
    """Programs are listed, uploaded, updated and downloaded when a client sends them."""
    assert call("POST", "/programs/v1/", form(urpx("my move")), FORM)[1] == {
        "programName": "my move"
    }
    assert call("POST", "/programs/v1/", form(urpx("my move")), FORM)[0] == 400
    newer = urpx("my move", "sleep(200)")
    assert call("PUT", "/programs/v1/", form(newer), FORM)[0] == 200
    assert call("GET", "/programs/v1/my%20move") == (200, json.loads(newer))
    assert (folder / "my move.urpx").read_bytes() == newer
    names = [entry["name"] for entry in call("GET", "/programs/v1/")[1]["programs"]]
    assert names == ["my move", "wait_program"]
    assert call("PUT", "/program/v1/loaded", {"name": "my move"})[0] == 200
    assert act(call, "program", "play") == 200
    assert call("PUT", "/programs/v1/", form(newer), FORM)[0] == 409
    assert act(call, "program", "stop") == 200


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("PUT", "/robotstate/v1/state", {"action": "FLY"}, None, 422),
        ("PUT", "/robotstate/v1/state", {}, None, 422),
        ("PUT", "/robotstate/v1/state", b"{", None, 422),
        ("PUT", "/robotstate/v1/state", b"[1]", None, 422),
        ("PUT", "/program/v1/state", {"action": "fly"}, None, 422),
        ("PUT", "/program/v1/loaded", {"name": "../secret"}, None, 404),
        ("GET", "/programs/v1/..%2F..%2Fetc%2Fpasswd", None, None, 404),
        ("GET", "/programs/v1/nothing", None, None, 404),
        ("PUT", "/programs/v1", form(urpx("unknown")), FORM, 404),
        ("POST", "/programs/v1", form(b"{}"), FORM, 422),
        ("POST", "/programs/v1", form(urpx("x"), "other"), FORM, 422),
        ("POST", "/programs/v1", b"no form", FORM, 422),
        ("DELETE", "/program/v1/state", None, None, 405),
        ("GET", "/nothing", None, None, 404),
    ],
)
def test_wrong_requests(call, folder, method, path, body, headers, status):
    """The status says what is wrong, and nothing is written, when a request cannot be served."""
    before = sorted(folder.rglob("*"))
    assert call(method, path, body, headers)[0] == status
    assert sorted(folder.rglob("*")) == before


def test_system(running, call):
    """Modes, versions, popups and log are served when a client asks for them."""
    assert call("GET", "/system/v1/controlmode") == (200, {"mode": "REMOTE"})
    assert call("GET", "/system/v1/operationalmode") == (200, {"mode": "AUTOMATIC"})
    assert call("GET", "/versions/v1")[1]["marketingVersion"] == "10.14.0.0"
    assert call("GET", "/system/v1/information")[1]["robotType"] == "UR5"
    assert call("POST", "/popup/v1", {"title": "t", "message": "look"})[0] == 200
    assert running.controller.panel.popup == "look"
    assert call("DELETE", "/popup/v1")[0] == 200
    assert running.controller.panel.popup == ""
    assert call("POST", "/system/v1/log", {"message": "a line"})[0] == 200
    assert any(line.text == "a line" for line in running.controller.journal.lines)


def test_support_files(call):
    """An archive with the flight report comes when support files are asked for."""
    name = call("POST", "/supportfiles/v1")[1]["id"]
    status, data = call("GET", "/supportfiles/v1")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert f"flightreports/{name}.zip" in archive.namelist()
    assert status == 200


def test_no_http(running):
    """The connection is closed with a status when a client speaks something else."""
    with socket.create_connection((running.host, running.robot.rest_port), timeout=180) as link:
        link.sendall(b"\x00\x01 nonsense\r\n\r\n")
        assert link.makefile("rb").read().startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("chunked", [True, False])
def test_large_body(running, chunked):
    """The request is refused when its body is longer than any program."""
    with socket.create_connection((running.host, running.robot.rest_port), timeout=180) as link:
        size = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {LARGEST_BODY + 1}"
        link.sendall(f"POST {BASE}/programs/v1 HTTP/1.1\r\nHost: x\r\n{size}\r\n\r\n".encode())
        if chunked:
            link.sendall(b"%x\r\n" % (LARGEST_BODY + 1) + b" " * (LARGEST_BODY + 1))
        assert link.recv(12) == b"HTTP/1.1 413"


def test_local_control(tmp_path):
    """Power and programs are refused, enquiries not, when the robot is in local control."""
    options = {"version": "10.12.0", "rest_port": 0, "remote_control": False}
    with running_robot("ur5e", programs=tmp_path, **options) as running:
        link = http.client.HTTPConnection(running.host, running.robot.rest_port, timeout=180)
        found = {}
        for method, path in (
            ("PUT", "/robotstate/v1/state"), ("GET", "/system/v1/controlmode"),
            ("GET", "/versions/v1"),
        ):  # fmt: skip
            link.request(method, BASE + path, '{"action": "POWER_OFF"}')
            answer = link.getresponse()
            found[path] = (answer.status, answer.read())
        link.close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((running.host, 29999), timeout=180)
    assert found["/robotstate/v1/state"][0] == 403
    assert json.loads(found["/system/v1/controlmode"][1]) == {"mode": "LOCAL"}
    assert found["/versions/v1"][0] == 404


def test_port_that_is_not_permitted(monkeypatch):
    """The service is on 8080 when the system does not permit port 80, and only then."""
    create = asyncio.base_events.BaseEventLoop.create_server

    def refuse(loop, protocol, host, port, **options):
        if port == 80:
            raise PermissionError(13, "Permission denied")
        return create(loop, protocol, host, port, **options)

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "create_server", refuse)
    with running_robot("ur5e", version="10.14.0") as running:
        assert running.robot.rest_port == 8080
    with (
        pytest.raises(LinkError, match=":80"),
        running_robot("ur5e", version="10.14.0", rest_port=80),
    ):
        pass


def test_shutdown():
    """The robot is off after its answer when a client shuts it down."""
    with running_robot("ur5e", version="10.14.0", rest_port=0) as running:
        link = http.client.HTTPConnection(running.host, running.robot.rest_port, timeout=180)
        link.request("PUT", f"{BASE}/system/v1/shutdown", "")
        assert link.getresponse().status == 200
        link.close()
        wait_until(lambda: running.robot.off)


KINDS = ("", "application/json", "multipart/form-data; boundary=XX", "multipart/form-data", "a/b;")
BODIES = st.one_of(
    st.binary(max_size=60),
    st.builds(lambda text: json.dumps({"action": text, "name": text}).encode(), st.text()),
    st.builds(form, st.binary(max_size=40)),
    st.just(b"[" * 100_000),
)


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    """The service of a robot that does not run."""
    folder = tmp_path_factory.mktemp("fuzz")
    controller = virtual_robot("ur5e", version="10.14.0", programs=folder).controller
    return RobotApi(controller, lambda: None)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(KINDS), BODIES)
def test_any_request(api, data, kind, body):
    """A status and JSON, come back when any body is sent to any path."""
    calls = [call for call in sorted(api._table) if "supportfiles" not in call[1]]
    method, path = data.draw(st.sampled_from(calls))
    response = answered(api.respond(HttpRequest(method, BASE + path, kind, bytearray(body))))
    assert response.status in (200, 400, 403, 404, 409, 422)
    assert isinstance(json.loads(response.body), dict)


def answered(steps):
    """Return what a generator returns at its end."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


@pytest.mark.parametrize(
    ("version", "api"),
    [
        ("5.25.0", ""),
        ("10.7.0", ""),
        ("10.11.0", "3.0.0"),
        ("10.13.1", "3.1.4"),
        ("11.0", "5.0.107"),
    ],
)
def test_versions(version, api):
    """The service has the version of its PolyScope when it has one at all."""
    assert api_version(virtual_robot("ur5e", version=version).controller.version) == api


def test_operational_mode_is_set_and_cleared(call):
    """The operational mode follows PUT and DELETE when the newest service is asked."""
    assert call("PUT", "/operational-mode/v1", {"mode": "MANUAL"})[0] == 200
    assert call("GET", "/system/v1/operationalmode")[1] == {"mode": "MANUAL"}
    assert call("PUT", "/operational-mode/v1", {"mode": "AUTOMATIC"})[1]["mode"] == "AUTOMATIC"
    assert call("PUT", "/operational-mode/v1", {"mode": "WRONG"})[0] == 422
    assert call("DELETE", "/operational-mode/v1")[0] == 200


def test_system_time(call):
    """The time of the system has a date when it is asked for, as older clients do to connect."""
    status, answer = call("GET", "/system/v1/system-time/")
    assert status == 200
    assert datetime.fromisoformat(answer["systemTime"]).year >= 2026
