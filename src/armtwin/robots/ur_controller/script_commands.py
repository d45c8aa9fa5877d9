"""Settings and actions of URScript programs on the virtual controller."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.script import ScriptError
from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script.runtime.scheduler import Halted

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

BANKS = {"standard": 0, "configurable": 8, "tool": 16}
SAME_GRAVITY = 0.05
"""A gravity this near to the arm's own is the arm's own [m/s2]."""


def not_simulated(name: str) -> NoReturn:
    """Raise the ScriptError of a function that the virtual arm cannot follow."""
    raise ScriptError(f"{name} is not simulated by the virtual robot")


class ScriptCommands:
    """Carries out the commands of programs.

    Args:
        controller: the controller.

    Attributes:
        flags: bits that programs set and read.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self.flags = controller, 0
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
            c.ForceMode: lambda do: not_simulated("force_mode"),
            # Settings of a mode that cannot be entered; ur_rtde's control script makes them.
            c.ForceModeDamping: lambda do: None,
            c.ForceModeGain: lambda do: None,
            c.EndForceMode: lambda do: None,
            c.Freedrive: lambda do: not_simulated("freedrive_mode"),
            c.EndFreedrive: lambda do: None,
            c.ZeroForceSensor: lambda do: self._warn("zero_ftsensor"),
            c.ExternalForceInput: self._external_force,
            c.WatchdogCommand: lambda do: controller.watchdog.set(
                do.variable, do.min_frequency, do.action
            ),
            c.ProtectiveStop: self._protective_stop,
            c.Pause: lambda do: controller.panel.pause(),
            c.PowerDown: self._power_down,
            c.PushCommand: lambda do: controller.hand.push(do.joint, do.torque, do.seconds),
            c.Setting: lambda do: self._warn(do.name),
        }

    def do(self, command: c.Command) -> None:
        """Carry out a command."""
        self._actions[type(command)](command)

    def _set_payload(self, command: c.SetPayload) -> None:
        controller = self._controller
        cog = controller.registers["payload_cog"].copy() if command.cog is None else command.cog
        controller.set_payload(command.mass, np.array(cog))
        controller.registers["payload_inertia"] = command.inertia or 0.0
        if any(command.inertia or ()):
            self._warn("the payload's inertia")

    def _set_gravity(self, command: c.SetGravity) -> None:
        own = -np.array(self._controller.arm.gravity)
        if np.abs(np.array(command.direction) - own).max() > SAME_GRAVITY:
            not_simulated("set_gravity")

    def _set_flag(self, command: c.SetFlag) -> None:
        bit = 1 << command.number
        self.flags = self.flags | bit if command.on else self.flags & ~bit

    def _external_force(self, command: c.ExternalForceInput) -> None:
        if command.enable:
            not_simulated("ft_rtde_input_enable")

    def _protective_stop(self, command: c.ProtectiveStop) -> None:
        self._controller.protective_stop("asked for by the program")
        raise Halted

    def _power_down(self, command: c.PowerDown) -> None:
        self._controller.panel.power_off()
        raise Halted

    def _warn(self, name: str) -> None:
        """Report a setting without effect on a virtual arm."""
        self._controller.say(f"{name} has no effect on the virtual robot", Level.WARNING)
