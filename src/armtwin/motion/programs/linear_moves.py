"""Linear moves: the tool centre point goes straight from one joint position to another.

The line and its inverse kinematics are those of ``motion.paths.Line`` and ``motion.follow``; here
it gets its ends as joint positions, and a speed that no joint's limits are exceeded with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import ArmTwinError, PlanError, ProgramError
from armtwin.kinematics.forward import fk
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.follow import joint_motion
from armtwin.motion.limits import checked
from armtwin.motion.motion import RATE, Motion, Path, grid
from armtwin.motion.paths import Line, displacement_length
from armtwin.motion.programs.program import TaughtProgram
from armtwin.motion.timing import Profile, path_rates, trapezoid, trapezoid_duration
from armtwin.spatial import Array
from armtwin.units import joint_unit

SPEED, RISE_TIME = 1.0, 0.5
"""Top speed where the arm file gives none [rad/s | m/s], and time to reach top speed [s]."""
TOOL_SPEED = 1.0
"""Speed of the tool at share 1 [m/s]: the typical one in the data sheets of UR robots."""
KNOTS = 200
"""Steps of a line at which the inverse kinematics is solved."""
SAME = 1e-6
"""Largest difference of a line's end from the joints that were taught [rad | m]."""
OFF_LINE = 1e-5
"""Largest distance of the tool from the line between two knots [m]."""


@dataclass(frozen=True, eq=False)
class LinearMove(Path):
    """A straight line of the tool from rest to rest, with a trapezoidal speed.

    Attributes:
        q: joint vectors at equal steps of the line (n, dof) [rad | m].
        rates: speed [1/s] and acceleration [1/s2] of the share of the line.
        length: of the line [m], turns counted as a UR controller does.
    """

    q: Array
    rates: tuple[float, float]
    length: float

    def motion(self, arm: Arm, rate: float = RATE, *, seed: ArrayLike | None = None) -> Motion:
        """Return the joint motion along the line.

        Args:
            arm: the arm.
            rate: samples per second [Hz].
            seed: not used: the joint vectors are known.
        """
        time = grid(self.duration(arm), rate)
        along = trapezoid(time, *self.rates)
        q, first, second = self.at(along.s)
        ds, dds = along.ds[:, None], along.dds[:, None]
        name = f"line of {self.length:.3g} m"
        return checked(arm, Motion(time, q, first * ds, second * ds**2 + first * dds, name))

    def duration(self, arm: Arm) -> float:
        """Return how long the motion lasts [s]."""
        return trapezoid_duration(*self.rates)

    def at(self, share: Array) -> tuple[Array, Array, Array]:
        """Return joint vectors at shares (m,) of the line, and two derivatives, each (m, dof)."""
        from scipy.interpolate import make_interp_spline

        curve = make_interp_spline(np.linspace(0.0, 1.0, len(self.q)), self.q, k=5, axis=0)
        return curve(share), curve(share, 1), curve(share, 2)


def rates(arm: Arm, share: float) -> tuple[Array, Array]:
    """Return speeds and accelerations (dof,) for a share of the arm's limits."""
    limits = [joint.limits for joint in arm.driven]
    top = np.array([SPEED if limit.speed is None else limit.speed for limit in limits])
    given = [np.inf if limit.acceleration is None else limit.acceleration for limit in limits]
    speed = share * top
    return speed, np.minimum(speed / RISE_TIME, np.array(given))


