r"""Checks of the motor signals before any fit: order, sign and unit of the channels.

Every channel c is regressed on the model torque of every joint j,

.. math:: y_c \approx a \tau_j + b \ddot q_j + c \dot q_j
          + (d + e |\tau_j|)\, \mathrm{sign}(\dot q_j)

and the shares of explained variance show channels that were mixed up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.data.runs import Rows, RunBlock
from armtwin.model.arm import Arm
from armtwin.model.drive import torque_per_ampere
from armtwin.spatial import Array

MAX_ROWS = 20000
"""Rows of a regression at most, to bound the time."""
MIN_TORQUE_SHARE = 0.3
"""Share of a signal's variance that the torque must explain before its gain is used."""

TYPICAL_GAIN = 0.1
"""Gain of a geared arm without any known constant [A/Nm]."""

MIN_IMPROVEMENT = 0.15
"""Explained share, per moved channel, by which another order must be better."""
MAX_REST = 0.5
"""Unexplained share of every moved channel in another order, as a part of that in the given one."""


@dataclass(frozen=True)
class ChannelCheck:
    """Regressions of the motor signals on the model torques.

    Attributes:
        explained: share of channel c's variance that joint j explains (channels, joints).
        gains: slope of channel j by the model torque of joint j (dof,); NaN where unknown.
        loads: RMS of that torque (dof,) [Nm].
    """

    explained: Array
    gains: Array
    loads: Array


def check_channels(blocks: Sequence[RunBlock], torques: Sequence[Array]) -> ChannelCheck:
    """Return how well each joint explains each channel.

    Args:
        blocks: motor signals.
        torques: model torques of the arm file under each block's motion, (n, dof) [Nm].
    """
    dof = blocks[0].signal.shape[1]
    explained, gains, loads = np.zeros((dof, dof)), np.full(dof, np.nan), np.zeros(dof)
    for j in range(dof):
        parts = [_features(b, tau, j) for b, tau in zip(blocks, torques, strict=True)]
        x, y = (_thinned(np.vstack([part[k] for part in parts])) for k in (0, 1))
        if len(x) < 20 * x.shape[1]:
            continue
        explained[:, j], slopes, carried = _explain(x, y)
        loads[j] = np.sqrt(np.mean(x[:, 0] ** 2))
        if carried[j] > MIN_TORQUE_SHARE:
            gains[j] = slopes[j]
    return ChannelCheck(explained, gains, loads)


def _features(block: RunBlock, tau: Array, j: int) -> tuple[Array, Array]:
    used, m = block.used[:, j], block.motion
    speed, load = m.qd[used, j], tau[used, j]
    sign = np.sign(speed)
    columns = [load, m.qdd[used, j], speed, sign, sign * np.abs(load)]
    return np.column_stack(columns), block.signal[used]


