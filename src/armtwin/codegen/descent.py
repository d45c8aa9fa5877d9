"""Inverse kinematics of any arm by damped least squares, as C text around ``pose_error``.

The loop is that of compile/native/inverse.c, which ``armtwin.ik`` runs too.
"""

from __future__ import annotations

from armtwin.compile.native.loops import MAX_JOINTS, inverse_source
from armtwin.compile.targets.c_rows import literal
from armtwin.errors import InputError
from armtwin.kinematics.inverse.numeric import least_squares
from armtwin.model.arm import Arm
from armtwin.spatial import ORTHOGONAL_TOLERANCE

NAME = "ik_descent"
INPUTS = ("start", "goal", "lower", "upper", "weights")
_TEXT = """
static const double *descent_constants;
static void descent_error(long rows, const double *const *x, double *const *y) {
  pose_error(rows, x[0], x[1], CONSTANTS y[0], y[1]);
}
__attribute__((export_name("ik_descent"))) void ik_descent(long rows, const double *start,
    const double *goal, const double *lower, const double *upper, const double *weights,
    ARGUMENT double *q, double *error) {
  static const Descent plan = {PLAN};
  const double *x[] = {start, goal, lower, upper, weights};
  double *y[] = {q, error};
  STORED
  descend(rows, x, y, &plan);
}
"""


def descent_source(arm: Arm, *, with_constants: bool) -> str:
    """Return C text of ``ik_descent(rows, start, goal, lower, upper, weights, [c,] q, error)``.

    Args:
        arm: the arm, for the number of its joints.
        with_constants: whether ``pose_error`` reads constants.
    """
    if arm.dof > MAX_JOINTS:
        raise InputError(f"arm {arm.name!r} has {arm.dof} joints; the descent takes {MAX_JOINTS}")
    counts = ["descent_error", "0", "0", "0", str(arm.dof), str(least_squares.STEPS)]
    numbers = (
        least_squares.SOLVED, least_squares.ROUNDING, least_squares.LONGEST_STEP,
        least_squares.MIN_DAMPING,
        ORTHOGONAL_TOLERANCE,
    )  # fmt: skip
    plan = ", ".join([*counts, str(least_squares.PATIENCE), *map(literal, numbers)])
    words = {
        "CONSTANTS": "descent_constants," if with_constants else "",
        "ARGUMENT": "const double *c," if with_constants else "",
        "STORED": "descent_constants = c;" if with_constants else "",
        "PLAN": plan,
    }
    text = _TEXT
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return inverse_source() + text
