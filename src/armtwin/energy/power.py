r"""Powers of every motor over time: where its electrical power goes.

.. math:: P = \dot q\, \tau + \dot q\, f + \tau_m^2 / k_m^2 + loss

with the torque :math:`\tau` that links and rotors take, friction f at the joint and the loss
between winding and shaft, which depends on the conversion (see ``equations/energy.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from armtwin.compile.kernel import run
from armtwin.dynamics.drives import friction
from armtwin.dynamics.regeneration import Regeneration
from armtwin.dynamics.rigid_body import inverse_dynamics
from armtwin.energy.trajectory import JointTrajectory
from armtwin.equations.drives import energy as energy_equations
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

Source = Literal["model", "current"]


@dataclass(frozen=True, eq=False)
class Powers:
    """Powers (n, dof) [W] at times (n,), and the motors' currents and voltages.

    Attributes:
        time: (n,) [s].
        links: into links and rotors: what speeds them up and lifts them.
        friction: into gears and bearings; with measured currents what the model leaves open
            (its error included).
        joule: heat of the windings.
        loss: between winding and shaft (iron, stray).
        terminal: electrical power at the motor; negative while it generates.
        current: [A]; None where the arm file has no torque constants.
        voltage: [V]; None likewise.
        source: "model", or "current" where measured currents gave the motors' torques.
    """

    time: Array
    links: Array
    friction: Array
    joule: Array
    loss: Array
    terminal: Array
    current: Array | None
    voltage: Array | None
    source: Source

    @property
    def shaft(self) -> Array:
        """Power of the motors' shafts (n, dof): links and friction."""
        return self.links + self.friction


def powers(
    arm: Arm, states: JointTrajectory, rule: Regeneration, source: Source = "model"
) -> Powers:
    """Return the powers along a trajectory.

    Args:
        arm: an arm with masses and drives.
        states: positions, speeds and accelerations of the joints.
        rule: whose conversion decides the loss.
        source: "model" predicts the motors' torques, "current" takes the measured currents.

    Raises:
        MissingDataError: the arm lacks masses, drives or motor constants, or currents are
            missing.
    """
    load = inverse_dynamics(arm, states.q, states.qd, states.qdd, ignore_limits=True)
    if source == "model":
        torque = run(arm, energy_equations.motor_torque, states.qd, load)[0]
    else:
        if states.current is None:
            raise MissingDataError(f"{states.name or 'the plan'} holds no measured motor currents")
        torque = run(arm, energy_equations.torque_of_current, states.current)[0]
    outputs = run_flows(arm, states.qd, torque)
    links = states.qd * load
    modelled = source == "model"
    lost = states.qd * friction(arm, states.qd, load) if modelled else outputs["shaft"] - links
    current, voltage = _terminals(arm, states.qd, torque)
    return Powers(
        states.time,
        links,
        lost,
        outputs["joule"],
        outputs[f"loss_{rule.conversion}"],
        outputs[f"power_{rule.conversion}"],
        current,
        voltage,
        source,
    )


def run_flows(arm: Arm, qd: Array, torque: Array) -> dict[str, Array]:
    """Return the outputs of ``energy.flows`` by name, each (n, dof) [W].

    Args:
        arm: an arm with drives and motor constants.
        qd: joint speeds (n, dof) [rad/s | m/s].
        torque: motor torques on the motor's side (n, dof) [Nm].
    """
    names = ("shaft", "joule", "loss_ideal", "loss_lossy", "power_ideal", "power_lossy")
    return dict(zip(names, run(arm, energy_equations.flows, qd, torque), strict=True))


def _terminals(arm: Arm, qd: Array, torque: Array) -> tuple[Array | None, Array | None]:
    if any(j.drive is None or j.drive.torque_constant is None for j in arm.driven):
        return None, None
    current, voltage = run(arm, energy_equations.terminals, qd, torque)
    return np.asarray(current), np.asarray(voltage)
