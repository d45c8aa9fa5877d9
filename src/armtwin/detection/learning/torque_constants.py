r"""Torque per ampere of every joint where the arm file has none.

Per joint the mean current of a block is

.. math:: i = (n + J \Delta\dot q + f_c s + f_v \dot q + o) / k

with n the torque that the arm's own links need. Gravity identifies k well. A joint without gravity
load does not show it: its torque is inertial, and rotor and links cannot be separated. Universal
Robots' joints therefore have a prior by their torque limit, to 12 %; it is kept where the data do
not halve that, or contradict it. Joints of other arms that do not show it are given the median of
those that do, and are named: what is reported there is current.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from armtwin.detection.detection_signals import DetectionSignals
from armtwin.detection.learning.regression import Blocks, blocks
from armtwin.model.arm import Arm
from armtwin.model.drive import effort_limits
from armtwin.spatial import Array

USUAL = 0.1
"""Amperes per newton metre at the joint to start from; industrial arms have 0.05 to 0.2."""
SPREAD, KNOWN = 0.5, 0.25
"""Relative standard deviation of the prior, and the one below which a joint's constant counts as
shown: half of the prior's."""
UR_JOINTS = {12.0: 3.7, 28.0: 9.0, 56.0: 10.8, 150.0: 11.0, 330.0: 12.0}
"""Torque per ampere [Nm/A] of Universal Robots' joints by their torque limit [Nm].

From the controllers' own target torques and currents of a UR5 (150 and 28 Nm: 10.7 to 11.4 and 8.9
to 10.0) and a UR3e (56 and 12 Nm: 10.8, 3.6 to 3.8) and the joint test of a UR5e (10.2 and 8.1). No
source for 330 Nm; by size. 12 Nm/A at 150 Nm lie outside the intervals of the joints that carry
weight (docs/collisions.md, torque constants).
"""
UR_NAMES = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint")
UR_SPREAD = 0.12
"""Relative standard deviation of ``UR_JOINTS``: sources of one size above differ by 5 to 23 %."""
MAX_REMAINING, MAX_DEVIATION = 0.5, 2.0
"""Part of the prior's standard deviation that the data must leave at most, and how many of these
the estimate may lie from the prior."""
NOISE = 0.3
"""Standard deviation of a window's current that is assumed [A]."""
ROTOR, COULOMB, VISCOUS, OFFSET = 0.3, 1.0, 1.0, 0.05
"""Prior scales of rotor, Coulomb and viscous friction and offset as currents: [A s2/rad], [A],
[A s/rad], [A]."""
COLUMNS = [0, 1, 2, 4]
"""Rotor, Coulomb, viscous and offset among the five corrections of a joint."""
ROUNDS = 3
"""Repetitions, each with the median of the constants found before as the usual one."""


def usual_constants(arm: Arm) -> Array | None:
    """Return Universal Robots' torque per ampere by joint size (dof,) [Nm/A]; None otherwise."""
    names = tuple(joint.name for joint in arm.driven[: len(UR_NAMES)])
    found = [UR_JOINTS.get(effort) for effort in effort_limits(arm).tolist()]
    if names != UR_NAMES or None in found:
        return None
    return np.array(found, float)


def fit_constants(
    arm: Arm, clean: Sequence[DetectionSignals], smoothing: float
) -> tuple[Array, str]:
    """Return the torque at each joint per ampere of its motor (dof,) [Nm/A] and a note on it.

    Args:
        arm: the arm, with masses.
        clean: signals of runs without contact, with motor currents.
        smoothing: speed over which friction changes sign [rad/s].
    """
    parts = [blocks(arm, run, run.current, smoothing) for run in clean if run.current is not None]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    known = usual_constants(arm)
    return _learned(arm, whole) if known is None else _refined(arm, whole, known)


def _refined(arm: Arm, data: Blocks, known: Array) -> tuple[Array, str]:
    """Return Universal Robots' constants, refined at the joints whose motion shows them.

    Args:
        arm: the arm.
        data: windows of clean runs.
        known: usual constants of such joints (dof,) [Nm/A].
    """
    pairs = [_joint(arm, data, j, 1 / k, UR_SPREAD) for j, k in enumerate(known.tolist())]
    per_torque, sd = np.array(pairs).T * known
    shown = sd < MAX_REMAINING * UR_SPREAD
    far = shown & (np.abs(per_torque - 1) > MAX_DEVIATION * UR_SPREAD)
    constants = np.where(shown & ~far, known / np.where(far, 1.0, per_torque), known)
    note = f"torque per ampere of such joints: {_listed(constants)} Nm/A"
    if (shown & ~far).any():
        note += f", refined at joint {_numbers(shown & ~far)}"
    if not shown.all():
        note += f"; this motion does not show it at joint {_numbers(~shown)}"
    if far.any():
        fitted = ", ".join(f"{x:.3g}" for x in (known / per_torque)[far])
        note += (
            f"; at joint {_numbers(far)} the run gives {fitted}, which no such joint has: payload"
            " or masses differ from the arm file"
        )
    return constants, note


def _learned(arm: Arm, data: Blocks) -> tuple[Array, str]:
    """Return constants of an arm of which none is known."""
    usual = USUAL
    for _ in range(ROUNDS):
        found = np.array([_joint(arm, data, j, usual, SPREAD) for j in range(arm.dof)])
        sure = (found[:, 1] < KNOWN * usual) & (found[:, 0] > usual / 10)
        usual = float(np.median(found[sure, 0])) if sure.any() else usual
    constants = 1 / np.where(sure, found[:, 0], usual)
    notes = [f"torque per ampere learned: {_listed(constants)} Nm/A"] if sure.any() else []
    if not sure.all():
        notes.append(
            f"torque per ampere is unknown at joint {_numbers(~sure)}, where this motion does not "
            f"show it: what is given there as torque is motor current times {1 / usual:.3g} Nm/A, "
            "an assumed figure"
        )
    return constants, "; ".join(notes)


def _numbers(joints: NDArray[np.bool_]) -> str:
    return ", ".join(str(j + 1) for j in np.flatnonzero(joints))


def _listed(values: Array) -> str:
    return ", ".join(f"{value:.3g}" for value in values)


def _joint(arm: Arm, data: Blocks, j: int, usual: float, spread: float) -> tuple[float, float]:
    """Return amperes per newton metre of a joint and its standard deviation.

    Args:
        arm: the arm.
        data: windows of clean runs.
        j: the joint, from 0.
        usual: its prior [A/Nm].
        spread: relative standard deviation of the prior.
    """
    first = 10 * len(arm.joints) + 5 * j
    A = np.column_stack([data.needed[:, j], data.X[:, j, first : first + 5][:, COLUMNS]])
    scale = np.array([spread * usual, ROTOR, COULOMB, VISCOUS, OFFSET])
    guess = np.array([usual, 0.0, 0.0, 0.0, 0.0])
    w = data.weight[:, j] / NOISE**2
    H = (A * w[:, None]).T @ A + np.diag(1 / scale**2)
    found = np.linalg.solve(H, A.T @ (w * data.measured[:, j]) + guess / scale**2)
    return float(found[0]), float(np.sqrt(np.linalg.inv(H)[0, 0]))
