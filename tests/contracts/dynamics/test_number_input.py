"""Text and complex numbers are refused by every public function that takes numbers."""

from decimal import Decimal

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import ArmTwinError, InputError, JointLimitError, UnitWarning
from armtwin.spatial import as_numbers

ARM = at.load("ur5e-energy")
ZERO = np.zeros(6)
EYE = np.eye(4)
FLEX = at.Flexibility(1e4)
TIME = np.arange(3.0)

ENTRIES = {
    "fk": lambda x: at.fk(ARM, x(ZERO)),
    "link_poses": lambda x: at.link_poses(ARM, x(ZERO)),
    "jacobian": lambda x: at.jacobian(ARM, x(ZERO)),
    "tool_coordinates": lambda x: at.tool_coordinates(ARM, x(ZERO)),
    "pose_coordinates": lambda x: at.pose_coordinates(x(EYE)),
    "ik": lambda x: at.ik(ARM, x(EYE)),
    "ik seed": lambda x: at.ik(ARM, at.fk(ARM, ZERO + 0.5), seed=x(ZERO)),
    "ik_one": lambda x: at.ik_one(ARM, x(EYE)),
    "ik_batch": lambda x: at.ik_batch(ARM, x(EYE)),
    "inverse_dynamics q": lambda x: at.inverse_dynamics(ARM, x(ZERO), ZERO, ZERO),
    "inverse_dynamics qd": lambda x: at.inverse_dynamics(ARM, ZERO, x(ZERO), ZERO),
    "forward_dynamics": lambda x: at.forward_dynamics(ARM, ZERO, ZERO, x(ZERO)),
    "mass_matrix": lambda x: at.mass_matrix(ARM, x(ZERO)),
    "wrench_torque": lambda x: at.wrench_torque(ARM, ZERO, x(ZERO)),
    "base_wrench": lambda x: at.base_wrench(ARM, ZERO, x(ZERO)),
    "friction": lambda x: at.friction(ARM, x(ZERO)),
    "motor_current": lambda x: at.motor_current(ARM, ZERO, x(ZERO)),
    "flexible_dynamics": lambda x: at.flexible_dynamics(
        ARM, ZERO, ZERO, x(ZERO), ZERO, ZERO, flexibility=FLEX
    ),
    "Flexibility": lambda x: at.Flexibility(x(ZERO + 1)).of(ARM),
    "with_payload com": lambda x: at.with_payload(ARM, 1.0, com=x(np.zeros(3))),
    "with_payload inertia": lambda x: at.with_payload(ARM, 1.0, inertia=x(ZERO)),
    "pose": lambda x: at.pose(x(np.zeros(3))),
    "ComputedTorque": lambda x: at.ComputedTorque(ARM, x(ZERO + 1)),
    "Hold": lambda x: at.Hold(x(ZERO)).motion(ARM),
    "Waypoints": lambda x: at.Waypoints(x(np.stack([ZERO, ZERO + 0.1]))).motion(ARM),
    "Waypoints vmax": lambda x: at.Waypoints(np.stack([ZERO, ZERO + 0.1]), x(ZERO + 1)).motion(ARM),
    "Quintic": lambda x: at.Quintic(np.stack([ZERO, ZERO]), seconds=x(ZERO[:1] + 1)).motion(ARM),
    "Circle": lambda x: at.Circle(centre=x(np.array([0.4, 0.1, 0.4]))).motion(ARM),
    "Motion": lambda x: at.Motion(TIME, x(np.zeros((3, 6))), np.zeros((3, 6)), np.zeros((3, 6))),
    "MotionLimits": lambda x: at.MotionLimits(speed=x(ZERO + 1)).values(ARM),
    "Push": lambda x: at.Push(link=1, force=x(np.zeros(3))),
    "Post": lambda x: at.Post(x(np.zeros(3))),
    "Sensors": lambda x: at.Sensors(x(ZERO)).of(ARM, "position_noise"),
    "Recording": lambda x: at.Recording.of(TIME, {"q": x(np.zeros((3, 6)))}),
    "Recording time": lambda x: at.Recording.of(x(TIME), {"q": np.zeros((3, 6))}),
}  # fmt: skip


@pytest.mark.parametrize("kind", [str, complex], ids=["text", "complex"])
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_text_and_complex_numbers_are_refused(entry, kind):
    """An error, and no silent conversion, when an array holds text or complex numbers."""
    with pytest.raises(ArmTwinError, match="real numbers, got (text|complex)"):
        entry(lambda x: x.astype(kind))


def test_other_numbers_are_taken():
    """Integers, booleans, narrow floats and decimals convert; objects with text do not."""
    for value in ([1, 2], np.array([True]), np.float32([1.5]), [Decimal("0.5")]):
        assert as_numbers(value).dtype == np.float64
    same = np.zeros(3)
    assert as_numbers(same) is same
    for wrong in (
        ["1", 2],
        [None],
        [[1], [2, 3]],
        np.array(["1"], object),
        np.array(["2020"], "M8"),
    ):
        with pytest.raises(InputError, match="must be real numbers"):
            as_numbers(wrong)


def test_limit_error_suggests_degrees():
    """The error says which radians were meant when values look like degrees, and only then."""
    q = np.array([0.0, -90, 90, 0, 45, 0])
    with pytest.raises(JointLimitError, match=r"look like degrees \(-90 degrees are -1.571 rad\)"):
        at.fk(ARM, q)
    for far in (np.array([0, 0, 0, 6.4, 0, 0]), np.array([0, 0, 0, 400.0, 0, 0])):
        with pytest.raises(JointLimitError) as error:
            at.fk(ARM, far)
        assert "degrees" not in str(error.value)


def test_warning_of_degrees_stays():
    """The warning appears beside the error when every joint is beyond 2 pi."""
    with pytest.warns(UnitWarning), pytest.raises(JointLimitError, match="numpy.deg2rad"):
        at.fk(ARM, np.full(6, 30.0))
