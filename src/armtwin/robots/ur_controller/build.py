"""Virtual robots from a few words: an arm, a body, a version."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.options import choose_options
from armtwin.robots.ur.protocol.fields import Version
from armtwin.robots.ur_controller.body.kinematic import KinematicBody, RobotBody
from armtwin.robots.ur_controller.controller import VirtualController
from armtwin.robots.ur_controller.programs.external_control import ADDRESS, parse_address
from armtwin.robots.ur_controller.programs.robot_folder import RobotFolder
from armtwin.robots.ur_controller.virtual_robot import HOST, VirtualRobot

if TYPE_CHECKING:
    from armtwin.simulation.pushes import Post
    from armtwin.simulation.sensors import Sensors

VERSION = "5.25.0"
START = (0.0, -1.57, 1.57, -1.57, -1.57, 0.0)
"""Start position of a virtual arm: upper arm up, tool down [rad]."""
BODIES = ("kinematic", "dynamic")
FAST, SLOW = 0.002, 0.008
"""Control cycles of newer and of old (CB3) controllers [s]."""


@dataclass(frozen=True, eq=False)
class VirtualRobotOptions:
    """Options of a virtual robot.

    Attributes:
        body: ``kinematic`` does exactly what is wanted; ``dynamic`` has mass, friction and
            contact (MuJoCo).
        version: what the controller claims to be, as in 5.25.0.
        start: joints at the start (6,) [rad].
        posts: obstacles of a dynamic body.
        sensors: errors of its sensors; none if not given.
        unlock_after: rest after a protective stop before it can be unlocked [s].
        exposed: listen also on addresses that other machines can reach.
        seed: of the sensors' noise.
        programs: folder of programs and installations, where reports are written too; a
            temporary one if not given.
        remote_control: whether the robot reports that it is in remote control.
        rest_port: of the REST service of PolyScope X; None for 80, or 8080 where 80 is not
            permitted; 0 for any free one.
        external_control: where programs with an External Control node get their script.
    """

    body: str = "kinematic"
    version: str = VERSION
    start: ArrayLike = START
    posts: Sequence[Post] = ()
    sensors: Sensors | None = None
    unlock_after: float = 5.0
    exposed: bool = False
    seed: int = 0
    programs: Path | str | None = None
    remote_control: bool = True
    rest_port: int | None = None
    external_control: str = ADDRESS

    def __post_init__(self) -> None:
        """Check what needs no arm."""
        if self.body not in BODIES:
            raise InputError(f"body {self.body!r}: there are {', '.join(BODIES)}")
        if self.posts and self.body != "dynamic":
            raise InputError("only a dynamic body has contact with posts; give body='dynamic'")
        if self.rest_port is not None and not 0 <= self.rest_port < 1 << 16:
            raise InputError(f"rest_port {self.rest_port}: a port is 0 to 65535")
        parse_address(self.external_control)
        parse_version(self.version)


def virtual_robot(
    arm: ArmLike = "ur5e",
    host: str = HOST,
    *,
    options: VirtualRobotOptions | None = None,
    **choices: object,
) -> VirtualRobot:
    """Return a virtual robot, to be run by a ``Station``.

    Args:
        arm: the arm, its catalogue name or its file; it has six joints. The controller does not
            know its joint error curves: it reports the poses of its readings, and
            ``controller.body.tool_pose()`` is where the tool really is.
        host: the address that it listens on.
        options: what it is like; or give its fields as keywords (``body="dynamic"``).
        **choices: fields of ``VirtualRobotOptions``.
    """
    chosen = choose_options(VirtualRobotOptions, options, choices)
    model = as_arm(arm)
    if model.dof != 6:
        raise InputError(f"a UR controller leads six joints; arm {model.name!r} has {model.dof}")
    number = parse_version(chosen.version)
    dt = SLOW if number[0] <= 3 else FAST
    body = _body(model, chosen, dt)
    controller = VirtualController(
        model.without_error_curves(), body, version=number, dt=dt, unlock_after=chosen.unlock_after
    )
    controller.files = RobotFolder(chosen.programs)
    panel = controller.panel
    panel.remote, panel.external_control = chosen.remote_control, chosen.external_control
    return VirtualRobot(controller, host, exposed=chosen.exposed, rest_port=chosen.rest_port)


def _body(arm: Arm, options: VirtualRobotOptions, dt: float) -> RobotBody:
    q = as_joints(arm, np.array(options.start, float), name="start")
    sensors, seed = options.sensors, options.seed
    if options.body == "kinematic":
        return KinematicBody(arm, q, sensors, seed)
    from armtwin.robots.ur_controller.body.dynamic import DynamicBody

    return DynamicBody(arm, q, dt, posts=options.posts, sensors=sensors, seed=seed)


def parse_version(text: str) -> Version:
    """Return a controller version such as 5.25.0 or 3.15.8.1234 as four numbers."""
    if not re.fullmatch(r"\d{1,4}(\.\d{1,9}){1,3}", text):
        raise InputError(f"version {text!r}: write it as 5.25.0")
    numbers = [int(part) for part in text.split(".")]
    major, minor, bugfix, build = (*numbers, 0, 0)[:4]
    return major, minor, bugfix, build
