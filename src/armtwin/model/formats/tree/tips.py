"""Choice of the tip of a tree that an arm ends in, and the candidates where it is ambiguous."""

from __future__ import annotations

import re
import warnings

from armtwin.errors import ArmFileError, ModelWarning
from armtwin.model.arm import Arm
from armtwin.model.formats.tree.kinematic_tree import Tree, path_to
from armtwin.model.formats.tree.serial_chain import chain, serial_arm

FLANGE = "tool0"
"""Name of the flange frame in the URDF files of ROS-Industrial."""
MAX_LISTED = 8
"""Tips that the message lists, likeliest first, so that it stays readable."""
TOOL_WORDS = {
    "tool", "tool0", "tcp", "ee", "eef", "effector", "flange", "gripper", "grip", "grasp",
    "grasping", "hand", "attachment", "pinch",
}  # fmt: skip
"""Words in the names of frames that tasks are given in."""
PART_WORDS = re.compile(
    "finger|jaw|thumb|knuckle|pad|flex|index|middle|ring|little|wheel|caster|imu|camera|optical|"
    "sensor|accelerometer|range|laser|sonar|visual|collision|inertia|rotor|itb|safety|foot|sole",
    re.IGNORECASE,
)
"""Words in the names of fingers, sensors, wheels and of links that only draw something."""


def chosen_arm(tree: Tree, *, tip: str | None, base: str | None) -> Arm:
    """Return the arm that ends in the given tip, or in the only one that makes sense.

    Without ``tip`` the chain ends in the only tip with moving joints, or in ``tool0`` where all
    such tips are moved by the same joints.

    Args:
        tree: the robot.
        tip: body or frame that the chain ends in.
        base: body or frame that is the arm's base; by default the root.

    Raises:
        ArmFileError: several tips to choose from; the likeliest are listed first.
    """
    if tip is not None:
        return serial_arm(tree, tip=tip, base=base)
    base = base or tree.root
    tree.place(base)
    ends = [end for end in tips(tree) if joints_to(tree, end, base)]
    if len(ends) == 1 or (FLANGE in ends and len({joints_to(tree, e, base) for e in ends}) == 1):
        return serial_arm(tree, tip=ends[0] if len(ends) == 1 else FLANGE, base=base)
    if not ends:
        return serial_arm(tree, tip=tips(tree)[0], base=base)
    raise ArmFileError(f"{tree.path}: {_choice(tree, ends, base)}")


def tips(tree: Tree) -> list[str]:
    """Return the bodies without children."""
    carrying = {body.above for body in tree.bodies.values()}
    return [name for name in tree.bodies if name not in carrying]


def joints_to(tree: Tree, tip: str, base: str) -> tuple[str, ...]:
    """Return the joints between base and tip; none where the base does not carry the tip.

    Args:
        tree: the robot.
        tip: body or frame that the chain ends in.
        base: body or frame that it starts from.
    """
    try:
        return tuple(joint.name for body in chain(tree, tip, base) for joint in body.joints)
    except ArmFileError:
        return ()


def likely_tips(tree: Tree, ends: list[str], base: str, most: int) -> dict[str, int]:
    """Return the tips that load as an arm with their numbers of joints, likeliest first.

    Args:
        tree: the robot.
        ends: bodies without children that have moving joints above them.
        base: body or frame that the chain starts from.
        most: how many of them.

    Raises:
        ArmFileError: none loads; the reason of the likeliest.
    """
    palms = [name for name in _palms(tree) if joints_to(tree, name, base)]
    frames = [name for name in tree.frames if name and joints_to(tree, name, base)]
    found = list(dict.fromkeys([*frames, *ends, *palms]))
    counts = {name: len(joints_to(tree, name, base)) for name in found}

    def rank(name: str) -> tuple[int, bool, int]:
        path = [body.name for body in path_to(tree.bodies, tree.place(name)[0])[:-1]]
        on_palm = any(
            palm in path and counts[name] / 2 < counts[palm] < counts[name] for palm in palms
        )
        return -_likelihood(name), on_palm, -counts[name]

    working: list[str] = []
    for name in sorted(found, key=rank):
        if len(working) < most and _loads(tree, name, base):
            working.append(name)
    if not working:
        serial_arm(tree, tip=min(found, key=rank), base=base)  # raises with the reason
    return {name: counts[name] for name in working}


def _choice(tree: Tree, ends: list[str], base: str) -> str:
    """Return the message that lists the tips that load."""
    working = likely_tips(tree, ends, base, MAX_LISTED + 1)
    first, *_ = working
    names = list(working.items())[:MAX_LISTED]
    listed = ", ".join(f"{name} ({_joints(count)})" for name, count in names)
    more = ", and more" if len(working) > MAX_LISTED else ""
    return (
        f"branches, and an arm is one chain; choose where it ends, likeliest first: "
        f"{listed}{more}; as in load(path, tip={first!r}) or --tip {first}, or write "
        f"{tree.path.name}#tip={first}"
    )


def _joints(count: int) -> str:
    return "1 joint" if count == 1 else f"{count} joints"


def _palms(tree: Tree) -> list[str]:
    """Return the bodies that carry several moving branches, such as the palm of a gripper."""
    branches: dict[str, set[str]] = {}
    for name, body in tree.bodies.items():
        if body.joints:
            path = [one.name for one in path_to(tree.bodies, name)]
            for above, below in zip(path, path[1:], strict=False):
                branches.setdefault(above, set()).add(below)
    return [name for name, below in branches.items() if len(below) > 1]


def _likelihood(name: str) -> int:
    """Return 2 for ``tool0``, 1 for a tool's frame, -1 for a finger or sensor, else 0."""
    if PART_WORDS.search(name):
        return -1
    words = set(re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().split("_"))
    return 2 if name == FLANGE else int(bool(words & TOOL_WORDS))


def _loads(tree: Tree, tip: str, base: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            serial_arm(tree, tip=tip, base=base)
        except ArmFileError:
            return False
    return True
