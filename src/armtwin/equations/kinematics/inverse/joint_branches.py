"""A table of branches in an arm's own joints: whole turns, limits, distance from a seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from armtwin.equations.chain import Frame
from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.pose_error import flaw, orthogonal, pose
from armtwin.equations.kinematics.turns import excess, nearest_turn, violations
from armtwin.equations.symbolic import ca


@dataclass(frozen=True)
class Branch:
    """One solution: joint angles [rad], margins, sines, and the number of a free joint, or 0."""

    q: list[Any]
    margins: list[Any]
    sines: list[Any]
    free: Any


@dataclass(frozen=True)
class PoseRequest:
    """The inputs of a closed form, and ``goal``, the pose with an exact rotation.

    ``regular``: singular poses are only detected, by a sine near 0, and not solved.
    """

    inputs: dict[str, Any]
    goal: Frame
    regular: bool = False

    def __getitem__(self, name: str) -> Any:
        """Return an input by its name."""
        return self.inputs[name]

    def preferred(self, joint: int) -> Any:
        """Return the seed's angle for a joint (from 0) where it is free; None if ``regular``."""
        return None if self.regular else self.inputs["seed"][joint]


def pose_request(
    dof: int, numbers: int, *, redundant: bool = False, regular: bool = False
) -> PoseRequest:
    """Return symbols for a pose, an arm's form, limits and a seed.

    Args:
        dof: number of joints.
        numbers: how many numbers the form has.
        redundant: with an input for the redundancy of seven joints.
        regular: without solving singular poses.
    """
    inputs = {"T": ca.SX.sym("T", 16), "form": ca.SX.sym("form", numbers)}
    inputs |= {name: ca.SX.sym(name, dof) for name in ("lower", "upper", "seed")}
    if redundant:
        inputs["redundancy"] = ca.SX.sym("redundancy", 2)
    T = pose(inputs["T"])
    return PoseRequest(inputs, Frame(orthogonal(T.R), T.p), regular)


def table(
    name: str, request: PoseRequest, branches: Iterable[Branch], redundancy: Any = 0
) -> Equation:
    """Return the equation of all branches; ``solutions`` of each structure names the outputs.

    Args:
        name: name of the equation.
        request: its inputs.
        branches: solutions in any whole turn.
        redundancy: value of the free parameter of a seven-joint arm [rad].

    Outputs: ``q`` (n, dof) [rad] by whole turns within the limits and as near as possible to the
    seed; ``margins`` (n, ...), negative where out of reach; ``sines`` (n, ...), 0 where singular;
    ``excess`` (n), the largest distance of a joint beyond its limits; ``distance`` (n), squared,
    to the seed; ``free`` (n), the number of the joint that the pose leaves free, or 0; ``goal``
    (16), the pose with an exact rotation; ``flaw``, the deviation of the given pose from a rigid
    one; ``parameter``, the value of the redundancy.

    A regular request gets what an ordinary pose needs, in fewer instructions: one margin and one
    sine a branch (the least), the number of joints beyond their limits as the excess, no ``free``.
    """
    if request.regular:
        branches = [_least(branch) for branch in branches]
    beyond = violations if request.regular else excess
    lower, upper, seed = (request[name] for name in ("lower", "upper", "seed"))
    rows: list[list[Any]] = []
    for branch in branches:
        angles = enumerate(branch.q)
        q = ca.vertcat(*[nearest_turn(x, seed[i], lower[i], upper[i]) for i, x in angles])
        row = [q.T, ca.horzcat(*branch.margins), ca.horzcat(*branch.sines)]
        rows.append([*row, beyond(q, lower, upper), ca.sumsqr(q - seed), branch.free])
    names = ("q", "margins", "sines", "excess", "distance", "free")
    outputs = {
        name: ca.vertcat(*part) for name, part in zip(names, zip(*rows, strict=True), strict=True)
    }
    if request.regular:
        del outputs["free"]
    outputs |= {"goal": ca.vec(request.goal.T.T), "flaw": flaw(request["T"])}
    return Equation(name, request.inputs, {**outputs, "parameter": redundancy})


def _least(branch: Branch) -> Branch:
    """Return a branch with its least margin and its least sine; both 0 where a joint is free."""
    margin, sine = (ca.mmin(ca.horzcat(*part)) for part in (branch.margins, branch.sines))
    return Branch(branch.q, [ca.if_else(branch.free, 0, margin)], [sine], 0)


def fields(form: Any, sizes: dict[str, int]) -> dict[str, Any]:
    """Return the named parts of a form: vectors, and flags as scalars."""
    parts, start = {}, 0
    for name, size in sizes.items():
        parts[name] = form[start : start + size]
        start += size
    return parts