def linear_move(arm: Arm, start: ArrayLike, end: ArrayLike, share: float = 1.0) -> LinearMove:
    """Return the linear move between two joint positions.

    With six joints and more the orientation turns evenly about one axis (slerp). With fewer the
    position is exact and the joints stay near their straight path.

    Args:
        arm: the arm.
        start: joint positions (dof,) [rad | m].
        end: joint positions (dof,) [rad | m]; another tool pose than at the start.
        share: of the arm's limits, above 0 and at most 1.

    Raises:
        PlanError: no inverse solution on the line, a singularity, another branch at its end, or a
            limit of a joint; the message says which and where.
    """
    start, end = (as_joints(arm, value, name="position") for value in (start, end))
    poses = fk(arm, np.stack([start, end]))
    line, share_of = Line(poses[0], poses[1], 1.0), grid(1.0, KNOTS)
    even = Profile(share_of, np.ones_like(share_of), np.zeros_like(share_of))
    posture = start + share_of[:, None] * (end - start)
    track = replace(line.track(share_of, even), posture=posture)
    length = displacement_length(*line.displacement())
    found = joint_motion(arm, track, f"line of {length:.3g} m in 1 s")
    _require_ends(arm, found.q, start, end)
    speed, acceleration = path_rates(found.qd, found.qdd, *rates(arm, share))
    move = LinearMove(found.q, (min(speed, share * TOOL_SPEED / length), acceleration), length)
    _require_straight(arm, move, poses)
    move.motion(arm)
    return move


def _require_ends(arm: Arm, q: Array, start: Array, end: Array) -> None:
    """Raise PlanError unless a line begins and ends at the joints that were taught."""
    for where, row, taught in (("start", q[0], start), ("end", q[-1], end)):
        joint = int(np.abs(row - taught).argmax())
        if abs(row[joint] - taught[joint]) > SAME:
            unit = joint_unit("position", arm.driven[joint].kind)
            raise PlanError(
                f"at the {where} of the line joint {joint + 1} ({arm.driven[joint].name}) is at "
                f"{row[joint]:.4g} {unit}, not at the {taught[joint]:.4g} {unit} that were taught: "
                "the positions are on different branches of the inverse kinematics, or a joint "
                "would have to make a whole turn; make this move joint, or teach the end again "
                "after moving there by the tool"
            )


def _require_straight(arm: Arm, move: LinearMove, poses: Array) -> None:
    """Raise PlanError where the joints change too fast between two knots."""
    middle = (np.arange(KNOTS) + 0.5) / KNOTS
    places = fk(arm, move.at(middle)[0], ignore_limits=True)[:, :3, 3]
    line = poses[0, :3, 3] + middle[:, None] * (poses[1, :3, 3] - poses[0, :3, 3])
    off = np.linalg.norm(places - line, axis=1)
    if off.max() > OFF_LINE:
        x, y, z = line[int(off.argmax())]
        raise PlanError(
            f"the line passes a singularity near ({x:.3f}, {y:.3f}, {z:.3f}) m, where joints would "
            "have to jump; move the line, turn the tool, or make this move joint"
        )


def linear_moves(program: TaughtProgram, arm: Arm, *, loop: bool = False) -> dict[int, LinearMove]:
    """Return the linear moves of a program by the number (from 0) of the position they lead to.

    The first position has one only in a loop. Positions at the same joints need none.

    Args:
        program: the taught program.
        arm: the arm that it was taught to.
        loop: the first position follows the last one.

    Raises:
        ProgramError: positions that do not fit the arm, or a line that the arm cannot follow; the
            message names both positions and the reason.
    """
    points = program.points(arm)
    first = 0 if loop and len(points) > 1 else 1
    return {
        k: named_move(program, arm, k, points[k - 1])
        for k in range(first, len(points))
        if program.positions[k].motion == "linear" and not np.array_equal(points[k - 1], points[k])
    }


def named_move(program: TaughtProgram, arm: Arm, index: int, start: ArrayLike) -> LinearMove:
    """Return the linear move from joints to a position; a refusal names the positions.

    Args:
        program: the taught program.
        arm: the arm that it was taught to.
        index: of the position, from 0; the move is named after the one before it.
        start: joint positions (dof,) [rad | m].
    """
    before, target = program.positions[index - 1], program.positions[index]
    try:
        return linear_move(arm, start, target.q, target.speed)
    except ArmTwinError as error:
        raise ProgramError(
            f"linear move from “{before.name}” to “{target.name}”: {error}"
        ) from error
