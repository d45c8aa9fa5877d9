"""Results in the viewer: each plays its own motion, with its ghost, contacts, charts and page."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from contracts.viewer.test_identified import friction_rows
from contracts.viewer.test_view_data import unpacked
from viewed_run import ARM, recorded

import armtwin as at
from armtwin.calibration.compensate import Compensation
from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.plan import PosePlan
from armtwin.calibration.result import Calibration
from armtwin.detection.alarms import Alarm
from armtwin.detection.result import Detection
from armtwin.energy.recorded import SupplyResult
from armtwin.energy.supply import Supply
from armtwin.errors import InputError
from armtwin.identification.result.estimates import Estimate
from armtwin.identification.result.fit import Fit
from armtwin.motion.excitation.excitation import Excitation
from armtwin.motion.motion import Motion
from armtwin.viewer.results.played import played, side_by_side

PAGE_ONLY = {
    "Added", "ArmHistory", "FleetHistory", "Reproduction", "System", "SystemCheck", "FmuExport",
    "FmuRun", "FmuCheck", "ToolUncertainty", "Reachability", "Study", "WasmExport", "CExport",
    "SeveralEnergies", "DemoResult",
}  # fmt: skip
"""Results without a motion of one arm: their page shows itself in a notebook."""


def motion(rows=40):
    """Return a motion of six joints."""
    time = 0.05 * np.arange(rows)
    q = 0.2 * np.sin(time[:, None] + np.arange(6))
    return Motion(time, q, np.gradient(q, 0.05, axis=0), np.zeros_like(q), name="swing")


def test_every_result_is_decided():
    """Each result plays something or is listed as a page when the sources are read."""
    sources = Path(at.__file__).parent.rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    found = re.findall(r"^class (\w+)\(Result\)", text, re.MULTILINE)
    playing = {kind.__name__ for kind in played.registry} - {"object"}
    assert playing.isdisjoint(PAGE_ONLY)
    assert set(found) == playing | PAGE_ONLY


def test_check_is_the_view_of_its_recording():
    """The page is that of ``view`` when a check shows itself."""
    run = recorded(120)
    shown, expected = at.validate(ARM, run).view(), at.view(ARM, run)
    assert json.dumps(shown.content) == json.dumps(expected.content)
    assert shown.content["result"] is None


def test_ledger_plays_its_motion_with_its_powers():
    """Powers are charts over the played rows, and the page is beside them, of a ledger."""
    book = at.ledger(ARM, recorded(120))
    shown = book.view().content
    arrays = unpacked(shown["recording"]["packed"])
    np.testing.assert_array_equal(arrays["q"], book.trajectory.q)
    np.testing.assert_array_equal(arrays["result.0"], book.powers.terminal)
    np.testing.assert_array_equal(arrays["result.1"][:, 0], book.supply)
    assert [chart["unit"] for chart in shown["result"]["charts"]] == ["W", "W"]
    assert shown["result"]["kind"] == "Ledger"
    assert shown["result"]["page"]["sankeys"][0]["bands"]
    json.dumps(shown, allow_nan=False)


def test_supply_plays_its_recording_with_its_powers():
    """Recorded and modelled power are charts when an arm has no motor data for a ledger."""
    run = recorded(60)
    model = Supply((tuple(range(6)),), 20.0, (19.0, 21.0), np.array([0.1]), np.array([0.5]), 0.1)
    powered = run.with_columns({"power": model.power(run.current, run.qd)})
    shown = played(SupplyResult(at.load(ARM), model, 1.0, "no motor data", powered))
    first, second = (one.values for one in shown.signals)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(shown.recording.q, run.q)
    assert not at.validate(shown.arm, shown.recording).is_judged


def test_plan_and_compensation_have_ghosts_of_their_own(tmp_path):
    """The ghost moves as given, the arm as corrected, when a compensation is saved."""
    arm, run = at.load(ARM), recorded(60)
    corrected = run.with_columns({"q": run.q + 0.001})
    none = np.zeros(len(run))
    made = Compensation(arm, arm, run, corrected, none, none).view()
    arrays = unpacked(made.content["recording"]["packed"])
    np.testing.assert_array_equal(arrays["ghost.q"], run.q)
    np.testing.assert_array_equal(arrays["q"], corrected.q)
    assert made.content["result"]["ghost"] == "joint targets as given"
    assert b"joint targets as given" in made.save(tmp_path / "made.html").read_bytes()


def test_motion_without_measurements_is_played():
    """Only the motion is played, and nothing judged, when an excitation shows itself."""
    arm, moved = at.load(ARM), motion()
    shown = Excitation(arm, moved, "fourier", 2.0, 1.0, 30, 5.0, 0.1).view()
    assert shown.check.table == ()
    assert shown.content["recording"]["name"] == "swing"
    np.testing.assert_array_equal(unpacked(shown.content["recording"]["packed"])["q"], moved.q)


def test_another_recording_is_played():
    """The given recording is compared with the result's arm when a plan is shown with it."""
    arm = at.load(ARM)
    plan = PosePlan(arm, np.zeros((3, 6)), 1e-4, 2e-4, 1e-3)
    assert played(plan).recording.timed is False
    shown = plan.view(recorded(60))
    assert shown.check["position"].max > 1e-4
    assert shown.content["result"]["kind"] == "Pose plan"


