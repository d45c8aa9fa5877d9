"""Dynamic blocks: inverse dynamics, computed torque, momentum observer."""

from __future__ import annotations

import dataclasses
from typing import Any

from armtwin.equations.block import Block, Bundle, Quantity, constants, scalars
from armtwin.equations.blocks.motion_blocks import (
    joint_units,
    payload_requirements,
)
from armtwin.equations.control import control_law as control
from armtwin.equations.control import observer
from armtwin.equations.drives import drive
from armtwin.equations.dynamics import plant, rigid_body
from armtwin.equations.equation import Equation
from armtwin.equations.parameters import SymbolicArm, symbolic
from armtwin.equations.symbolic import ca
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm, Drive, Friction, Joint
from armtwin.units import JOINT_UNITS, fmi_unit

GROUPS = ("geometry", "offsets", "base", "gravity", "masses", "drives", "payload")
SLOT_SMOOTHING = 0.01
"""Speed over which friction filled in later changes sign [rad/s]."""
_QUANTITIES = {"q": "position", "qd": "speed", "qdd": "acceleration", "tau": "effort"}


def with_friction_slots(arm: Arm) -> Arm:
    """Return the arm with zero viscous and Coulomb friction where a joint has none.

    The dynamics do not change; the block gets parameters for friction to be set later.
    """
    return arm.with_(joints=tuple(map(_with_slot, arm.joints)))


def _with_slot(joint: Joint) -> Joint:
    if joint.kind == "fixed" or (joint.drive is not None and joint.drive.friction is not None):
        return joint
    zero = (("viscous", 0.0), ("coulomb", 0.0), ("smoothing", SLOT_SMOOTHING))
    motor = dataclasses.replace(joint.drive or Drive(), friction=Friction("viscous-coulomb", zero))
    return dataclasses.replace(joint, drive=motor)


def symbolic_arm(arm: Arm, *more: str) -> SymbolicArm:
    """Return an arm with masses whose numbers are symbols, ``more`` groups of them included."""
    arm.require_masses()
    return symbolic(with_friction_slots(arm), (*GROUPS, *more))


def joint_vector(arm: Arm, name: str, symbols: Any, *, stem: str = "", **details: Any) -> Bundle:
    """Return the quantities of a joint vector.

    Args:
        arm: the arm.
        name: of the quantity, which gives the unit: q, qd, qdd or tau.
        symbols: the vector.
        stem: of the entries' names; "" for ``name``.
        details: further fields of the quantities.
    """
    revolute, prismatic = map(fmi_unit, JOINT_UNITS[_QUANTITIES[name]])
    noun = "torque" if name == "tau" else _QUANTITIES[name]
    meaning = details.pop("meaning", noun + " of joint {}")
    made = scalars(stem or name, joint_units(arm, revolute, prismatic), meaning=meaning, **details)
    return Bundle(symbols, made.quantities)


def joined(*bundles: Bundle) -> Bundle:
    """Return the concatenation of bundles."""
    return sum(bundles, Bundle.none())


def inverse_dynamics(arm: Arm) -> Block:
    """Torques of a motion, friction, and current and power where the motors are known."""
    numbers = symbolic_arm(arm)
    equation = rigid_body.inverse_dynamics(numbers.arm)
    inputs = joined(*(joint_vector(arm, name, x) for name, x in equation.inputs.items()))
    qd, tau = equation.inputs["qd"], equation.outputs["tau"]
    outputs = joint_vector(
        arm, "tau", tau, meaning="torque of joint {}: links and rotors, no friction"
    )
    friction = plant.joint_friction(numbers.arm, qd, tau)
    outputs += joint_vector(arm, "tau", friction, stem="friction", meaning="friction of joint {}")
    for name, unit in (("current", "A"), ("power", "W")):
        values = _motor(numbers.arm, name, qd, tau)
        if values is not None:
            motors = scalars(name, [unit] * arm.dof, meaning=f"{name} of motor {{}}")
            outputs += Bundle(values, motors.quantities)
    return Block(
        "inverse-dynamics",
        ca.SX.sym("t"),
        inputs,
        outputs,
        block_parameters(numbers),
        requirements=payload_requirements(numbers),
    )


