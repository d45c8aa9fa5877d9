"""Installed robot descriptions whose meshes fit arms of the catalogue.

Nothing is bundled: meshes are read from packages that the user has installed. The licences are
those that the packages state for each robot.
"""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from pathlib import Path

from armtwin.errors import ArmTwinError, ModelWarning
from armtwin.model.appearance.aligned import aligned
from armtwin.model.arm import Arm
from armtwin.model.formats.meshes.locate import description_roots
from armtwin.model.formats.urdf_reader import read_urdf
from armtwin.model.geometry import LinkShape, Mesh

ROBOTS = "example-robot-data/robots"
CALIBRATED = 0.03
"""How far link frames of a calibrated arm may be from those of the description [m, rad]."""


@dataclass(frozen=True)
class Description:
    """A URDF file in an installed package.

    Attributes:
        package: name on PyPI.
        file: the file, below the package's folder of robot descriptions.
        licence: of the robot's description, as the package states it.
        base: link whose frame is the base frame of our arm; None for the root.
        tip: last link of the chain; None where the file does not branch.
        without: parts of mesh names that are left out: hands that our arm does not carry.
    """

    package: str
    file: str
    licence: str
    base: str | None = None
    tip: str | None = None
    without: tuple[str, ...] = ()


def _ur(name: str) -> Description:
    file = f"{ROBOTS}/ur_description/urdf/{name}_robot.urdf"
    return Description("example-robot-data", file, "BSD", "base", "tool0")


_PANDA = Description(
    "example-robot-data",
    f"{ROBOTS}/panda_description/urdf/panda.urdf",
    "Apache-2.0",
    tip="panda_link8",
    without=("/hand.", "/finger."),
)
DESCRIPTIONS: dict[str, Description] = {
    "ur3": _ur("ur3"),
    "ur5": _ur("ur5"),
    "ur10": _ur("ur10"),
    "panda": _PANDA,
    "fr3": _PANDA,
    "xarm7": Description(
        "example-robot-data", f"{ROBOTS}/xarm_description/urdf/xarm7.urdf", "BSD-3-Clause"
    ),
    "so101": Description(
        "example-robot-data",
        f"{ROBOTS}/so_arm_description/urdf/so101.urdf",
        "Apache-2.0",
        tip="gripper_frame_link",
    ),
    "iiwa14": Description(
        "rtb-data", "kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf", "MIT"
    ),
    "kr16": Description("rtb-data", "kuka_description/kuka_kr16/urdf/kr16_2.urdf", "MIT"),
}
"""Descriptions by the name of the catalogue's arm. The FR3 is drawn with the Panda's meshes."""


@functools.lru_cache(maxsize=16)
def description_shapes(arm: Arm) -> tuple[LinkShape, ...]:
    """Return the meshes of an installed description in the arm's link frames.

    None are returned where no description is known or installed, or where the arm does not move
    like the description.
    """
    theirs = described_arm(arm.name)
    if theirs is None:
        return ()
    return aligned(theirs.shapes, theirs, arm, tolerance=CALIBRATED)


@functools.cache
def described_arm(name: str) -> Arm | None:
    """Return the arm of the description for a catalogue name, with its meshes, if installed."""
    found = DESCRIPTIONS.get(name)
    file = None if found is None else _installed(found)
    if found is None or file is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            arm = read_urdf(file, tip=found.tip, base=found.base)
        except ArmTwinError:
            return None
    kept = [shape for shape in arm.shapes if _is_kept(shape, found)]
    return arm.with_(shapes=tuple(kept))


def _is_kept(shape: LinkShape, description: Description) -> bool:
    solid = shape.solid
    if not isinstance(solid, Mesh) or solid.missing:
        return False
    return not any(part in solid.name for part in description.without)


def _installed(description: Description) -> Path | None:
    places = [root / description.file for root in description_roots()]
    return next((file for file in places if file.is_file()), None)
