"""Contact thresholds that the app learns from a recording; robots run in their own time."""

import asyncio
import json
from collections import deque
from pathlib import Path

import numpy as np
import pytest
from learned_runs import as_recording, moved
from served_app import served
from virtual_forces import arm, controller_of
from virtual_robots import needs_mujoco

from armtwin.app.backend import worker as workers
from armtwin.app.backend.worker_process import _answered
from armtwin.app.control.run_recorder import FinishedRecording
from armtwin.detection.detector_calibration import DetectorCalibration
from armtwin.errors import InputError
from armtwin.recording.recording import Recording
from armtwin.robots.ur import learned_contacts
from armtwin.robots.ur.feed import UrFeed
from armtwin.robots.ur.learned_contacts import as_streamed, learned_calibration
from armtwin.robots.ur.live_twin import Twin
from armtwin.robots.ur.ur_robot import UrRobot

pytestmark = needs_mujoco
NAME, JOINT = "ur10e", 2
LEARN = "/api/live/contacts/learn"
ANNE, BERT = "anne-anne", "bert-bert"


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    """Return a controller, samples of undisturbed motion, their file and what it teaches."""
    controller = controller_of(NAME)
    rows = np.concatenate([moved(controller), moved(controller, rest=6.0)])
    path = tmp_path_factory.mktemp("clean") / "clean.parquet"
    as_recording(rows, NAME).save(path)
    return controller, rows, path, learned_calibration(arm(NAME), path)


def stood_in(session):
    """Show a UR robot whose samples a test brings, without any connection."""
    found = UrRobot(arm(NAME), "127.0.0.1")
    found._feed._twin = Twin(found.arm, found._feed._monitor)
    session.robot = found
    return found


def brought(feed, rows, later=0.0):
    """Bring samples to a feed, each when it is due, some time [s] later than they were taken."""
    rows = rows.copy()
    rows["timestamp"] += later
    for row in rows:
        feed._take(feed._twin, np.array([row]), feed.began + float(row["timestamp"]))


def test_restored_detector_gives_the_same_readings(robot):
    """Readings are equal bit by bit, rest and motion, when a calibration went through JSON."""
    _, rows, _, ready = robot
    again = DetectorCalibration.from_dict(arm(NAME), json.loads(json.dumps(ready.to_dict())))
    assert ready.thresholds.rest is not None
    first, second = ready.detector(), again.detector()
    for row in rows[-1000:]:
        sample = (float(row["timestamp"]), row["actual_q"], row["actual_qd"], row["target_moment"])
        assert repr(first.step(*sample)) == repr(second.step(*sample))
        assert first.estimate.tobytes() == second.estimate.tobytes()


@pytest.mark.parametrize(
    "change",
    [{"joints": [[1.0]]}, {"theta": [0.0]}, {"step": 0.0}, {"dry": [np.nan] * 6}, {"rest": {}}],
)
def test_another_content_is_refused(robot, change):
    """The error names the arm when a calibration is cut, or of another arm."""
    with pytest.raises(InputError):
        DetectorCalibration.from_dict(arm(NAME), robot[3].to_dict() | change)


def test_samples_are_those_of_the_feed(robot):
    """Every fourth sample of 500 Hz is taken, also after a gap; other rates are refused."""
    time, q = 7.0 + np.arange(400) / 500, np.arange(2400.0).reshape(400, 6)
    np.testing.assert_array_equal(as_streamed(Recording.of(time, {"q": q})).q, q[::4])
    gapped = Recording.of(np.delete(time, range(101, 107)), {"q": np.delete(q, range(101, 107), 0)})
    found = as_streamed(gapped)
    steps = np.diff(found.time)
    assert np.sum(np.abs(steps - 0.008) > 1e-9) == 2  # over the gap, and back to every fourth
    np.testing.assert_array_equal(found.q[-1], q[396])
    same = as_recording(robot[1][:200], NAME)
    np.testing.assert_array_equal(as_streamed(same).q, same.q)
    with pytest.raises(InputError, match=r"50 samples a second.*125"):
        as_streamed(Recording.of(np.arange(300) / 50, {"q": np.zeros((300, 6))}))


