"""Watching through the app's API: bad input, control, recordings; no browser and no robot."""

import asyncio
import dataclasses
import io
import json
import tracemalloc

import numpy as np
import pytest
from starlette.testclient import TestClient
from waiting import wait_until

import armtwin as at
from armtwin.app.control.choose_robot import choose_robot
from armtwin.app.control.run_recorder import MAX_FILES
from armtwin.app.control.sample_history import SampleHistory
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.errors import InputError, MissingColumnError, RecordingError
from armtwin.robots.replay import ReplayedRobot
from armtwin.robots.robot import RobotState
from armtwin.robots.simulated_arm import SimulatedArm
from armtwin.robots.state_recorder import StateRecorder
from armtwin.robots.ur.speed_control.safe_speed import SHORTEST, STALE
from armtwin.robots.ur.speed_control.speed_commands import SpeedCommands

ADDRESS = "http://127.0.0.1:8080"
ANNE, BERT = "anne-anne", "bert-bert"


def played(dof=6, rows=400):
    """Return a recording of a slow motion."""
    time_ = np.arange(rows) / 100
    q = np.column_stack([0.1 * np.sin(time_ + k) for k in range(dof)])
    return at.Recording.of(time_, {"q": q}, origin="made")


@pytest.fixture
def web():
    """A client of a local app with a simulated UR5e."""
    app = create(Session(SimulatedArm(at.load("ur5e"))), AppSettings(), pages=False)
    with TestClient(app, base_url=ADDRESS) as found:
        yield found


@pytest.fixture
def player():
    """A client of a local app that plays a recording."""
    robot = ReplayedRobot(at.load("ur5e"), played())
    with TestClient(create(Session(robot), AppSettings(), pages=False), base_url=ADDRESS) as found:
        yield found


def recorded(web, rows=5):
    """Make a short recording and return what the app says of it."""
    assert web.post("/api/live/recording/start").status_code == 200
    wait_until(lambda: web.get("/api/live").json()["recording_seconds"] > rows * 0.03)
    return web.post("/api/live/recording/stop")


@pytest.mark.parametrize(
    ("path", "content", "status", "words"),
    [
        ("virtual", {}, 422, "client"),
        ("virtual", {"client": ANNE, "arm": "../../etc/passwd"}, 404, "catalogue"),
        ("virtual", {"client": ANNE, "arm": "x" * 100}, 422, "60"),
        ("virtual", {"client": ANNE, "arm": "desktop5"}, 422, "six joints"),
        ("push", {"client": ANNE, "joint": 7, "torque": 10}, 422, "1 to 6"),
        ("push", {"client": ANNE, "joint": 0, "torque": 10}, 422, "joint"),
        ("push", {"client": ANNE, "joint": 2, "torque": 1e9}, 422, "torque"),
        ("push", {"client": ANNE, "joint": 2, "torque": "NaN"}, 422, "torque"),
        ("push", {"client": ANNE, "joint": 2, "torque": 5, "seconds": 0}, 422, "seconds"),
        ("push", {"client": "<script>", "joint": 2, "torque": 5}, 422, "client"),
        ("unlock", {"client": ANNE}, 422, "virtual robot first"),
        ("replay", {"position": 1.0}, 422, "no recording"),
        ("replay", {"position": -1.0}, 422, "position"),
        ("recording/stop", {}, 422, "not recording"),
    ],
)
def test_bad_wishes(web, path, content, status, words):
    """The answer says what is wrong, and the app lives, when a wish makes no sense."""
    answer = web.post(f"/api/live/{path}", json=content)
    assert (answer.status_code, words in answer.json()["error"]) == (status, True), answer.text
    assert web.get("/api/state").json()["status"] == "ready"


@pytest.mark.parametrize("path", ["virtual", "push", "unlock", "simulated"])
def test_another_has_control(web, path):
    """Nothing is changed or pushed when somebody else has control."""
    web.post("/api/lease/take", json={"client": ANNE, "name": "anne"})
    content = {"client": BERT, "joint": 1, "torque": 5}
    answer = web.post(f"/api/live/{path}", json=content)
    assert answer.status_code == 403
    assert answer.json()["error"].startswith("anne")


