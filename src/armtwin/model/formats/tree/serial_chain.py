"""The serial arm between a base and a tip of a kinematic tree."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping

import numpy as np

from armtwin.errors import ArmFileError, InputError, ModelWarning
from armtwin.model.arm import Arm, Joint, Link, Mimic, as_matrix
from armtwin.model.checks import check_arm
from armtwin.model.formats.tree.kinematic_tree import (
    Bodies,
    Tree,
    TreeBody,
    TreeJoint,
    path_to,
    pose_at_zero,
)
from armtwin.model.formats.tree.link_shapes import link_names, link_shapes, missing_meshes
from armtwin.model.link import expressed_in, joined, without_noise
from armtwin.spatial import inverse, screw_frame

WEIGHTLESS = Link(mass=0.0, com=(0.0, 0.0, 0.0), inertia=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def chain(tree: Tree, tip: str, base: str) -> list[TreeBody]:
    """Return the bodies that the joints between ``base`` and ``tip`` move, in order.

    Args:
        tree: the robot.
        tip: body or frame that the chain ends in.
        base: body or frame that it starts from.

    Raises:
        ArmFileError: the base is on another branch, beyond a joint.
    """
    down = path_to(tree.bodies, tree.place(tip)[0])
    to_base = path_to(tree.bodies, tree.place(base)[0])
    carrying = {body.name for body in to_base}
    shared = [body for body in down if body.name in carrying]
    between = [joint.name for body in to_base[len(shared) :] for joint in body.joints]
    if between:
        raise ArmFileError(
            f"{tree.path}: the base {base!r} does not carry the tip {tip!r}: the joints "
            f"{', '.join(between)} lead away from the chain; give a base that is fixed to one of "
            f"the links {', '.join(body.name for body in down)}"
        )
    return down[len(shared) :]


def serial_arm(tree: Tree, *, tip: str, base: str | None = None) -> Arm:
    """Return the arm of the joints between ``base`` and ``tip``, in convention ``"screws"``.

    Bodies between which the chain has no joint are merged: those fixed to a link add to its mass,
    those fixed to the base are ignored. Joints beside the chain and above the base are held at
    zero, coupled ones where their leader at zero puts them. Gravity is turned into the base frame.

    Args:
        tree: the robot.
        tip: the body or frame that the chain ends in.
        base: the body or frame that is the arm's base frame; by default the root.

    Raises:
        ArmFileError: no such tip or base, a base beside the chain, an impossible number, or a
            joint that is held or follows another one of the chain by no linear law.
    """
    base = base or tree.root
    moving = chain(tree, tip, base)
    for joint in (joint for body in moving for joint in body.joints):
        if joint.fault is not None:
            raise joint.fault
    _refuse_constrained(tree, moving)
    names = {body.name for body in moving}
    bodies = _held(tree, names, base)
    carried = _carried(bodies, names)
    rows = [row for body in moving for row in _joints(bodies, body, carried[body.name])]
    chained = {joint.name: joint for body in moving for joint in body.joints}
    rows = [dataclasses.replace(row, mimic=_mimic(chained[row.name], chained)) for row in rows]
    last, end = tree.place(tip)
    x, y, z = without_noise(bodies[tree.root].pose[:3, :3] @ tree.gravity).tolist()
    arm = Arm(
        name=tree.name,
        convention="screws",
        joints=tuple(rows),
        home=as_matrix(pose_at_zero(bodies, last) @ end),
        gravity=(x, y, z),
        sources=_sources(tree, tip, base),
        link_names=link_names(moving, tip, base),
        shapes=link_shapes(bodies, moving, rows),
    )
    try:
        check_arm(arm)
    except InputError as error:
        raise ArmFileError(f"{tree.path}: {error}") from error
    _warn(tree, moving, tip, base)
    return arm


def _refuse_constrained(tree: Tree, moving: list[TreeBody]) -> None:
    """Raise ArmFileError if a joint of the chain is held, or follows another one by no line.

    A joint that follows one beside the chain may take any value in its range, as its leader does.
    """
    joints = {joint.name: joint for body in moving for joint in body.joints}
    for carrier, joint in ((body, joint) for body in moving for joint in body.joints):
        if joint.coupling is None or joint.coupling.leader not in (None, *joints):
            continue
        if _mimic(joint, joints) is not None:
            continue
        raise ArmFileError(
            f"{tree.path}: joint {joint.name!r} is not free, {joint.name} = {joint.coupling}, and "
            "the joints of an arm are independent: its inverse kinematics and torques would be "
            f"wrong; end the chain above it (tip {carrier.above!r}), or begin below it (base "
            f"{carrier.name!r})"
        )


def _mimic(joint: TreeJoint, joints: Mapping[str, TreeJoint]) -> Mimic | None:
    """Return the coupling to another joint of the chain, if it is linear.

    The file couples the variables ``s = q + offset``.
    """
    if joint.coupling is None or joint.coupling.leader not in joints:
        return None
    leader = joints[str(joint.coupling.leader)]
    constant, multiplier, *higher = (*joint.coupling.coefficients, 0.0, 0.0)
    offset = constant + multiplier * leader.offset - joint.offset
    return None if any(higher) else Mimic(leader.name, multiplier, offset)


def _sources(tree: Tree, tip: str, base: str) -> tuple[tuple[str, str], ...]:
    found = (("file", tree.path.name), ("chain", f"{base} to {tip}"))
    return (*found, ("not read", tree.unread)) if tree.unread else found


def _held(tree: Tree, moving: set[str], base: str) -> Bodies:
    """Return the bodies in the base's frame, with joints on the moving bodies only."""
    joints = {joint.name: joint for body in tree.bodies.values() for joint in body.joints}
    driven = {joint.name for name in moving for joint in tree.bodies[name].joints}

    def at_rest(body: TreeBody) -> TreeBody:
        if body.name in moving:
            return body
        T = body.pose
        for joint in body.joints:
            T = T @ joint.moved(_rest(joint, joints, driven))
        return dataclasses.replace(body, pose=T, joints=())

    bodies = {name: at_rest(body) for name, body in tree.bodies.items()}
    on, frame = tree.place(base)
    root = dataclasses.replace(
        bodies[tree.root], pose=inverse(pose_at_zero(bodies, on) @ frame) @ bodies[tree.root].pose
    )
    return {**bodies, tree.root: root}


