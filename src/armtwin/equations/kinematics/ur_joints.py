"""The UR closed form in an arm's own joints, base, tool and limits."""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import Frame
from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.pose_error import flaw, orthogonal, pose
from armtwin.equations.kinematics.turns import excess, nearest_turn
from armtwin.equations.kinematics.ur_inverse import Target, branches
from armtwin.equations.symbolic import ca


def solutions() -> Equation:
    """All eight branches of a tool pose, in the arm's joints.

    Inputs: ``T`` (16), the tool pose in base row by row; ``form`` (50), the arm as a UR table
    ``T_base_tool(q) = base . T_UR(signs q + constants) . tool``: dimensions (6), signs (6),
    constants (6), then the inverses of base and tool (16 each); joint limits ``lower`` and
    ``upper`` (6); ``seed`` (6), which whole turns and a free joint 6 stay near.

    Outputs: ``q`` (8, 6) [rad]; ``margins`` (8, 2) and ``sines`` (8, 3) as in ``ur_inverse``;
    ``excess`` (8), the largest distance of a joint beyond its limits; ``distance`` (8),
    squared, to the seed; ``goal`` (16), the pose with an exact rotation; ``flaw``, the
    deviation of the given pose from a rigid one.
    """
    T, form = ca.SX.sym("T", 16), ca.SX.sym("form", 50)
    lower, upper, seed = (ca.SX.sym(name, 6) for name in ("lower", "upper", "seed"))
    sizes, signs, constants = form[:6], form[6:12], form[12:18]
    goal = Frame(orthogonal(pose(T).R), pose(T).p)
    flange = pose(form[18:34]) @ goal @ pose(form[34:])
    target = Target(flange.R, flange.p, sizes, signs[5] * seed[5] + constants[5])
    rows: list[list[Any]] = []
    for theta, margins, sines in branches(target):
        angles = signs * (ca.vertcat(*theta) - constants)
        turned = [nearest_turn(angles[i], seed[i], lower[i], upper[i]) for i in range(6)]
        q = ca.vertcat(*turned)
        beyond, distance = excess(q, lower, upper), ca.sumsqr(q - seed)
        rows.append([q.T, margins, sines, beyond, distance])
    names = ("q", "margins", "sines", "excess", "distance")
    outputs = {
        name: ca.vertcat(*part) for name, part in zip(names, zip(*rows, strict=True), strict=True)
    }
    inputs = {"T": T, "form": form, "lower": lower, "upper": upper, "seed": seed}
    outputs |= {"goal": ca.vec(goal.T.T), "flaw": flaw(T)}
    return Equation("ur_joints", inputs, outputs)
