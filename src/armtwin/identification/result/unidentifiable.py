"""Which numbers the data cannot tell, by name, and what motion would tell them."""

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
    """Return what motion or measurement would tell a parameter."""
    match = re.fullmatch(r"([a-zA-Z_]+?)(\d*)", name)
    kind, joint = match.groups() if match else (name, "")
    about_joint = {
        "torque_constant": f"carry a known payload held off the axis of joint {joint}, or record "
        "the controller's target torque",
        "J": f"reverse joint {joint} quickly and often",
        "offset": f"move joint {joint} both ways in the same poses",
        "viscous": f"move joint {joint} at several speeds, up to its limit",
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


LEAST_MOVING = 2.0
"""Seconds that a joint must move before its drive is told."""

SCALE = "scale of all masses and torque constants"


@dataclass(frozen=True)
class Gap:
    """A number or combination that the data do not tell, and what would help.

    Attributes:
        name: the parameter, or what they are together.
        text: the finding as a sentence.
        advice: what motion or measurement would tell it; "" where none can.
        exact: True where no motion can tell it.
    """

    name: str
    text: str
    advice: str
    exact: bool

    def __str__(self) -> str:
        """Return finding and advice."""
        return f"{self.text}; {self.advice}" if self.advice else self.text


def gaps(
    layout: ParameterLayout, found: Posterior, base: BaseParameters, moving: Array, kind: str
) -> tuple[tuple[Gap, ...], float]:
    """Return what the data do not tell, and the condition number of the rest.

    Args:
        layout: of the vector.
        found: the estimate.
        base: the arm's base parameters; links and rotors are judged by them.
        moving: seconds that each joint moves (dof,).
        kind: the motors' signal.
    """
    told = _still(moving) + _scale(layout, found, kind)
    rows = _judged(layout, found, base)
    if not rows:
        return tuple(told), 1.0
    places = np.array([row.place for row in rows], dtype=np.intp)
    names, weights = [row.name for row in rows], np.stack([row.weights for row in rows])
    J = _root(found.information)[:, np.searchsorted(found.belief.free, places)]
    spread = 1 / np.sqrt(np.diag(found.belief.precision))
    doubt = np.sqrt(weights**2 @ spread**2)
    result = analyse(J, names, doubt, range(len(names)))
    listed = [_gap(held, found) for held in result.held]
    return (*told, *listed, *_structural(layout, found, base)), result.condition


def undecided(estimates: Sequence[Estimate]) -> list[Gap]:
    """Return the torque constants and rotor inertias that the data leave where the prior was."""
    rows = [e for e in estimates if e.source == "prior" and e.joint]
    return [
        Gap(e.name, f"{e.name} is hardly told: {e.low:.3g} to {e.high:.3g} {e.unit}",
            advice(e.name.replace("rotor_inertia", "J")), False)
        for e in rows
    ]  # fmt: skip


def _still(moving: Array) -> list[Gap]:
    return [
        Gap(f"joint {j + 1}", f"joint {j + 1} moves for {seconds:.1f} s only, too little for its "
            "friction and torque constant", f"move joint {j + 1} to and fro at several speeds "
            "for 10 s or more", False)
        for j, seconds in enumerate(moving) if seconds < LEAST_MOVING
    ]  # fmt: skip


def _scale(layout: ParameterLayout, found: Posterior, kind: str) -> list[Gap]:
    """Name the common scale where only currents and no torque were known.

    Links and rotors times s, gains divided by s: every current stays the same.
    """
    gains = np.arange(layout.size)[layout.gains]
    if kind != "current" or not np.isin(gains, found.belief.free).all():
        return []
    change = np.zeros(layout.size)
    change[: layout.rotors.stop] = found.vector[: layout.rotors.stop]
    change[gains] = -1.0
    free = found.belief.free
    if not np.isin(np.flatnonzero(change), free).all():
        return []
    before = change[free] @ found.belief.precision[np.ix_(free, free)] @ change[free]
    spread = float(1 / np.sqrt(before)) if before > 0 else 1.0
    if spread < 0.002:
        return []
    text = (
        "currents tell the ratios of masses and torque constants, not their common scale, which "
        f"is taken from the file's masses (to {100 * 1.96 * spread:.0f} %)"
    )
    advice = "record target torques (RTDE target_moment), or identify with a known payload"
    return [Gap(SCALE, text, advice, True)]


@dataclass(frozen=True)
class _Judged:
    """A number that is judged: its place, its name, and the entries (size,) it is made of."""

    place: int
    name: str
    weights: Array


def _judged(layout: ParameterLayout, found: Posterior, base: BaseParameters) -> list[_Judged]:
    """Return what is judged: numbers of the drives, then base parameters.

    A base parameter stands at the place of its first term, which carries the whole effect.
    """
    free = set(found.belief.free.tolist())
    everything = np.eye(layout.size)
    first, last = layout.friction[0].start, layout.offsets.stop
    drives = [k for k in (*range(first, last), *range(layout.size)[layout.gains]) if k in free]
    rows = [_Judged(k, _public(layout.names[k]), everything[k]) for k in drives]
    count = base.matrix.shape[1]
    for name, row, place in zip(base.names, base.matrix, base.places, strict=True):
        if place in free:
            weights = np.zeros(layout.size)
            weights[:count] = row
            weights[[k for k in range(count) if k not in free]] = 0.0
            rows.append(_Judged(place, name, weights))
    return rows


def _structural(layout: ParameterLayout, found: Posterior, base: BaseParameters) -> list[Gap]:
    """Name what no motion tells: parameters without effect, and sums that only act together."""
    free = {layout.names[k] for k in found.belief.free}
    silent = [name for name in base.without_effect if name in free]
    listed = []
    if silent:
        names = ", ".join(silent)
        listed.append(Gap(names, f"no torque of the joints depends on {names}", "", True))
    for name, row in zip(base.names, base.matrix, strict=True):
        terms = [layout.names[k] for k in np.flatnonzero(row)]
        if sum(term in free for term in terms) > 1:
            listed.append(
                Gap(name, f"{name} act only as this sum, each alone is not told", "", True)
            )
    return listed


def _root(information: Array) -> Array:
    """Return R with ``R^T R = information``."""
    scale = np.sqrt(np.maximum(np.diag(information), 1e-300))
    sizes, axes = np.linalg.eigh(information / scale / scale[:, None])
    return np.asarray((axes * np.sqrt(np.clip(sizes, 0, None))).T * scale)


def _public(name: str) -> str:
    return re.sub(r"^log_gain", "torque_constant", name)


def _gap(held: Unidentifiable, found: Posterior) -> Gap:
    own = held.name.split(" ")[0]
    like = ", ".join(name.split(" ")[0] for name, _ in held.like[:3])
    how = f" (alike: {like})" if like else ""
    text = f"{held.name} is not told by this motion{how}; it stays near the file's value"
    return Gap(held.name, text, advice(own), False)


def moving_seconds(blocks: list[RunBlock], dof: int) -> Array:
    """Return how long each joint moves (dof,) [s]."""
    total = np.zeros(dof)
    for block in blocks:
        total += block.used.sum(axis=0) / block.rate
    return total