def _motor(arm: Arm, name: str, qd: Any, tau: Any) -> Any:
    """Return current or power of the motors, or None where the arm lacks their constants."""
    try:
        equation: Equation = getattr(drive, name)(arm)
    except MissingDataError:
        return None
    places = [equation.inputs["qd"], equation.inputs["tau"]]
    return ca.substitute([equation.outputs[name]], places, [qd, tau])[0]


def block_parameters(numbers: SymbolicArm, *more: Bundle) -> Bundle:
    """Return the numbers of an arm and further parameters."""
    return joined(constants(numbers.symbols, numbers.parameters), *more)


def computed_torque(arm: Arm, kp: float = 100.0, kv: float = 20.0) -> Block:
    """Computed torque: state and reference in, motor torques out.

    Args:
        arm: an arm with masses.
        kp: start value of the position gains [1/s2].
        kv: start value of the speed gains [1/s].
    """
    numbers = symbolic_arm(arm)
    law = control.computed_torque(numbers.arm)
    kinds = {"q": "q", "qd": "qd", "q_ref": "q", "qd_ref": "qd", "qdd_ref": "qdd"}
    inputs = joined(
        *(joint_vector(arm, kind, law.inputs[name], stem=name) for name, kind in kinds.items())
    )
    gains = [
        Bundle(
            law.inputs[name],
            scalars(
                name, [unit] * arm.dof, starts=[value] * arm.dof, meaning=what, tunable=True
            ).quantities,
        )
        for name, unit, value, what in (
            ("kp", "1/s2", kp, "position gain of joint {}"),
            ("kv", "1/s", kv, "speed gain of joint {}"),
        )
    ]
    share = Quantity("share", "1", 1.0, "part of friction fed forward, 0 to 1", tunable=True)
    parameters = block_parameters(numbers, *gains, Bundle(law.inputs["share"], (share,)))
    outputs = joint_vector(
        arm, "tau", law.outputs["tau"], meaning="torque of motor {} at its joint"
    )
    needs = payload_requirements(numbers)
    return Block("computed-torque", ca.SX.sym("t"), inputs, outputs, parameters, requirements=needs)


def momentum_observer(arm: Arm, gain: float = 30.0, threshold: float = 10.0) -> Block:
    """External torques from motion and motor torques, and an alarm; a sampled block.

    Args:
        arm: an arm with masses.
        gain: start value of the observer's gains [1/s].
        threshold: start value of the alarm thresholds [Nm].
    """
    numbers = symbolic_arm(arm)
    step, n = observer.momentum_step(numbers.arm), arm.dof
    inputs = joined(*(joint_vector(arm, name, step.inputs[name]) for name in ("q", "qd", "tau")))
    last = [step.inputs[name] for name in ("residual_last", "p_last", "u_last")]
    memory = Bundle(ca.vertcat(*last), tuple(Quantity(f"m{i}", "1") for i in range(3 * n)))
    residual = step.outputs["residual"]
    outputs = joint_vector(
        arm, "tau", residual, stem="r", meaning="external torque estimate of joint {}"
    )
    alarm = Quantity("alarm", "1", 0.0, "whether a residual exceeds its threshold", "boolean")
    gains = scalars(
        "gain", ["1/s"] * n, starts=[gain] * n, meaning="observer gain {}", tunable=True
    )
    bounds = scalars(
        "threshold", joint_units(arm, "N.m", "N"), starts=[threshold] * n,
        meaning="alarm level of joint {}", tunable=True,
    )  # fmt: skip
    raised = ca.mmax(ca.fabs(residual) - bounds.symbols) > 0
    return Block(
        "momentum-observer",
        ca.SX.sym("t"),
        inputs,
        outputs + Bundle(raised, (alarm,)),
        block_parameters(numbers, Bundle(step.inputs["gain"], gains.quantities), bounds),
        memory=memory,
        next_memory=ca.vertcat(*step.outputs.values()),
        since=step.inputs["h"],
        requirements=payload_requirements(numbers),
    )