def test_weak_push_is_found_after_learning_only(robot):
    """A push below the fixed threshold raises an alarm, clean motion none, when it has learned."""
    controller, _, _, ready = robot
    feed = UrFeed(arm(NAME), "127.0.0.1", deque())
    feed._twin = Twin(feed.arm, feed._monitor)
    fixed = feed.threshold[JOINT - 1]
    weak = 0.6 * fixed
    assert ready.thresholds.drawn[JOINT - 1] < weak
    push = (JOINT, float(weak), 0.6)
    pushed, clean = moved(controller, push=push), moved(controller)
    brought(feed, pushed)
    assert not feed._monitor.alarms
    asyncio.run(feed.calibrate(ready))
    brought(feed, clean)
    assert not feed._monitor.alarms
    assert feed.threshold[JOINT - 1] < weak
    brought(feed, pushed, later=60.0)
    assert [(alarm.kind, alarm.joint) for alarm in feed._monitor.alarms] == [("contact", JOINT)]
    assert len(feed._alarms._kept) == 1
    asyncio.run(feed.calibrate(None))
    assert feed.threshold[JOINT - 1] == fixed


def test_recording_at_rest_is_refused(robot, tmp_path):
    """The reason is given when nothing moves in a recording."""
    still = robot[1][-300:]
    path = as_recording(still, NAME).save(tmp_path / "still.parquet")
    with pytest.raises(InputError, match="no joint moves"):
        learned_calibration(arm(NAME), path)


def test_file_friction_is_kept_where_learned_one_fails(robot, monkeypatch):
    """Thresholds alone are learned, if below the fixed ones, when learned friction fails."""
    calibrate = learned_contacts.calibrate_detector

    def refusing(model, clean, *, learn=True):
        if learn:
            raise InputError("it does not explain the recording")
        return calibrate(model, clean, learn=False)

    monkeypatch.setattr(learned_contacts, "calibrate_detector", refusing)
    found = learned_calibration(arm(NAME), robot[2])
    assert not found.model.theta.any()
    assert "arm file was kept" in found.notes[0]
    monkeypatch.setattr(learned_contacts, "contact_torques", lambda _: np.zeros(6))
    with pytest.raises(InputError, match="does not explain"):
        learned_calibration(arm(NAME), robot[2])


def test_routes_learn_and_forget(robot, monkeypatch):
    """The app says which thresholds are used when it learns, is refused, and forgets."""
    calls = []

    async def run(self, task, **given):
        calls.append(task)
        answer = _answered({"task": task, **given}, Path())
        return workers._result(json.loads(json.dumps(answer)))

    monkeypatch.setattr(workers.Worker, "run", run)

    async def act(web, session):
        recorder, simulated = session.parts["recorder"], session.robot
        asked = {"client": ANNE, "name": "clean.parquet"}
        answer = await web.post(LEARN, json=asked)
        assert (answer.status_code, "nothing to learn" in answer.text) == (422, True)
        shown = stood_in(session)
        assert (await web.post(LEARN, json=asked)).status_code == 404
        for name, title in (("clean.parquet", shown.title), ("other.parquet", "another")):
            recorder.finished[name] = FinishedRecording(name, robot[2], 9, robot=title)
        answer = await web.post(LEARN, json=asked | {"name": "other.parquet"})
        assert (answer.status_code, "is of another" in answer.text) == (422, True)
        before = (await web.get("/api/live")).json()
        assert (before["contact_share"], before["learned_from"]) == (0.12, "")
        assert [file["learnable"] for file in before["files"]] == [True, False]
        assert calls == []
        after = (await web.post(LEARN, json=asked)).json()
        assert (after["contact_share"], after["learned_from"]) == (None, "clean.parquet")
        assert (calls, len(after["learned_notes"]) > 1) == (["learn_contacts"], True)
        await web.post("/api/lease/take", json={"client": BERT, "name": "bert"})
        assert (await web.post(LEARN, json=asked)).status_code == 403
        assert (await web.delete(LEARN, params={"client": ANNE})).status_code == 403
        assert shown.learned_from == "clean.parquet"
        back = (await web.delete(LEARN, params={"client": BERT})).json()
        assert (back["contact_share"], back["learned_from"], back["learned_notes"]) == (
            0.12,
            "",
            [],
        )
        session.robot = simulated

    served(act)
