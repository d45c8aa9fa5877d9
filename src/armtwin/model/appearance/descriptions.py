"""Installed robot descriptions whose meshes fit arms of the catalogue.

Nothing is bundled: meshes are read from packages that the user has installed. The licences are
those that the packages state for each robot.
"""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.errors import ArmTwinError, ModelWarning
from armtwin.model.arm import Arm
from armtwin.model.formats.meshes.locate import description_roots
from armtwin.model.formats.urdf_reader import read_urdf
from armtwin.model.geometry import LinkShape, Mesh
from armtwin.model.link import frames_at
from armtwin.spatial import Array, inverse

ROBOTS = "example-robot-data/robots"
CALIBRATED = 0.03
"""Tolerance of a calibrated arm's link frames against those of the description [m, rad]."""
SAME = 1e-3
"""Largest change of a link frame's place [m] and axes [rad] that counts as none."""
TRIALS = 8
"""Random joint vectors at which link frames are compared."""


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


def aligned(
    shapes: tuple[LinkShape, ...], theirs: Arm, ours: Arm, *, tolerance: float = SAME
) -> tuple[LinkShape, ...]:
    """Return the shapes of another arm in the link frames of ours; none where the arms differ.

    With both arms at q = 0, ``T_ours_theirs = T_base_ours^-1 T_base_theirs`` is the pose of their
    link frame in ours. It is the same at any q if their kinematics are equal; checked at random q.

    Args:
        shapes: in the link frames of ``theirs``.
        theirs: the arm that they belong to, with the same base frame.
        ours: the arm that they are for.
        tolerance: largest change of the offsets that counts as none [m, rad].
    """
    offsets = link_offsets(theirs, ours, tolerance=tolerance)
    if offsets is None:
        return ()
    first, rows = _driven(theirs), _driven(ours)
    number = dict(zip(first, rows, strict=True))
    return tuple(s.moved(offsets[s.link], number[s.link]) for s in shapes if s.link in number)


def link_offsets(theirs: Arm, ours: Arm, *, tolerance: float = SAME) -> dict[int, Array] | None:
    """Return the pose of their link frame in ours by their row number; None where arms differ.

    Args:
        theirs: one arm.
        ours: the other, with the same base frame.
        tolerance: largest change of a pose over q that counts as none [m, rad].
    """
    kinds = [[joint.kind for joint in arm.driven] for arm in (theirs, ours)]
    if kinds[0] != kinds[1]:
        return None
    found = _offsets(theirs, ours, np.zeros(ours.dof))
    rng = np.random.default_rng(0)
    for q in rng.uniform(-2, 2, (TRIALS, ours.dof)):
        now = _offsets(theirs, ours, q)
        if any(np.abs(now[row] - T).max() > tolerance for row, T in found.items()):
            return None
    return found


def _driven(arm: Arm) -> list[int]:
    """Return the rows that move, after the base."""
    return [0, *[n for n, joint in enumerate(arm.joints, 1) if joint.kind != "fixed"]]


def _offsets(theirs: Arm, ours: Arm, q: Array) -> dict[int, Array]:
    A, B = ([np.array(arm.base), *frames_at(arm, q).links] for arm in (theirs, ours))
    pairs = zip(_driven(theirs), _driven(ours), strict=True)
    return {row: inverse(B[mine]) @ A[row] for row, mine in pairs}
