r"""The force of force mode along one axis, cycle by cycle.

Along a compliant axis the tool is pushed by a force, not led to a position. Where nothing is in
its way it would speed up, so a speed controller is used, whose force is limited to the wanted one:

.. math:: F_g = F_d + k_p (F_d - F_a) + \int k_i (F_d - F_a) dt, \qquad
          F = \mathrm{clip}(B (v_g - v) + z,\; F_g), \qquad \dot z = k_z B (v_g - v)

``F_d`` is the commanded force and ``F_a`` the one that the tool applies, as the wrist sensor
measures it. ``v_g`` is a share of the speed limit with the sign of ``F_g``, and ``B`` a rate times
the mass that the arm has along the axis. In free space the tool takes up that speed. Against an
obstacle ``z`` rises until the force is ``F_g``, and the integral takes what friction keeps off.
"""

from __future__ import annotations

import numpy as np

from armtwin.spatial import Array

RATE = 80.0
"""Of the speed controller [1/s]: half of the bandwidth of position control."""
RISE = 8.0
"""Of its integral [1/s]."""
PROPORTIONAL, INTEGRAL = 1.0, 8.0
"""Gains of the force error, the second per second, at a gain scaling of 1."""
MAX_INTEGRAL = np.array([120.0] * 3 + [15.0] * 3)
"""Largest force and torque that the integral adds [N, Nm]: dry friction of a large joint."""
NEAR = np.array([0.3] * 3 + [0.03] * 3)
"""A force error below this is not integrated [N, Nm]: dry friction would let it hunt for ever."""
FORGETTING = 0.1
"""Time in which the integral fades while the tool moves freely [s]."""
CRUISE = 0.7
"""Share of the speed limit that the tool takes up: it overshoots when dry friction lets go."""
BLOCKED = 0.25
"""The tool counts as blocked below this share of its speed limit."""


class ForceLaw:
    """Forces along six axes.

    Attributes:
        gain: scaling of the force gains, 0 to 2.
    """

    def __init__(self, gain: float = 0.5) -> None:
        self.gain, self._integral, self._z = gain, np.zeros(6), np.zeros(6)
        self._full = np.ones(6, bool)

    def force(
        self, wanted: Array, applied: Array, speed: Array, limit: Array, mass: Array, dt: float
    ) -> Array:
        """Return the forces (6,) for the next cycle [N, Nm].

        Args:
            wanted: forces that the tool shall apply (6,) [N, Nm].
            applied: forces that it applies (6,) [N, Nm].
            speed: of the tool along the axes (6,) [m/s, rad/s].
            limit: of the speed (6,) [m/s, rad/s].
            mass: that the arm has along the axes (6,) [kg, kg m2].
            dt: length of the cycle [s].
        """
        error = wanted - applied
        blocked = self._full & (np.abs(speed) <= np.maximum(BLOCKED * limit, 1e-3))
        rising = self.gain * INTEGRAL * np.where(np.abs(error) > NEAR, error, 0.0)
        change = np.where(blocked, rising, -self._integral / FORGETTING) * dt
        self._integral = np.clip(self._integral + change, -MAX_INTEGRAL, MAX_INTEGRAL)
        goal = wanted + self.gain * PROPORTIONAL * error + self._integral
        low, high = np.minimum(goal, 0.0), np.maximum(goal, 0.0)
        lack = RATE * mass * (np.sign(goal) * CRUISE * limit - speed)
        most = np.abs(goal)
        self._z = np.clip(self._z + RISE * lack * dt, -most, most)
        force = lack + self._z
        self._full = np.where(goal > 0, force >= high, force <= low)
        return np.where(goal > 0, np.minimum(force, high), np.maximum(force, low))
