"""The shapes an arm is drawn with."""

from __future__ import annotations

import dataclasses
import warnings

from armtwin.errors import MissingDataError, ModelWarning
from armtwin.extras import EXTRAS, installed, message
from armtwin.model.appearance.descriptions import description_shapes
from armtwin.model.appearance.generated import generated_shapes
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.geometry import LinkShape, Mesh


def with_meshes(arm: ArmLike) -> Arm:
    """Return an arm of the catalogue with the meshes of an installed robot description.

    Descriptions are looked for in ``example-robot-data`` and ``rtb-data``, where they are
    installed. An arm that has shapes, or for which none are installed, is returned as it is.
    """
    arm = as_arm(arm)
    return arm if arm.shapes else arm.with_(shapes=description_shapes(arm))


def appearance(arm: Arm) -> tuple[LinkShape, ...]:
    """Return the visual shapes of an arm in its link frames.

    Its own shapes come first (collision shapes where it has no visual ones), then those of an
    installed description of a catalogue arm, then solids generated along the kinematic chain.
    Meshes whose file is missing are left out, and all of them where trimesh is not installed.

    Warns:
        ModelWarning: the arm has meshes, and trimesh is not installed.
    """
    readable = installed(*EXTRAS["meshes"])
    if not readable and any(isinstance(shape.solid, Mesh) for shape in arm.shapes):
        text = message("drawing the meshes of an arm", list(EXTRAS["meshes"]))
        warnings.warn(text, ModelWarning, stacklevel=2)
    for shapes in (arm.shapes, () if arm.shapes else description_shapes(arm)):
        there = [s for s in shapes if not isinstance(s.solid, Mesh) or _drawn(s.solid, readable)]
        chosen = [shape for shape in there if shape.use == "visual"] or there
        if chosen:
            return tuple(dataclasses.replace(shape, use="visual") for shape in chosen)
    return generated_shapes(arm)


def _drawn(mesh: Mesh, readable: bool) -> bool:
    return readable and not mesh.missing


def collision_shapes(arm: Arm) -> tuple[LinkShape, ...]:
    """Return the collision shapes of an arm, its own or those of an installed description.

    Raises:
        MissingDataError: there are none.
    """
    found = tuple(shape for shape in with_meshes(arm).shapes if shape.use == "collision")
    if not found:
        raise MissingDataError(
            f"arm {arm.name!r} has no collision shapes; load it from a URDF or MJCF file that has "
            "them, or simulate with capsules (hulls=False)"
        )
    return found
