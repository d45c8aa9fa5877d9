"""A stop that does not reach the arm: what the app answers and what it ends all the same."""

import pytest
from starlette.testclient import TestClient

import armtwin as at
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.errors import NotDeliveredError
from armtwin.robots.simulated_arm import SimulatedArm

ADDRESS = "http://127.0.0.1:8080"
ANNE = "anne-anne"
NOT_DELIVERED = "NOT DELIVERED, use the robot's own stop: it is far away"


class FarArm(SimulatedArm):
    """An arm that hears no stop while it is out of reach."""

    reached = False

    async def stop(self):
        """Stop, if there is somebody to hear it."""
        if not self.reached:
            raise NotDeliveredError("it is far away")
        await super().stop()


@pytest.fixture
def session():
    """The session of an arm that is out of reach."""
    return Session(FarArm(at.load("ur5e")))


@pytest.fixture
def web(session):
    """A client of an app whose arm is out of reach."""
    with TestClient(create(session, AppSettings(), pages=False), base_url=ADDRESS) as found:
        yield found


def heard(socket, kind):
    """Return the next message of a kind."""
    for _ in range(500):
        message = socket.receive_json()
        if message["type"] == kind:
            return message
    raise AssertionError(f"no {kind} came")


def test_request_is_reported(web, session):
    """A POST is answered with 503 and the words for people when the arm is out of reach."""
    answer = web.post("/api/stop")
    assert (answer.status_code, answer.json()["error"]) == (503, NOT_DELIVERED)
    session.robot.reached = True
    assert web.post("/api/stop").json() == {"done": True}


def test_stream_is_reported(web, session):
    """The stream answers an error, or that the arm was stopped, when a client stops the arm."""
    with web.websocket_connect("/api/stream", headers={"host": "127.0.0.1:8080"}) as socket:
        socket.send_json({"type": "stop"})
        assert heard(socket, "error")["error"] == NOT_DELIVERED
        session.robot.reached = True
        socket.send_json({"type": "stop"})
        assert heard(socket, "stopped") == {"type": "stopped"}


def test_what_moves_the_arm_ends(web, session):
    """Programs end and the lease is given back when the stop itself is not delivered."""
    ended = []
    session.on_stop.append(lambda: ended.append(True))
    web.post("/api/stop")
    assert ended == [True]
    web.post("/api/lease/take", json={"client": ANNE})
    assert web.post("/api/lease/release", json={"client": ANNE}).status_code == 503
    assert session.lease.holder is None
