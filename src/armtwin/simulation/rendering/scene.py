"""Scene of a picture besides the arm: floor, light and marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Scene:
    """Scene of a picture besides the arm: a floor, and marks at points (n, 3) [m]."""

    marks: Array | None = None


def add_scene(mujoco: Any, spec: Any, scene: Scene) -> None:
    """Add a pale floor, light and marks; nothing of it collides.

    Args:
        mujoco: the module.
        spec: the model to add to.
        scene: what to add.
    """
    spec.visual.headlight.ambient = [0.4] * 3
    spec.visual.headlight.diffuse = [0.3] * 3
    for light in spec.lights:
        light.diffuse = [0.5] * 3
    spec.visual.map.shadowclip = 0.6
    plain = {"contype": 0, "conaffinity": 0}
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=[3, 3, 0.1], rgba=[0.7, 0.72, 0.74, 1], **plain
    )
    sky = spec.add_texture(
        name="sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT, width=64, height=384,
    )  # fmt: skip
    sky.rgb1, sky.rgb2 = [0.93, 0.95, 0.97], [0.75, 0.8, 0.87]
    for point in () if scene.marks is None else scene.marks:
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE, pos=point, size=[0.006, 0, 0],
            rgba=[0.84, 0.37, 0.0, 1], **plain,
        )  # fmt: skip
