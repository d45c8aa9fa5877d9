"""A UR controller as a robot: state over RTDE, motion by script."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

import numpy as np

from armtwin.detection.detector_calibration import DetectorCalibration
from armtwin.errors import (
    ArmTwinError,
    InputError,
    LinkError,
    NotDeliveredError,
    NotPermittedError,
)
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.robots.robot import FOLLOW_TIMEOUT, Robot, RobotState, require_share
from armtwin.robots.safety import is_loopback
from armtwin.robots.sample import Sample
from armtwin.robots.ur.feed import SILENCE, UrFeed
from armtwin.robots.ur.monitor import NORMAL_SAFETY, SAFETY_NAMES
from armtwin.robots.ur.remote import Remote, push_program
from armtwin.robots.ur.speed_control.followed_motion import FollowedMotion
from armtwin.robots.ur.speed_control.speed_commands import (
    PERIOD,
    RESTING,
    SpeedCommands,
    stop_line,
    top_speeds,
)
from armtwin.spatial import Array

RUNNING = 7
"""Robot mode of RTDE with power on and brakes released."""
ECHO = 2.0
"""Longest wait for a sample after a stop [s]; a robot that is silent is lost before."""
MODES = {0: "disconnected", 1: "confirm safety", 2: "booting", 3: "power off", 4: "power on",
         5: "brakes closed", 6: "backdrive", 8: "updating"}  # fmt: skip


class UrRobot(Robot):
    """A UR controller: a virtual one on this machine, or a real one elsewhere.

    Args:
        arm: its model, with six joints.
        host: its address.
        i_mean_it: a real robot may be moved; a virtual one always may.
        process: ends the process of a virtual robot that was started for this one.
        clock: current time [s] of a goal's timeout; the age of samples is always real time.

    Attributes:
        learned_from: recording that contact thresholds were learned from; "" with fixed ones.
    """

    def __init__(
        self,
        arm: Arm,
        host: str,
        *,
        i_mean_it: bool = False,
        process: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        virtual = is_loopback(host)
        name = f"{'Virtual ' if virtual else ''}{arm.name} at {host}"
        watching = "" if virtual or i_mean_it else " (watching only)"
        super().__init__(arm, name + watching, "virtual" if virtual else "real", clock=clock)
        if arm.dof != 6:
            raise InputError(f"a UR controller has six joints; arm {arm.name!r} has {arm.dof}")
        self.real, self.can_move, self.host = not virtual, virtual or i_mean_it, host
        self._process, self._remote = process, Remote(host)
        self._feed, self.learned_from = UrFeed(arm, host, self.alarms), ""
        self._leading: asyncio.Task[None] | None = None
        self._lead = SpeedCommands(top_speeds(arm), clock)
        self._has_currents = self.real or all(joint.drive is not None for joint in arm.driven)

    # Connection

    async def start(self) -> None:
        """Connect and return with the first sample; raise LinkError if no robot answers."""
        try:
            await self._feed.start()
        except BaseException:
            await asyncio.to_thread(self._end_process)
            raise
        self._leading = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop the robot and disconnect; end the process of a virtual one that was started here."""
        if self._lead.goal is not None:
            with contextlib.suppress(LinkError):
                await self.stop()
        if self._leading is not None:
            self._leading.cancel()
            await asyncio.gather(self._leading, return_exceptions=True)
        await self._feed.close()
        await self._remote.close()
        await asyncio.to_thread(self._end_process)

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process()

    # State

    def state(self) -> RobotState:
        """Return the newest sample."""
        sample, lost = self._feed.sample, self._feed.lost
        if sample is None:
            zero = np.zeros(self.arm.dof)
            return RobotState(0.0, zero, zero, zero, False, "connecting")
        turning = bool(np.abs(sample.qd).max() > RESTING) and not lost
        goal = self._lead.goal
        moving = turning or (goal is not None and not lost)
        target = sample.q if goal is None else goal.q
        residual = sample.residual if np.isfinite(sample.residual).all() else None
        return RobotState(
            self._feed.now, sample.q, np.zeros_like(sample.qd) if lost else sample.qd, target,
            moving, self._status(sample, moving),
            tau=sample.tau, current=sample.current if self._has_currents else None,
            residual=residual, threshold=None if residual is None else self._feed.threshold,
            power=sample.power, energy=self._feed.energy,
        )  # fmt: skip

    def _status(self, sample: Sample, moving: bool) -> str:
        if self._feed.lost:
            return "lost"
        if sample.safety_mode not in NORMAL_SAFETY:
            return SAFETY_NAMES.get(sample.safety_mode, f"safety mode {sample.safety_mode}")
        if sample.robot_mode != RUNNING:
            return MODES.get(sample.robot_mode, f"robot mode {sample.robot_mode}")
        return "moving" if moving else "ready"

    def _require_ready(self) -> None:
        self.require_motion()
        status = self.state().status
        if status not in ("ready", "moving"):
            hints = {"lost": "it is being connected again", "protective stop": "unlock it first"}
            hint = hints.get(status, "see the robot's own screen")
            raise LinkError(f"{self.title} cannot move now: {status}; {hint}")

    # Motion

    async def move(self, q: Array, speed: float) -> None:
        """Start towards ``q`` (6,)."""
        self._lead.move(self._checked(q, speed), speed)

    async def follow(self, q: Array, speed: float) -> None:
        """Aim at ``q`` (6,) for the next 0.3 s."""
        self._lead.follow(self._checked(q, speed), speed, FOLLOW_TIMEOUT)

    @property
    def can_move_along(self) -> bool:
        """Always, if it can be moved."""
        return self.can_move

    async def move_along(self, motion: Motion) -> None:
        """Start along a motion, more slowly where the link requires it (``FollowedMotion``)."""
        self._require_ready()
        self.require_start(motion)
        path = FollowedMotion(motion)
        self._lead.move_along(path.goal, path.speeds)

    def _checked(self, q: Array, speed: float) -> Array:
        """Return a goal (6,) that the robot may move to now."""
        require_share(speed)
        self._require_ready()
        return as_joints(self.arm, q).copy()

    async def stop(self) -> None:
        """Stop the joints and wait for a newer sample; nothing is sent to a robot only watched.

        Raises:
            NotDeliveredError: the robot may only be watched, the stop did not reach it, or no
                sample came since.
        """
        self._lead.drop()
        if not self.can_move:
            raise NotDeliveredError(f"{self.title} is only watched; nothing is sent to it")
        if self._feed.lost:
            raise NotDeliveredError(f"{self.title} is lost")
        began = time.monotonic()
        try:
            async with asyncio.timeout(SILENCE):
                await self._remote.send(stop_line())
        except (LinkError, TimeoutError) as error:
            raise NotDeliveredError(f"{self.title}: {error or 'no connection'}") from error
        if not await self._feed.heard_after(began, ECHO):
            raise NotDeliveredError(f"{self.title} has sent nothing since")

    async def _run(self) -> None:
        """Send speed commands towards the goal; an error drops the goal."""
        while True:
            await asyncio.sleep(PERIOD)
            if self._feed.lost and self._remote.connected:
                await self._remote.abort()
            if self._lead.goal is None:
                continue
            try:
                await self._step()
            except ArmTwinError as error:
                self._lead.drop()
                self._feed.events.append(str(error))

    async def _step(self) -> None:
        if self.state().status not in ("ready", "moving"):
            self._lead.drop()
            return
        if not self._remote.connected:
            await self._remote.connect()
            return  # connecting may have taken long: the next step uses a newer sample
        sample = self._feed.sample
        assert sample is not None
        line = self._lead.step(sample.q, sample.qd, self._feed.age)
        if line is not None:
            await self._remote.send(line)

    # Other commands

    @property
    def calibration(self) -> DetectorCalibration | None:
        """Learned thresholds of contacts; None while they are fixed."""
        return self._feed.calibration

    async def calibrate(self, calibration: DetectorCalibration | None, source: str = "") -> None:
        """Detect contacts by thresholds learned from a recording, ``source``; None: fixed ones."""
        await self._feed.calibrate(calibration)
        self.learned_from = source if calibration is not None else ""

    async def unlock(self) -> str:
        """End a protective stop over the dashboard and return its answer."""
        self.require_motion()
        return await self._remote.unlock()

    @property
    def can_push(self) -> bool:
        """Whether it is a virtual robot."""
        return not self.real

    async def push(self, joint: int, torque: float, seconds: float) -> None:
        """Push a joint of a virtual robot; a real one is to be pushed by hand."""
        if self.real:
            raise NotPermittedError(f"{self.title} is real: push it by hand, gently")
        if not 1 <= joint <= self.arm.dof:
            raise InputError(f"joint {joint}: there are 1 to {self.arm.dof}")
        if self._feed.lost:
            raise LinkError(f"{self.title} is lost; it cannot be pushed")
        await self._remote.send(push_program(joint, torque, seconds))