def test_detection_marks_its_own_contacts():
    """Alarms are the marks, and the estimates a chart, of a detection; nothing is found again."""
    run = recorded(60)
    residual = np.outer(np.arange(30.0), np.ones(6))
    alarm = Alarm(0.2, 2, 5.0, 0.3, 2, (0.0, 5.0, 0.0, 0.0, 0.0, 0.0))
    found = SimpleNamespace(
        recording=run, time=run.time[::2], residual=residual, alarms=(alarm,),
        model=SimpleNamespace(arm=at.load(ARM)),
    )  # fmt: skip
    shown = played.dispatch(Detection)(found)
    assert shown.alarms == (alarm,)
    np.testing.assert_allclose(shown.signals[0].values[:58:2], residual[:29])
    assert shown.signals[0].values.shape == (60, 6)


def test_calibration_plays_the_measured_poses():
    """Poses without a clock are played with the calibrated arm of a calibration."""
    arm, q = at.load(ARM), recorded(20).q
    T = at.fk(arm, q)
    measured = PoseMeasurements(q, T[:, :3, 3], T[:, :3, :3], np.arange(20))
    shown = played.dispatch(Calibration)(SimpleNamespace(measured=measured, arm=arm, placements=()))
    check = at.validate(shown.arm, shown.recording)
    assert not shown.recording.timed
    assert check["position"].max < 1e-12
    assert check["angle"].max < 1e-7


def fit(arm, rows):
    """Return a fit of an arm with estimates."""
    names = tuple(row.name for row in rows)
    spread = np.eye(len(rows))
    return Fit(arm, arm, "tau", tuple(rows), (), (), 1.0, (), (), (), spread, names)


def test_fit_shows_its_arm_with_sliders_over_its_intervals():
    """Intervals are the sliders' ranges when a fit is shown, alone or with a recording."""
    arm = at.load(ARM)
    made = fit(arm, friction_rows(arm, 2))
    shown = made.view().content
    ranges = {f"{s['group']} {s['name']}": s["interval"] for s in shown["sliders"]}
    own = dict(arm.driven[1].drive.friction.parameters)["viscous"]
    assert ranges["Friction J2 viscous"] == [0.9 * own, 1.1 * own]
    assert shown["recording"] is None
    assert shown["result"]["kind"] == "Fit"
    assert made.view(recorded(60)).check["position"].max > 1e-4


def test_fit_without_intervals_of_sliders_is_shown():
    """The reason is a note, and the page is shown, when no slider has an identified interval."""
    mass = Estimate("payload_mass", "kg", 2.0, 1.8, 2.2, None, "data", 0)
    shown = fit(at.load(ARM), [mass]).view()
    assert "95 % intervals" in shown.notes[0]
    assert all(slider["interval"] is None for slider in shown.content["sliders"])


def test_two_motions_end_together():
    """The shorter motion rests at its end when two are played side by side."""
    long, short = motion(60), motion(40)
    both = side_by_side(at.load(ARM), short, long)
    np.testing.assert_allclose(both.q[45:], np.tile(short.q[-1], (15, 1)))
    np.testing.assert_allclose(both.group("target_q"), long.q)


def test_page_only_results_say_so():
    """What shows it instead is said when a result without a motion is to be played."""
    prepared = at.PreparedRecording(at.Recording.of(np.arange(3.0), {"power": np.ones(3)}), ())
    with pytest.raises(InputError, match=r"no motion.*report"):
        prepared.view()
