r"""An energy ledger that balances: what the motors drew and where it went.

Per joint and in total, integrated over time by the trapezoidal rule [J],

.. math:: E_{drawn} = E_{links} + E_{friction} + E_{joule} + E_{loss} + E_{regenerated}

where ``drawn`` is what the motors take while they take (:math:`\int \max(P, 0)`) and
``regenerated`` what they give while they generate (:math:`\int \max(-P, 0)`). The rule says how
much of the latter comes off the bill:

.. math:: E_{supply} = E_{drawn} - E_{reused} + P_{idle}\, T
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.dynamics.regeneration import DEFAULT, Regeneration, regeneration
from armtwin.energy.course import Course, course
from armtwin.energy.power import Powers, Source, powers
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.recording.recording import Recording
from armtwin.spatial import Array

ENTRIES = ("links", "friction", "joule", "loss", "regenerated")


@dataclass(frozen=True, eq=False)
class Ledger:
    """Energies per joint (dof,) and in total [J], under one rule.

    Attributes:
        way: what the joints did.
        powers: powers of every motor over time.
        rule: what becomes of generated power.
        idle: power that flows even at rest [W]: controller, brakes, fans.
        drawn: what each motor took while it took (dof,).
        links: work on links and rotors; about 0 over a closed cycle.
        friction: heat of gears and bearings.
        joule: heat of the windings.
        loss: between winding and shaft.
        regenerated: what each motor gave back while it generated.
        reused: how much of that came off the bill, all joints together.
    """

    way: Course
    powers: Powers
    rule: Regeneration
    idle: float
    drawn: Array
    links: Array
    friction: Array
    joule: Array
    loss: Array
    regenerated: Array
    reused: float

    @property
    def duration(self) -> float:
        """Time covered [s]."""
        return float(self.way.time[-1] - self.way.time[0])

    @property
    def motors(self) -> float:
        """What the supply gave to the motors [J], idle power not counted."""
        return float(self.drawn.sum()) - self.reused

    @property
    def total(self) -> float:
        """What the supply gave in all [J], idle power included."""
        return self.motors + self.idle * self.duration

    @property
    def burnt(self) -> float:
        """Generated energy that ended in a resistor [J]."""
        return float(self.regenerated.sum()) - self.reused

    @property
    def balance(self) -> float:
        """Largest |drawn - (links + friction + joule + loss + regenerated)| of a joint [J]."""
        spent = sum(getattr(self, name) for name in ENTRIES)
        return float(np.abs(self.drawn - spent).max())

    @property
    def efficiency(self) -> float:
        r"""Efficiency as eq. 24 defines it: shaft work over electrical energy of the motors.

        .. math:: \eta = \int \sum w \tau_m / \int \sum P

        Net of what is generated, without idle power. Friction counts as useful here.
        """
        return _ratio(float((self.links + self.friction).sum()), self._terminal)

    @property
    def useful_share(self) -> float:
        """Efficiency as a user understands it: positive work on the links per energy paid for.

        What lifts and speeds up links, summed where positive, over all that the supply gave, idle
        power included. The work comes back when the arm brakes; only ``reused`` is kept of it.
        """
        useful = float(_integral(self.way.time, np.maximum(self.powers.links, 0.0)).sum())
        return _ratio(useful, self.total)

    @property
    def _terminal(self) -> float:
        return float((self.drawn - self.regenerated).sum())

    @property
    def supply(self) -> Array:
        """What the supply gives over time (n,) [W], idle power included."""
        return self.rule.drawn(self.powers.terminal) + self.idle

    @property
    def net(self) -> Array:
        """Electrical energy of each motor (dof,) [J]: drawn less regenerated."""
        return self.drawn - self.regenerated


def ledger(
    arm: Arm,
    source: Motion | Recording | Course,
    *,
    rule: str | Regeneration = DEFAULT,
    idle: float = 0.0,
    measured: bool = False,
) -> Ledger:
    """Return where the energy of a plan or a recording goes.

    Args:
        arm: an arm with masses, drives and motor constants (``ur5e-energy`` has them).
        source: a plan (Motion) or a Recording with q, and qd, qdd where it has them.
        rule: what becomes of generated power, by name (see ``dynamics.regeneration``).
        idle: power at standstill [W].
        measured: take the motors' torques from the recording's currents, not from the model.

    Raises:
        MissingDataError: the arm lacks numbers, or the recording lacks currents.
        InputError: wrong shapes, NaN, a negative idle power, an unknown rule.
    """
    if not (np.isfinite(idle) and idle >= 0):
        raise InputError(f"idle power is a number of watts, 0 or more; got {idle}")
    chosen = regeneration(rule)
    way = source if isinstance(source, Course) else course(arm, source)
    taken: Source = "current" if measured else "model"
    flows = powers(arm, way, chosen, taken)
    return _summed(way, flows, chosen, float(idle))


def _summed(way: Course, flows: Powers, rule: Regeneration, idle: float) -> Ledger:
    time = way.time
    drawn = _integral(time, np.maximum(flows.terminal, 0.0))
    regenerated = _integral(time, np.maximum(-flows.terminal, 0.0))
    supplied = float(_integral(time, rule.drawn(flows.terminal)[:, None])[0])
    parts = [_integral(time, getattr(flows, n)) for n in ENTRIES[:-1]]
    reused = float(drawn.sum()) - supplied
    links, friction, joule, loss = parts
    return Ledger(way, flows, rule, idle, drawn, links, friction, joule, loss, regenerated, reused)


def _integral(time: Array, values: Array) -> Array:
    return np.asarray(np.trapezoid(values, time, axis=0))


def _ratio(a: float, b: float) -> float:
    return a / b if b > 0 else float("nan")
