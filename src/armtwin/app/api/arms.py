"""The catalogue, forward and inverse kinematics."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from armtwin.app.api.geometry import geometry, shapes, shapes_file
from armtwin.app.control.message import frames
from armtwin.app.control.session import Session
from armtwin.app.server.responses import ERROR_RESPONSES
from armtwin.errors import InputError, UnknownArmError
from armtwin.kinematics.forward import tool_coordinates
from armtwin.kinematics.inverse.ik import ik
from armtwin.kinematics.inverse.structure.branch_names import branch_names
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.motion.programs.pose_warnings import hints
from armtwin.spatial import Array, from_parts, pose
from armtwin.viewer.description import describe_arm

Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]
Joints = Annotated[list[Number], Field(min_length=1, max_length=32)]
Triple = Annotated[list[Number], Field(min_length=3, max_length=3)]
Quadruple = Annotated[list[Number], Field(min_length=4, max_length=4)]
Name = Annotated[str, Field(max_length=64, pattern=r"^[\w.-]+$")]
UNIT_TOLERANCE = 1e-3
"""Difference of a quaternion's length from 1 that is taken for rounding."""
GLB_TYPE = "model/gltf-binary"
GLB: dict[int | str, dict[str, Any]] = {
    200: {"content": {GLB_TYPE: {"schema": {"type": "string", "format": "binary"}}}}
}


class JointResponse(BaseModel):
    """One driven joint; limits in rad or m, None where there are none."""

    name: str
    kind: str
    lower: float | None
    upper: float | None
    speed: float | None


class ArmResponse(BaseModel):
    """An arm: its joints, and its shape as bars for drawing."""

    name: str
    title: str
    dof: int
    joints: list[JointResponse]
    geometry: dict[str, Any]


class LinkNode(BaseModel):
    """A link: its node in the GLB file, and its name."""

    node: str
    name: str


class ShapeResponse(BaseModel):
    """A solid: link (0 is the base), kind, mesh file if any, material, colour r g b a."""

    link: int
    kind: str
    mesh: str | None
    material: str
    colour: list[float]
    generated: bool


class ShapesResponse(BaseModel):
    """Shapes of an arm; the triangles are in the GLB file, a node for each link.

    Nodes are in the link frames that the stream's ``links`` place, metres, z up; the first is in
    the base frame.
    """

    links: list[LinkNode]
    shapes: list[ShapeResponse]
    tool: list[float]
    reach: float
    glb: str


class FkRequest(BaseModel):
    """Forward kinematics of an arm (the one shown, if not named) at joint positions ``q``."""

    arm: Name | None = None
    q: Joints
    ignore_limits: bool = False


class PoseResponse(BaseModel):
    """Tool in base: metres, radians (R = Rz Ry Rx), quaternion x y z w."""

    position: list[float]
    rpy: list[float]
    quaternion: list[float]
    warnings: list[str] = []


class IkRequest(BaseModel):
    """Inverse kinematics for a tool pose; orientation as ``rpy`` or as ``quaternion``."""

    arm: Name | None = None
    position: Triple
    rpy: Triple | None = None
    quaternion: Quadruple | None = None
    seed: Joints | None = None
    links: bool = Field(False, description="Also answer where the links are, for drawing.")


class IkResponse(BaseModel):
    """Joint positions, nearest to the seed first, and the names of their branches.

    ``links``, where requested: position and quaternion x y z w of every link frame of each.
    """

    solutions: list[list[float]]
    names: list[str]
    residuals: list[float]
    orientation_errors: list[float]
    singular: list[bool]
    method: str
    notes: list[str]
    links: list[list[list[float]]] = []


