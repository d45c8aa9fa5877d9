"""Leading a UR controller to a goal by joint speeds that end by themselves.

The controller is told a speed for a moment, again and again. Whatever happens to this
program, the page or the network, the arm stands within that time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from armtwin.spatial import Array

PERIOD = 0.02
"""Time between two commands [s]."""
LASTING = 0.3
"""How long the arm keeps a commanded speed when no other command comes [s]."""
ACCELERATION = 2.5
"""Of the fastest joint [rad/s2]."""
BRAKING = 1.2
"""With which a goal is approached [rad/s2]; softer, so that the command is never behind."""
APPROACH = 6.0
"""Near its goal the arm moves with this rate times the way that is left [1/s]."""
CLOSE = 2e-3
"""The rest of the way that is left to a move of the controller's own [rad]."""
STOP = 4.0
"""Deceleration of a stop [rad/s2]."""
DEFAULT_SPEED = 1.0
"""Top speed of a joint whose file gives none [rad/s]."""


@dataclass
class Goal:
    """Where the arm is led.

    Attributes:
        q: joints (dof,) [rad].
        share: of the top speeds.
        until: when to give up unless called again (monotonic clock); None for a whole move.
        arriving: whether the controller makes the last bit by itself.
    """

    q: Array
    share: float
    until: float | None = None
    arriving: bool = False

    @property
    def over(self) -> bool:
        """Whether nobody has asked for it lately."""
        return self.until is not None and time.monotonic() > self.until


def speeds(error: Array, top: Array) -> Array:
    r"""Return joint speeds (dof,) [rad/s] straight to a goal, none above ``top``.

    Joints that are as good as there rest, so that they do not creep to and fro.

    .. math:: \dot q = e \min\left(\min_j \frac{v_j}{|e_j|}, \frac{\sqrt{2 b e}}{e}, k\right),
        \quad e = \max_j |e_j|
    """
    error = np.where(np.abs(error) < CLOSE, 0.0, error)
    way = float(np.abs(error).max())
    if way == 0.0:
        return np.zeros_like(error)
    with np.errstate(divide="ignore"):
        allowed = float((top / np.abs(error)).min())
    return np.asarray(error * min(allowed, (2 * BRAKING * way) ** 0.5 / way, APPROACH))


def speed_line(qd: Array) -> str:
    """Return the script line that makes the joints move at ``qd`` (dof,) for a moment."""
    return f"speedj({_list(qd)}, {ACCELERATION:g}, {LASTING:g})"


def arrival_line(q: Array) -> str:
    """Return the script line for the last bit of the way."""
    return f"movej({_list(q)}, a=1.0, v=0.1)"


def stop_line() -> str:
    """Return the script line that stops the joints."""
    return f"stopj({STOP:g})"


def push_program(joint: int, torque: float, seconds: float) -> str:
    """Return the program that pushes a joint of a virtual robot beside what it does."""
    return f"sec push():\n  armtwin_push({joint}, {torque:.6g}, {seconds:.6g})\nend"


def _list(values: Array) -> str:
    return "[" + ", ".join(f"{value:.7f}" for value in values) + "]"
