r"""Standstill: changes of motor torque while the arm holds a position.

An arm that holds a position needs a constant torque, so every change of it is external:

.. math:: d_n = m_n - \mathrm{clip}(m_n, l, u), \qquad l \le b \le u

``m_n`` is the mean of the external torque ``y = -tau`` over the window of n samples and b its mean
from 0.7 to 0.35 s ago. ``[l, u]`` are the levels held so far without contact. Gears stick: a
position controller's integral action winds its torque up and a slip unwinds it, and after a contact
part of the torque stays. Levels that were held before are therefore no contact; they are
forgotten over 20 s.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armtwin.detection.observers.window_bank import SECONDS, WindowBank
from armtwin.spatial import Array

LAG, SPAN = 0.35, 0.35
"""The base level is the mean from LAG + SPAN to LAG seconds ago; windows are shorter than LAG."""
SETTLING, AFTER_CONTACT = 0.8, 0.15
"""Time after a stop, and after a contact, during which torques settle [s]."""
FORGET = 20.0
"""Time constant with which earlier levels are forgotten [s]."""
SLOW, MOVED = 0.02, 0.003
"""Speed [rad/s] and displacement [rad] above which an arm without known target moves."""
SHOVED = 0.05
"""Displacement above which an arm that is to stand was shoved away [rad]."""
DRIVEN = 3e-5
"""Displacement along the motor's torque above which a joint starts to move [rad]."""
UNPOWERED = 0.05
"""Part of the holding torques below which motors are off and brakes hold."""


class Standstill:
    """Follow the torque of a standing arm, sample by sample, in fixed memory.

    Args:
        dof: number of joints.
        step: time between samples [s].

    Attributes:
        armed: whether deviations can be judged: the arm stands and its base level is known.
        standing: whether the arm stands.
        waits: whether it stands after a contact and its new base level is not known yet.
        bank: over the windows, deviations from the levels held so far (windows, dof) [Nm].
        changes: over the windows, changes from the base level (windows, dof) [Nm].
    """

    def __init__(self, dof: int, step: float) -> None:
        self.bank = WindowBank(step, dof, SECONDS)
        self.changes = np.zeros_like(self.bank.means)
        self.armed = self.standing = self.waits = False
        self._lag, self._span = max(1, round(LAG / step)), max(1, round(SPAN / step))
        self._settling, self._after = round(SETTLING / step), round(AFTER_CONTACT / step)
        self._kept = np.zeros((self._lag + self._span, dof))
        self._sum, self._low, self._high = np.zeros((3, dof))
        self._zero, self._hold, self._base = np.zeros((3, dof))
        self._forget = step / FORGET
        self._power = 0.0
        self.restart()

    def restart(self) -> None:
        """Restart, as after a gap or motion."""
        self.standing = self.armed = self.waits = self._ranged = False
        self._wait, self._count = self._settling, 0
        self.bank.restart()

    def step(self, q: Array, qd: Array, tau: Array, *, target_still: bool | None = None) -> bool:
        """Take a sample and return whether deviations can be judged.

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            tau: measured joint torques (dof,) [Nm | N].
            target_still: whether the controller's target stands; None where it is not known.
        """
        if not self._stands(q, qd, tau, target_still):
            if self.standing:
                self.restart()
            return False
        if not self.standing:
            self.standing = True
            self._hold[:], self._zero[:] = q, tau
            self._power = float(np.abs(tau).sum())
        if self._wait:
            self._wait -= 1
            if not self.waits:
                self._hold[:] = q
            return False
        self._push(self._zero - tau)
        return self.armed

    def deviations(self, held: NDArray[np.bool_] | None = None) -> Array:
        """Return the deviations over all windows (windows, dof) [Nm]; see also ``changes``.

        Args:
            held: joints whose levels stay as they are while a contact lasts (dof,).
        """
        means = self.bank.update()
        np.divide(self._sum, min(self._count - self._lag, self._span), out=self._base)
        np.subtract(means, self._base, out=self.changes)
        self._follow(held)
        means -= np.clip(means, self._low, self._high)
        return means

    def release(self) -> None:
        """End a contact: the level that is left becomes one of those held without contact."""
        self.armed, self.waits = False, True
        self._wait, self._count = self._after, 0
        self.bank.restart()

    def starts(self, q: Array, ratios: Array) -> bool:
        """Return whether a joint starts to move: along the change of its motor's torque.

        A contact moves a joint along the external torque, against the motor's.

        Args:
            q: joint positions (dof,) [rad | m].
            ratios: deviations over their limits, signed (windows, dof).
        """
        moved = q - self._hold
        against = (ratios * np.sign(moved)).min(axis=0) < -1.0
        return bool((against & (np.abs(moved) > DRIVEN)).any())

    def _stands(self, q: Array, qd: Array, tau: Array, target_still: bool | None) -> bool:
        if self.standing:
            limit = MOVED if target_still is None else SHOVED
            if np.abs(q - self._hold).max() > limit:
                return False
            if np.abs(tau).sum() < UNPOWERED * self._power:
                return False
        if target_still is not None:
            return target_still
        return bool(np.abs(qd).max() < SLOW)

    def _push(self, y: Array) -> None:
        size = len(self._kept)
        at, between = self._count % size, (self._count - self._lag) % size
        if self._count >= size:
            self._sum -= self._kept[at]
        self._kept[at] = y
        if self._count >= self._lag:
            self._sum += self._kept[between]
        else:
            self._sum[:] = 0.0
        self._count += 1
        self.bank.push(y)
        self.armed = self._count > self._lag + self._span // 2
        self.waits = self.waits and not self.armed

    def _follow(self, held: NDArray[np.bool_] | None) -> None:
        """Widen the levels by the base level and forget those held long ago."""
        base = self._base
        if not self._ranged:
            self._low[:], self._high[:] = base, base
            self._ranged = True
            return
        low, high = self._low.copy(), self._high.copy()
        low += np.maximum(base - low, 0.0) * self._forget
        high += np.minimum(base - high, 0.0) * self._forget
        follows = np.ones(base.size, bool) if held is None else ~held
        np.minimum(low, base, out=self._low, where=follows)
        np.maximum(high, base, out=self._high, where=follows)
