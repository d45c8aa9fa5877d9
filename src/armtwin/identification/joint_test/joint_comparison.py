"""Comparison of a manufacturer's joint test with the drives of an arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.dynamics.drives import motor_current
from armtwin.errors import InputError
from armtwin.identification.joint_test.joint_test import JointTest
from armtwin.model.arm import Arm
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class JointComparison:
    """A joint test and the arm's model of that joint.

    Attributes:
        test: the measured joint.
        torque_constant: the arm's [Nm/A].
        resistance: the arm's, ``k_t^2 / k_m^2`` [Ohm]; None where it has none.
        back_emf_ratio: the arm's ``k_t / k_b``.
        current: that the arm needs at the test's speeds without load (n,) [A].
        notes: why they differ, where they do.
    """

    test: JointTest
    torque_constant: float
    resistance: float | None
    back_emf_ratio: float
    current: Array
    notes: tuple[str, ...]

    @property
    def current_ratio(self) -> Array:
        """The arm's current by the measured one at every speed (n,)."""
        return np.asarray(self.current / self.test.current)


def compare_joint_test(arm: Arm, tests: Sequence[JointTest]) -> tuple[JointComparison, ...]:
    """Compare each test with the prediction of the arm's drive of that joint.

    Raises:
        InputError: a test of a joint that the arm does not have.
        MissingDataError: an arm without drives.
    """
    return tuple(_compare(arm, test) for test in tests)


def _compare(arm: Arm, test: JointTest) -> JointComparison:
    if not 1 <= test.joint <= arm.dof:
        raise InputError(f"a test of joint {test.joint}, but arm {arm.name!r} has {arm.dof}")
    speeds = np.zeros((test.speed.size, arm.dof))
    speeds[:, test.joint - 1] = test.speed
    current = motor_current(arm, speeds)[:, test.joint - 1]
    drive = arm.driven[test.joint - 1].drive
    assert drive is not None and drive.torque_constant is not None
    constant, resistance = drive.torque_constant, drive.resistance
    if resistance is None and drive.motor_constant is not None:
        resistance = (constant / drive.motor_constant) ** 2
    notes = _notes(test, constant, resistance, current)
    return JointComparison(test, constant, resistance, drive.back_emf_ratio, current, notes)


def _notes(
    test: JointTest, constant: float, resistance: float | None, current: Array
) -> tuple[str, ...]:
    """Return what explains the differences between a lone joint and one in an arm."""
    notes = []
    off = constant / test.torque_constant - 1
    if abs(off) > 0.03:
        notes.append(
            f"torque constant {100 * off:+.0f} %: in an arm it scales with the assumed masses (or "
            "the controller's own) that load it; friction in Nm inherits it, in amperes it does not"
        )
    slow, fast = np.abs(test.speed) < 0.1, np.abs(test.speed) > 3
    ratio = np.abs(current / test.current)
    if ratio[fast].mean() > 1.1 * ratio[~slow & ~fast].mean():
        notes.append(
            "the model's friction grows with speed along a line, the measured one ever more "
            "slowly: at the highest speeds the line overshoots (the 'gear' law does not)"
        )
    if ratio[~slow & ~fast].mean() > 1.2:
        notes.append(
            f"the model has {ratio[~slow & ~fast].mean():.1f} times the friction at 0.5 to 1.5 "
            "rad/s: it was fitted on a loaded arm, the test turns the joint without load, warm "
            f"({test.temperature.mean():.0f} degC)"
        )
    if resistance is not None and abs(resistance / test.winding[0] - 1) > 0.1:
        notes.append(
            f"resistance {resistance:.3g}, measured {test.winding[0]:.3g} Ohm: the model's follows "
            "from the motor constant in its file, a catalogue motor's"
        )
    return tuple(notes)
