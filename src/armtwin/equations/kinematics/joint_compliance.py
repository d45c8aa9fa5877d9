"""Joint compliance: link angles of joints that bend under gravity."""

from __future__ import annotations

from typing import Any

from armtwin.equations.dynamics.recursion import gravity_vector, newton_euler, rows
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm


def link_angles(arm: Arm, q: Any) -> Any:
    """Return ``q - c g(q)``, c the joints' compliances; ``q`` itself where all are zero."""
    compliance = [joint.compliance for joint in arm.driven]
    if not any(compliance):
        return q
    still = ca.SX(arm.dof, 1)
    g = newton_euler(arm, rows(arm, q), still, still, gravity_vector(arm))
    return q - ca.vertcat(*compliance) * g
