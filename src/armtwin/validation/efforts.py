"""Torques, motor currents and power: recorded beside the twin's, where a model exists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armtwin.dynamics.drives import electric_power, friction, motor_current
from armtwin.dynamics.rigid_body import inverse_dynamics
from armtwin.model.arm import Arm
from armtwin.model.payload import with_payload
from armtwin.recording.recording import Recording
from armtwin.recording.slopes import local_slopes
from armtwin.spatial import Array
from armtwin.validation.metrics import Rows, Signal, moves, per_joint

DERIVED_WINDOW = 0.08
"""Seconds over which speeds are fitted where accelerations were not recorded."""


@dataclass(frozen=True)
class Motion:
    """Joints, speeds and accelerations of complete rows, and how they were had."""

    rows: Rows
    q: Array
    qd: Array
    qdd: Array
    note: str


def effort_signals(arm: Arm, recording: Recording) -> tuple[list[Signal], list[str]]:
    """Return the effort signals that both sides have, and notes on what was assumed or missing."""
    wanted = [name for name in ("tau", "target_tau", "current", "power") if recording.has(name)]
    if not wanted:
        return [], []
    if any(joint.link.mass is None for joint in arm.driven):
        return [], [f"arm {arm.name!r} has no masses: {', '.join(wanted)} not compared"]
    carrying, notes = _carrying(arm, recording)
    signals: list[Signal] = []
    for found, note in _compared(carrying, recording, wanted):
        signals += found
        notes += [note] if note else []
    return signals, notes


def _compared(
    arm: Arm, recording: Recording, wanted: list[str]
) -> Iterator[tuple[list[Signal], str]]:
    for name in wanted:
        real = recording.group(name) if name != "power" else recording["power"][:, None]
        if not moves(real[np.isfinite(real).all(axis=1)]):
            yield [], f"{name} is constant: taken for not recorded"
            continue
        prefix = "target_" if name.startswith("target_") else ""
        motion = _motion(recording, prefix)
        if isinstance(motion, str):
            yield [], f"{name} not compared: {motion}"
            continue
        whole = np.flatnonzero(np.isfinite(real[motion.rows]).all(axis=1))
        yield _signals(arm, name, motion, real, whole)


def _signals(
    arm: Arm, name: str, motion: Motion, real: Array, whole: Rows
) -> tuple[list[Signal], str]:
    rows = motion.rows[whole]
    q, qd, qdd = (x[whole] for x in (motion.q, motion.qd, motion.qdd))
    tau = inverse_dynamics(arm, q, qd, qdd, ignore_limits=True)
    drives = [joint.drive for joint in arm.driven]
    if name == "target_tau":
        return per_joint("torque", name, "Nm", rows, real[rows], tau), motion.note
    if name == "tau":
        if all(drive and drive.friction for drive in drives):
            tau = tau + friction(arm, qd, tau)
        return per_joint("torque", name, "Nm", rows, real[rows], tau), motion.note
    if any(d is None or not d.torque_constant for d in drives):
        return [], f"{name} not compared: arm {arm.name!r} has no motor constants"
    if name == "current":
        twin = motor_current(arm, qd, tau)
        return per_joint("current", name, "A", rows, real[rows], twin), motion.note
    total = electric_power(arm, qd, tau).sum(axis=1)
    values = real[rows, 0]
    return [Signal("power", "W", "power", rows, values, total, total - values)], motion.note


def _carrying(arm: Arm, recording: Recording) -> tuple[Arm, list[str]]:
    """Return the arm with the recorded payload, where it is one mass throughout."""
    if not recording.has("payload"):
        return arm, []
    mass = recording["payload"]
    if not np.isfinite(mass).all() or np.ptp(mass) > 0 or mass[0] <= 0:
        return arm, ["the recorded payload changes or is zero: not used"] if mass.any() else []
    centre = np.zeros(3)
    names = [f"payload_cog_{k}" for k in range(3)]
    if all(name in recording.data for name in names):
        centre = np.array([recording[name][0] for name in names])
    note = f"payload of {mass[0]:g} kg with its centre at {centre.tolist()} m from the flange used"
    return with_payload(arm, float(mass[0]), com=centre), [note]


def _motion(recording: Recording, prefix: str) -> Motion | str:
    """Return joints, speeds and accelerations, or why there are none."""
    if not recording.timed:
        return "the rows have no clock"
    if not recording.has(prefix + "q"):
        return f"no {prefix}q"
    groups = [recording.group(prefix + "q")]
    derived = [name for name in ("qd", "qdd") if not recording.has(prefix + name)]
    half = _half_window(recording.time)
    edge = half * len(derived)
    if derived and len(recording) < 20 + 2 * edge:
        return f"too few rows to derive {' and '.join(derived)}"
    for name in ("qd", "qdd"):
        if recording.has(prefix + name):
            groups.append(recording.group(prefix + name))
        else:
            groups.append(local_slopes(recording.time, groups[-1], half))
    rows = np.flatnonzero(np.isfinite(np.hstack(groups)).all(axis=1))
    rows = rows[(rows >= edge) & (rows < len(recording) - edge)]
    note = f"{' and '.join(derived)} derived from {prefix}q" if derived else ""
    q, qd, qdd = (group[rows] for group in groups)
    return Motion(rows, q, qd, qdd, note)


def _half_window(time: Array) -> int:
    """Return how many samples on either side make about 0.08 s together."""
    step = float(np.median(np.diff(time))) if time.size > 1 else DERIVED_WINDOW
    return max(1, round(DERIVED_WINDOW / step / 2))
