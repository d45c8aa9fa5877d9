"""Equations whose arm has numbers that may change at run time: they become one more input.

``numbers(arm, groups)`` makes the symbols once for all equations of a module; ``tunable`` derives
an equation over them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from armtwin.equations.blocks.torque_blocks import with_friction_slots
from armtwin.equations.chain import frame, matrix
from armtwin.equations.dynamics.recursion import RigidBody, body_link, link_body
from armtwin.equations.equation import Build, Equation
from armtwin.equations.parameters import GROUPS as ARM_GROUPS
from armtwin.equations.parameters import Parameter, SymbolicArm, symbolic
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm
from armtwin.model.link import flange

PAYLOAD = "payload"
INPUT = "parameters"
"""Name of the input that holds the numbers."""
GROUPS = (*ARM_GROUPS, PAYLOAD)
"""Groups of numbers: those of ``parameters.symbolic``, and a payload at the flange."""


@dataclass(frozen=True)
class Numbers:
    """An arm with symbols for some of its numbers.

    Attributes:
        arm: the symbolic arm.
        symbols: all symbols as one vector.
        parameters: name, unit, value and meaning of every symbol.
        groups: group of every symbol.
    """

    arm: Arm
    symbols: Any
    parameters: tuple[Parameter, ...]
    groups: tuple[str, ...]


def possible_groups(arm: Arm) -> tuple[str, ...]:
    """Return the groups that an arm can have: geometry needs DH rows, a payload needs masses."""
    left_out = set()
    if arm.convention == "screws":
        left_out.add("geometry")
    if any(joint.link.mass is None for joint in arm.driven):
        left_out |= {PAYLOAD, "masses"}
    return tuple(group for group in GROUPS if group not in left_out)


def numbers(arm: Arm, groups: tuple[str, ...]) -> Numbers:
    """Return an arm whose numbers of ``groups`` are symbols.

    With the group ``drives``, joints without friction get viscous and Coulomb friction of zero,
    with the group ``payload`` the last link carries a payload of zero mass.
    """
    given = with_friction_slots(arm) if "drives" in groups else arm
    own = tuple(group for group in groups if group != PAYLOAD)
    made = symbolic(given, own) if own else SymbolicArm(given, ca.SX(0, 1), ())
    of = {p.name: group for group in own for p in symbolic(given, (group,)).parameters}
    names = [of[p.name] for p in made.parameters]
    if PAYLOAD not in groups:
        return Numbers(made.arm, made.symbols, made.parameters, tuple(names))
    symbols = ca.vertcat(*[ca.SX.sym(p.name) for p in PAYLOAD_PARAMETERS])
    loaded = _loaded(made.arm, arm, symbols)
    return Numbers(
        loaded,
        ca.vertcat(made.symbols, symbols),
        (*made.parameters, *PAYLOAD_PARAMETERS),
        (*names, *[PAYLOAD] * symbols.numel()),
    )


def tunable(known: Numbers, equation: Build) -> Equation:
    """Return an equation of the symbolic arm, with its symbols as one more input."""
    made = equation(known.arm)
    if not known.parameters:
        return made
    return Equation(made.name, {**made.inputs, INPUT: known.symbols}, made.outputs)


_AXES = ("xx", "yy", "zz", "xy", "xz", "yz")
PAYLOAD_PARAMETERS = (
    Parameter("payload_mass", "kg", 0.0, "mass of the payload"),
    *(
        Parameter(f"payload_{axis}", "m", 0.0, f"payload's centre of mass in the flange, {axis}")
        for axis in "xyz"
    ),
    *(
        Parameter(f"payload_I{axes}", "kg.m2", 0.0, f"payload's inertia about its centre, {axes}")
        for axes in _AXES
    ),
)
"""A payload in flange axes, as ``armtwin.with_payload`` takes it."""


def _loaded(symbolic_arm: Arm, arm: Arm, p: Any) -> Arm:
    """Return the symbolic arm with the payload ``p`` in its last link, at the flange of ``arm``."""
    m, c = p[0], p[1:4]
    xx, yy, zz, xy, xz, yz = ca.vertsplit(p[4:])
    about_centre = matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    shift = m * (ca.dot(c, c) * ca.SX.eye(3) - c @ c.T)
    payload = RigidBody(m, m * c, about_centre + shift)
    last = symbolic_arm.joints[-1]
    whole = link_body(last.link) + payload.seen_from(frame(flange(arm).tolist()))
    link = dataclasses.replace(body_link(whole), radius=last.link.radius)
    joints = (*symbolic_arm.joints[:-1], dataclasses.replace(last, link=link))
    return dataclasses.replace(symbolic_arm, joints=joints)
