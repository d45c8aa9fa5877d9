"""Names and shapes of the links between a base and a tip of a kinematic tree."""

from __future__ import annotations

import numpy as np

from armtwin.model.arm import Joint
from armtwin.model.formats.tree.kinematic_tree import (
    Bodies,
    Tree,
    TreeBody,
    path_to,
    pose_at_zero,
)
from armtwin.model.geometry import LinkShape, Mesh
from armtwin.spatial import inverse, screw_frame

MAX_NAMED = 12
"""Missing mesh files that a warning names."""


def link_names(moving: list[TreeBody], tip: str, base: str) -> tuple[str, ...]:
    """Return the names of the base, of every row's body and of the tip.

    A body's joints before its last move nothing of their own: they have the joint's name.

    Args:
        moving: the bodies that the chain moves.
        tip: body or frame that the chain ends in.
        base: body or frame that it starts from.
    """
    links = [
        body.name if joint is body.joints[-1] else joint.name
        for body in moving
        for joint in body.joints
    ]
    return (base, *links, tip)


def link_shapes(bodies: Bodies, moving: list[TreeBody], rows: list[Joint]) -> tuple[LinkShape, ...]:
    """Return the shapes of all bodies in the link frames of the rows that move them, at q = 0.

    Args:
        bodies: all bodies, in the base's frame.
        moving: the bodies that the chain moves.
        rows: the rows of the chain.
    """
    ends = np.cumsum([len(body.joints) for body in moving])
    numbers = {body.name: int(end) for body, end in zip(moving, ends, strict=True)}
    found = []
    for name, body in bodies.items():
        holders = [numbers[b.name] for b in path_to(bodies, name) if b.joints]
        row = holders[-1] if holders else 0
        frame = screw_frame(rows[row - 1].screw) if row else np.eye(4)
        place = inverse(frame) @ pose_at_zero(bodies, name)
        found += [shape.moved(place, row) for shape in body.shapes]
    return tuple(sorted(found, key=lambda shape: shape.link))


def missing_meshes(tree: Tree) -> str:
    """Return the warning that names the mesh files that were not found; empty for none."""
    shapes = [shape for body in tree.bodies.values() for shape in body.shapes]
    return missing_note(
        [s.solid.name for s in shapes if isinstance(s.solid, Mesh) and s.solid.missing]
    )


def missing_note(names: list[str]) -> str:
    """Return the warning that names mesh files that were not found."""
    if not names:
        return ""
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return (
        "mesh files that were not found, so that their shapes are not drawn: "
        f"{', '.join(names[:MAX_NAMED])}{more}; set ROS_PACKAGE_PATH to the folder that holds "
        "the package, or put the files where the arm file says"
    )
