r"""An energy ledger that balances: energy drawn by the motors, and where it went.

Per joint and in total, integrated over time by the trapezoidal rule [J],

.. math:: E_{drawn} = E_{links} + E_{friction} + E_{joule} + E_{loss} + E_{regenerated}

where ``drawn`` is the energy of motors that motor (:math:`\int \max(P, 0)`) and ``regenerated``
that of motors that generate (:math:`\int \max(-P, 0)`). The rule says how much of the latter is
used again:

.. math:: E_{supply} = E_{drawn} - E_{reused} + P_{idle}\, T
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.dynamics.regeneration import DEFAULT, Regeneration, regeneration
from armtwin.energy.power import Powers, Source, powers
from armtwin.energy.supply import Supply, finite
from armtwin.energy.trajectory import JointTrajectory, trajectory_of
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.motion.motion import Motion
from armtwin.progress import OnProgress, report_step
from armtwin.recording.read import read_recording
from armtwin.recording.recording import Recording
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.spatial import Array, as_number

ENTRIES = ("links", "friction", "joule", "loss", "regenerated")


@dataclass(frozen=True, eq=False)
class Ledger(Result):
    """Energies per joint (dof,) and in total [J], under one rule for regenerated power.

    Attributes:
        arm: the arm.
        trajectory: joint positions, speeds and accelerations over time.
        powers: powers of every motor over time.
        rule: what happens to regenerated power.
        idle: power at standstill [W]: controller, brakes, fans.
        drawn: energy that each motor drew while it motored (dof,).
        links: work on links and rotors; about 0 over a closed cycle.
        friction: heat of gears and bearings.
        joule: heat of the windings.
        loss: between winding and shaft.
        regenerated: energy that each motor returned while it generated.
        reused: how much of that was used again, all joints together.
        fitted_supply: the supply's model fitted to a recording's power; None without one.
        inputs: files that it was computed from.
    """

    arm: Arm
    trajectory: JointTrajectory
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
    fitted_supply: Supply | None = None
    inputs: tuple[Path, ...] = ()

    def page(self) -> Page:
        """Return energies per joint, power over time and every rule as a page."""
        from armtwin.energy.ledger_page import energy_page

        return energy_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return energies [J], efficiencies and notes as plain data; None where undefined."""
        answer: dict[str, Any] = {
            "source": self.trajectory.name,
            "duration": self.duration,
            "rule": self.rule.name,
            "rule_meaning": self.rule.meaning,
            "torques_from": self.powers.source,
            "idle_power": self.idle,
            **{name: getattr(self, name) for name in ("motors", "total", "reused", "burnt")},
            "efficiency": finite(self.efficiency),
            "useful_share": finite(self.useful_share),
            "balance": self.balance,
            **{name: getattr(self, name).tolist() for name in ("drawn", "net", *ENTRIES)},
            "notes": list(self.trajectory.notes),
        }
        fitted = self.fitted_supply
        return answer if fitted is None else answer | {"supply": fitted.to_dict()}

    @property
    def duration(self) -> float:
        """Time covered [s]."""
        return float(self.trajectory.time[-1] - self.trajectory.time[0])

    @property
    def motors(self) -> float:
        """Energy from the supply to the motors [J], idle power not counted."""
        return float(self.drawn.sum()) - self.reused

    @property
    def total(self) -> float:
        """Energy from the supply in total [J], idle power included."""
        return self.motors + self.idle * self.duration

    @property
    def burnt(self) -> float:
        """Regenerated energy that was burnt in the brake resistor [J]."""
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
        """Positive work on the links over the energy from the supply, idle power included.

        The work comes back when the arm brakes; only ``reused`` is kept of it.
        """
        useful = float(_integral(self.trajectory.time, np.maximum(self.powers.links, 0.0)).sum())
        return _ratio(useful, self.total)

    @property
    def _terminal(self) -> float:
        return float((self.drawn - self.regenerated).sum())

    @property
    def supply(self) -> Array:
        """Power of the supply over time (n,) [W], idle power included."""
        return self.rule.drawn(self.powers.terminal) + self.idle

    @property
    def net(self) -> Array:
        """Electrical energy of each motor (dof,) [J]: drawn less regenerated."""
        return self.drawn - self.regenerated


def ledger(
    arm: ArmLike,
    source: Motion | Recording | JointTrajectory | str | Path,
    *,
    rule: str | Regeneration = DEFAULT,
    idle: float = 0.0,
    measured: bool = False,
    on_progress: OnProgress | None = None,
) -> Ledger:
    """Return the energy balance of a plan or a recording.

    Args:
        arm: an arm with masses, drives and motor constants (``ur5e-energy`` has them), its name or
            its file.
        source: a plan (Motion), or a Recording or its file with q, and qd, qdd where it has them.
        rule: what happens to regenerated power, by name (see ``dynamics.regeneration``).
        idle: power at standstill [W].
        measured: take the motors' torques from the recording's currents, not from the model.
        on_progress: called before each step; raise from it to cancel.

    Raises:
        MissingDataError: the arm lacks parameters, or the recording lacks currents.
        InputError: wrong shapes, NaN, a negative idle power, an unknown rule.
    """
    refuse_idle_power(idle)
    arm, chosen = as_arm(arm), regeneration(rule)
    inputs: tuple[Path, ...] = ()
    if isinstance(source, str | Path):
        report_step(on_progress, "reading the recording", 0.0)
        inputs, source = (Path(source),), read_recording(source, arm)
    report_step(on_progress, "filtering the motion", 0.3)
    states = source if isinstance(source, JointTrajectory) else trajectory_of(arm, source)
    torques: Source = "current" if measured else "model"
    report_step(on_progress, "computing the powers", 0.6)
    flows = powers(arm, states, chosen, torques)
    return _integrated(arm, states, flows, chosen, float(idle), inputs)


def refuse_idle_power(idle: float) -> None:
    """Raise InputError where an idle power is negative or no number."""
    if not 0 <= as_number(idle, "idle power") < np.inf:
        raise InputError(f"idle power is a number of watts, 0 or more; got {idle}")


def _integrated(
    arm: Arm,
    states: JointTrajectory,
    flows: Powers,
    rule: Regeneration,
    idle: float,
    inputs: tuple[Path, ...],
) -> Ledger:
    time = states.time
    drawn = _integral(time, np.maximum(flows.terminal, 0.0))
    supplied = float(_integral(time, rule.drawn(flows.terminal)[:, None])[0])
    return Ledger(
        arm=arm,
        trajectory=states,
        powers=flows,
        rule=rule,
        idle=idle,
        drawn=drawn,
        regenerated=_integral(time, np.maximum(-flows.terminal, 0.0)),
        reused=float(drawn.sum()) - supplied,
        inputs=inputs,
        links=_integral(time, flows.links),
        friction=_integral(time, flows.friction),
        joule=_integral(time, flows.joule),
        loss=_integral(time, flows.loss),
    )


def _integral(time: Array, values: Array) -> Array:
    return np.asarray(np.trapezoid(values, time, axis=0))


def _ratio(a: float, b: float) -> float:
    return a / b if b > 0 else float("nan")
