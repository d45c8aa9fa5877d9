"""Shapes."""

from armtwin.model.arm import Arm
from armtwin.model.geometry import LinkShape, CapsuleSolid, Sphere, Material
from armtwin.model.matrix import as_matrix
from armtwin.model.shapes import bars
from armtwin.model.link import rows
from armtwin.spatial import from_parts, inverse
import numpy as np


def generated_shapes(arm: Arm) -> tuple[LinkShape, ...]:
    """TODO."""
    found = []
    frames = [inverse(np.array(arm.base)), *[inverse(r.after) for r in rows(arm)]]
    for n, (parts, T) in enumerate(zip(bars(arm), frames)):
        for b in parts:
            if b.length > 0:
                found.append(
                    LinkShape(
                        n,
                        CapsuleSolid(b.radius, b.length),
                        as_matrix(T @ b.middle),
                        name=f"armtwin_{len(found)}",
                    )
                )
            else:
                found.append(
                    LinkShape(
                        n,
                        Sphere(b.radius),
                        as_matrix(T @ from_parts(np.eye(3), b.start)),
                        name=f"armtwin_{len(found)}",
                    )
                )
    return tuple(found)
