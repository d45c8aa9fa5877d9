"""Torques, motor currents and power: recorded and computed, where a model exists."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.dynamics.drives import electric_power, friction, motor_current
from armtwin.dynamics.rigid_body import inverse_dynamics
from armtwin.model.arm import Arm
from armtwin.model.payload import with_payload
from armtwin.recording.motion import MIN_ROWS, JointMotion
from armtwin.recording.recording import Recording
from armtwin.spatial import Array
from armtwin.validation.metrics import Rows, Signal, moves, per_joint


def effort_signals(arm: Arm, recording: Recording) -> tuple[list[Signal], list[str]]:
    """Return the effort signals that both sides have, and notes on what was assumed or missing."""
    wanted = [name for name in ("tau", "target_tau", "current", "power") if recording.has(name)]
    if not wanted:
        return [], []
    if any(joint.link.mass is None for joint in arm.driven):
        return [], [f"arm {arm.name!r} has no masses: {', '.join(wanted)} not compared"]
    loaded, notes = _carrying(arm, recording)
    signals: list[Signal] = []
    for found, note in _compared(loaded, recording, wanted):
        signals += found
        notes += [note] if note else []
    return signals, notes


def _compared(
    arm: Arm, recording: Recording, wanted: list[str]
) -> Iterator[tuple[list[Signal], str]]:
    motions: dict[str, tuple[JointMotion, Rows] | str] = {}
    for name in wanted:
        real = recording.group(name) if name != "power" else recording["power"][:, None]
        if not moves(real[np.isfinite(real).all(axis=1)]):
            yield [], f"{name} is constant: taken for not recorded"
            continue
        prefix = "target_" if name.startswith("target_") else ""
        if prefix not in motions:
            motions[prefix] = recorded_motion(recording, prefix)
        found = motions[prefix]
        if isinstance(found, str):
            yield [], f"{name} not compared: {found}"
            continue
        motion, rows = found
        whole = np.flatnonzero(np.isfinite(real[rows]).all(axis=1))
        yield _signals(arm, name, motion[whole], real, rows[whole])


def _signals(
    arm: Arm, name: str, motion: JointMotion, real: Array, rows: Rows
) -> tuple[list[Signal], str]:
    """Return the twin's signal beside the recorded one, and a note on the motion.

    Args:
        arm: with its payload.
        name: "tau", "target_tau", "current" or "power".
        motion: of the compared rows.
        real: the recorded signal of all rows (n, k).
        rows: numbers of the compared rows (m,).
    """
    qd, note = motion.qd, "; ".join(motion.notes)
    tau = inverse_dynamics(arm, motion.q, qd, motion.qdd, ignore_limits=True)
    drives = [joint.drive for joint in arm.driven]
    if name == "target_tau":
        return per_joint("torque", name, "Nm", rows, real[rows], tau), note
    if name == "tau":
        if all(drive and drive.friction for drive in drives):
            tau = tau + friction(arm, qd, tau)
        return per_joint("torque", name, "Nm", rows, real[rows], tau), note
    if any(d is None or not d.torque_constant for d in drives):
        return [], f"{name} not compared: arm {arm.name!r} has no motor constants"
    if name == "current":
        twin = motor_current(arm, qd, tau)
        return per_joint("current", name, "A", rows, real[rows], twin), note
    total = electric_power(arm, qd, tau).sum(axis=1)
    values = real[rows, 0]
    return [Signal("power", "W", "power", rows, values, total, total - values)], note


def _carrying(arm: Arm, recording: Recording) -> tuple[Arm, list[str]]:
    """Return the arm with the recorded payload, where it is one mass throughout."""
    payload = recorded_payload(recording)
    if payload is None:
        used = not recording.has("payload") or not recording["payload"].any()
        return arm, [] if used else ["the recorded payload changes or is zero: not used"]
    mass, centre = payload
    note = f"payload of {mass:g} kg with its centre at {centre.tolist()} m from the flange used"
    return with_payload(arm, mass, com=centre), [note]


def recorded_payload(recording: Recording) -> tuple[float, Array] | None:
    """Return mass [kg] and centre (3,) in the flange frame [m]; None unless one mass throughout."""
    if not recording.has("payload"):
        return None
    mass = recording["payload"]
    if not np.isfinite(mass).all() or np.ptp(mass) > 0 or mass[0] <= 0:
        return None
    centre = np.zeros(3)
    names = [f"payload_cog_{k}" for k in range(3)]
    if all(name in recording.data for name in names):
        centre = np.array([recording[name][0] for name in names])
    return float(mass[0]), centre


def recorded_motion(recording: Recording, prefix: str) -> tuple[JointMotion, Rows] | str:
    """Return the motion of complete rows and their numbers, or why there is none."""
    if not recording.timed:
        return "the rows have no clock"
    if not recording.has(prefix + "q"):
        return f"no {prefix}q"
    motion = recording.motion(prefix)
    if motion.notes and motion.cutoff is None:
        return f"too few rows to derive speeds or accelerations ({MIN_ROWS} are needed)"
    groups = (motion.q, motion.qd, motion.qdd)
    whole = np.isfinite(np.hstack(groups)).all(axis=1)
    rows = np.flatnonzero(whole if motion.inner is None else whole & motion.inner)
    return motion[rows], rows
