"""Global settings of an MJCF file: default classes, angle unit, Euler sequence."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from armtwin.model.formats.xml import Node
from armtwin.spatial import Array, from_parts
from armtwin.units import factor

MAIN = "main"


@dataclass(frozen=True)
class MjcfSettings:
    """Angle unit [rad], Euler sequence, automatic limits, and attributes per class and tag."""

    angle: float
    sequence: str
    auto_limits: bool
    defaults: dict[str, dict[str, dict[str, str]]]

    def filled(self, node: Node, childclass: str) -> Node:
        """Return the node with the attributes it inherits from its default class."""
        name = node.attributes.get("class", childclass)
        if name not in self.defaults:
            known = ", ".join(self.defaults)
            raise node.fault(f"no default class {name!r}; there are {known}")
        inherited = self.defaults[name].get(node.tag, {})
        return dataclasses.replace(node, attributes={**inherited, **node.attributes})

    def pose(self, node: Node) -> Array:
        """Return the pose (4, 4) that ``pos`` and one of the orientation attributes give."""
        return from_parts(self._rotation(node), node.numbers("pos", 3, (0, 0, 0)))

    def _rotation(self, node: Node) -> Array:
        from scipy.spatial.transform import Rotation

        given = node.attributes
        if "quat" in given:
            w, x, y, z = _unit(node, "quat", node.numbers("quat", 4))
            return np.asarray(Rotation.from_quat([x, y, z, w]).as_matrix())
        if "euler" in given:
            angles = node.numbers("euler", 3) * self.angle
            return np.asarray(Rotation.from_euler(self.sequence, angles).as_matrix())
        if "axisangle" in given:
            values = node.numbers("axisangle", 4)
            axis = _unit(node, "axisangle", values[:3])
            return np.asarray(Rotation.from_rotvec(axis * values[3] * self.angle).as_matrix())
        if "xyaxes" in given:
            x, y = np.split(node.numbers("xyaxes", 6), 2)
            x = _unit(node, "xyaxes", x)
            y = _unit(node, "xyaxes", y - (x @ y) * x)
            return np.column_stack([x, y, np.cross(x, y)])
        if "zaxis" in given:
            return _shortest_turn(_unit(node, "zaxis", node.numbers("zaxis", 3)))
        return np.eye(3)


def _unit(node: Node, name: str, vector: Array) -> Array:
    size = float(np.linalg.norm(vector))
    if size < 1e-9:
        raise node.fault(f"{name}={node.text(name)!r} has no direction")
    return np.asarray(vector / size)


def _shortest_turn(z: Array) -> Array:
    """Return the rotation that takes the z axis to ``z`` about an axis perpendicular to both."""
    from scipy.spatial.transform import Rotation

    across = np.cross([0.0, 0.0, 1.0], z)
    sine = float(np.linalg.norm(across))
    axis = across / sine if sine > 1e-10 else np.array([1.0, 0.0, 0.0])
    return np.asarray(Rotation.from_rotvec(axis * np.arctan2(sine, z[2])).as_matrix())


def read_settings(root: Node) -> MjcfSettings:
    """Return the settings of a file.

    MuJoCo's defaults apply: degrees, Euler angles about the moving axes x, y, z, and limits enabled
    wherever a range is given.
    """
    given: dict[str, str] = {}
    for compiler in root.all("compiler"):
        given |= compiler.attributes
    sequence = given.get("eulerseq", "xyz")
    defaults: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
    for node in root.all("default"):
        _collect(node, node.attributes.get("class", MAIN), {}, defaults)
    return MjcfSettings(
        angle=1.0 if given.get("angle", "degree") == "radian" else factor("deg", "rad"),
        sequence=sequence.swapcase(),
        auto_limits=given.get("autolimits", "true") == "true",
        defaults=defaults,
    )


def _collect(
    node: Node,
    name: str,
    inherited: dict[str, dict[str, str]],
    defaults: dict[str, dict[str, dict[str, str]]],
) -> None:
    """Fill ``defaults`` with the attributes of a class and of the classes inside it."""
    own = {tag: dict(values) for tag, values in inherited.items()}
    for child in node.children:
        if child.tag != "default":
            own[child.tag] = {**own.get(child.tag, {}), **child.attributes}
    defaults[name] = own
    for child in node.all("default"):
        _collect(child, child.text("class"), own, defaults)
