"""Settings and actions that a program requests of the controller; they take no time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Floats = tuple[float, ...]


class Command:
    """Something that the controller does at once."""


@dataclass(frozen=True)
class SetTcp(Command):
    """Set the tool centre point: its pose in the flange frame [m, rad]."""

    pose: Floats


@dataclass(frozen=True)
class SetPayload(Command):
    """Set the payload: mass [kg], centre of gravity [m] and inertia [kg m2].

    ``cog`` None keeps the present one; ``inertia`` None resets it, six floats set it
    (xx, yy, zz, xy, xz, yz).
    """

    mass: float
    cog: Floats | None = None
    inertia: Floats | None = None


@dataclass(frozen=True)
class SetGravity(Command):
    """Set the acceleration that the arm experiences at rest, in base [m/s2]."""

    direction: Floats


@dataclass(frozen=True)
class SetDigitalOutput(Command):
    """Set a digital output of a bank."""

    bank: Literal["standard", "configurable", "tool"]
    number: int
    on: bool


@dataclass(frozen=True)
class SetAnalogOutput(Command):
    """Set an analogue output to a share (0 to 1) of its range."""

    number: int
    share: float


@dataclass(frozen=True)
class SetAnalogOutputDomain(Command):
    """Choose current (0) or voltage (1) for an analogue output."""

    number: int
    domain: int


@dataclass(frozen=True)
class SetToolVoltage(Command):
    """Set the voltage of the tool connector: 0, 12 or 24 V."""

    volts: int


@dataclass(frozen=True)
class SetSpeedSlider(Command):
    """Set the speed slider, 0 to 1."""

    fraction: float


@dataclass(frozen=True)
class SetFlag(Command):
    """Set one of the 32 flags that outlive a program."""

    number: int
    on: bool


@dataclass(frozen=True)
class ForceMode(Command):
    """Enter force mode or change its parameters; fields as in UR's ``force_mode``."""

    task_frame: Floats
    selection: Floats
    wrench: Floats
    kind: int
    limits: Floats


@dataclass(frozen=True)
class ForceModeDamping(Command):
    """Set the damping of force mode, 0 to 1."""

    damping: float


@dataclass(frozen=True)
class ForceModeGain(Command):
    """Scale the gain of force mode, 0 to 2."""

    scaling: float


@dataclass(frozen=True)
class EndForceMode(Command):
    """Leave force mode."""


@dataclass(frozen=True)
class Freedrive(Command):
    """Let the arm be moved by hand along free axes (1) of a frame: a pose, or base or tool."""

    free_axes: Floats
    feature: Floats | Literal["base", "tool"]


@dataclass(frozen=True)
class EndFreedrive(Command):
    """Leave freedrive or teach mode."""


@dataclass(frozen=True)
class ZeroForceSensor(Command):
    """Make the present wrench the zero of the force sensor."""


@dataclass(frozen=True)
class ExternalForceInput(Command):
    """Use the wrench that RTDE clients write instead of the arm's own sensor."""

    enable: bool
    sensor_mass: float
    measuring_offset: Floats
    sensor_cog: Floats


@dataclass(frozen=True)
class WatchdogCommand(Command):
    """Watch how often RTDE clients write a variable."""

    variable: str
    min_frequency: float
    action: Literal["ignore", "pause", "stop"]


@dataclass(frozen=True)
class ProtectiveStop(Command):
    """Trigger a protective stop."""


@dataclass(frozen=True)
class PushCommand(Command):
    """Push a joint, numbered from 1, with a torque [Nm] for some time [s]; virtual arms only."""

    joint: int
    torque: float
    seconds: float


@dataclass(frozen=True)
class ProgramLabel(Command):
    """The program has come to a label, a line such as ``$ 2 "MoveJ"``."""

    number: int
    text: str


@dataclass(frozen=True)
class Pause(Command):
    """Pause the program, as the pause button does."""


@dataclass(frozen=True)
class PowerDown(Command):
    """Switch arm and controller off."""


@dataclass(frozen=True)
class Setting(Command):
    """A setting that has no effect on a virtual arm, by its function's name and arguments."""

    name: str
    arguments: tuple[object, ...]


@dataclass(frozen=True)
class Popup:
    """A message window; the program waits for it to be closed if ``blocking``."""

    message: str
    title: str
    kind: Literal["message", "warning", "error"]
    blocking: bool
