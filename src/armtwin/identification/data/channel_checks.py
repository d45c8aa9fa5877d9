r"""A first look at the motors' signals: which joint each belongs to, its sign, its unit, its gain.

Every channel c is explained by every joint j through the file's own masses,

.. math:: y_c \approx a \tau_j + b \ddot q_j + c \dot q_j
          + (d + e |\tau_j|)\, \mathrm{sign}(\dot q_j)

and the shares of variance that this explains tell channels that were mixed up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.data.runs import RunBlock
from armtwin.model.arm import Arm
from armtwin.model.drive import torque_per_ampere
from armtwin.spatial import Array

MOST_ROWS = 20000
CARRIES = 0.3
"""Share of a signal's variance that gravity must explain before its gain is believed."""

TYPICAL_GAIN = 0.1
"""Gain of a geared arm that nothing is known about [A/Nm]."""

TRADE = 0.15
"""How much more the best order must explain than the given one, per joint moved."""


@dataclass(frozen=True)
class FirstLook:
    """What the signals look like before anything is fitted.

    Attributes:
        explained: share of channel c's variance that joint j explains (channels, joints).
        gains: slope of channel j by the file's torque of joint j (dof,); NaN where unknown.
        loads: size of that torque (dof,) [Nm].
    """

    explained: Array
    gains: Array
    loads: Array


def first_look(blocks: Sequence[RunBlock], torques: Sequence[Array]) -> FirstLook:
    """Return which joint explains which channel.

    Args:
        blocks: the motors' signals.
        torques: of the file's links and rotors under each block's motion, (n, dof).
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
        if carried[j] > CARRIES:
            gains[j] = slopes[j]
    return FirstLook(explained, gains, loads)


def _features(block: RunBlock, tau: Array, j: int) -> tuple[Array, Array]:
    used, m = block.used[:, j], block.motion
    speed, load = m.qd[used, j], tau[used, j]
    sign = np.sign(speed)
    columns = [load, m.qdd[used, j], speed, sign, sign * np.abs(load)]
    return np.column_stack(columns), block.signal[used]


def _thinned(rows: Array) -> Array:
    return np.asarray(rows[:: max(1, len(rows) // MOST_ROWS)])


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


def refuse_mixed_channels(look: FirstLook, kind: str) -> None:
    """Raise InputError where another order of the channels explains them far better.

    The order is that which explains most in all; it is suggested where every joint that would
    move gains, and the whole gains clearly.
    """
    from scipy.optimize import linear_sum_assignment

    channels, joints = linear_sum_assignment(-look.explained)
    moved = channels != joints
    gain = look.explained[channels, joints].sum() - np.trace(look.explained)
    if not moved.any() or gain < TRADE * moved.sum():
        return
    pairs = zip(channels, joints, strict=True)
    order = ", ".join(f"{kind}{c + 1} -> joint {j + 1}" for c, j in pairs if c != j)
    now = float(np.trace(look.explained)) / len(joints)
    then = float(look.explained[channels, joints].mean())
    raise InputError(
        f"the columns {kind}1..{kind}{len(joints)} seem to be in another order than the joints: "
        f"with {order} the motion explains {100 * then:.0f} % of them, as they stand "
        f"{100 * now:.0f} %; correct the mapping of the columns"
    )


def refuse_wrong_sign(look: FirstLook, kind: str) -> None:
    """Raise InputError where a signal pulls against the torque that carries its joint."""
    against = [j + 1 for j, gain in enumerate(look.gains) if gain < 0]
    if against:
        names = ", ".join(f"{kind}{j}" for j in against)
        raise InputError(
            f"{names} points against the torque of its joint: the sign of the signal or of q is "
            "turned round; correct it in the mapping of the columns, or the joint's direction"
        )


def refuse_wrong_unit(look: FirstLook, kind: str, arm: Arm) -> None:
    """Raise InputError where a signal's size belongs to another unit.

    The slope of a torque by the file's torque is 1; that of a current is the inverse of gear
    ratio times torque constant. The joint with the largest torque decides: a payload that the
    file does not know changes it least.
    """
    known = np.flatnonzero(look.gains > 0)
    if not known.size:
        return
    strongest = known[np.argmax(look.loads[known])]
    expected = _expected_gain(arm) if kind == "current" else 1.0
    ratio = float(look.gains[strongest]) / expected
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
    """Return the file's median gain [A/Nm], or a typical one where it knows none."""
    gains = 1 / torque_per_ampere(arm)
    known = gains[np.isfinite(gains)]
    return float(np.median(known)) if len(known) else TYPICAL_GAIN


def _unit_hint(ratio: float, units: dict[float, str]) -> str | None:
    near = [name for size, name in units.items() if 0.05 < ratio / size < 20]
    return near[0] if near else None
