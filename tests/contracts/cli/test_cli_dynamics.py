"""``armtwin dynamics``: JSON, units, negative numbers, exit codes."""

import json

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import ModelWarning

Q, QD, QDD = (
    [0.0, -1.5, 1.0, -0.5, 1.0, 0.0],
    [0.1, -0.5, 0.5, 0.0, 0.0, 1.0],
    [1.0, 0, 0, -2, 0, 0],
)


def words(numbers):
    """Return numbers as the words of a command line."""
    return " ".join(repr(float(x)) for x in numbers)


MOTION = f"{words(Q)} --qd {words(QD)} --qdd {words(QDD)}"


@pytest.fixture
def answer(capsys):
    """Return a function that runs a command line and reads its JSON."""

    def ask(line):
        assert run(line.split()) == 0
        return json.loads(capsys.readouterr().out)

    return ask


def test_every_term_of_a_motion(answer):
    """Torque, M, C, g and energies are the library's when a motion is given."""
    arm, got = at.load("ur10e"), answer(f"dynamics ur10e {MOTION} --json")
    expected = {
        "tau": at.inverse_dynamics(arm, Q, QD, QDD),
        "mass_matrix": at.mass_matrix(arm, Q),
        "coriolis": at.coriolis(arm, Q, QD),
        "gravity": at.gravity(arm, Q),
        "kinetic_energy": at.energies(arm, Q, QD).kinetic,
        "potential_energy": at.energies(arm, Q, QD).potential,
    }
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, rtol=0, atol=1e-12, err_msg=name)
    assert "drives" not in got
    assert "acceleration" not in got
    assert got["payload"] == 0


def test_standing_arm_takes_gravity_alone(answer):
    """Torque equals gravity when neither speed nor acceleration is given."""
    got = answer(f"dynamics ur5e {words(Q)} --json")
    np.testing.assert_allclose(got["tau"], got["gravity"], rtol=0, atol=1e-12)


def test_degrees(answer):
    """The same torques when angles, speeds and accelerations are in degrees."""
    radians = answer(f"dynamics ur10e {MOTION} --json")
    q, qd, qdd = (words(np.rad2deg(x)) for x in (Q, QD, QDD))
    degrees = answer(f"dynamics ur10e {q} --qd {qd} --qdd {qdd} --deg --json")
    np.testing.assert_allclose(degrees["tau"], radians["tau"], rtol=0, atol=1e-10)
    assert degrees["units"]["angle"] == "deg"


def test_acceleration_of_torques(answer):
    """The acceleration comes back, in either unit, when its own torque is given."""
    tau = words(answer(f"dynamics ur10e {MOTION} --json")["tau"])
    got = answer(f"dynamics ur10e {words(Q)} --qd {words(QD)} --tau {tau} --json")
    np.testing.assert_allclose(got["acceleration"], QDD, atol=1e-9)
    q, qd = words(np.rad2deg(Q)), words(np.rad2deg(QD))
    got = answer(f"dynamics ur10e {q} --qd {qd} --tau {tau} --deg --json")
    np.testing.assert_allclose(got["acceleration"], np.rad2deg(QDD), atol=1e-7)


def test_payload(answer):
    """More torque, that of the loaded arm, when a payload is carried."""
    loaded = at.with_payload(at.load("ur10e"), 2.5, com=(0, -0.02, 0.05))
    got = answer(f"dynamics ur10e {MOTION} --payload 2.5 --com 0 -0.02 0.05 --json")
    np.testing.assert_allclose(got["tau"], at.inverse_dynamics(loaded, Q, QD, QDD), atol=1e-12)
    assert got["payload"] == 2.5


def test_motors(answer):
    """Friction, current and power are there when the arm has drives with constants."""
    arm = at.load("ur5e-energy")
    got = answer(f"dynamics ur5e-energy {MOTION} --json")
    tau = at.inverse_dynamics(arm, Q, QD, QDD)
    for name, ask in (
        ("friction", at.friction), ("current", at.motor_current), ("power", at.electric_power)
    ):  # fmt: skip
        np.testing.assert_allclose(got["drives"][name], ask(arm, QD, tau), rtol=1e-12, atol=1e-12)


def test_motors_without_constants(answer, tmp_path):
    """Current and power are null when the drives know friction alone."""
    file = tmp_path / "arm.xml"
    with pytest.warns(ModelWarning, match="no place for gear ratios"):
        at.export(at.load("ur5e-energy"), file)
    got = answer(f"dynamics {file} {words(Q)} --json")
    assert got["drives"]["current"] is got["drives"]["power"] is None
    assert len(got["drives"]["friction"]) == 6


def test_readable_table(capsys):
    """Every quantity stands in the table when people ask."""
    assert run(f"dynamics ur5e-energy {MOTION} --tau {words(QDD)}".split()) == 0
    text = capsys.readouterr().out
    titles = (
        "torque [Nm]", "gravity [Nm]", "acceleration [rad/s2]", "friction [Nm]",
        "motor current [A]", "electrical power [W]", "mass matrix", "kinetic energy",
    )  # fmt: skip
    for title in titles:
        assert title in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dynamics desktop5 0 0 0 0 0", "lacks numbers that dynamics needs: joint_1.mass"),
        ("dynamics ur10e 0 0 0", "q takes 6 numbers per state, got 3"),
        (f"dynamics ur10e {words(Q)} --qd 1 -2", "qd takes 6 numbers per state, got 2"),
        (f"dynamics ur10e {words(Q)} --qdd nan 0 0 0 0 0", "qdd holds nan at row 0, joint 1"),
        (f"dynamics ur10e {words(Q)} --tau 1", "tau takes 6 numbers per state, got 1"),
        (f"dynamics ur10e {words(Q)} --payload -1", "a mass cannot be negative"),
        (f"dynamics ur10e {words(Q)} --com 0 0 1", "give its mass with --payload"),
        ("dynamics ur10e 0 0 0 0 0 7", "joint 6 (wrist_3_joint) at row 0 is 7; its limits"),
    ],
)
def test_bad_input_exits_with_2(capsys, line, message):
    """One line says what is wrong when the input is."""
    assert run(line.split()) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out


def test_limits_can_be_ignored(answer):
    """Joints beyond their limits are taken when asked to."""
    got = answer("dynamics ur10e 0 0 0 0 0 7 --ignore-limits --json")
    assert len(got["tau"]) == 6
