"""The same arm's dynamics in Pinocchio, roboticstoolbox and MuJoCo, from its exported files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from armtwin.model.arm import Arm
from armtwin.model.formats.mjcf_writer import write_mjcf
from armtwin.model.formats.urdf_writer import write_urdf

Method = Callable[..., np.ndarray]


class Pinocchio:
    """Python loops over Pinocchio, every result stored in one array, and its own C++ loops."""

    def __init__(self, arm: Arm) -> None:
        """Build the model from the arm's URDF."""
        import pinocchio as pin

        self.pin = pin
        self.model = pin.buildModelFromXML(write_urdf(arm))
        self.model.gravity.linear = np.array(arm.gravity)
        self.data = self.model.createData()
        self.tool = self.model.getFrameId("tool")
        self.pool = pin.ModelPool(self.model, 1)

    def methods(self) -> dict[str, Callable[..., Any]]:
        """Return, by task, the call for one state."""
        pin, model, data = self.pin, self.model, self.data
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return {
            "forward kinematics": self.pose,
            "Jacobian": lambda q: pin.computeFrameJacobian(model, data, q, self.tool, axes),
            "inverse dynamics": lambda q, qd, qdd: pin.rnea(model, data, q, qd, qdd),
            "mass matrix": lambda q: pin.crba(model, data, q),
            "Coriolis matrix": lambda q, qd: pin.computeCoriolisMatrix(model, data, q, qd),
            "gravity": lambda q: pin.computeGeneralizedGravity(model, data, q),
            "regressor": lambda q, qd, qdd: pin.computeJointTorqueRegressor(
                model, data, q, qd, qdd
            ),
            "forward dynamics": lambda q, qd, tau: pin.aba(model, data, q, qd, tau),
        }

    def pose(self, q: np.ndarray) -> np.ndarray:
        """Return the tool's pose (4, 4)."""
        self.pin.forwardKinematics(self.model, self.data, q)
        return self.pin.updateFramePlacement(self.model, self.data, self.tool).homogeneous

    def cpp_loop(self, task: str, *state: np.ndarray) -> np.ndarray:
        """Return the results of Pinocchio's own loop over a batch, on one thread."""
        run = {"inverse dynamics": "rneaInParallel", "forward dynamics": "abaInParallel"}[task]
        columns = [np.asfortranarray(x.T) for x in state]
        return getattr(self.pin, run)(1, self.pool, *columns).T


def loop(call: Callable[..., Any], *state: np.ndarray) -> np.ndarray:
    """Return a call's results for every state, stored one by one in one array."""
    first = np.asarray(call(*[x[0] for x in state]))
    results = np.empty((len(state[0]), *first.shape))
    for k, one in enumerate(zip(*state, strict=True)):
        results[k] = call(*one)
    return results


def toolbox(arm: Arm) -> Any:
    """Return the arm as a roboticstoolbox DHRobot with masses; its ``rne`` runs in C."""
    import roboticstoolbox as rtb

    links = []
    for j in arm.joints:
        xx, yy, zz, xy, xz, yz = j.link.inertia or (0.0,) * 6
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        body = {"m": j.link.mass, "r": j.link.com, "I": inertia, "Jm": 0.0, "G": 1.0}
        links.append(rtb.RevoluteDH(d=j.d, a=j.a, alpha=j.alpha, **body))
    return rtb.DHRobot(links, gravity=np.array(arm.gravity))


class MuJoCo:
    """A Python loop over MuJoCo's inverse dynamics."""

    def __init__(self, arm: Arm) -> None:
        """Build the model from the arm's MJCF."""
        import mujoco

        self.run = mujoco.mj_inverse
        self.model = mujoco.MjModel.from_xml_string(write_mjcf(arm))
        self.model.jnt_limited[:] = 0
        self.data = mujoco.MjData(self.model)

    def torque(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Return the torque of one state."""
        data = self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd
        self.run(self.model, data)
        return data.qfrc_inverse
