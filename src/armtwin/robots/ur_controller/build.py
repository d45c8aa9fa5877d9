"""Virtual robots from a few words: an arm, a body, a version."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.robots.ur.protocol.fields import Version
from armtwin.robots.ur_controller.body.kinematic import KinematicBody, RobotBody
from armtwin.robots.ur_controller.controller import VirtualController
from armtwin.robots.ur_controller.virtual_robot import HOST, VirtualRobot

if TYPE_CHECKING:
    from armtwin.simulation.pushes import Post
    from armtwin.simulation.sensors import Sensors

VERSION = "5.25.0"
START = (0.0, -1.57, 1.57, -1.57, -1.57, 0.0)
"""Where a virtual arm starts: upper arm up, tool down [rad]."""
BODIES = ("kinematic", "dynamic")
FAST, SLOW = 0.002, 0.008
"""Control cycles of newer and of old (CB3) controllers [s]."""


def virtual_robot(
    arm: Arm | str = "ur5e",
    host: str = HOST,
    *,
    body: Literal["kinematic", "dynamic"] = "kinematic",
    version: str = VERSION,
    start: ArrayLike = START,
    posts: Sequence[Post] = (),
    sensors: Sensors | None = None,
    unlock_after: float = 5.0,
    exposed: bool = False,
    seed: int = 0,
) -> VirtualRobot:
    """Return a virtual robot, to be run by a ``Station``.

    Args:
        arm: the arm, with six joints.
        host: the address that it listens on.
        body: ``kinematic`` does exactly what is wanted; ``dynamic`` has mass, friction and
            contact (MuJoCo).
        version: what the controller claims to be, as in 5.25.0.
        start: joints at the start (6,) [rad].
        posts: things in the way of a dynamic body.
        sensors: errors of its sensors; none if not given.
        unlock_after: rest after a protective stop before it can be unlocked [s].
        exposed: listen also on addresses that other machines can reach.
        seed: of the sensors' noise.
    """
    model = load(arm) if isinstance(arm, str) else arm
    if model.dof != 6:
        raise InputError(f"a UR controller leads six joints; arm {model.name!r} has {model.dof}")
    if posts and body != "dynamic":
        raise InputError("only a dynamic body can touch posts; give body='dynamic'")
    number = parse_version(version)
    dt = SLOW if number[0] <= 3 else FAST
    q = as_joints(model, np.array(start, float), name="start")
    made = _body(body, model, q, dt, posts, sensors, seed)
    controller = VirtualController(model, made, version=number, dt=dt, unlock_after=unlock_after)
    return VirtualRobot(controller, host, exposed=exposed)


def _body(
    kind: str,
    arm: Arm,
    q: np.ndarray,
    dt: float,
    posts: Sequence[Post],
    sensors: Sensors | None,
    seed: int,
) -> RobotBody:
    if kind == "kinematic":
        return KinematicBody(arm, q, sensors, seed)
    if kind != "dynamic":
        raise InputError(f"body {kind!r}: there are {', '.join(BODIES)}")
    from armtwin.robots.ur_controller.body.dynamic import DynamicBody

    return DynamicBody(arm, q, dt, posts=posts, sensors=sensors, seed=seed)


def parse_version(text: str) -> Version:
    """Return a controller version such as 5.25.0 or 3.15.8.1234 as four numbers."""
    if not re.fullmatch(r"\d{1,4}(\.\d{1,9}){1,3}", text):
        raise InputError(f"version {text!r}: write it as 5.25.0")
    numbers = [int(part) for part in text.split(".")]
    major, minor, bugfix, build = (*numbers, 0, 0)[:4]
    return major, minor, bugfix, build
