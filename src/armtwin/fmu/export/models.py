"""The models that an arm can be exported as, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.dynamics import plant as plant_equations
from armtwin.errors import InputError
from armtwin.fmu.export.model import FmuModel, as_model
from armtwin.kinematics.inverse.structure.ur_structure import ur_form
from armtwin.model.arm import Arm
from armtwin.model.convert import with_dh_rows

if TYPE_CHECKING:
    from armtwin.equations.block import Block

LONGEST_STEP = 5e-4
"""Longest solver step of the plant [s]."""


@dataclass(frozen=True)
class ModelKind:
    """One-line summary of a model, and the function that builds its block."""

    summary: str
    build: Callable[[Arm], Block]


def _fk(arm: Arm) -> Block:
    from armtwin.equations.blocks.motion_blocks import fk

    return fk(arm)


def _ik(arm: Arm) -> Block:
    from armtwin.equations.blocks.motion_blocks import ik

    form = ur_form(arm)
    if form is None:
        raise InputError(
            f"arm {arm.name!r} does not have the UR structure (axes 2, 3, 4 parallel; 1-2, 4-5 and "
            "5-6 meeting at right angles), which the model 'ik' solves in closed form; other arms "
            "are solved by armtwin.ik"
        )
    names = ("dimensions", "signs", "constants", "base", "tool")
    return ik(arm, {name: getattr(form, name) for name in names})


def _inverse_dynamics(arm: Arm) -> Block:
    from armtwin.equations.blocks.torque_blocks import inverse_dynamics

    return inverse_dynamics(arm)


def _forward_dynamics(arm: Arm) -> Block:
    from armtwin.equations.blocks.plant_block import forward_dynamics

    return forward_dynamics(arm)


def _computed_torque(arm: Arm) -> Block:
    from armtwin.equations.blocks.torque_blocks import computed_torque

    return computed_torque(arm)


def _momentum_observer(arm: Arm) -> Block:
    from armtwin.equations.blocks.torque_blocks import momentum_observer

    return momentum_observer(arm)


MODELS = {
    "fk": ModelKind("joint positions to tool pose", _fk),
    "ik": ModelKind("tool pose and branch to joint positions (UR structure)", _ik),
    "inverse-dynamics": ModelKind(
        "motion to torques, friction, currents and power", _inverse_dynamics
    ),
    "forward-dynamics": ModelKind("torques to motion, with friction and states", _forward_dynamics),
    "computed-torque": ModelKind("state and reference to motor torques", _computed_torque),
    "momentum-observer": ModelKind(
        "motion and torques to external torques, alarm", _momentum_observer
    ),
}


def build_model(arm: Arm, name: str) -> FmuModel:
    """Return an arm's model ready for export.

    Raises:
        InputError: no model of that name, or one that this arm cannot have.
        MissingDataError: the arm lacks masses that the model needs.
    """
    if name not in MODELS:
        known = "; ".join(f"{key}: {kind.summary}" for key, kind in MODELS.items())
        raise InputError(f"no model {name!r}; there are {known}")
    if not isinstance(arm, Arm):
        raise InputError(f"expected an Arm, got {arm!r}; make one with armtwin.load('ur10e')")
    given = with_dh_rows(arm)
    return as_model(given, MODELS[name].build(given))


def explicit_step(arm: Arm) -> float:
    """Return a step [s] at which an explicit solver follows the arm's friction.

    It is at most 0.5 ms, and at most the inverse of the fastest decay that friction causes at
    standstill, found over random postures; two digits.
    """
    rng = np.random.default_rng(0)
    bounds = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    q = np.repeat(rng.uniform(*bounds, (20, arm.dof)), arm.dof, axis=0)
    tiny = 1e-9 * np.tile(np.eye(arm.dof), (20, 1))
    still = np.zeros_like(q)
    plant = kernel(arm, plant_equations.plant)
    slopes = (plant(q, tiny, still)[0] - plant(q, -tiny, still)[0]) / 2e-9
    rates = np.abs(np.linalg.eigvals(slopes.reshape(20, arm.dof, arm.dof)))
    step = min(LONGEST_STEP, 1.0 / max(float(rates.max()), 1e-9))
    digits = 1 - math.floor(math.log10(step))
    return math.floor(step * 10**digits) / 10**digits
