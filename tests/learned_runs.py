"""Runs of a virtual UR robot with mass in its own time, as RTDE rows, for tests of learning."""

import itertools

import numpy as np
from virtual_forces import Q, arm, finish, steps

from armtwin.recording.recording import Recording
from armtwin.robots.ur.live_twin import FIELDS, OPTIONAL

EVERY = 4
"""Cycles of the controller, at 500 Hz, between two samples of the app's feed."""


def rtde_row(controller):
    """Return the controller's readings as a row of RTDE."""
    found = {name: np.squeeze(controller.registers[name]) for name in (*FIELDS, *OPTIONAL)}
    found["timestamp"] = np.array(controller.clock)
    row = np.zeros(1, [(name, float, value.shape) for name, value in found.items()])
    for name, value in found.items():
        row[name] = value
    return row


def moved(controller, *, push=None, rest=1.0):
    """Move to and fro, stand, and return the samples that the app's feed gets.

    Args:
        controller: of a dynamic virtual robot at ``Q``.
        push: joint, torque [Nm] and time [s] of a push of 0.2 s; None: undisturbed.
        rest: standstill at the end [s].
    """
    rows, cycles = [], itertools.count()

    def each(now):
        cycle = next(cycles)
        if cycle % EVERY == 0:
            rows.append(rtde_row(now))
        if push is not None and cycle == round(push[2] / now.dt):
            now.external_push.push(push[0], push[1], 0.2)

    corner = Q + [0.4, 0.25, -0.3, 0.3, -0.3, 0.4]
    lines = [f"  movej({q.tolist()}, a=1.4, v=1.0)" for q in (corner, Q, 2 * Q - corner, Q)]
    finish(controller, "\n".join(["def p():", *lines, "end", ""]), each=each)
    steps(controller, rest, each)
    return np.concatenate(rows)


def as_recording(rows, name):
    """Return samples as a recording of an arm."""
    time = rows["timestamp"] - rows["timestamp"][0]
    groups = {"q": "actual_q", "qd": "actual_qd", "tau": "actual_current_as_torque"}
    columns = {key: rows[field] for key, field in groups.items()}
    return Recording.of(time, columns, arm=arm(name).name, origin="virtual")
