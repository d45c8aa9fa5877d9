"""Conversion between conventions: equal tool pose and dynamics for equal ``q``."""

from __future__ import annotations

import dataclasses
import warnings
from typing import get_args

import numpy as np

from armtwin.errors import InputError, ModelWarning
from armtwin.model.arm import Arm, Convention, Joint, as_matrix
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.common_normals import modified_from_axes
from armtwin.model.link import expressed_in, frames_at_zero, twist, without_noise
from armtwin.spatial import Array, inverse

SAME = 1e-11
"""Difference of axes and tool [m, rad] up to which a conversion counts as exact."""


def convert(arm: ArmLike, convention: Convention) -> Arm:
    """Return the arm in another convention.

    Joint variables, directions, offsets, limits and drives do not change; ``base``, ``tool`` and
    ``home`` take the parts that rows cannot express, and each link's mass, centre of mass and
    inertia are transformed to its new frame. An arm already in that convention is returned itself.

    Args:
        arm: the arm, its catalogue name or its file.
        convention: ``"standard-dh"``, ``"modified-dh"`` or ``"screws"``.

    Warns:
        ModelWarning: axes so nearly parallel that DH rows lose more than 1e-11.
    """
    arm = as_arm(arm)
    _check(convention)
    if arm.convention == convention:
        return arm
    if convention == "screws":
        new = _to_screws(arm)
    elif arm.convention == "screws":
        new = modified_from_axes(arm)
        new = new if convention == "modified-dh" else _to_standard(new)
    else:
        new = _to_modified(arm) if convention == "modified-dh" else _to_standard(arm)
    _warn_where_not_the_same(arm, new)
    return _with_links_of(arm, new)


def with_dh_rows(arm: Arm, convention: Convention = "standard-dh") -> Arm:
    """Return an arm with DH rows: itself where it has some, else converted from its screws."""
    return convert(arm, convention) if arm.convention == "screws" else arm


def _check(convention: str) -> None:
    if convention not in get_args(Convention):
        known = ", ".join(get_args(Convention))
        raise InputError(f"no convention {convention!r}; there are {known}")


def _to_modified(arm: Arm) -> Arm:
    """Move each row's ``Tx(a) Rx(alpha)`` in front of the next row's motion; the last to the tool.

    ``Rx`` and ``Tx`` of one axis commute, so ``a`` and ``alpha`` stay the same.
    """
    shifts = [(0.0, 0.0), *[(joint.a, joint.alpha) for joint in arm.joints]]
    tool = twist(*shifts[-1]) @ np.array(arm.tool)
    return arm.with_(convention="modified-dh", joints=_shifted(arm, shifts[:-1]), tool=tool)


def _to_standard(arm: Arm) -> Arm:
    """Move each row's ``Rx(alpha) Tx(a)`` behind the motion before; the first to the base."""
    shifts = [*[(joint.a, joint.alpha) for joint in arm.joints], (0.0, 0.0)]
    base = np.array(arm.base) @ twist(*shifts[0])
    return arm.with_(convention="standard-dh", joints=_shifted(arm, shifts[1:]), base=base)


def _shifted(arm: Arm, shifts: list[tuple[float, float]]) -> tuple[Joint, ...]:
    pairs = zip(arm.joints, shifts, strict=True)
    return tuple(dataclasses.replace(joint, a=a, alpha=alpha) for joint, (a, alpha) in pairs)


def _to_screws(arm: Arm) -> Arm:
    """Take each axis in frame 0 at ``s = 0``, and ``home`` from the last link."""
    in_base, frame_0 = frames_at_zero(arm), inverse(np.array(arm.base))
    joints = tuple(
        dataclasses.replace(
            joint, a=0.0, alpha=0.0, d=0.0, theta=0.0, screw=screw_along(joint, frame_0 @ at)
        )
        for joint, at in zip(arm.joints, in_base.joints, strict=True)
    )
    home = as_matrix(without_noise(frame_0 @ in_base.links[-1]))
    return arm.with_(convention="screws", joints=joints, home=home)


def screw_along(joint: Joint, at: Array) -> tuple[float, ...]:
    """Return the screw of a joint whose frame is at ``at``: ``(z, p x z)`` or ``(0, z)``."""
    z, p = at[:3, 2], at[:3, 3]
    if joint.kind == "prismatic":
        return (0.0, 0.0, 0.0, *without_noise(z).tolist())
    return tuple(without_noise(np.concatenate([z, np.cross(p, z)])).tolist())


def _with_links_of(old: Arm, new: Arm) -> Arm:
    """Return the new arm with each link and shape expressed in its new link frame."""
    frames = zip(frames_at_zero(old).links, frames_at_zero(new).links, strict=True)
    moves = [inverse(there) @ here for here, there in frames]
    joints = tuple(
        dataclasses.replace(joint, link=expressed_in(joint.link, move))
        for joint, move in zip(new.joints, moves, strict=True)
    )
    moves.insert(0, inverse(np.array(new.base)) @ np.array(old.base))
    shapes = tuple(shape.moved(moves[shape.link]) for shape in new.shapes)
    sources = {**dict(new.sources), "convention": f"converted from {old.convention} by armtwin"}
    return new.with_(joints=joints, shapes=shapes, sources=tuple(sources.items()))


def _warn_where_not_the_same(old: Arm, new: Arm) -> None:
    """Warn where an axis (as a line) or the tool differs at ``s = 0``."""
    before, after = frames_at_zero(old), frames_at_zero(new)
    differences = {"the tool": float(np.abs(before.tool - after.tool).max())}
    for joint, A, B in zip(old.joints, before.joints, after.joints, strict=True):
        aside = np.cross(A[:3, 3] - B[:3, 3], A[:3, 2]) if joint.kind == "revolute" else 0.0
        turned = A[:3, 2] - B[:3, 2] if joint.kind != "fixed" else 0.0
        differences[joint.name] = float(max(np.abs(aside).max(), np.abs(turned).max()))
    worst = max(differences, key=lambda name: differences[name])
    if differences[worst] > SAME:
        message = (
            f"arm {old.name!r} in {new.convention}: {worst} is off by {differences[worst]:.2g} "
            "(m or rad): two consecutive axes are almost but not quite parallel, where DH rows "
            "lose digits; keep the arm as screws"
        )
        warnings.warn(message, ModelWarning, stacklevel=3)
