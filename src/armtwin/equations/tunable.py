"""Equations whose arm has numbers that may change at run time: they become one more input.

``numbers(arm, groups)`` makes the symbols once for all equations of a module; ``tunable`` derives
an equation over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armtwin.equations.blocks.torque_blocks import with_friction_slots
from armtwin.equations.equation import Build, Equation
from armtwin.equations.kinematics import tool_pose
from armtwin.equations.parameters import GROUPS as GROUPS
from armtwin.equations.parameters import Parameter, SymbolicArm, symbolic
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

INPUT = "parameters"
"""Name of the input that holds the numbers."""


@dataclass(frozen=True)
class Numbers:
    """An arm with symbols for some of its numbers.

    Attributes:
        arm: the symbolic arm; a payload is one more row of it.
        rows: how many rows the arm has without a payload.
        symbols: all symbols as one vector.
        parameters: name, unit, value and meaning of every symbol.
        groups: group of every symbol.
    """

    arm: Arm
    rows: int
    symbols: Any
    parameters: tuple[Parameter, ...]
    groups: tuple[str, ...]


def possible_groups(arm: Arm) -> tuple[str, ...]:
    """Return the groups that an arm can have.

    Geometry needs DH rows, masses need known links, and a payload needs both.
    """
    left_out = set()
    if arm.convention == "screws":
        left_out |= {"geometry", "payload"}
    if any(joint.link.mass is None for joint in arm.driven):
        left_out |= {"payload", "masses"}
    return tuple(group for group in GROUPS if group not in left_out)


def numbers(arm: Arm, groups: tuple[str, ...]) -> Numbers:
    """Return an arm whose numbers of ``groups`` are symbols.

    With the group ``drives``, joints without friction get viscous and Coulomb friction of zero.
    """
    given = with_friction_slots(arm) if "drives" in groups else arm
    made = symbolic(given, groups) if groups else SymbolicArm(given, ca.SX(0, 1), ())
    of = {p.name: group for group in groups for p in symbolic(given, (group,)).parameters}
    names = tuple(of[p.name] for p in made.parameters)
    return Numbers(made.arm, len(arm.joints), made.symbols, made.parameters, names)


def tunable(known: Numbers, equation: Build) -> Equation:
    """Return an equation of the symbolic arm, with its symbols as one more input."""
    made = equation(known.arm)
    if not known.parameters:
        return made
    outputs = made.outputs
    if equation is tool_pose.link_poses:  # a payload is no link
        outputs = {"T": outputs["T"][: 4 * known.rows, :]}
    return Equation(made.name, {**made.inputs, INPUT: known.symbols}, outputs)
