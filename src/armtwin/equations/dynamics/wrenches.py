"""Wrenches given in the axes of the tool or the flange, as wrenches in base axes."""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import Frame, chain, frame
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm


def tool_wrench(arm: Arm) -> Equation:
    """A wrench at the tool's origin in tool axes, given in base axes: ``(R f, R n)``."""
    q, wrench = ca.SX.sym("q", arm.dof), ca.SX.sym("wrench", 6)
    outputs = {"wrench": _turned(chain(arm, q).tool, wrench)}
    return Equation("tool_wrench", {"q": q, "given": wrench}, outputs)


def flange_wrench(arm: Arm) -> Equation:
    r"""A wrench at the flange's origin in flange axes, as the same wrench at the tool in base axes.

    With the tool's origin p in flange axes the moment about it is ``n + f x p``:

    .. math:: F = (R f,\; R (n + f \times p))
    """
    q, wrench = ca.SX.sym("q", arm.dof), ca.SX.sym("wrench", 6)
    tool = frame(arm.tool)
    force, moment = wrench[:3], wrench[3:]
    at_tool = ca.vertcat(force, moment + ca.cross(force, tool.p))
    outputs = {"wrench": _turned(chain(arm, q).tool @ tool.inverse, at_tool)}
    return Equation("flange_wrench", {"q": q, "given": wrench}, outputs)


def _turned(at: Frame, wrench: Any) -> Any:
    """Return the components in base axes of a wrench given in the axes of a frame (6, 1)."""
    return ca.vertcat(at.R @ wrench[:3], at.R @ wrench[3:])
