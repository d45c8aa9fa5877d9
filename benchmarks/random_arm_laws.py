"""What Pinocchio, or a law, says of an equation's outputs for any arm.

Each entry of ``LAWS`` returns the largest difference, relative to the size of what is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

from armtwin.dynamics.rigid_body import link_parameters
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.equations.equation import Build
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.model.arm import Arm
from armtwin.model.drive import armature
from armtwin.model.formats.urdf_writer import write_urdf

STATES = 8
"""How many of the states are compared with Pinocchio, which takes 0.1 ms each from Python."""


class Engine:
    """Pinocchio's model of an arm, with rotors and gravity."""

    def __init__(self, arm: Arm) -> None:
        """Build the model of the exported URDF."""
        self.arm = arm
        self.model = pin.buildModelFromXML(write_urdf(arm))
        self.model.gravity.linear = np.array(arm.gravity)
        self.rotors = np.array([armature(joint.drive) for joint in arm.driven])
        self.model.armature = self.rotors
        self.data = self.model.createData()
        self.tip = self.model.getFrameId("tool")

    def torque(self, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """Return the torques of a motion (dof,)."""
        return np.array(pin.rnea(self.model, self.data, q, qd, qdd))

    def mass_matrix(self, q: Any) -> np.ndarray:
        """Return M(q) with rotors (dof, dof)."""
        M = np.triu(pin.crba(self.model, self.data, q))
        return M + np.triu(M, 1).T

    def coriolis(self, q: Any, qd: Any) -> np.ndarray:
        """Return C(q, qd) (dof, dof); C + C^T is dM/dt."""
        return np.array(pin.computeCoriolisMatrix(self.model, self.data, q, qd))

    def gravity(self, q: Any) -> np.ndarray:
        """Return g(q) (dof,)."""
        return np.array(pin.computeGeneralizedGravity(self.model, self.data, q))

    def pose_and_jacobian(self, q: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return T_base_tool (4, 4) and the Jacobian in base axes (6, dof)."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacement(self.model, self.data, self.tip)
        frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.getFrameJacobian(self.model, self.data, self.tip, frame)
        return self.data.oMf[self.tip].homogeneous, np.array(J)


Law = Callable[[Engine, list[np.ndarray], list[np.ndarray]], float]


def _off(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the largest difference, relative to the largest value or 1."""
    both = np.asarray(ours, float).ravel(), np.asarray(theirs, float).ravel()
    if not np.isfinite(both[0]).all():
        return float("inf")
    return float(np.abs(both[0] - both[1]).max() / max(1.0, np.abs(both[1]).max()))


def _square(x: np.ndarray) -> np.ndarray:
    side = round(x.size**0.5)
    return x.reshape(side, side)


def tool_pose(e: Engine, q: Any, T: Any) -> float:
    """Forward kinematics."""
    return _off(T, e.pose_and_jacobian(q)[0])


def jacobian(e: Engine, q: Any, J: Any) -> float:
    """The geometric Jacobian."""
    return _off(J, e.pose_and_jacobian(q)[1])


def pose_and_jacobian(e: Engine, q: Any, T: Any, J: Any) -> float:
    """Both at once."""
    return max(tool_pose(e, q, T), jacobian(e, q, J))


def inverse_dynamics(e: Engine, q: Any, qd: Any, qdd: Any, tau: Any) -> float:
    """Recursive Newton-Euler."""
    return _off(tau, e.torque(q, qd, qdd))


def mass_matrix(e: Engine, q: Any, M: Any) -> float:
    """Composite rigid bodies; symmetric and positive definite."""
    M = _square(M)
    if np.linalg.eigvalsh(M)[0] <= 0:
        return float("inf")
    return max(_off(M, e.mass_matrix(q)), _off(M, M.T))


def coriolis(e: Engine, q: Any, qd: Any, C: Any) -> float:
    """``tau = C qd + g`` at rest of acceleration, and ``dM/dt - 2 C`` is skew."""
    C, theirs = _square(C), e.coriolis(q, qd)
    torque = _off(C @ qd + e.gravity(q), e.torque(q, qd, 0 * qd))
    return max(torque, _off(C + C.T, theirs + theirs.T))


def gravity(e: Engine, q: Any, g: Any) -> float:
    """Torques that hold the arm still."""
    return _off(g, e.gravity(q))


def forward_dynamics(e: Engine, q: Any, qd: Any, tau: Any, qdd: Any) -> float:
    """The accelerations need the torques that were given, relative to what goes into them."""
    if not np.isfinite(qdd).all():
        return float("inf")
    size = np.abs(e.mass_matrix(q)).max() * np.abs(qdd).max() + np.abs(tau).max()
    return float(np.abs(e.torque(q, qd, qdd) - tau).max() / max(1.0, size))


def energies(e: Engine, q: Any, qd: Any, kinetic: Any, potential: Any) -> float:
    """``qd^T M qd / 2``, and Pinocchio's potential energy."""
    theirs = pin.computePotentialEnergy(e.model, e.data, q)
    return max(_off(kinetic, qd @ e.mass_matrix(q) @ qd / 2), _off(potential, theirs))


def momentum(e: Engine, q: Any, qd: Any, p: Any, beta: Any) -> float:
    """``p = M qd`` and ``beta = C^T qd - g``."""
    rate = e.coriolis(q, qd).T @ qd - e.gravity(q)
    return max(_off(p, e.mass_matrix(q) @ qd), _off(beta, rate))


def regressor(e: Engine, q: Any, qd: Any, qdd: Any, Y: Any) -> float:
    """``tau = Y pi`` for links without rotors."""
    tau = Y.reshape(len(q), -1) @ link_parameters(e.arm)
    return _off(tau, e.torque(q, qd, qdd) - e.rotors * qdd)


def wrench_torque(e: Engine, q: Any, wrench: Any, tau: Any) -> float:
    """``J^T F``."""
    return _off(tau, e.pose_and_jacobian(q)[1].T @ wrench)


def _of_states(law: Callable[..., float]) -> Law:
    def largest(engine: Engine, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> float:
        states = zip(*[x[:STATES] for x in (*inputs, *outputs)], strict=True)
        return max(law(engine, *state) for state in states)

    return largest


LAWS: dict[Build, Law] = {
    tool_pose_equations.tool_pose: _of_states(tool_pose),
    tool_pose_equations.jacobian: _of_states(jacobian),
    tool_pose_equations.pose_and_jacobian: _of_states(pose_and_jacobian),
    rigid_body_equations.inverse_dynamics: _of_states(inverse_dynamics),
    rigid_body_equations.mass_matrix: _of_states(mass_matrix),
    rigid_body_equations.coriolis: _of_states(coriolis),
    rigid_body_equations.gravity: _of_states(gravity),
    rigid_body_equations.forward_dynamics: _of_states(forward_dynamics),
    rigid_body_equations.energies: _of_states(energies),
    rigid_body_equations.momentum: _of_states(momentum),
    rigid_body_equations.regressor: _of_states(regressor),
    rigid_body_equations.wrench_torque: _of_states(wrench_torque),
}
