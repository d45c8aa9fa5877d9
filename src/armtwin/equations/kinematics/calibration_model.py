"""The tool's pose as a function of the arm's own geometry, with exact derivatives.

For calibration every number of the chain is an input:

    T(q, x) = base . D_base(x) . chain(q; a(x), alpha(x), d(x), theta(x)) . D_tool(x) . tool

``D`` is a frame of position and roll, pitch, yaw that is the identity at zero, so that large base
and tool frames stay away from gimbal lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from armtwin import spatial
from armtwin.equations.chain import Chain, Frame, chain, cos_sin, frame, identity, matrix
from armtwin.equations.equation import Equation
from armtwin.equations.parameters import symbolic
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

GROUPS = ("geometry", "base", "tool")


def pose_and_parameters(arm: Arm) -> Equation:
    r"""Pose and its derivative by every parameter, (6, parameters), linear rows first.

    Inputs: ``q`` (dof,); ``x``, for every row of the chain a, alpha, d, theta, then base and tool
    as x, y, z, roll, pitch, yaw; ``base`` and ``tool``, twelve numbers each (3 rows of 4).

    Every parameter rotates the tool about, or translates it along, an axis ``u`` through ``o``:

    .. math:: J_k = \begin{bmatrix} u \times (p - o) \\ u \end{bmatrix} \text{ or }
              \begin{bmatrix} u \\ 0 \end{bmatrix}
    """
    q, base, tool = ca.SX.sym("q", arm.dof), ca.SX.sym("base", 12), ca.SX.sym("tool", 12)
    free = symbolic(arm, GROUPS)
    links = chain(free.arm, q)
    end = links.tool @ _frame(tool)
    columns = [
        *_chain_columns(links, end.p),
        *_frame_columns(identity(), free.symbols[-12:-6], end.p),
        *_frame_columns(links.link_frames[-1], free.symbols[-6:], end.p),
    ]
    J, world = ca.horzcat(*columns), _frame(base)
    outputs = {"T": (world @ end).T, "J": ca.vertcat(world.R @ J[:3, :], world.R @ J[3:, :])}
    return Equation(
        "pose_and_parameters",
        {"q": q, "x": free.symbols, "base": base, "tool": tool},
        outputs,
    )


def pose_by_parameters(arm: Arm) -> Equation:
    """The pose alone, with the inputs of ``pose_and_parameters``."""
    q, base, tool = ca.SX.sym("q", arm.dof), ca.SX.sym("base", 12), ca.SX.sym("tool", 12)
    free = symbolic(arm, GROUPS)
    T = (_frame(base) @ chain(free.arm, q).tool @ _frame(tool)).T
    inputs = {"q": q, "x": free.symbols, "base": base, "tool": tool}
    return Equation("pose_by_parameters", inputs, {"T": T})


def _frame(numbers: Any) -> Frame:
    """Return a frame given as the first three rows of its matrix, row by row."""
    T = ca.reshape(numbers, 4, 3).T
    return Frame(T[:, :3], T[:, 3])


def _turn(u: Any, o: Any, p: Any) -> Any:
    return ca.vertcat(ca.cross(u, p - o), u)


def _shift(u: Any) -> Any:
    return ca.vertcat(u, ca.SX(3, 1))


def _chain_columns(links: Chain, p: Any) -> Iterator[Any]:
    """Yield the columns of a, alpha, d and theta of every row.

    a and alpha act on the x axis of the link frame (standard DH) or of the link frame before
    (modified DH); d and theta on the z axis of the joint frame.
    """
    before = [frame(links.arm.base), *links.link_frames[:-1]]
    across = links.link_frames if links.arm.convention == "standard-dh" else before
    for x_frame, z_frame in zip(across, links.joint_frames, strict=True):
        x, z = x_frame.R[:, 0], z_frame.R[:, 2]
        yield _shift(x)
        yield _turn(x, x_frame.p, p)
        yield _shift(z)
        yield _turn(z, z_frame.p, p)


def _frame_columns(before: Frame, x: Any, p: Any) -> Iterator[Any]:
    """Yield the columns of x, y, z, roll, pitch, yaw of a frame that follows ``before``."""
    yield from (_shift(before.R[:, k]) for k in range(3))
    origin = before.p + before.R @ x[:3]
    yawed = before.R @ matrix(spatial.rotation_z(*cos_sin(x[5])))
    pitched = yawed @ matrix(spatial.rotation_y(*cos_sin(x[4])))
    yield _turn(pitched[:, 0], origin, p)
    yield _turn(yawed[:, 1], origin, p)
    yield _turn(before.R[:, 2], origin, p)