def _thinned(rows: Array) -> Array:
    return np.asarray(rows[:: max(1, len(rows) // MAX_ROWS)])


def _explain(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return explained share, torque slope and the torque's own share for all channels (dof,)."""
    total = ((y - y.mean(axis=0)) ** 2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt((x**2).mean(axis=0))
        scale[scale == 0] = 1.0
        full, *_ = np.linalg.lstsq(x / scale, y, rcond=None)
        rest, *_ = np.linalg.lstsq(x[:, 1:4] / scale[1:4], y, rcond=None)
        left = ((y - x / scale @ full) ** 2).sum(axis=0)
        without = ((y - x[:, 1:4] / scale[1:4] @ rest) ** 2).sum(axis=0)
        share = np.where(total > 0, 1 - left / total, 0.0)
        carried = np.where(total > 0, (without - left) / total, 0.0)
    return np.clip(share, 0, 1), full[0] / scale[0], carried


def refuse_mixed_channels(check: ChannelCheck, kind: str, moving: Rows) -> None:
    """Raise InputError where another order of the channels explains them far better.

    Joints that hardly move are evidence for no order: their motion explains nothing, and the motion
    of others explains their channels by chance where all follow one rhythm.

    Args:
        check: how well each joint explains each channel.
        kind: signal that is checked: "current" or "tau".
        moving: True for joints that move long enough (dof,).
    """
    moved = [pair for cycle in _better_cycles(check.explained, moving) for pair in cycle]
    if not moved:
        return
    order = ", ".join(f"{kind}{c + 1} -> joint {j + 1}" for c, j in sorted(moved))
    now = float(np.mean([check.explained[c, c] for c, _ in moved]))
    then = float(np.mean([check.explained[c, j] for c, j in moved]))
    raise InputError(
        f"the columns {kind}1..{kind}{len(moving)} seem to be in another order than the joints: "
        f"with {order} the motion explains {100 * then:.0f} % of these columns, in the given order "
        f"{100 * now:.0f} %; correct the mapping of the columns"
    )


def _better_cycles(explained: Array, moving: Rows) -> list[list[tuple[int, int]]]:
    """Return exchanges of channels, as (channel, joint), that the data support in every channel.

    The assignment that explains most in total is taken apart into its cycles.
    """
    from scipy.optimize import linear_sum_assignment

    among = np.flatnonzero(moving)
    channels, joints = linear_sum_assignment(-explained[np.ix_(among, among)])
    new = {int(among[c]): int(among[j]) for c, j in zip(channels, joints, strict=True) if c != j}
    found = []
    while new:
        cycle = [new.popitem()]
        while cycle[-1][1] in new:
            cycle.append((cycle[-1][1], new.pop(cycle[-1][1])))
        now = np.array([explained[c, c] for c, _ in cycle])
        then = np.array([explained[c, j] for c, j in cycle])
        supported = np.all(1 - then <= MAX_REST * (1 - now))
        if supported and np.mean(then - now) >= MIN_IMPROVEMENT:
            found.append(cycle)
    return found


def refuse_wrong_sign(check: ChannelCheck, kind: str) -> None:
    """Raise InputError where a signal has the opposite sign of the torque of its joint."""
    against = [j + 1 for j, gain in enumerate(check.gains) if gain < 0]
    if against:
        names = ", ".join(f"{kind}{j}" for j in against)
        raise InputError(
            f"{names} points against the torque of its joint: the sign of the signal or of q is "
            "inverted; correct it in the mapping of the columns, or the joint's direction"
        )


def refuse_wrong_unit(check: ChannelCheck, kind: str, arm: Arm) -> None:
    """Raise InputError where the scale of a signal indicates another unit.

    The slope of a torque by the model torque is 1; that of a current is the inverse of gear ratio
    times torque constant. The joint with the largest torque decides: an unknown payload changes it
    least.

    Args:
        check: slopes of the recorded signal by the model torque, per joint.
        kind: signal that is checked: "current", "tau" or "target".
        arm: the arm, for gear ratios and torque constants.
    """
    known = np.flatnonzero(check.gains > 0)
    if not known.size:
        return
    strongest = known[np.argmax(check.loads[known])]
    expected = _expected_gain(arm) if kind == "current" else 1.0
    ratio = float(check.gains[strongest]) / expected
    if kind == "tau" and not 0.4 < ratio < 2.5:
        hint = _unit_hint(ratio, {1e3: "mNm", 1e-3: "kNm"}) or (
            "amperes: read it as current (mapping 'current-as-tau', or columns named current)"
        )
        raise InputError(
            f"tau is {ratio:.3g} times the torque of the file's masses: it looks like {hint}"
        )
    if kind == "current" and not 0.02 < ratio < 50:
        hint = _unit_hint(ratio, {1e3: "mA", 1e-3: "kA", 1e6: "uA"}) or "another unit"
        raise InputError(
            f"the currents are {ratio:.3g} times what {1 / expected:.3g} Nm/A at the joint "
            f"(gear times torque constant) would give: they look like {hint}; name the unit in the "
            "mapping of the columns"
        )


def _expected_gain(arm: Arm) -> float:
    """Return the median gain of the arm file [A/Nm], or a typical one where it has none."""
    gains = [
        1 / constant_at_joint
        for constant_at_joint in torque_per_ampere(arm).tolist()
        if np.isfinite(constant_at_joint)
    ]
    return float(np.median(gains)) if gains else TYPICAL_GAIN


def _unit_hint(ratio: float, units: dict[float, str]) -> str | None:
    near = [name for size, name in units.items() if 0.05 < ratio / size < 20]
    return near[0] if near else None
