"""Parameters that the data do not identify, and what motion would identify them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.calibration.fit.identifiability import Unidentifiable, analyse
from armtwin.identification.data.runs import RunBlock
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.parameters.base_parameters import BaseParameters
from armtwin.identification.parameters.vector import ParameterLayout
from armtwin.identification.result.estimates import Estimate
from armtwin.spatial import Array


def advice(name: str) -> str:
    """Return what motion or measurement would identify a parameter."""
    match = re.fullmatch(r"([a-zA-Z_]+?)(\d*)", name)
    kind, joint = match.groups() if match else (name, "")
    about_joint = {
        "torque_constant": f"carry a known payload held off the axis of joint {joint}, or record "
        "the controller's target torque",
        "J": f"reverse joint {joint} quickly and often",
        "offset": f"move joint {joint} both ways in the same poses",
        "viscous": f"move joint {joint} at several speeds, up to its limit",
        "rise_speed": f"move joint {joint} at several speeds, slow ones among them",
        "stribeck_speed": f"move joint {joint} at several slow speeds, just above rest",
        "rise": f"move joint {joint} at several speeds, slow ones among them",
        "load": f"move joint {joint} under different loads (poses, payload)",
        "static": f"move joint {joint} slowly, just above rest",
    }
    if kind in about_joint:
        return about_joint[kind]
    if kind.startswith("coulomb"):
        return f"move joint {joint} both ways, with and against its load"
    if kind.startswith("I"):
        return f"turn the joints that carry link {joint} faster and about several axes"
    if kind.startswith(("m", "h")):
        return f"take poses in which gravity acts on link {joint} in several directions"
    return "move more joints at once, faster and further"


MIN_MOVING = 2.0
"""Seconds of motion that the drive of a joint needs."""

SCALE = "scale of all masses and torque constants"


@dataclass(frozen=True)
class Unidentified:
    """A parameter or combination that the data do not identify, and what would help.

    Attributes:
        name: the parameter, or a name of the combination.
        text: the finding as a sentence.
        advice: what motion or measurement would identify it; "" where none can.
        exact: True where no motion can identify it.
    """

    name: str
    text: str
    advice: str
    exact: bool

    def __str__(self) -> str:
        """Return finding and advice."""
        return f"{self.text}; {self.advice}" if self.advice else self.text


def unidentified(
    layout: ParameterLayout, posterior: Posterior, base: BaseParameters, moving: Array, kind: str
) -> tuple[tuple[Unidentified, ...], float]:
    """Return the unidentified parameters, and the condition number of the rest.

    Args:
        layout: layout of the vector.
        posterior: the estimate.
        base: the arm's base parameters, by which links and rotors are judged.
        moving: seconds that each joint moves (dof,).
        kind: the fitted signal.
    """
    known = _at_rest(moving) + _scale(layout, posterior, kind)
    rows = _judged(layout, posterior, base)
    if not rows:
        return tuple(known), 1.0
    indices = np.array([row.index for row in rows], dtype=np.intp)
    names, weights = [row.name for row in rows], np.stack([row.weights for row in rows])
    J = _root(posterior.information)[:, np.searchsorted(posterior.prior.free, indices)]
    spread = 1 / np.sqrt(np.diag(posterior.prior.precision))
    tolerances = np.sqrt(weights**2 @ spread**2)
    result = analyse(J, names, tolerances, range(len(names)))
    listed = [_from_analysis(held) for held in result.held]
    return (*known, *listed, *_structural(layout, posterior, base)), result.condition


def undecided(estimates: Sequence[Estimate]) -> list[Unidentified]:
    """Return the estimates that the data hardly improve over the prior."""
    rows = [e for e in estimates if e.source in ("prior", "open") and e.joint]
    return [
        Unidentified(e.name, f"{e.name} is hardly determined: {e.low:.3g} to {e.high:.3g} {e.unit}",
            advice(e.name.replace("rotor_inertia", "J")), False)
        for e in rows
    ]  # fmt: skip


def _at_rest(moving: Array) -> list[Unidentified]:
    found = []
    for j, seconds in enumerate(moving, 1):
        if seconds < MIN_MOVING:
            text = f"joint {j} moves for {seconds:.1f} s only, too little for friction and gain"
            advice = f"move joint {j} to and fro at several speeds for 10 s or more"
            found.append(Unidentified(f"joint {j}", text, advice, False))
    return found


def _scale(layout: ParameterLayout, posterior: Posterior, kind: str) -> list[Unidentified]:
    """Return the common scale of masses and torque constants where only currents are known.

    Links and rotors times s, gains divided by s: every current stays the same.
    """
    gains = np.arange(layout.size)[layout.gains]
    if kind != "current" or not np.isin(gains, posterior.prior.free).all():
        return []
    change = np.zeros(layout.size)
    change[: layout.rotors.stop] = posterior.vector[: layout.rotors.stop]
    change[gains] = -1.0
    free = posterior.prior.free
    if not np.isin(np.flatnonzero(change), free).all():
        return []
    before = change[free] @ posterior.prior.precision[np.ix_(free, free)] @ change[free]
    spread = float(1 / np.sqrt(before)) if before > 0 else 1.0
    if spread < 0.002:
        return []
    text = (
        "currents determine the ratios of masses and torque constants, not their common scale, "
        f"which is taken from the masses of the arm file (to {100 * 1.96 * spread:.0f} %)"
    )
    advice = "record target torques (RTDE target_moment), or identify with a known payload"
    return [Unidentified(SCALE, text, advice, True)]


@dataclass(frozen=True)
class _JudgedParameter:
    """A judged parameter: its index, its name, and its weights on the entries (size,)."""

    index: int
    name: str
    weights: Array


def _judged(
    layout: ParameterLayout, posterior: Posterior, base: BaseParameters
) -> list[_JudgedParameter]:
    """Return the judged parameters: those of the drives, then base parameters.

    A base parameter has the index of its first term, which carries the whole effect.
    """
    free = set(posterior.prior.free.tolist())
    everything = np.eye(layout.size)
    first, last = layout.friction[0].start, layout.offsets.stop
    drives = [k for k in (*range(first, last), *range(layout.size)[layout.gains]) if k in free]
    rows = [_JudgedParameter(k, _public(layout.names[k]), everything[k]) for k in drives]
    count = base.matrix.shape[1]
    for name, row, index in zip(base.names, base.matrix, base.indices, strict=True):
        if index in free:
            weights = np.zeros(layout.size)
            weights[:count] = row
            weights[[k for k in range(count) if k not in free]] = 0.0
            rows.append(_JudgedParameter(index, name, weights))
    return rows


def _structural(
    layout: ParameterLayout, posterior: Posterior, base: BaseParameters
) -> list[Unidentified]:
    """Return what no motion identifies: parameters without effect, and sums."""
    free = {layout.names[k] for k in posterior.prior.free}
    silent = [name for name in base.without_effect if name in free]
    listed = []
    if silent:
        names = ", ".join(silent)
        listed.append(Unidentified(names, f"no torque of the joints depends on {names}", "", True))
    for name, row in zip(base.names, base.matrix, strict=True):
        terms = [layout.names[k] for k in np.flatnonzero(row)]
        if sum(term in free for term in terms) > 1:
            listed.append(
                Unidentified(
                    name, f"{name} act only as this sum; the terms are not identifiable", "", True
                )
            )
    return listed


def _root(information: Array) -> Array:
    """Return R with ``R^T R = information``."""
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    sizes, axes = np.linalg.eigh(information / scale / scale[:, None])
    return np.asarray((axes * np.sqrt(np.clip(sizes, 0, None))).T * scale)


def _public(name: str) -> str:
    return re.sub(r"^log_gain", "torque_constant", name)


def _from_analysis(held: Unidentifiable) -> Unidentified:
    own = held.name.split(" ")[0]
    like = ", ".join(name.split(" ")[0] for name, _ in held.like[:3])
    how = f" (correlated with {like})" if like else ""
    text = f"{held.name} is not identified by this motion{how}; it stays near its prior"
    return Unidentified(held.name, text, advice(own), False)


def moving_seconds(blocks: list[RunBlock], dof: int) -> Array:
    """Return the time that each joint moves (dof,) [s]."""
    total = np.zeros(dof)
    for block in blocks:
        total += block.used.sum(axis=0) / block.rate
    return total
