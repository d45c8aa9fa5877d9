"""The robot's state as JSON text for watchers."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson

from armtwin.app.api.geometry import geometry
from armtwin.app.control.lease import Lease
from armtwin.detection.alarms import Alarm
from armtwin.kinematics.forward import link_poses, pose_coordinates, tool_coordinates
from armtwin.model.arm import Arm
from armtwin.motion.programs.pose_warnings import hints
from armtwin.robots.robot import Robot, RobotState
from armtwin.spatial import Array

NEWEST_ALARMS = 5
"""Alarms in every state: few, since a state is sent 50 times a second."""
NEAR = 1e-6
"""The target is drawn where it is farther than this from the arm [rad | m]."""


class Messages:
    """Messages about one arm; poses of a resting arm and of a target are computed once."""

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self._known: tuple[bytes, dict[str, Any]] = (b"", {})
        self._target: tuple[bytes, Array] = (b"", np.zeros(0))

    def text(
        self, state: RobotState, robot: Robot, lease: Lease, run: dict[str, Any] | None = None
    ) -> str:
        """Return a state, the lease and the newest alarms as JSON.

        Args:
            state: of the robot.
            robot: title, status and alarms.
            lease: who has control.
            run: of a program, as plain values.
        """
        whole: dict[str, Any] = {
            "type": "state",
            "t": round(state.time, 3),
            "arm": self.arm.name,
            "kind": robot.kind,
            "q": state.q,
            "qd": state.qd,
            "target": state.target,
            "moving": state.moving,
            "status": state.status,
            **self._placed(state.q),
            "tau": state.tau,
            "current": state.current,
            "residual": state.residual,
            "threshold": state.threshold,
            "power": state.power,
            "energy": state.energy,
            "lease": lease_content(lease),
            "program": run,
            "alarms": [alarm_content(alarm) for alarm in list(robot.alarms)[-NEWEST_ALARMS:]],
        }
        if np.abs(state.target - state.q).max(initial=0.0) > NEAR:
            whole["target_links"] = self._target_frames(state.target)
        return encode(whole)

    def _placed(self, q: Array) -> dict[str, Any]:
        """Return poses and warnings at ``q`` (dof,), kept while it does not change."""
        key = q.tobytes()
        if key != self._known[0]:
            self._known = key, placed(self.arm, q)
        return self._known[1]

    def _target_frames(self, q: Array) -> Array:
        """Return the link frames at a target (dof,), kept while it does not change."""
        key = q.tobytes()
        if key != self._target[0]:
            self._target = key, frames(self.arm, q)
        return self._target[1]


def prepare(arm: Arm) -> None:
    """Build or load the compiled functions that messages about an arm need.

    Called before the first message, because it can take a second.
    """
    q = np.clip(np.zeros(arm.dof), arm.lower, arm.upper)
    placed(arm, q)
    geometry(arm)


def placed(arm: Arm, q: Array) -> dict[str, Any]:
    """Return tool pose, link poses and warnings at joint positions (dof,)."""
    where = tool_coordinates(arm, q, ignore_limits=True)
    return {
        "pose": {"position": where.position, "rpy": where.rpy, "quaternion": where.quaternion},
        "links": frames(arm, q),
        "warnings": [
            {"kind": hint.kind, "joint": hint.joint, "text": hint.text} for hint in hints(arm, q)
        ],
    }


def frames(arm: Arm, q: Array) -> Array:
    """Return position and quaternion x y z w of every link frame in base, (..., rows, 7)."""
    where = pose_coordinates(link_poses(arm, q, ignore_limits=True))
    return np.concatenate([where.position, where.quaternion], axis=-1).round(6)


def lease_content(lease: Lease) -> dict[str, Any]:
    """Return the public names of the holder and of the clients that request control."""
    return {
        "holder": None if lease.holder is None else lease.holder.name,
        "waiting": [client.name for client in lease.waiting],
    }


def alarm_content(alarm: Alarm) -> dict[str, Any]:
    """Return an alarm as plain values."""
    return {
        "time": alarm.time,
        "end": None if alarm.lasting else alarm.end,
        "joint": alarm.joint,
        "torque": alarm.torque,
        "text": alarm.text,
    }


def encode(content: dict[str, Any]) -> str:
    """Return JSON text; arrays become lists, NaN becomes null."""
    return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY).decode()
