"""Recording and teaching while the robot is out of reach: refused, and said why."""

import dataclasses

import pytest
from starlette.testclient import TestClient

import armtwin as at
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm
from armtwin.robots.state_recorder import StateRecorder

ANNE = "anne-anne"


class LosableArm(SimulatedArm):
    """A simulated arm whose states have another status on request."""

    shown_status = ""

    def state(self):
        """Return the newest state, under the status that was set."""
        state = super().state()
        return dataclasses.replace(state, status=self.shown_status or state.status)


@pytest.fixture
def robot():
    """A UR5e that can be lost."""
    return LosableArm(at.load("ur5e"))


@pytest.fixture
def web(robot, tmp_path):
    """A client of a local app with that arm."""
    app = create(Session(robot, folder=tmp_path), AppSettings(), pages=False)
    with TestClient(app, base_url="http://127.0.0.1:8080") as found:
        yield found


@pytest.mark.parametrize("status", ["lost", "connecting"])
def test_no_recording_of_an_unheard_robot(web, robot, status):
    """Recording is refused with the reason when the robot is not heard, and begins once it is."""
    robot.shown_status = status
    answer = web.post("/api/live/recording/start")
    assert (answer.status_code, status in answer.json()["error"]) == (503, True)
    assert web.get("/api/live").json()["recording_seconds"] is None
    robot.shown_status = ""
    assert web.post("/api/live/recording/start").status_code == 200


def test_a_running_recording_says_that_nothing_comes(web, robot):
    """The trouble names the loss, until it is over, when the robot is lost while recording."""
    web.post("/api/live/recording/start")
    robot.shown_status = "lost"
    assert "no samples now (lost)" in web.get("/api/live").json()["recording_trouble"]
    robot.shown_status = ""
    assert web.get("/api/live").json()["recording_trouble"] == ""


def test_old_positions_are_not_recorded(robot):
    """No row is added when the robot is lost, though time goes on."""
    recorder, state = StateRecorder("ur5e", "test"), robot.state()
    recorder.add(state)
    recorder.add(dataclasses.replace(state, time=state.time + 1.0, status="lost"))
    assert recorder.rows == 1


def test_an_old_position_is_not_taught(web, robot):
    """No position is added or changed when the robot is not heard."""
    content = {"client": ANNE}
    assert web.post("/api/teach/positions", json=content).status_code == 200
    before = web.get("/api/teach").json()["program"]
    robot.shown_status = "lost"
    added = web.post("/api/teach/positions", json=content)
    changed = web.put("/api/teach/positions/0", json={**content, "here": True})
    assert [(a.status_code, "lost" in a.json()["error"]) for a in (added, changed)] == [
        (503, True),
        (503, True),
    ]
    assert web.get("/api/teach").json()["program"] == before
