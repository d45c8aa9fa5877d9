"""Learning of contact thresholds as the control process sees it: who may learn from what."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import numpy as np
from starlette.exceptions import HTTPException

from armtwin.app.backend.shown import arm_source
from armtwin.app.backend.worker import worker
from armtwin.app.control.run_recorder import FinishedRecording
from armtwin.app.control.session import Session
from armtwin.detection.detector_calibration import DetectorCalibration
from armtwin.errors import InputError
from armtwin.robots.robot import Robot
from armtwin.robots.ur.monitor import contact_torques
from armtwin.robots.ur.ur_robot import UrRobot
from armtwin.spatial import Array


async def calibration_from(
    session: Session, finished: Mapping[str, FinishedRecording], name: str
) -> tuple[UrRobot, DetectorCalibration]:
    """Return the robot that is shown and what the worker process learned from a recording of it.

    Args:
        session: the running app.
        finished: the app's recordings by name.
        name: one of them.

    Raises:
        InputError: no UR robot is shown, the recording is of another one, or not of use.
    """
    robot, made = require_learner(session.robot), finished.get(name)
    if made is None:
        raise HTTPException(
            404, f"no recording of that name; there are {', '.join(finished) or 'none'}"
        )
    if not is_learnable(robot, made):
        raise InputError(f"{name} is of {made.robot}, not of {robot.title}; record that one")
    place = worker(session)
    source = arm_source(robot.arm, place.folder)
    content = await place.run("learn_contacts", path=str(made.path), arm=source)
    found = await asyncio.to_thread(DetectorCalibration.from_dict, robot.arm, content)
    if session.robot is not robot:
        raise InputError("the robot was changed while thresholds were learned; record the new one")
    return robot, found


def require_learner(robot: Robot) -> UrRobot:
    """Return the robot if its thresholds can be learned; else raise InputError with the reason."""
    if isinstance(robot, UrRobot):
        return robot
    why = "only the twin of a UR robot, virtual or real, learns from recordings made here"
    if robot.kind == "simulated":
        why = "its model is exact and its torques have no noise, so there is nothing to learn"
    raise InputError(f"contact thresholds of {robot.title} cannot be learned: {why}")


def is_learnable(robot: Robot, made: FinishedRecording) -> bool:
    """Return whether thresholds of this robot can be learned from a recording."""
    return isinstance(robot, UrRobot) and made.robot == robot.title


def largest_levels(robot: Robot) -> Array:
    """Return the larger of fixed and learned contact thresholds (dof,) [Nm | N]."""
    fixed = contact_torques(robot.arm)
    ready = robot.calibration if isinstance(robot, UrRobot) else None
    return fixed if ready is None else np.maximum(fixed, ready.thresholds.drawn)
