"""Friction, motor current and electrical power of joint torques, one state or any batch."""

from __future__ import annotations

from numpy.typing import ArrayLike

from armtwin.compile.kernel import run
from armtwin.equations.drives import drive as drive_equations
from armtwin.equations.equation import Build
from armtwin.kinematics.joints import as_vectors
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import Array


def friction(
    arm: ArmLike, qd: ArrayLike, tau: ArrayLike | None = None, *, threads: int | None = None
) -> Array:
    """Return the friction torques at the joints (..., dof) [Nm], positive with the speed.

    Args:
        arm: an arm whose joints have drives, its catalogue name or its file.
        qd: joint speeds (..., dof) [rad/s].
        tau: torques of links and rotors (..., dof) [Nm], for friction laws that depend on the load
            or the direction of power flow; zero if not given.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    return _evaluate(arm, drive_equations.friction, qd, tau, threads)


def motor_current(
    arm: ArmLike, qd: ArrayLike, tau: ArrayLike | None = None, *, threads: int | None = None
) -> Array:
    """Return the motor currents (..., dof) [A]: ``(tau / gear + friction) / k_t``.

    Args:
        arm: an arm whose joints have drives, its catalogue name or its file.
        qd: joint speeds (..., dof) [rad/s | m/s].
        tau: torques of links and rotors (..., dof) [Nm | N]; zero if not given.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    return _evaluate(arm, drive_equations.current, qd, tau, threads)


def electric_power(
    arm: ArmLike, qd: ArrayLike, tau: ArrayLike | None = None, *, threads: int | None = None
) -> Array:
    """Return each motor's electrical power (..., dof) [W]; negative while it generates.

    Args:
        arm: an arm whose joints have drives, its catalogue name or its file.
        qd: joint speeds (..., dof) [rad/s | m/s].
        tau: torques of links and rotors (..., dof) [Nm | N]; zero if not given.
        threads: number of threads for a batch; None: all cores where it is large.
    """
    return _evaluate(arm, drive_equations.power, qd, tau, threads)


def _evaluate(
    arm: ArmLike, equation: Build, qd: ArrayLike, tau: ArrayLike | None, threads: int | None
) -> Array:
    arm = as_arm(arm)
    speeds = as_vectors(qd, arm.dof, f"arm {arm.name!r}: qd")
    loads = as_vectors([0.0] * arm.dof if tau is None else tau, arm.dof, f"arm {arm.name!r}: tau")
    return run(arm, equation, speeds, loads, threads=threads)[0]
