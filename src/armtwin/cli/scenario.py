"""Controllers and sensors by the names that the command line knows them by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.control.controller import Controller
    from armtwin.model.arm import Arm
    from armtwin.simulate.sensors import Sensors

CONTROLLERS = ("computed-torque", "gravity-pd")
NOISES = ("none", "typical", "real")


def make_sensors(arm: Arm, noise: str, delay: int, command_delay: int) -> Sensors:
    """Return sensors of a kind (none, typical, real) with delays in control periods."""
    import dataclasses

    from armtwin.simulate.real_drives import real_sensors
    from armtwin.simulate.sensors import Sensors

    if noise not in NOISES:
        raise InputError(f"--noise is one of {', '.join(NOISES)}; got {noise!r}")
    plain = real_sensors(arm) if noise == "real" else Sensors()
    chosen = Sensors.perfect() if noise == "none" else plain
    return dataclasses.replace(chosen, delay=delay, command_delay=command_delay)


def make_controller(kind: str, model: Arm, kp: float | None, kv: float | None) -> Controller:
    """Return a controller of a kind for what it takes the arm to be; None keeps a gain's usual."""
    from armtwin.control.controller import ComputedTorque, GravityPD

    if kind == "computed-torque":
        return ComputedTorque(model, 400.0 if kp is None else kp, kv)
    if kind == "gravity-pd":
        return GravityPD(model, kp, kv)
    raise InputError(f"no controller {kind!r}; there are {', '.join(CONTROLLERS)}")