def test_what_is_shown_can_be_recorded(web, tmp_path):
    """The file holds the states with their arm and units when a simulated arm is recorded."""
    made = recorded(web, 10).json()
    answer = web.get(f"/api/live/recordings/{made['name']}")
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    file = tmp_path / made["name"]
    file.write_bytes(io.BytesIO(answer.content).read())
    run = at.read_recording(file)
    assert (run.arm, len(run)) == ("ur5e", made["rows"])
    assert run.time[0] == 0
    np.testing.assert_allclose(run.q[-1], web.get("/api/state").json()["q"])
    assert run.has("qd", "target_q")


def test_one_recording_at_a_time(web):
    """A second start is refused, and the first one is reported, when it records already."""
    web.post("/api/live/recording/start")
    answer = web.post("/api/live/recording/start")
    assert answer.status_code == 422
    assert "already" in answer.json()["error"]
    assert web.get("/api/live").json()["recording_seconds"] >= 0


def test_old_recordings_make_room(web):
    """Only the newest few are kept when many are made."""
    names = [recorded(web).json()["name"] for _ in range(MAX_FILES + 2)]
    assert [file["name"] for file in web.get("/api/live").json()["files"]] == names[2:]
    assert web.get(f"/api/live/recordings/{names[0]}").status_code == 404


@pytest.mark.parametrize(
    "name", ["..%2F..%2Fetc%2Fpasswd", "%2e%2e", "x", "a" * 99, "%00", "x.parquet"]
)
def test_other_files_are_not_given(web, name):
    """Nothing but a finished recording comes when names are tried."""
    assert web.get(f"/api/live/recordings/{name}").status_code == 404


def test_nothing_is_left():
    """The folder of recordings is gone when the app has ended."""
    session = Session(SimulatedArm(at.load("ur5e")))
    with TestClient(create(session, AppSettings(), pages=False), base_url=ADDRESS) as web:
        made = recorded(web).json()
        place = session.parts["recorder"].finished[made["name"]].path
        assert place.exists()
        web.post("/api/live/recording/start")
    assert not place.parent.exists()


def test_a_recording_is_sought(player):
    """The state is that of the place when it is sought, and bad places are refused."""
    player.post("/api/live/replay", json={"paused": True})
    answer = player.post("/api/live/replay", json={"position": 2.0}).json()
    assert answer == {"position": 2.0, "duration": 3.99, "paused": True}
    np.testing.assert_allclose(player.get("/api/state").json()["q"], played().q[200])
    assert player.post("/api/live/replay", json={"position": 5.0}).status_code == 422
    assert player.get("/api/live").json()["replay"]["position"] == 2.0


@pytest.mark.parametrize("other", ["simulated", "virtual"])
def test_a_recording_stays(player, other):
    """What the app was started for stays when somebody wants another arm instead."""
    assert player.post(f"/api/live/{other}", json={"client": ANNE}).status_code == 403
    assert player.get("/api/live").json()["kind"] == "recording"


@pytest.mark.parametrize("dof", [3, 7])
def test_recordings_of_other_arms(dof):
    """Both numbers of joints are named when a recording does not fit the arm."""
    with pytest.raises(MissingColumnError, match=rf"has {dof} joints.*has 6"):
        ReplayedRobot(at.load("ur5e"), played(dof))


def test_rows_without_numbers_are_left_out():
    """The other rows are played when some joints are missing; none at all is an error."""
    run = played()
    q = run.q.copy()
    q[10:20, 3] = np.nan
    robot = ReplayedRobot(at.load("ur5e"), run.with_columns({"q": q}))
    assert np.isfinite(robot._q).all()
    assert len(robot.times) == 390
    q[1:, 2] = np.nan
    with pytest.raises(InputError, match="no two rows"):
        ReplayedRobot(at.load("ur5e"), run.with_columns({"q": q}))


def test_states_with_gaps(tmp_path):
    """What was not always known has gaps, repeats are left out when states are saved."""
    recorder = StateRecorder("ur5e", "here")
    zero = np.zeros(6)
    for second, residual in ((1.0, None), (2.0, zero + 5), (2.0, zero), (1.5, zero)):
        recorder.add(RobotState(second, zero, zero, zero, False, "ready", residual=residual))
    run = at.read_recording(recorder.save(tmp_path / "a.parquet"))
    assert len(run) == recorder.rows == 2
    np.testing.assert_array_equal(run["residual3"], [np.nan, 5.0])
    with pytest.raises(RecordingError, match="nothing was recorded"):
        StateRecorder("ur5e", "here").save(tmp_path / "b.parquet")


