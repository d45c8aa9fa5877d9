"""Harmonics of joint angles, the linear terms of joint error curves, and joints with curves."""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.calibration.fit.geometry_parameters import GeometryParameter
from armtwin.model.arm import Arm, Joint
from armtwin.model.error_curve import ErrorCurve
from armtwin.spatial import Array


def harmonics(q: Array, terms: int) -> Array:
    """Return ``cos q ... cos K q, sin q ... sin K q`` of angles (...), shape (..., 2 K)."""
    turns = q[..., None] * np.arange(1.0, terms + 1)
    return np.concatenate([np.cos(turns), np.sin(turns)], axis=-1)


def deflections(load: Array, waves: Array, compliances: Array, curves: Array) -> Array:
    """Return what curves and compliances add to the joints, (poses, n, dof): ``e(q) - c g(q)``.

    All arrays are of NumPy, or all of CuPy.

    Args:
        load: gravity torques (poses, dof) [Nm].
        waves: ``harmonics`` of the joints (poses, dof, 2 K).
        compliances: (n, dof) [rad/Nm].
        curves: coefficients (n, dof, 2 K) [rad].
    """
    found = -compliances * load[:, None]
    if curves.shape[2]:
        for joint in range(load.shape[1]):
            found[:, :, joint] += waves[:, joint] @ curves[:, joint].T
    return found


def coefficients(arm: Arm, terms: int = 0) -> Array:
    """Return the coefficients (dof, 2 K) of an arm's curves; K is ``terms`` at least."""
    curves = [joint.error_curve for joint in arm.driven]
    count = max([terms, *[curve.terms for curve in curves if curve is not None]])
    found = np.zeros((arm.dof, 2, count))
    for row, curve in zip(found, curves, strict=True):
        if curve is not None:
            row[:, : curve.terms] = curve.cosine, curve.sine
    return found.reshape(arm.dof, 2 * count)


def curve_parameters(nominal: Array) -> list[GeometryParameter]:
    """Return coefficients (dof, 2 K) as parameters, joint by joint."""
    orders = range(1, nominal.shape[1] // 2 + 1)
    waves = [f"{wave}{k}" for wave in ("cos", "sin") for k in orders]
    return [
        GeometryParameter(f"curve{joint + 1}_{wave}", "rad", float(value), "curves", joint)
        for joint, values in enumerate(nominal)
        for wave, value in zip(waves, values, strict=True)
    ]


def error_curve(values: Array, old: ErrorCurve | None) -> ErrorCurve | None:
    """Return the curve with coefficients (2 K,), None where all are zero; ranges as in ``old``."""
    if not values.any():
        return None
    cosine, sine = np.split(values, 2)
    visited = () if old is None else old.visited
    return ErrorCurve(tuple(cosine.tolist()), tuple(sine.tolist()), visited)


def changed_joints(
    joints: tuple[Joint, ...], values: Array, compliances: Array, curves: Array
) -> tuple[Joint, ...]:
    """Return joints with other numbers.

    Args:
        joints: rows of the chain.
        values: a, alpha, d and theta of every row (4 rows,).
        compliances: what is added to the compliance of every driven joint (dof,) [rad/Nm].
        curves: coefficients of their error curves (dof, 2 K) [rad].
    """
    left, changed = iter(zip(compliances.tolist(), curves, strict=True)), []
    for joint, (a, alpha, d, theta) in zip(joints, values.reshape(-1, 4).tolist(), strict=True):
        new = dataclasses.replace(joint, a=a, alpha=alpha, d=d, theta=theta)
        if joint.kind != "fixed":
            bend, curve = next(left)
            new = dataclasses.replace(
                new,
                compliance=joint.compliance + bend,
                error_curve=error_curve(curve, joint.error_curve),
            )
        changed.append(new)
    return tuple(changed)
