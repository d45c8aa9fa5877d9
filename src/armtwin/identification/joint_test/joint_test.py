r"""A manufacturer's joint test: torque constant, stiction, and current at eight speeds.

The joint moves alone, without an arm: its torque is its friction. Voltage and current are
amplitudes of the phases, so that the electrical power of three phases is 3/2 their product:

.. math:: U = R I + k_e \dot q, \qquad P = \tfrac32 U I, \qquad
          \frac{k_t}{k_b} = \frac{gear\, k_t}{\tfrac32 k_e}
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.errors import RecordingError
from armtwin.spatial import Array

PHASES = 1.5
"""Power of three phases by the amplitudes of one: 3/2."""

_HEAD = re.compile(r"^\*+ *Joint +(\d+)", re.MULTILINE)
_NUMBER = r"[+-]?(?:\d+\.?\d*|nan)"
_CONSTANT = re.compile(rf"K_tau.*\n\s*({_NUMBER})\s+({_NUMBER})\s+({_NUMBER})\s+({_NUMBER})")
_ROW = re.compile(rf"^\s*({_NUMBER}(?:\s+{_NUMBER}){{4}})\s+(?:-?nan|{_NUMBER})\s*$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class JointTest:
    """One joint's test.

    Attributes:
        joint: number from 1.
        torque_constant: [Nm/A] at the motor.
        stiction: breakaway torque at the motor, backwards and forwards [Nm].
        speed: of the joint (n,) [rad/s]; rest is left out.
        voltage: amplitude (n,) [V].
        current: amplitude with the sign of the torque (n,) [A].
        temperature: (n,) [degC].
        torque: at the motor (n,) [Nm].
    """

    joint: int
    torque_constant: float
    stiction: tuple[float, float]
    speed: Array
    voltage: Array
    current: Array
    temperature: Array
    torque: Array

    @property
    def winding(self) -> tuple[float, float]:
        """Resistance R [Ohm] and voltage per joint speed k_e [Vs/rad], by least squares."""
        columns = np.column_stack([np.abs(self.current), np.abs(self.speed)])
        found, *_ = np.linalg.lstsq(columns, np.abs(self.voltage), rcond=None)
        return float(found[0]), float(found[1])

    def constant_ratio(self, gear: float) -> float:
        """Return ``k_t / k_b`` with both per turn of the motor."""
        return gear * self.torque_constant / (PHASES * self.winding[1])

    def efficiency(self, gear: float) -> Array:
        """Return shaft power by electrical power at every speed (n,)."""
        shaft = np.abs(self.torque * self.speed) * gear
        return np.asarray(shaft / (PHASES * np.abs(self.voltage * self.current)))


def read_joint_test(path: str | Path) -> tuple[JointTest, ...]:
    """Return every joint's test in a robot calibration summary of Universal Robots.

    Raises:
        RecordingError: no such file, or no joint test in it.
    """
    path = Path(path)
    if not path.is_file():
        raise RecordingError(f"no such file: {path}")
    text = path.read_text(encoding="utf-8", errors="replace")
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found = [
        _joint(int(head[1]) + 1, text[head.end() : end], path.name)
        for head, end in zip(heads, ends, strict=True)
    ]
    if not found:
        raise RecordingError(
            f"{path.name}: no joint test: expected '**** Joint 0 :' with a table of angular "
            "velocity, U, I, temperature and torque (a robot_calibration_summary.txt)"
        )
    return tuple(found)


def _joint(number: int, text: str, where: str) -> JointTest:
    constant, rows = _CONSTANT.search(text), _ROW.findall(text)
    table = np.array([[float(cell) for cell in row.split()] for row in rows])
    if constant is None or table.ndim != 2:
        raise RecordingError(f"{where}: joint {number}: no torque constant, or no table of speeds")
    table = table[table[:, 0] != 0]
    speed, voltage, current, temperature, torque = table.T.copy()
    stiction = float(constant[3]), float(constant[4])
    return JointTest(
        number, float(constant[1]), stiction, speed, voltage, current, temperature, torque
    )
