"""The app's API answers what the library says, and refuses what makes no sense."""

import json
import math

import numpy as np
import pytest
from catalogue_arms import REPRESENTATIVE
from starlette.testclient import TestClient
from waiting import wait_until

import armtwin as at
from armtwin.app.control import lease
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm

ADDRESS = "http://127.0.0.1:8080"
STREAM = "ws://127.0.0.1:8080/api/stream"
Q = [0.3, -1.2, 1.4, -1.5, -1.0, 0.2]
ANNE, BERT = "anne-anne", "bert-bert"


def client():
    """Return a client of a new local app with a simulated UR5e."""
    app = create(Session(SimulatedArm(at.load("ur5e"))), AppSettings(), pages=False)
    return TestClient(app, base_url=ADDRESS)


@pytest.fixture(scope="module")
def web():
    """A client of an app whose arm nobody moves."""
    with client() as found:
        yield found


@pytest.fixture
def own():
    """A client of an app of its own."""
    with client() as found:
        yield found


@pytest.mark.parametrize("name", [None, "ur10e", "desktop5"])
def test_fk_is_the_librarys(web, name):
    """The pose is that of armtwin.fk when it is asked for."""
    arm = at.load(name or "ur5e")
    q = [0.3, -1.2, 1.4, -0.5, -1.0, 0.2][: arm.dof]
    answer = web.post("/api/fk", json={"arm": name, "q": q}).json()
    where = at.tool_coordinates(arm, q)
    assert answer["position"] == where.position.tolist()
    assert answer["rpy"] == where.rpy.tolist()
    assert answer["quaternion"] == where.quaternion.tolist()


def test_shapes_have_a_node_for_every_link(web):
    """JSON and GLB name the base and six links when the shapes of the shown arm are asked for."""
    listed = web.get("/api/arms/shown/shapes").json()
    assert [link["node"] for link in listed["links"]] == [f"link_{n}" for n in range(7)]
    assert {shape["link"] for shape in listed["shapes"]} == set(range(7))
    answer = web.get(listed["glb"])
    assert answer.headers["content-type"] == "model/gltf-binary"
    length = int.from_bytes(answer.content[12:16], "little")
    tree = json.loads(answer.content[20 : 20 + length])
    assert [node["name"] for node in tree["nodes"]] == [link["node"] for link in listed["links"]]
    assert all("mesh" in node for node in tree["nodes"])
    assert web.get("/api/arms/nobody/shapes.glb").status_code == 404


def test_ik_undoes_fk(web):
    """One of the solutions is the joint vector itself when its pose is asked for both ways."""
    pose = web.post("/api/fk", json={"q": Q}).json()
    for turn in ("rpy", "quaternion"):
        question = {"position": pose["position"], turn: pose[turn], "seed": Q}
        answer = web.post("/api/ik", json=question).json()
        assert len(answer["solutions"]) == 8
        np.testing.assert_allclose(answer["solutions"][0], Q, atol=1e-9)
        assert max(answer["residuals"]) < 1e-9


def test_arms_are_listed_and_drawn(web):
    """Every arm of the catalogue has its joints, limits and a body when it is asked for."""
    names = web.get("/api/arms").json()
    assert names == at.arm_names()
    for name in [*names, "shown"]:
        answer = web.get(f"/api/arms/{name}").json()
        arm = at.load("ur5e" if name == "shown" else name)
        assert [joint["name"] for joint in answer["joints"]] == [j.name for j in arm.driven]
        assert len(answer["geometry"]["links"]) == len(arm.joints)
        assert answer["geometry"]["reach"] > 0


