"""Equality constraints of an MJCF file: which joints follow others."""

from __future__ import annotations

import numpy as np

from armtwin.model.formats.tree.kinematic_tree import Coupling
from armtwin.model.formats.xml import Node
from armtwin.spatial import Array


def constraints(root: Node) -> list[Node]:
    """Return the active equality constraints."""
    parts = [node for equality in root.all("equality") for node in equality.children]
    return [node for node in parts if node.attributes.get("active", "true") == "true"]


def couplings(root: Node) -> dict[str, Coupling]:
    """Return the joints that an equality constraint couples to another joint, or holds."""
    joints = [node for node in constraints(root) if node.tag == "joint"]
    return {
        node.text("joint1"): Coupling(
            node.attributes.get("joint2"), tuple(_polynomial(node).tolist())
        )
        for node in joints
    }


def _polynomial(node: Node) -> Array:
    """Return the coefficients of a coupling; MuJoCo fills up the missing ones from 0 1 0 0 0."""
    given = node.numbers("polycoef", len(node.attributes.get("polycoef", "").split()), ())
    return np.concatenate([given, [0.0, 1.0, 0.0, 0.0, 0.0][len(given) :]])
