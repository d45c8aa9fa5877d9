"""What the viewer plays of each result: a recording or a motion, with ghost, contacts and charts.

``played`` is the one place that knows this; a result that it has no rule for has no motion.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from armtwin.calibration.compensate import Compensation
from armtwin.calibration.plan import PosePlan
from armtwin.calibration.result import Calibration
from armtwin.detection.alarms import Alarm
from armtwin.detection.result import Detection
from armtwin.energy.ledger import Ledger
from armtwin.energy.optimize import OptimizedMotion
from armtwin.energy.recorded import SupplyResult
from armtwin.identification.result.fit import Fit
from armtwin.kinematics.forward import pose_coordinates
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import as_arm
from armtwin.motion.excitation.excitation import Excitation
from armtwin.motion.motion import Motion
from armtwin.recording.preparation.prepared import PreparedRecording
from armtwin.recording.recording import Recording
from armtwin.report.result import Result
from armtwin.simulation.result import SimulationResult
from armtwin.spatial import Array
from armtwin.validation.result import Check

PLAIN_MOTION = "plain motion (trapezoid)"
"""Name of the ghost beside a motion of least energy."""


@dataclass(frozen=True, eq=False)
class Signals:
    """Further values over a recording's rows, a chart of its own.

    Attributes:
        title: of the chart.
        unit: of the values.
        values: (n,) or (n, dof).
    """

    title: str
    unit: str
    values: Array


@dataclass(frozen=True, eq=False)
class Played:
    """What is played of a result.

    Attributes:
        arm: the twin.
        recording: joints over time, or poses without a clock; None shows the arm alone.
        ghost: joints of the ghost (n, dof) [rad | m]; None for the twin at the recorded joints.
        ghost_name: what the ghost is.
        alarms: contacts that were detected before; nothing is detected again.
        signals: further charts.
    """

    arm: Arm
    recording: Recording | None
    ghost: Array | None = None
    ghost_name: str = ""
    alarms: tuple[Alarm, ...] = ()
    signals: tuple[Signals, ...] = ()


@singledispatch
def played(result: Result) -> Played | None:
    """Return what is played of a result; None where it has no motion."""
    return None


@played.register(Check)
def _check(result: Check) -> Played:
    return Played(result.arm, result.recording)


@played.register(Detection)
def _detection(result: Detection) -> Played:
    run = result.recording
    torque = np.column_stack(
        [np.interp(run.time, result.time, column) for column in result.residual.T]
    )
    signals = (Signals("External torque, estimated", "Nm", torque),)
    return Played(result.model.arm, run, alarms=result.alarms, signals=signals)


@played.register(SimulationResult)
def _simulation(result: SimulationResult) -> Played:
    if result.detection is not None:
        return dataclasses.replace(_detection(result.detection), arm=result.arm)
    return Played(result.arm, result.recording)


@played.register(Fit)
def _fit(result: Fit) -> Played:
    return Played(result.arm, None)


@played.register(Calibration)
def _calibration(result: Calibration) -> Played:
    """Play the poses of the first placement, in its base and with its tool."""
    measured, arm = result.measured, result.arm
    rows = measured.placement_rows()[0]
    if result.placements:
        arm = result.arm_at(result.placements[0].name)
    data = {"q": measured.q[rows], "position": measured.position[rows]}
    if measured.rotation is not None and np.isfinite(measured.rotation[rows]).all():
        T = np.tile(np.eye(4), (len(rows), 1, 1))
        T[:, :3, :3] = measured.rotation[rows]
        data["quaternion"] = pose_coordinates(T).quaternion
    run = Recording.of(np.arange(float(len(rows))), data, origin="measured poses")
    return Played(arm, dataclasses.replace(run, timed=False))


@played.register(PosePlan)
def _plan(result: PosePlan) -> Played:
    return Played(result.arm, result.recording())


@played.register(Compensation)
def _compensation(result: Compensation) -> Played:
    return Played(result.arm, result.corrected, result.program.q, "joint targets as given")


@played.register(Excitation)
def _excitation(result: Excitation) -> Played:
    return Played(result.arm, _recording(result.arm, result.motion))


@played.register(OptimizedMotion)
def _optimized(result: OptimizedMotion) -> Played:
    arm, plain = result.task.arm, result.comparison.trapezoid.motion
    if plain is None:
        return Played(arm, _recording(arm, result.motion))
    both = side_by_side(arm, result.motion, plain)
    return Played(arm, both, both.group("target_q"), PLAIN_MOTION)


@played.register(Ledger)
def _ledger(result: Ledger) -> Played:
    moved, powers = result.trajectory, result.powers
    data = {"q": moved.q, "qd": moved.qd, "qdd": moved.qdd}
    run = Recording.of(moved.time, data, arm=result.arm.name, origin=moved.name or "motion")
    signals = (
        Signals("Power at the motors", "W", powers.terminal),
        Signals("Power of the supply", "W", result.supply),
    )
    return Played(result.arm, run, signals=signals)


@played.register(SupplyResult)
def _supply(result: SupplyResult) -> Played | None:
    """Play the joints with the power; a recorded pose is not judged here."""
    run = result.recording
    if not run.has("q"):
        return None
    modelled = result.supply.power(run.current, run.qd)
    signals = (
        Signals("Power of the supply, recorded", "W", run["power"]),
        Signals("Power of the supply, by its model", "W", modelled),
    )
    moved = {"q": run.q, "qd": run.qd}
    motion = Recording.of(run.time, moved, arm=result.arm.name, origin=run.origin)
    return Played(result.arm, motion, signals=signals)


@played.register(PreparedRecording)
def _prepared(result: PreparedRecording) -> Played | None:
    run = result.recording
    return Played(as_arm(run.arm), run) if run.arm and run.has("q") else None


def side_by_side(arm: Arm, best: Motion, plain: Motion) -> Recording:
    """Return two motions in one recording; the shorter one rests at its end.

    Args:
        arm: the arm.
        best: the motion that is played, as ``q``.
        plain: the one that is compared with it, as ``target_q``.
    """
    time = max(best.time, plain.time, key=lambda times: float(times[-1]))
    q, target = (
        np.column_stack([np.interp(time, motion.time, column) for column in motion.q.T])
        for motion in (best, plain)
    )
    qd = np.column_stack([np.interp(time, best.time, column, right=0.0) for column in best.qd.T])
    groups = {"q": q, "qd": qd, "target_q": target}
    return Recording.of(time, groups, arm=arm.name, origin="motion of least energy")


def _recording(arm: Arm, motion: Motion) -> Recording:
    data = {"q": motion.q, "qd": motion.qd, "qdd": motion.qdd}
    return Recording.of(motion.time, data, arm=arm.name, origin=motion.name)
