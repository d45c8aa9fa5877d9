"""Identification end to end beside a Pinocchio regressor with numpy's least squares.

``python -m benchmarks.identify``: 50 s at 500 Hz, six joints, planted truth (45 mA, 17 bits), with
target torques and from currents alone; printed are the times, their ratio, and the error of both
against the true current of a motion that neither has seen. The peer is the usual script: joint by
joint least squares of the current on the regressor's columns, acceleration, speed and sign. It
explains its own data, but without priors, masks or a law for friction it does not carry over.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.signal import butter, filtfilt
from threadpoolctl import threadpool_limits

import armtwin as at
from armtwin.identification.result.accuracy import SignalAccuracy
from armtwin.spatial import Array
from benchmarks.peers import pinocchio_model
from benchmarks.planted import misprinted, planted, true_arm, without_drives

ROUNDS = 2
LIMIT = 10.0
"""Seconds of one core that an identification may take."""


def derived(recording: at.Recording, cutoff: float = 15.0) -> tuple[Array, Array, Array]:
    """Return low-passed positions, speeds and accelerations as the peer's script makes them."""
    b, a = butter(3, cutoff, fs=recording.rate)
    q = filtfilt(b, a, recording.q, axis=0)
    qd = np.gradient(q, 1 / recording.rate, axis=0)
    return q, qd, np.gradient(qd, 1 / recording.rate, axis=0)


def peer_columns(model: Any, recording: at.Recording) -> list[Array]:
    """Return every joint's columns (n, 63) from Pinocchio's regressor."""
    import pinocchio as pin

    data = model.createData()
    q, qd, qdd = derived(recording)
    Y = np.empty((len(q), model.nv, 10 * model.nv))
    for k in range(len(q)):
        Y[k] = pin.computeJointTorqueRegressor(model, data, q[k], qd[k], qdd[k])
    return [
        np.column_stack([Y[:, j], qdd[:, j], qd[:, j], np.sign(qd[:, j])]) for j in range(model.nv)
    ]


def peer(model: Any, train: at.Recording) -> list[Array]:
    """Return the peer's coefficients per joint."""
    columns = peer_columns(model, train)
    return [np.linalg.lstsq(x, train.current[:, j], rcond=None)[0] for j, x in enumerate(columns)]


def timed(call: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Return the best processor time of some rounds [s] and the last result; one goes before.

    Both sides run on one core; time on the clock would measure what else the machine does.
    """
    result, best = call(), float("inf")
    for _ in range(rounds):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return best, result


def errors(signal: SignalAccuracy, predicted: Array) -> Array:
    """Return the RMS error of moving samples [mA], joint by joint."""
    off = predicted - signal.measured
    return np.array([1e3 * np.sqrt(np.mean(off[u, j] ** 2)) for j, u in enumerate(signal.used.T)])


def main() -> int:
    """Print times, ratio and held-out errors; 1 where identification takes 10 s or more."""
    arm, worst = true_arm(), 0.0
    start = without_drives(misprinted(arm, 1))
    for target in (True, False):
        train, test = planted(arm, 1, target=target), planted(arm, 2, noise=0.0, target=target)
        seconds, fit = timed(lambda train=train: at.identify(start, train), ROUNDS)
        worst = max(worst, seconds)
        unseen = at.identify(start, train, test=test).signals[-1]
        ours = errors(unseen, unseen.predicted)
        count = len(fit.estimates) + len(fit.base)
        name = "with targets" if target else "currents only"
        _say(f"armtwin, {name}", seconds, ours, f"{count} intervals")
    model = pinocchio_model(arm)
    if model is None:
        print("Pinocchio is not installed: no comparison")
    else:
        _beside(model, train, test, unseen, seconds, ours)
    return 0 if worst < LIMIT else 1


def _say(name: str, seconds: float, off: Array, more: str) -> None:
    sizes = " ".join(f"{value:6.1f}" for value in off)
    print(f"{name:24s} {seconds:6.2f} s   error on unseen motion [mA RMS] {sizes}   {more}")


def _beside(
    model: Any,
    train: at.Recording,
    test: at.Recording,
    unseen: SignalAccuracy,
    seconds: float,
    ours: Array,
) -> None:
    with threadpool_limits(1):
        took, theta = timed(lambda: peer(model, train), ROUNDS)
    columns = peer_columns(model, test)
    predicted = np.column_stack([x @ t for x, t in zip(columns, theta, strict=True)])
    theirs = errors(unseen, predicted)
    _say("pinocchio + lstsq", took, theirs, "no intervals")
    print(f"time, theirs / ours: {took / seconds:.2f}; error, theirs / ours: ", end="")
    print(" ".join(f"{ratio:.1f}" for ratio in theirs / ours))


if __name__ == "__main__":
    sys.exit(main())
