"""What recordings of a fleet cost: bytes and core-hours, from figures measured on this machine.

A minute of a UR10e at 500 Hz (joint positions, speeds, currents, targets, tool pose, temperatures)
is written as Parquet, validated and searched for contacts. Processor time counts, not wall time.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import armtwin as at
from armtwin.simulation.typical_drives import CURRENT_NOISE, with_real_drives

RATE, SECONDS = 500.0, 60.0
ROBOTS, HOURS = 1000, 24.0
ENCODER = 2 * np.pi / 2**19
"""Resolution of a joint position [rad]."""


def minute() -> tuple[Any, at.Recording]:
    """Return the arm, and a minute of its motion with the noise of a real one."""
    arm, random = with_real_drives(at.load("ur10e")), np.random.default_rng(0)
    t = np.arange(0.0, SECONDS, 1 / RATE)
    rates, phases = random.uniform(0.05, 0.3, (6, 3)), random.uniform(0, 6, (6, 3))
    angle = 2 * np.pi * t[:, None, None] * rates + phases
    w = 2 * np.pi * rates
    q, qd = (0.3 * np.sin(angle)).sum(axis=2), (0.3 * w * np.cos(angle)).sum(axis=2)
    qdd = -(0.3 * w**2 * np.sin(angle)).sum(axis=2)
    tau = at.inverse_dynamics(arm, q, qd, qdd)
    current = at.motor_current(arm, qd, tau)
    current = current + np.array(CURRENT_NOISE) * random.standard_normal(q.shape)
    pose = at.tool_coordinates(arm, q)
    position = pose.position + 2e-4 * random.standard_normal(pose.position.shape)
    seen = ENCODER * np.round((q + 1e-5 * random.standard_normal(q.shape)) / ENCODER)
    groups = {
        "q": seen,
        "qd": qd + 2e-4 * random.standard_normal(q.shape),
        "current": current,
        "target_q": q,
        "target_qd": qd,
        "target_tau": tau,
        "position": position,
        "quaternion": pose.quaternion,
        "temperature": 30 + 0.25 * np.round(4 * (t[:, None] / 60 + np.arange(6))),
    }
    return arm, at.Recording.of(t, groups, arm="ur10e")


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of work [s]; it is done once before, to fill caches."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # as in a worker; threads that wait would count as work
        work()
        begin = time.process_time()
        work()
        return time.process_time() - begin


def cost() -> dict[str, float]:
    """Return bytes and processor time of an hour of one robot, and of the fleet's day."""
    arm, run = minute()
    with tempfile.TemporaryDirectory() as folder:
        file = run.save(Path(folder) / "minute.parquet")
        size = file.stat().st_size
        reading = processor_seconds(lambda: at.read_recording(file, arm))
    work = {
        "read": reading,
        "validate": processor_seconds(lambda: at.validate(arm, run)),
        "detect": processor_seconds(lambda: at.detect(arm, run)),
    }
    samples = RATE * SECONDS
    hours = ROBOTS * HOURS
    found = {"bytes_a_sample": size / samples, "columns": float(len(run.columns))}
    found |= {f"{name}_core_s_per_robot_hour": 60 * value for name, value in work.items()}
    found["fleet_day_samples"] = hours * 3600 * RATE
    found["fleet_day_terabytes"] = found["bytes_a_sample"] * found["fleet_day_samples"] / 1e12
    for name, value in work.items():
        found[f"fleet_day_{name}_core_hours"] = 60 * value * hours / 3600
    return found


def print_cost(*, as_json: bool) -> None:
    """Print the cost, as a table or as JSON."""
    found = cost()
    if as_json:
        print(json.dumps(found, indent=2))
        return
    print(f"measured on {SECONDS:g} s of a UR10e at {RATE:g} Hz; {ROBOTS} robots, {HOURS:g} h")
    for name, value in found.items():
        print(f"{name:36} {value:.4g}")