def test_one_arm_is_shown(tmp_path):
    """The wrong mix of options is named when the app is started with it."""
    with pytest.raises(InputError, match="--robot and --serial"):
        choose_robot("ur5e", robot="127.0.0.1", serial="x")
    with pytest.raises(InputError, match="belongs to --serial"):
        choose_robot("ur5e", servo_settings=tmp_path / "x.toml")
    file = played().save(tmp_path / "run.parquet")
    with pytest.raises(InputError, match="does not name its arm"):
        choose_robot(None, recording=file)
    robot = choose_robot("ur5e", recording=file)
    assert (robot.kind, robot.can_move) == ("recording", False)


def sent_speeds(goal, top):
    """Return the steady speeds that lead an arm at zero to a goal."""
    lead, qd = SpeedCommands(top), np.zeros(2)
    lead.move(goal, 1.0)
    for _ in range(100):
        line = lead.step(np.zeros(2), qd, 0.0)
        qd = np.array([float(word) for word in line[8 : line.index("]")].split(",")])
    return qd


def test_speeds_lead_straight_and_slow_down():
    """Speeds point at the goal, keep every limit and fall with the distance that is left."""
    top = np.array([1.0, 2.0])
    for distance in (3.0, 0.3, 0.03):
        error = distance * np.array([0.5, -1.0])
        qd = sent_speeds(error, top)
        np.testing.assert_allclose(qd / qd[0], error / error[0], rtol=1e-4)
        assert (np.abs(qd) <= top + 1e-6).all()
        assert 0 < np.abs(qd).max() <= distance / (STALE + 2 * SHORTEST)
    assert sent_speeds(np.array([1.0, 1e-4]), top)[1] == 0.0


def test_an_arm_that_is_gone_is_refused():
    """The one before stays when the new robot cannot be started."""
    session = Session(SimulatedArm(at.load("ur5e")))

    async def work():
        await session.start()
        before = session.robot
        with pytest.raises(at.ArmTwinError):
            await session.change_robot(choose_robot("ur5e", robot="127.0.99.99"))
        assert session.robot is before
        await session.close()

    asyncio.run(work())


def test_the_past_is_reported_to_pages_opened_later(web):
    """Ten states a second, oldest first, when an app has run for a while."""
    wait_until(lambda: len(web.get("/api/live/history").json()) >= 3, what="three states")
    past = web.get("/api/live/history").json()
    times = [state["t"] for state in past]
    assert np.diff(times).min() >= 0.099
    assert past[-1]["q"] == pytest.approx(web.get("/api/state").json()["q"], abs=1e-5)
    assert past[-1]["current"] is None


def test_the_past_is_bounded_and_begins_anew():
    """Two minutes are kept, none of them of another clock or arm, when states go on and on."""
    history = SampleHistory()
    state = RobotState(
        0.0, np.zeros(6), np.zeros(6), np.zeros(6), False, "ready", power=float("nan")
    )
    for k in range(10_000):
        history.add(dataclasses.replace(state, time=0.02 * k))
    kept = json.loads(history.text())
    assert kept[-1]["t"] - kept[0]["t"] == pytest.approx(120, abs=0.2)
    assert kept[0]["power"] is None
    history.add(dataclasses.replace(state, time=5.0))
    assert [row["t"] for row in json.loads(history.text())] == [5.0]
    history.add(dataclasses.replace(state, time=6.0, q=np.zeros(5)))
    assert [len(row["q"]) for row in json.loads(history.text())] == [5]


def test_the_past_takes_little_memory():
    """Two minutes of states take less than 1 MB when texts have no more than their own size."""
    history = SampleHistory()
    tracemalloc.start()
    try:
        for k in range(1200):
            zeros = np.zeros((3, 6))
            history.add(RobotState(0.1 * k, zeros[0], zeros[1], zeros[2], False, "ready"))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(json.loads(history.text())) == 1200
    assert kept < 1e6
