"""The model that a controller or observer has of the arm, which may differ from the plant."""

from __future__ import annotations

import dataclasses

import numpy as np

from armtwin.errors import InputError
from armtwin.model.arm import Arm, Joint, Link
from armtwin.model.catalogue.catalogue import ArmLike, as_arm, load
from armtwin.model.link import inertia_entries, rows
from armtwin.model.shapes import Bar, bars
from armtwin.spatial import Array

MODELS = ("exact", "datasheet", "cylinders")


def controller_model(arm: ArmLike, choice: str) -> Arm:
    """Return the model of a plant that ``choice`` names.

    Args:
        arm: the plant: the arm, its catalogue name or its file.
        choice: ``exact``, the plant itself; ``datasheet``, its links without rotors and friction;
            ``cylinders``, that with every link's inertia taken from a solid cylinder of its mass;
            or a catalogue name or file of another arm with as many joints.

    Raises:
        InputError: an arm whose joints do not match the plant's.
    """
    arm = as_arm(arm)
    if choice == "exact":
        return arm
    if choice == "datasheet":
        return without_drives(arm)
    if choice == "cylinders":
        return cylinders(without_drives(arm))
    model = load(choice)
    if [joint.kind for joint in model.driven] != [joint.kind for joint in arm.driven]:
        raise InputError(
            f"model {choice!r} has {model.dof} joints that do not match the {arm.dof} of arm "
            f"{arm.name!r}; choose {', '.join(MODELS)} or a file of the same structure"
        )
    return model


def without_drives(arm: Arm) -> Arm:
    """Return the arm without motors: neither rotor inertia nor friction."""
    bare = [dataclasses.replace(joint, drive=None) for joint in arm.joints]
    return arm.with_(joints=tuple(bare))


def cylinders(arm: Arm) -> Arm:
    r"""Return the arm with solid cylinders for inertias, about the given centres of mass.

    With the axis along the longest bar of the link, its length L and the link's radius r:

    .. math:: I_{along} = \tfrac12 m r^2, \qquad I_{across} = \tfrac1{12} m (3 r^2 + L^2)
    """
    arm.require_masses()
    shapes, chain = bars(arm)[1:], rows(arm)
    joints = [
        _as_cylinder(row.joint, max(shape, key=lambda bar: bar.length), row.after)
        for row, shape in zip(chain, shapes, strict=True)
    ]
    return arm.with_(joints=tuple(joints))


def _as_cylinder(joint: Joint, bar: Bar, after: Array) -> Joint:
    """Return the joint with its link's inertia replaced; ``after`` is the link's pose."""
    m, r, L = joint.link.mass, bar.radius, bar.length
    if m is None:
        return joint
    along, across = m * r**2 / 2, m * (3 * r**2 + L**2) / 12
    axis = after[:3, :3].T @ ((bar.end - bar.start) / L if L > 0 else np.array([0.0, 0.0, 1.0]))
    moments = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    link: Link = dataclasses.replace(joint.link, inertia=inertia_entries(moments))
    return dataclasses.replace(joint, link=link)
