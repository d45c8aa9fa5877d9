"""A user's own controller or observer, written with the arm's expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from armtwin.equations.block import Block, Bundle, Quantity, constants, scalars
from armtwin.equations.blocks.motion_blocks import joint_units, payload_requirements
from armtwin.equations.blocks.torque_blocks import GROUPS, with_friction_slots
from armtwin.equations.chain import Frame
from armtwin.equations.dynamics import plant, rigid_body
from armtwin.equations.dynamics.recursion import composite_mass_matrix
from armtwin.equations.kinematics import tool_pose
from armtwin.equations.parameters import symbolic
from armtwin.equations.symbolic import ca
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.units import JOINT_UNITS, fmi_unit

JOINT_VECTORS = {"q": "position", "qd": "speed", "qdd": "acceleration", "tau": "effort"}
"""Vectors over the joints that a signal can be, by their short names."""
Signal = str | tuple[str, int]
"""A vector over the joints (``q``, ``qd``, ``qdd``, ``tau``), or unit and number of entries."""


class ArmExpressions:
    """The arm's equations as CasADi expressions, for use in ``CustomBlock.law``."""

    def __init__(self, arm: Arm) -> None:
        """Hold the arm, whose numbers may be symbols."""
        self.arm = arm

    def tool(self, q: Any) -> tuple[Frame, Any]:
        """Return the tool's frame (``R``, ``p``) in base and its Jacobian (6, dof)."""
        return tool_pose.tool_motion(self.arm, q)

    def mass_matrix(self, q: Any) -> Any:
        """Return M(q) (dof, dof), rotors included."""
        return composite_mass_matrix(self.arm, q)

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Any:
        """Return the torques ``M qdd + C qd + g`` (dof, 1).

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            qdd: joint accelerations (dof,) [rad/s2 | m/s2].
        """
        return rigid_body.torque(self.arm, q, qd, qdd)

    def gravity(self, q: Any) -> Any:
        """Return the gravity torques g(q) (dof, 1)."""
        still = ca.SX(self.arm.dof, 1)
        return rigid_body.torque(self.arm, q, still, still)

    def friction(self, qd: Any, tau: Any) -> Any:
        """Return the friction torques (dof, 1) at speeds qd under torques tau of the links."""
        return plant.joint_friction(self.arm, qd, tau)


class CustomBlock:
    """Base class of your own controllers and observers; ``law`` is what they compute.

    Attributes:
        inputs: signals by name: a vector over the joints (``q``, ``qd``, ``qdd`` or ``tau``), or a
            unit and a number of entries.
        outputs: signals by name, in the same way.
        parameters: unit and start value, or start values, by name; they may change while the
            block runs.
        memory: signals by name that an observer keeps from one sample to the next; they start at
            zero. A block with memory is sampled at its steps.
    """

    inputs: Mapping[str, Signal] = {}
    outputs: Mapping[str, Signal] = {}
    parameters: Mapping[str, tuple[str, float | Sequence[float]]] = {}
    memory: Mapping[str, Signal] = {}

    def law(self, arm: ArmExpressions, x: dict[str, Any]) -> dict[str, Any]:
        """Return the outputs, and the next values of the memory, by name.

        ``x`` holds inputs, parameters and memory by name as CasADi columns and, for a block with
        memory, ``h``, the time since the last sample [s], 0 at the first.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method law(arm, x)")


def custom_block(arm: Arm, own: CustomBlock) -> Block:
    """Return the block of a user's own law for an arm.

    Raises:
        InputError: signals that are declared wrongly, or a law whose outputs do not fit them.
    """
    if not own.inputs or not own.outputs:
        raise InputError(f"{type(own).__name__}: give it inputs and outputs, as {{'q': 'q'}}")
    numbers = symbolic(with_friction_slots(arm), (*GROUPS, "tool"))
    inputs, memory = (_signals(arm, given) for given in (own.inputs, own.memory))
    gains = _parameters(own.parameters)
    since = ca.SX.sym("h") if own.memory else None
    known = {name: bundle.symbols for name, bundle in {**inputs, **memory, **gains}.items()}
    law = own.law(ArmExpressions(numbers.arm), known if since is None else {**known, "h": since})
    found = _checked(own, arm, law, [*known.values(), numbers.symbols], since)
    outputs = [
        Bundle(found[name], bundle.quantities)
        for name, bundle in _signals(arm, own.outputs).items()
    ]
    return Block(
        type(own).__name__,
        ca.SX.sym("t"),
        sum(inputs.values(), Bundle.none()),
        sum(outputs, Bundle.none()),
        sum(gains.values(), constants(numbers.symbols, numbers.parameters)),
        memory=sum(memory.values(), Bundle.none()),
        next_memory=ca.vertcat(*(found[name] for name in own.memory)) if own.memory else None,
        since=since,
        requirements=payload_requirements(numbers),
    )


def _signals(arm: Arm, given: Mapping[str, Signal]) -> dict[str, Bundle]:
    """Return signals as bundles of symbols."""
    found = {}
    for name, signal in given.items():
        if isinstance(signal, str) and signal in JOINT_VECTORS:
            noun = JOINT_VECTORS[signal]
            units = joint_units(arm, *map(fmi_unit, JOINT_UNITS[noun]))
            found[name] = scalars(name, units, meaning=f"{name} of joint {{}}")
        elif isinstance(signal, tuple) and len(signal) == 2 and int(signal[1]) > 0:
            found[name] = scalars(name, [signal[0]] * int(signal[1]), meaning=f"{name}, entry {{}}")
        else:
            raise InputError(
                f"signal {name!r} is {signal!r}; give {', '.join(JOINT_VECTORS)} for a vector over "
                "the joints, or unit and number of entries, as ('m', 3)"
            )
    return found


def _parameters(given: Mapping[str, tuple[str, float | Sequence[float]]]) -> dict[str, Bundle]:
    found = {}
    for name, (unit, start) in given.items():
        if isinstance(start, Sequence):
            units = [unit] * len(start)
            found[name] = scalars(
                name, units, starts=start, meaning=f"{name}, entry {{}}", tunable=True
            )
        else:
            quantity = Quantity(name, unit, float(start), name, tunable=True)
            found[name] = Bundle(ca.SX.sym(name), (quantity,))
    return found


def _checked(own: CustomBlock, arm: Arm, law: Any, known: list[Any], since: Any) -> dict[str, Any]:
    """Return what a law gives as dense columns, after checking names, sizes and symbols.

    Args:
        own: the user's block.
        arm: the arm.
        law: what ``own.law`` returned.
        known: the symbols that it may depend on.
        since: symbol of the time since the last sample; None without memory.
    """
    who, wanted = type(own).__name__, {**own.outputs, **own.memory}
    if not isinstance(law, dict) or set(law) != set(wanted):
        got = ", ".join(law) if isinstance(law, dict) else type(law).__name__
        raise InputError(f"{who}.law returns {got}; expected a dict with {', '.join(wanted)}")
    found = {name: ca.densify(ca.vec(ca.SX(value))) for name, value in law.items()}
    for name, signal in wanted.items():
        size = arm.dof if isinstance(signal, str) else int(signal[1])
        if found[name].numel() != size:
            raise InputError(f"{who}.law: {name} has {found[name].numel()} entries, not {size}")
    names = [*known, *([] if since is None else [since])]
    foreign = {str(s) for s in ca.symvar(ca.vertcat(*found.values()))}
    foreign -= {str(s) for group in names for s in ca.symvar(group)}
    if foreign:
        raise InputError(f"{who}.law uses symbols that are not given: {', '.join(sorted(foreign))}")
    return found
