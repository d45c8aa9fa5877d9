"""Moves of a ``.urp`` program and their waypoints, as URScript."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from armtwin.errors import InputError
from armtwin.robots.ur_controller.programs.urp_expressions import (
    References,
    check_parts,
    number,
    numbers,
    variable_name,
)

FUNCTIONS = {"MoveJ": "movej", "MoveL": "movel", "MoveP": "movep"}
BASE = ("Joint_0_name", "Base", None)
"""References to the base frame; waypoints in other features are known by the robot only."""


RATES = {
    "jointSpeed", "jointAcceleration", "cartesianSpeed", "cartesianAcceleration", "blendRadius",
}  # fmt: skip
"""Motion parameters of a waypoint that are read."""
PARTS = (
    "motionParameters", "position", "variable", "BaseToFeature", "poseInFeatureCoordinates",
    "outputFlangePose",
)  # fmt: skip
"""Parts of a waypoint; its pose is that of its joint positions."""


def move_lines(
    node: Element, references: References, other: Callable[[Element], Iterator[str]]
) -> Iterator[str]:
    """Yield the lines of a move.

    Args:
        node: the ``Move`` node.
        references: of the document.
        other: yields the lines of other nodes between the waypoints.
    """
    kind, children = node.get("motionType", ""), node.find("children")
    if kind not in FUNCTIONS:
        raise InputError(f"the motion {kind!r} cannot be read; there are {', '.join(FUNCTIONS)}")
    own_tcp = node.get("useActiveTCP") == "false"
    for child in children if children is not None else ():
        if child.tag != "Waypoint":
            yield from other(child)
            continue
        check_parts(child, PARTS)
        offset = child.find("position/TCPOffset")
        if own_tcp and offset is not None:
            yield f"set_tcp(p{numbers(offset.get('pose'), 6, 'the offset of the tool')})"
        target = _target(node, child, references)
        yield f"{FUNCTIONS[kind]}({target}, {_rates(node, child, kind)})"


def _target(move: Element, waypoint: Element, references: References) -> str:
    name, kind = waypoint.get("name", ""), waypoint.get("type", "Fixed")
    if kind == "Variable":
        feature = move.find("feature")
        if feature is not None and feature.get("referencedName") not in BASE:
            raise InputError(
                f"waypoint {name!r} is in the feature {feature.get('referencedName')!r}"
            )
        return variable_name(waypoint.find("variable"), references)
    if kind != "Fixed":
        raise InputError(f"waypoint {name!r} of type {kind!r} cannot be read")
    position = waypoint.find("position")
    if position is None:
        raise InputError(f"waypoint {name!r} has no position")
    angles = position.find("JointAngles")
    text = position.get("joints") if angles is None else angles.get("angles")
    # Every motion takes joint positions; they do not depend on a tool or a feature.
    return str(numbers(text, 6, f"waypoint {name!r}"))


def _rates(move: Element, waypoint: Element, kind: str) -> str:
    """Return acceleration, speed and blend radius: those of the waypoint, or of the move."""
    own = waypoint.find("motionParameters")
    given = {} if own is None else own.attrib
    other = sorted(given.keys() - RATES)
    if other:
        raise InputError(f"{other[0]!r} of waypoint {waypoint.get('name')!r} cannot be read")
    prefix = "joint" if kind == "MoveJ" else "cartesian"
    speed = given.get(f"{prefix}Speed", move.get("speed"))
    acceleration = given.get(f"{prefix}Acceleration", move.get("acceleration"))
    blend = given.get("blendRadius", move.get("blendRadius", "0"))
    values = (
        ("a", acceleration, "the acceleration"), ("v", speed, "the speed"),
        ("r", blend, "the blend radius"),
    )  # fmt: skip
    return ", ".join(f"{letter}={number(text, what)}" for letter, text, what in values)
