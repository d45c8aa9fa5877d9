"""Settings and actions of URScript programs on the virtual controller."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur.tcp import pose_from_vector
from armtwin.robots.ur_controller.motion.compliance import (
    ForceModeOverlay,
    FreedriveOverlay,
    Overlay,
)
from armtwin.robots.ur_controller.motion.force_law import ForceLaw
from armtwin.robots.ur_controller.motion.task_frames import TaskFrame
from armtwin.robots.ur_controller.script import ScriptError
from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script.runtime.scheduler import ProgramHalted
from armtwin.robots.ur_controller.state.events import LabelReached
from armtwin.robots.ur_controller.state.wrist_sensor import ExternalSensor

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

BANKS = {"standard": 0, "configurable": 8, "tool": 16}
SAME_GRAVITY = 0.05
"""A gravity this near to the arm's own is the arm's own [m/s2]."""


MIN_GRAVITY, MAX_GRAVITY = 1.0, 30.0
"""Of ``set_gravity`` [m/s2]: on the moon a sixth of ours."""
DAMPING, GAIN = 0.025, 0.5
"""Damping and gain scaling of force mode by default, as UR documents them."""


def need_forces(controller: VirtualController, name: str) -> None:
    """Raise ScriptError if forces do not move the virtual arm, or no program could end the mode."""
    if controller.program is None:
        raise ScriptError(f"{name} needs a running program, at whose end it ends")
    if not controller.body.has_forces:
        raise ScriptError(
            f"{name} needs forces, which a kinematic body has not: start the robot with a dynamic "
            "one (armtwin robot --body dynamic, at.virtual_robot(body='dynamic'))"
        )


class ScriptCommands:
    """Carries out the commands of programs.

    Args:
        controller: the controller.

    Attributes:
        flags: bits that programs set and read.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self.flags = controller, 0
        self._damping, self._gain = DAMPING, GAIN
        self._actions: dict[type[c.Command], Callable[[Any], object]] = {
            c.SetTcp: lambda do: controller.tcp.set(do.pose),
            c.SetPayload: self._set_payload,
            c.SetGravity: self._set_gravity,
            c.SetDigitalOutput: lambda do: controller.io.set_digital(
                BANKS[do.bank] + do.number, do.on
            ),
            c.SetAnalogOutput: lambda do: controller.io.set_analog(do.number, do.share),
            c.SetAnalogOutputDomain: lambda do: controller.io.set_domain(do.number, do.domain),
            c.SetToolVoltage: lambda do: controller.registers.__setitem__(
                "tool_output_voltage", do.volts
            ),
            c.SetSpeedSlider: lambda do: controller.io.set_slider(do.fraction),
            c.SetFlag: self._set_flag,
            c.ForceMode: self._force_mode,
            c.ForceModeDamping: self._set_damping,
            c.ForceModeGain: self._set_gain,
            c.EndForceMode: lambda do: self._leave(ForceModeOverlay),
            c.Freedrive: self._freedrive,
            c.EndFreedrive: lambda do: self._leave(FreedriveOverlay),
            c.ZeroForceSensor: lambda do: controller.wrist.zero(),
            c.ExternalForceInput: self._external_force,
            c.WatchdogCommand: lambda do: controller.watchdog.set(
                do.variable, do.min_frequency, do.action
            ),
            c.ProtectiveStop: self._protective_stop,
            c.ProgramLabel: lambda do: controller.reports.append(LabelReached(do.number, do.text)),
            c.Pause: lambda do: controller.panel.pause(),
            c.PowerDown: self._power_down,
            c.PushCommand: lambda do: controller.external_push.push(
                do.joint, do.torque, do.seconds
            ),
            c.Setting: lambda do: self._warn(do.name),
        }

    def do(self, command: c.Command) -> None:
        """Carry out a command."""
        self._actions[type(command)](command)

    # Forces

    @property
    def freedrive_status(self) -> int:
        """Closeness of freedrive to a singularity, 0 to 2; 0 without freedrive."""
        mode = self._controller.motion.compliance
        return mode.status if isinstance(mode, FreedriveOverlay) else 0

    def _force_mode(self, command: c.ForceMode) -> None:
        need_forces(self._controller, "force_mode")
        motion, free = self._controller.motion, np.array(command.selection)
        frame = TaskFrame(pose_from_vector(command.task_frame), command.kind)
        mode = motion.compliance
        if isinstance(mode, ForceModeOverlay):
            mode.turn(frame, free)
        else:
            mode = ForceModeOverlay(self._controller, frame, free, ForceLaw(self._gain))
        mode.set(np.array(command.wrench), np.array(command.limits), self._damping)
        motion.compliance = mode

    def _set_damping(self, command: c.ForceModeDamping) -> None:
        self._damping = command.damping

    def _set_gain(self, command: c.ForceModeGain) -> None:
        self._gain, mode = command.scaling, self._controller.motion.compliance
        if isinstance(mode, ForceModeOverlay):
            mode.law.gain = command.scaling

    def _freedrive(self, command: c.Freedrive) -> None:
        need_forces(self._controller, "freedrive_mode")
        given = isinstance(command.feature, tuple)
        pose = pose_from_vector(command.feature) if given else np.eye(4)
        frame = TaskFrame(pose, at_tool=command.feature == "tool")
        free = np.array(command.free_axes)
        self._controller.motion.compliance = FreedriveOverlay(self._controller, frame, free)

    def _leave(self, kind: type[Overlay]) -> None:
        if isinstance(self._controller.motion.compliance, kind):
            self._controller.motion.end_compliance()

    def _external_force(self, command: c.ExternalForceInput) -> None:
        places = (np.array(command.measuring_offset), np.array(command.sensor_cog))
        sensor = ExternalSensor(command.sensor_mass, *places)
        self._controller.wrist.external = sensor if command.enable else None
        self._controller.wrist.reset()

    # Load and mounting

    def _set_payload(self, command: c.SetPayload) -> None:
        controller = self._controller
        cog = controller.registers["payload_cog"].copy() if command.cog is None else command.cog
        inertia = np.array(command.inertia) if any(command.inertia or ()) else None
        controller.set_payload(command.mass, np.array(cog), inertia)

    def _set_gravity(self, command: c.SetGravity) -> None:
        gravity = -np.array(command.direction)
        if not MIN_GRAVITY <= np.linalg.norm(gravity) <= MAX_GRAVITY:
            raise ScriptError(
                f"set_gravity: {np.linalg.norm(gravity):g} m/s2 is no gravity; expected "
                f"{MIN_GRAVITY:g} to {MAX_GRAVITY:g}"
            )
        own = np.array(self._controller.arm.gravity)
        same = np.abs(gravity - own).max() <= SAME_GRAVITY
        self._controller.tilt(own if same else gravity)

    def _set_flag(self, command: c.SetFlag) -> None:
        bit = 1 << command.number
        self.flags = self.flags | bit if command.on else self.flags & ~bit

    def _protective_stop(self, command: c.ProtectiveStop) -> None:
        self._controller.protective_stop("requested by the program")
        raise ProgramHalted

    def _power_down(self, command: c.PowerDown) -> None:
        self._controller.panel.power_off()
        raise ProgramHalted

    def _warn(self, name: str) -> None:
        """Report a setting without effect on a virtual arm."""
        self._controller.say(f"{name} has no effect on the virtual robot", Level.WARNING)