def _rest(joint: TreeJoint, joints: Mapping[str, TreeJoint], driven: set[str]) -> float:
    """Return the variable of a joint beside the chain: zero, or what its leader at rest gives."""
    followed = [joint]
    while (coupling := followed[-1].coupling) is not None:
        leader = joints.get(coupling.leader or "")
        if leader is None or any(leader is one for one in followed) or leader.name in driven:
            break
        followed.append(leader)
    s = 0.0
    for one in reversed(followed):
        s = one.coupling.at(s) if one.coupling is not None else 0.0
    return s


def _carried(bodies: Bodies, moving: set[str]) -> dict[str, list[Link]]:
    """Return, per moving body, the links that move with it, in the base's frame at q = 0."""
    carried: dict[str, list[Link]] = {name: [] for name in moving}
    for name, body in bodies.items():
        holders = [b.name for b in path_to(bodies, name) if b.joints]
        if holders:
            carried[holders[-1]].append(expressed_in(body.link, pose_at_zero(bodies, name)))
    return carried


def _joints(bodies: Bodies, body: TreeBody, links: list[Link]) -> list[Joint]:
    """Return a body's joints as rows; the last one moves the body itself, those before nothing."""
    T, rows = pose_at_zero(bodies, body.name), []
    for joint in body.joints:
        axis, point = T[:3, :3] @ joint.axis, T[:3, :3] @ joint.point + T[:3, 3]
        turning = np.concatenate([axis, np.cross(point, axis)])
        screw = turning if joint.kind == "revolute" else np.concatenate([np.zeros(3), axis])
        in_axis = inverse(screw_frame(without_noise(screw)))
        last = joint is body.joints[-1]
        row = Joint(
            name=joint.name,
            kind=joint.kind,
            screw=tuple(without_noise(screw).tolist()),
            offset=joint.offset,
            limits=joint.limits,
            link=expressed_in(joined(links), in_axis) if last else WEIGHTLESS,
            drive=joint.drive,
        )
        rows.append(row)
    return rows


def _warn(tree: Tree, moving: list[TreeBody], tip: str, base: str) -> None:
    """Warn of content of the file that the arm cannot represent: couplings, held joints."""
    driven = [joint for body in moving for joint in body.joints]
    notes = [*tree.notes, *(note for joint in driven for note in joint.notes)]
    notes += [
        f"joint {joint.name!r} is coupled ({joint.name} = {joint.coupling}); the arm takes it as "
        "independent, so give it that value in q"
        for joint in driven
        if joint.coupling is not None
    ]
    below = [body.name for body in path_to(tree.bodies, tree.place(base)[0])]
    chained = {body.name for body in moving}
    held = [body for body in tree.bodies.values() if body.name not in chained]
    under = [joint for body in held if body.name in below for joint in body.joints]
    beside = [joint for body in held if body.name not in below for joint in body.joints]
    if under:
        notes.append(f"joints that carry the base {base!r} are held at zero: {_names(under)}")
    if beside:
        notes.append(
            f"joints beside the chain to {tip!r} are held at zero, their bodies' masses added to "
            f"the link that carries them: {_names(beside)}"
        )
    leaders = {joint.name for joint in driven}
    following = [j for j in beside if j.coupling is not None and j.coupling.leader in leaders]
    if following:
        notes.append(
            "held joints that follow a joint of the chain, whose motion and inertia the arm lacks: "
            + ", ".join(f"{j.name} = {j.coupling}" for j in following)
        )
    missing = missing_meshes(tree)
    if missing:
        notes.append(missing)
    for note in notes:
        warnings.warn(f"{tree.path}: {note}", ModelWarning, stacklevel=5)


def _names(joints: list[TreeJoint]) -> str:
    return ", ".join(joint.name for joint in joints)
