"""The arm as a plant: torques in, motion out, with friction, presliding and tool pose."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from armtwin.equations.block import Block, Bundle, Quantity
from armtwin.equations.blocks.motion_blocks import payload_requirements, tool_vectors
from armtwin.equations.blocks.torque_blocks import block_parameters, joint_vector, symbolic_arm
from armtwin.equations.drives import presliding
from armtwin.equations.dynamics import plant, rigid_body
from armtwin.equations.kinematics import tool_pose
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

TOLERANCE = 3e-5
"""Default of the error of a solver step over stiff friction, relative to 1 + |qd|."""
SOLVER_STEP = 5e-4
"""Default of the longest solver step [s]."""


def forward_dynamics(
    arm: Arm, solver_step: float = SOLVER_STEP, start: Sequence[float] | None = None
) -> Block:
    """The arm under motor torques, external torques and a wrench: states q, qd; tool pose, twist.

    Joints with presliding friction have their Maxwell-slip elements as states too.

    Args:
        arm: an arm with masses.
        solver_step: longest step of the solver inside the block [s].
        start: joint positions that it begins with (dof,) [rad | m]; None for zeros.
    """
    numbers = symbolic_arm(arm, "tool", "presliding")
    q, qd, tau, push = (ca.SX.sym(name, arm.dof) for name in ("q", "qd", "tau", "tau_ext"))
    wrench, dq = ca.SX.sym("wrench", 6), ca.SX.sym("dq", arm.dof)
    inputs = joint_vector(arm, "tau", tau, meaning="torque of motor {} at its joint")
    meaning = "external torque on joint {}, not through its gear"
    inputs += joint_vector(arm, "tau", push, stem="tau_ext", meaning=meaning)
    inputs += tool_vectors(wrench, "force", "moment")
    begin = list(start) if start is not None else [0.0] * arm.dof
    slip = _elements(arm)
    states = joint_vector(arm, "q", q, starts=begin) + joint_vector(arm, "qd", qd) + slip
    external = push + rigid_body.wrench_on_joints(numbers.arm, q, wrench)
    now, moved = (presliding.Elements(slip.symbols, x) for x in (ca.SX(arm.dof, 1), dq))
    parts = plant.plant_parts(numbers.arm, q, qd, tau, external, elements=moved)
    qdd = plant.acceleration(numbers.arm, q, qd, tau, external, elements=now)
    return Block(
        "forward-dynamics",
        ca.SX.sym("t"),
        inputs,
        _tool_outputs(numbers.arm, q, qd),
        block_parameters(numbers, _solver(solver_step)),
        states=states,
        rates=ca.vertcat(qd, qdd, now.rates(numbers.arm, qd)),
        motion=dataclasses.asdict(parts) | {"dq": dq, "elements": moved.after(numbers.arm)},
        requirements=payload_requirements(numbers),
    )


def _elements(arm: Arm) -> Bundle:
    """Return the elements of presliding as states, ``z1_1 ... z1_6`` for joint 1."""
    quantities = tuple(
        Quantity(
            f"z{j}_{i}", "1", 0.0, f"presliding of joint {j}: element {i}, -1 to 1", array=f"z{j}"
        )
        for j, joint in enumerate(arm.driven, 1)
        if presliding.numbers(joint.drive) is not None
        for i in range(1, presliding.ELEMENTS + 1)
    )
    return Bundle(ca.SX.sym("z", len(quantities)), quantities)


def _solver(step: float) -> Bundle:
    """Return the parameters of the solver inside the block."""
    longest = Quantity("solver_step", "s", step, "longest step of the solver inside", least=1e-9)
    bound = Quantity(
        "tolerance", "1", TOLERANCE, "error of a step over stiff friction, relative to 1 + |qd|",
        least=1e-12,
    )  # fmt: skip
    return Bundle(ca.SX.sym("solver", 2), (longest, bound))


def _tool_outputs(arm: Arm, q: Any, qd: Any) -> Bundle:
    """Return pose and twist of the tool."""
    tool, J = tool_pose.tool_motion(arm, q)
    pose = ca.vertcat(tool.p, tool_pose.rpy(tool.R), tool_pose.quaternion(tool.R))
    names = ("position", "rpy", "quaternion", "velocity", "angular_velocity")
    return tool_vectors(ca.vertcat(pose, J @ qd), *names)