def test_drawn_tool_is_the_arms(web):
    """The last link with the tool on it stands where fk says when the arm is drawn."""
    for name in REPRESENTATIVE:
        arm = at.load(name)
        tool = np.array(web.get(f"/api/arms/{name}").json()["geometry"]["tool"]).reshape(4, 4).T
        q = np.clip(np.linspace(-0.5, 0.5, arm.dof), arm.lower, arm.upper)
        np.testing.assert_allclose(at.link_poses(arm, q)[-1] @ tool, at.fk(arm, q), atol=1e-12)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("/api/fk", {"q": [0.0] * 5}),
        ("/api/fk", {"q": [0.0] * 7}),
        ("/api/fk", {"q": []}),
        ("/api/fk", {"q": [0.0] * 1000}),
        ("/api/fk", {"q": ["x"] * 6}),
        ("/api/fk", {"q": "0 0 0 0 0 0"}),
        ("/api/fk", {"q": [7.0, 0, 0, 0, 0, 0]}),
        ("/api/fk", {"q": [1e300, 0, 0, 0, 0, 0], "ignore_limits": True}),
        ("/api/fk", {"q": [0.0] * 6, "arm": "../../secret"}),
        ("/api/fk", {}),
        ("/api/ik", {"position": [0.3, 0.2]}),
        ("/api/ik", {"position": [0.3, 0.2, 0.3]}),
        ("/api/ik", {"position": [0.3, 0.2, 0.3], "rpy": [0, 0, 0], "quaternion": [0, 0, 0, 1]}),
        ("/api/ik", {"position": [0.3, 0.2, 0.3], "quaternion": [0, 0, 0, 0]}),
        ("/api/ik", {"position": [9.0, 0, 0], "rpy": [0, 0, 0]}),
        ("/api/ik", {"position": [0.3, 0.2, 0.3], "rpy": [0, 0, 0], "seed": [0.0]}),
        ("/api/lease/take", {"client": "x"}),
        ("/api/lease/take", {"client": "<script>alert(1)</script>"}),
        ("/api/lease/take", {"client": ANNE, "name": "n" * 41}),
        ("/api/move", {"client": ANNE, "q": Q, "speed": 0}),
        ("/api/move", {"client": ANNE, "q": Q, "speed": 1.5}),
    ],
)
def test_nonsense_is_refused(web, path, content):
    """The answer says what was wrong when a value makes no sense."""
    answer = web.post(path, json=content)
    assert answer.status_code == 422
    assert answer.json()["error"]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_refused(web, word):
    """NaN and infinity are refused when they come as JSON."""
    text = f'{{"q": [{word}, 0, 0, 0, 0, 0]}}'
    answer = web.post("/api/fk", content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00", '{"q": 1' + "1" * 5000])
def test_broken_json_is_refused(web, text):
    """A body that is no object is refused when it is read."""
    answer = web.post("/api/fk", content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]


def test_unknown_arm_is_named(web):
    """The names that exist are listed when an arm does not."""
    answer = web.post("/api/fk", json={"arm": "ur99", "q": Q})
    assert answer.status_code == 404
    assert "ur10e" in answer.json()["error"]
    assert web.get("/api/arms/ur99").status_code == 404


def test_motion_needs_the_lease(own):
    """The arm moves for the holder only, and stops for everybody, when it is told to."""
    move = {"q": Q, "speed": 0.2}
    assert own.post("/api/move", json=move | {"client": ANNE}).status_code == 403
    assert own.post("/api/lease/take", json={"client": ANNE, "name": "Anne"}).json()["yours"]
    refused = own.post("/api/lease/take", json={"client": BERT, "name": "Bert"})
    assert refused.status_code == 403
    assert "Anne" in refused.json()["error"]
    assert own.post("/api/move", json=move | {"client": BERT}).status_code == 403
    assert own.post("/api/move", json=move | {"client": ANNE}).status_code == 200
    assert own.post("/api/stop").status_code == 200
    assert own.post("/api/lease/request", json={"client": BERT, "name": "Bert"}).status_code == 200
    given = own.post("/api/lease/release", json={"client": ANNE}).json()
    assert given == {"holder": "Bert (program)", "waiting": [], "yours": False}


def test_arm_stops_when_its_holder_falls_silent(own, monkeypatch):
    """The arm stands still short of its goal and is free when heartbeats stop."""
    monkeypatch.setattr(lease, "EXPIRY", 2.0)  # conftest.py lets it last
    own.post("/api/lease/take", json={"client": ANNE})
    own.post("/api/move", json={"client": ANNE, "q": [6.0, *Q[1:]], "speed": 0.01})
    state = own.get("/api/state").json()
    assert state["lease"]["holder"] and state["moving"]
    wait_until(lambda: own.get("/api/state").json()["lease"]["holder"] is None, what="expiry")
    wait_until(lambda: not own.get("/api/state").json()["moving"], what="rest")
    assert 0.01 < own.get("/api/state").json()["q"][0] < 3.0


def messages(socket, kind):
    """Return the next message of a kind."""
    for _ in range(200):
        message = socket.receive_json()
        if message["type"] == kind:
            return message
    raise AssertionError(f"no {kind} came")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[]",
        "{}",
        '{"type": "fly"}',
        '{"type": "follow"}',
        '{"type": "follow", "q": [NaN, 0, 0, 0, 0, 0]}',
        '{"type": "follow", "q": [0, 0, 0, 0, 0, 0]}',
        '{"type": "move", "q": [0, 0, 0], "speed": 1e9}',
        '{"type": "preview", "q": [100, 0, 0, 0, 0, 0]}',
        '{"type": "jog", "axis": 6, "sign": 1}',
        '{"type": "jog", "axis": 1, "sign": 1}',
        '{"type": "release"}',
    ],
)
def test_stream_survives_nonsense(web, text):
    """An error is reported, and the stream goes on, when a message is nonsense or not allowed."""
    with web.websocket_connect(f"{STREAM}?client={ANNE}") as socket:
        messages(socket, "hello")
        socket.send_text(text)
        assert messages(socket, "error")["error"]
        assert messages(socket, "state")["q"]


def test_endless_message_ends_the_connection(web):
    """The connection is closed when a message is too long."""
    from starlette.websockets import WebSocketDisconnect

    with web.websocket_connect(STREAM) as socket:
        socket.send_text('{"type": "heartbeat", "x": "' + "y" * 20_000 + '"}')
        with pytest.raises(WebSocketDisconnect):
            messages(socket, "nothing")


def test_stream_moves_the_arm_to_where_it_says(own):
    """The state ends at the target, with the pose fk gives, when the holder follows."""
    goal = own.get("/api/state").json()["q"]
    goal[0] += 0.2
    with own.websocket_connect(f"{STREAM}?client={ANNE}") as socket:
        socket.send_json({"type": "take"})
        for _ in range(200):
            socket.send_json({"type": "follow", "q": goal, "speed": 1})
            state = messages(socket, "state")
            if math.dist(state["q"], goal) < 1e-9:
                break
        socket.send_json({"type": "release"})
    assert state["q"] == pytest.approx(goal, abs=1e-9)
    where = at.tool_coordinates(at.load("ur5e"), state["q"])
    assert state["pose"]["position"] == where.position.tolist()
    np.testing.assert_allclose(
        [row[:3] for row in state["links"]],
        at.link_poses(at.load("ur5e"), state["q"])[:, :3, 3],
        atol=1e-6,
    )