def router(session: Session) -> APIRouter:
    """Return the routes about arms."""
    api = APIRouter(tags=["arms"], responses=ERROR_RESPONSES)

    @api.get("/arms")
    def names() -> list[str]:
        """Names of the catalogue's arms."""
        return arm_names()

    @api.get("/arms/{name}")
    def arm_by_name(name: Name) -> ArmResponse:
        """One arm; the name "shown" is the one on the page."""
        return arm_response(_named(session, name))

    @api.get("/arms/{name}/description")
    def described(name: Name) -> dict[str, Any]:
        """Joints, frames and solids that the front end draws an arm with."""
        return describe_arm(_named(session, name))

    @api.get("/arms/{name}/shapes")
    def drawn(name: Name) -> ShapesResponse:
        """Links, solids and materials that an arm is drawn with."""
        found = shapes(_named(session, name))
        return ShapesResponse(**found, glb=f"/api/arms/{name}/shapes.glb")

    @api.get("/arms/{name}/shapes.glb", response_class=Response, responses=GLB)
    def triangles(name: Name) -> Response:
        """The triangles as a GLB file."""
        data = shapes_file(_named(session, name))
        return Response(data, media_type=GLB_TYPE, headers={"Cache-Control": "no-cache"})

    _add_kinematics(api, session)
    return api


def _add_kinematics(api: APIRouter, session: Session) -> None:
    @api.post("/fk")
    def forward(request: FkRequest) -> PoseResponse:
        """Forward kinematics."""
        arm = _arm(session, request.arm)
        q = np.array(request.q)
        where = tool_coordinates(arm, q, ignore_limits=request.ignore_limits)
        return PoseResponse(
            position=where.position.tolist(),
            rpy=where.rpy.tolist(),
            quaternion=where.quaternion.tolist(),
            warnings=[hint.text for hint in hints(arm, q)],
        )

    @api.post("/ik")
    def inverse(request: IkRequest) -> IkResponse:
        """Inverse kinematics: every solution of a UR structure, the nearest ones of others."""
        arm = _arm(session, request.arm)
        found = ik(arm, _pose(request), seed=request.seed)
        return IkResponse(
            solutions=found.q.tolist(),
            names=branch_names(arm, found.q),
            residuals=found.residuals.tolist(),
            orientation_errors=found.orientation_error.tolist(),
            singular=found.singular.tolist(),
            method=found.method,
            notes=list(found.notes),
            links=frames(arm, found.q).tolist() if request.links else [],
        )


@functools.lru_cache(maxsize=16)
def arm_response(arm: Arm) -> ArmResponse:
    """Return an arm as plain values."""
    joints = [
        JointResponse(
            name=joint.name,
            kind=joint.kind,
            lower=joint.limits.lower,
            upper=joint.limits.upper,
            speed=joint.limits.speed,
        )
        for joint in arm.driven
    ]
    title = arm.title or arm.name
    return ArmResponse(
        name=arm.name, title=title, dof=arm.dof, joints=joints, geometry=geometry(arm)
    )


def _named(session: Session, name: str) -> Arm:
    return session.robot.arm if name == "shown" else catalogue_arm(name)


def _arm(session: Session, name: str | None) -> Arm:
    return session.robot.arm if name is None else catalogue_arm(name)


def catalogue_arm(name: str) -> Arm:
    """Return a catalogue arm; files are not read for clients."""
    if name not in arm_names():
        raise UnknownArmError(f"no arm named {name!r}; there are {', '.join(arm_names())}")
    return load(name)


def _pose(request: IkRequest) -> Array:
    if (request.rpy is None) == (request.quaternion is None):
        raise InputError("give the orientation once: rpy or quaternion")
    if request.rpy is not None:
        return pose(request.position, request.rpy)
    size = float(np.linalg.norm(request.quaternion or ()))
    if abs(size - 1) > UNIT_TOLERANCE:
        raise InputError(f"the quaternion has length {size:g}; a rotation's x y z w has length 1")
    from scipy.spatial.transform import Rotation

    rotation = Rotation.from_quat(request.quaternion).as_matrix()
    return from_parts(rotation, request.position)
