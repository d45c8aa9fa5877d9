"""The result of inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.kinematics.inverse.target import error_and_jacobian, residual
from armtwin.model.arm import Arm
from armtwin.spatial import Array

SINGULAR = 1e-6
"""Solutions closer to a singularity are marked: by the sine of shoulder, elbow or wrist of a UR
structure, or by the ratio of the Jacobian's smallest to largest singular value."""


@dataclass(frozen=True, eq=False)
class Solutions:
    """Joint vectors that take the tool to a pose, nearest to the seed first.

    Attributes:
        q: joint vectors (n, dof) [rad | m].
        residuals: pose error of each (n,), measured by forward kinematics:
            ``sqrt(|position error [m]|^2 + |rotation error [rad]|^2)`` for six joints or more;
            for fewer joints the position error [m] alone, for a partial pose what counts.
        orientation_error: angle (n,) [rad] between the tool's orientation and the target's.
        singular: whether the Jacobian loses rank (n,), also where two branches coincide and are
            returned as one.
        free: number of the joint that the pose leaves free (n,), counted from 1; 0 where none.
        notes: remarks on these solutions.
        method: solution method.
        redundancy: arm angle, or q7 (see ``ik``), of a seven-joint arm's closed form [rad];
            None for other arms.
    """

    q: Array
    residuals: Array
    orientation_error: Array
    singular: NDArray[np.bool_]
    free: NDArray[np.int64]
    notes: tuple[str, ...]
    method: str
    redundancy: float | None = None

    def __repr__(self) -> str:
        """Return one line: how many there are, by which method, and the nearest one."""
        nearest = ", ".join(f"{round(value, 4) + 0:g}" for value in self.q[:1].ravel().tolist())
        return f"<Solutions: {len(self)} ({self.method}); nearest [{nearest}]>"

    def __len__(self) -> int:
        """Return the number of solutions."""
        return len(self.q)

    @property
    def best(self) -> Array:
        """The joint vector (dof,) nearest to the seed."""
        return np.asarray(self.q[0])


@dataclass(frozen=True, eq=False)
class Candidates:
    """Joint vectors (n, dof) before their errors are computed.

    ``singular`` is None if it is still to be computed from the Jacobian.
    """

    q: Array
    goal: Array
    method: str
    free: NDArray[np.int64]
    singular: NDArray[np.bool_] | None = None
    redundancy: float | None = None

    def take(self, rows: NDArray[np.int64]) -> Candidates:
        """Return some of the joint vectors, in the order given."""
        singular = None if self.singular is None else self.singular[rows]
        return Candidates(
            self.q[rows], self.goal, self.method, self.free[rows], singular, self.redundancy
        )


_NONE = tuple(np.zeros(n, np.int64) for n in range(17))
_FALSE = tuple(np.zeros(n, bool) for n in range(17))
for _array in (*_NONE, *_FALSE):
    _array.flags.writeable = False


def regular_solutions(
    q: Array, residuals: Array, turns: Array, value: float, method: str, redundant: bool
) -> Solutions:
    """Return up to 16 solutions that are neither singular nor have a free joint.

    Their fields are written one by one: the constructor of a frozen class takes 2 us.

    Args:
        q: joint vectors (n, dof).
        residuals: pose errors (n,).
        turns: angles to the target's orientation (n,) [rad].
        value: arm angle or q7 of a seven-joint arm [rad].
        method: solution method.
        redundant: whether the arm has that value.
    """
    found = _new(Solutions)
    fields, count = found.__dict__, len(q)
    fields["q"] = q
    fields["residuals"] = residuals
    fields["orientation_error"] = turns
    fields["singular"] = _FALSE[count]
    fields["free"] = _NONE[count]
    fields["notes"] = SAMPLES if redundant else ()
    fields["method"] = method
    fields["redundancy"] = value if redundant else None
    return found


_new = object.__new__
SAMPLES = ("the arm has more joints than the pose needs: these are samples of infinitely many",)


def measured(
    arm: Arm, found: Candidates, notes: tuple[str, ...], mask: Array | None = None
) -> Solutions:
    """Return the solutions with errors and singularities computed on the arm's own model.

    Args:
        arm: the arm.
        found: joint vectors and the pose that they are to reach.
        notes: remarks on them.
        mask: 1 for entries of the pose error (6,) that count; None: the whole pose.
    """
    error, J = error_and_jacobian(arm, found.q, found.goal)
    squares = error * error
    angle = squares[:, 3:].sum(axis=1)
    counted = np.array([1.0] * 3 + [float(arm.dof >= 6)] * 3) if mask is None else mask
    rows = slice(None) if mask is None else mask > 0
    return Solutions(
        q=found.q,
        residuals=np.sqrt((squares * counted).sum(axis=1)),
        orientation_error=np.sqrt(angle),
        singular=_is_singular(J, rows) if found.singular is None else found.singular,
        free=found.free,
        notes=notes,
        method=found.method,
        redundancy=found.redundancy,
    )


def _is_singular(J: Array, rows: Any) -> NDArray[np.bool_]:
    """Return where rows of the Jacobian, metres scaled by the arm's size, nearly lose rank (n,)."""
    size = max(float(residual(np.swapaxes(J[:, :3], -1, -2)).max()), 1e-6)
    scale = np.array([1 / size] * 3 + [1.0] * 3)
    values = np.linalg.svd((J * scale[:, None])[:, rows], compute_uv=False)
    return np.asarray(values[:, -1] < SINGULAR * values[:, 0])
