"""Motions as files: read back, sampled anew, refused, and the way from excite to identify."""

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import ArmTwinError, InputError
from armtwin.motion.motion_file import save_motion
from armtwin.simulation.typical_drives import with_real_drives

ARM = at.load("ur5e")
POINTS = [[0, -1.5, 1.5, -1.5, -1.5, 0], [0.5, -1.0, 1.0, -1.2, -1.0, 0.4]]
PLAN = at.Quintic(POINTS, seconds=2.0).motion(ARM, 250.0)


def write(path, *names, motion=PLAN, time=None):
    """Write some of a motion's columns as CSV and return the file."""
    columns = {"time": motion.time if time is None else time}
    for name in names:
        values = getattr(motion, name)
        columns |= {f"{name}{k + 1}": x for k, x in enumerate(values.T)}
    table = np.column_stack(list(columns.values()))
    np.savetxt(path, table, delimiter=",", header=",".join(columns), comments="", fmt="%.17g")
    return path


def test_motion_is_read_back(tmp_path):
    """Positions, speeds and accelerations are the same when a saved motion is read."""
    found = at.read_motion(save_motion(PLAN, ARM, tmp_path / "plan.csv"), ARM)
    for name in ("time", "q", "qd", "qdd"):
        np.testing.assert_allclose(getattr(found, name), getattr(PLAN, name), rtol=0, atol=1e-12)


@pytest.mark.parametrize("names", [("q",), ("q", "qd")])
def test_missing_derivatives_are_those_of_splines(tmp_path, names):
    """Speeds and accelerations are the motion's when the file has positions, or speeds too."""
    found = at.read_motion(write(tmp_path / "plan.csv", *names), ARM)
    np.testing.assert_allclose(found.qd, PLAN.qd, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.qdd, PLAN.qdd, rtol=0, atol=1e-6)


def test_motion_at_another_rate(tmp_path):
    """Samples lie on the motion, at the wanted rate from time 0, when a rate is given."""
    file = write(tmp_path / "plan.csv", "q", time=PLAN.time + 7.0)
    found = at.read_motion(file, ARM, rate=400.0)
    np.testing.assert_allclose(np.diff(found.time), 1 / 400, rtol=1e-9)
    assert found.time[0] == 0 and found.duration == pytest.approx(2.0)
    exact = at.Quintic(POINTS, seconds=2.0).motion(ARM, 400.0)
    np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-9)


def test_files_that_are_refused(tmp_path):
    """An error says what is wrong when joints are missing, time is uneven, or limits are broken."""
    few = tmp_path / "few.csv"
    np.savetxt(few, np.column_stack([PLAN.time, PLAN.q[:, :5]]), delimiter=",", comments="",
               header="time,q1,q2,q3,q4,q5")  # fmt: skip
    with pytest.raises(ArmTwinError, match="joint|q6"):
        at.read_motion(few, ARM)
    uneven = write(tmp_path / "uneven.csv", "q", time=PLAN.time + 1e-3 * np.sin(9 * PLAN.time))
    with pytest.raises(InputError, match="time stamps are uneven; give a rate"):
        at.read_motion(uneven, ARM)
    fast = write(tmp_path / "fast.csv", "q", time=PLAN.time / 20)
    with pytest.raises(ArmTwinError, match="speed of joint"):
        at.read_motion(fast, ARM)
    with pytest.raises(ArmTwinError, match="nowhere.csv"):
        at.read_motion(tmp_path / "nowhere.csv", ARM)


def test_excite_simulate_identify_on_the_command_line(tmp_path, capsys):
    """Planted torque constants (0.5 %) and friction (3 %) are recovered when verbs are chained."""
    plan, log, fitted = (tmp_path / n for n in ("plan.csv", "run.parquet", "fitted.toml"))
    assert run(f"excite ur5e --kind waypoints --points 6 --no-floor --out {plan}".split()) == 0
    line = f"simulate ur5e --path {plan} --drives real --noise real --no-error-estimate"
    assert run([*line.split(), "--out", str(log)]) == 0
    line = f"identify ur5e {log} --gear 101 --method staged --friction viscous-coulomb"
    assert run([*line.split(), "--out", str(fitted)]) == 0
    capsys.readouterr()
    planted, found = with_real_drives(ARM), at.load(fitted)
    for true, ours in list(zip(planted.driven, found.driven, strict=True))[:4]:
        constant = true.drive.torque_constant
        assert ours.drive.torque_constant == pytest.approx(constant, rel=0.005)
    speed = np.full(6, 1.0)
    expected, got = at.friction(planted, speed), at.friction(found, speed)
    np.testing.assert_allclose(got[:4], expected[:4], rtol=0.03)


def test_unknown_path_names_the_file_too(capsys):
    """The error lists the paths and the file when a path is neither."""
    assert run(["simulate", "ur5e", "--path", "spiral"]) == 2
    assert "hold, or a motion's file" in capsys.readouterr().err
