r"""Torque per ampere of every joint from clean runs, where nothing else is known.

Per joint the mean current of a block is

.. math:: i = (n + J \Delta\dot q + f_c s + f_v \dot q + o) / k

with n the torque that the arm's own links need. Gravity identifies k well; for a joint
without gravity load, k is regularised towards that of the other joints.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.detection.detection_signals import DetectionSignals
from armtwin.detection.learning.regression import Blocks, blocks
from armtwin.model.arm import Arm
from armtwin.spatial import Array

USUAL = 0.1
"""Amperes per newton metre at the joint to start from; industrial arms have 0.05 to 0.2."""
SPREAD, KNOWN = 0.5, 0.25
NOISE = 0.3
ROTOR, COULOMB, VISCOUS, OFFSET = 0.3, 1.0, 1.0, 0.05
COLUMNS = [0, 1, 2, 4]
"""Rotor, Coulomb, viscous and offset among the five corrections of a joint."""
ROUNDS = 3


def fit_constants(arm: Arm, clean: Sequence[DetectionSignals], smoothing: float) -> Array:
    """Return the torque at each joint per ampere of its motor (dof,) [Nm/A].

    Args:
        arm: the arm, with masses.
        clean: signals of runs without contact, with motor currents.
        smoothing: speed over which friction changes sign [rad/s].
    """
    parts = [blocks(arm, run, run.current, smoothing) for run in clean if run.current is not None]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    usual = USUAL
    for _ in range(ROUNDS):
        found = np.array([_joint(arm, whole, j, usual) for j in range(arm.dof)])
        known = found[:, 1] < KNOWN * usual
        usual = float(np.median(found[known, 0])) if known.any() else usual
    return np.asarray(1 / np.maximum(found[:, 0], usual / 10))


def _joint(arm: Arm, data: Blocks, j: int, usual: float) -> tuple[float, float]:
    """Return amperes per newton metre of a joint and its standard deviation."""
    first = 10 * len(arm.joints) + 5 * j
    A = np.column_stack([data.needed[:, j], data.X[:, j, first : first + 5][:, COLUMNS]])
    scale = np.array([SPREAD * usual, ROTOR, COULOMB, VISCOUS, OFFSET])
    guess = np.array([usual, 0.0, 0.0, 0.0, 0.0])
    w = data.weight[:, j] / NOISE**2
    H = (A * w[:, None]).T @ A + np.diag(1 / scale**2)
    found = np.linalg.solve(H, A.T @ (w * data.measured[:, j]) + guess / scale**2)
    return float(found[0]), float(np.sqrt(np.linalg.inv(H)[0, 0]))
