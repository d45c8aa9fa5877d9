"""Simulation speed: our control loop beside the smallest one written with MuJoCo alone.

``python -m benchmarks.simulation [--seconds 12]`` prints how many simulated seconds a second of
processor time gives for both, and how well both follow. The peer has MuJoCo's own inverse dynamics
as computed torque, no sensors, no recording and no limits.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

import armtwin as at
from armtwin.detection.page import tracking
from armtwin.simulation.integrators import LONGEST
from armtwin.simulation.plant import build, load_mujoco
from armtwin.simulation.simulate import Simulation
from armtwin.simulation.typical_drives import real_sensors, with_real_drives

WANTED = 20.0
ROUNDS = 3
POST = at.Post(position=(0.45, -0.2, 0.4), radius=0.05, height=0.8)
"""In the path of the forearm, from the first lap on."""


def ours(arm: at.Arm, motion: Any, **choices: Any) -> tuple[float, float]:
    """Return times real time and the tool's RMS distance from its path [mm]."""
    run = Simulation(arm, motion, **choices)
    begin = time.process_time()
    for _ in run.parts():
        pass
    took = time.process_time() - begin
    off = tracking(arm, run.recording())
    return motion.time[-1] / took, 1e3 * float(np.sqrt(np.mean(off**2)))


def peer(arm: at.Arm, motion: Any, kp: float = 400.0) -> tuple[float, float]:
    """Return the same for a bare loop: mj_inverse for the torque, mj_step for the arm."""
    mujoco, steps = load_mujoco(), round(motion.step / LONGEST["rk4"])
    model = build(arm, motion.step / steps)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data, kv = mujoco.MjData(model), 2 * np.sqrt(kp)
    data.qpos[:], data.qvel[:] = motion.q[0], motion.qd[0]
    shadow, q = mujoco.MjData(model), np.zeros_like(motion.q)
    begin = time.process_time()
    for row in range(len(motion)):
        q[row] = data.qpos
        shadow.qpos[:], shadow.qvel[:] = data.qpos, data.qvel
        wish = kv * (motion.qd[row] - data.qvel) + kp * (motion.q[row] - data.qpos)
        shadow.qacc[:] = motion.qdd[row] + wish
        mujoco.mj_inverse(model, shadow)
        data.ctrl[:] = shadow.qfrc_inverse
        mujoco.mj_step(model, data, nstep=steps)
    took = time.process_time() - begin
    off = at.fk(arm, q)[:, :3, 3] - at.fk(arm, motion.q)[:, :3, 3]
    return motion.time[-1] / took, 1e3 * float(np.sqrt(np.mean((off**2).sum(axis=1))))


def main() -> int:
    """Print all runs; 1 where ours is below what is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=12.0)
    seconds = parser.parse_args().seconds
    arm = at.load("ur10e")
    rubbed = with_real_drives(arm)
    motion = at.Circle(radius=0.2, period=4, seconds=seconds).motion(arm)
    tasks = {
        "MuJoCo alone": lambda: peer(arm, motion),
        "armtwin": lambda: ours(arm, motion),
        "armtwin, friction and real noise": lambda: ours(
            rubbed, motion, sensors=real_sensors(rubbed)
        ),
        "armtwin, runs into a post": lambda: ours(arm, motion, posts=[POST]),
    }
    print(f"UR10e, circle, {seconds:g} s at 500 Hz over RK4 steps of 1 ms, best of {ROUNDS}\n")
    best: dict[str, tuple[float, float]] = {}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            best[name] = max(best.get(name, (0.0, 0.0)), task())
    for name, (speed, off) in best.items():
        print(f"  {name:34s} {speed:6.1f} x real time, tool off by {off:.4f} mm RMS")
    ratio = best["armtwin"][0] / best["MuJoCo alone"][0]
    print(f"\nratio of ours to MuJoCo alone {ratio:.2f}; wanted at least {WANTED:g} x real time")
    return 0 if best["armtwin"][0] >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
