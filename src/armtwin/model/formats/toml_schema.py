"""The fields of an arm file (TOML) and their validation."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from armtwin.model import arm as arms
from armtwin.model.error_curve import ErrorCurve
from armtwin.model.formats.arm_file.angles import Angle as Angle
from armtwin.model.formats.meshes.toml_shapes import ShapeTable
from armtwin.spatial import as_pose, pose

Vector3 = tuple[float, float, float]


class ArmFileModel(BaseModel):
    """A table of the file: unknown keys and numbers that are not finite are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_truth_values(cls, values: Any) -> Any:
        """Refuse true and false for numbers, which would be read as 1 and 0."""
        switches = {name for name, one in cls.model_fields.items() if one.annotation is bool}
        for name, value in values.items() if isinstance(values, dict) else ():
            if isinstance(value, bool) and name not in switches:
                raise ValueError(f"{name} is {str(value).lower()}; expected a number or text")
        return values


class PoseTable(ArmFileModel):
    """A frame given by position and angles, or by its 4x4 matrix."""

    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: tuple[Angle, Angle, Angle] = (0.0, 0.0, 0.0)
    matrix: list[list[float]] | None = None

    def value(self, what: str) -> arms.Matrix:
        """Return the frame as nested tuples."""
        T = pose(self.xyz, self.rpy) if self.matrix is None else as_pose(self.matrix, what)
        return arms.as_matrix(T)


class LimitsTable(ArmFileModel):
    """[joints.limits]."""

    lower: Angle | None = None
    upper: Angle | None = None
    speed: Angle | None = None
    acceleration: Angle | None = None
    effort: float | None = None


class InertiaTable(ArmFileModel):
    """[joints.link.inertia], about the centre of mass."""

    xx: float
    yy: float
    zz: float
    xy: float = 0.0
    xz: float = 0.0
    yz: float = 0.0


class LinkTable(ArmFileModel):
    """[joints.link]."""

    mass: float | None = None
    com: Vector3 | None = None
    inertia: InertiaTable | None = None
    radius: float | None = None


class FrictionTable(BaseModel):
    """[joints.drive.friction]: a model's name and its parameters."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)
    model: str
    side: Literal["motor", "joint"] = "joint"
    __pydantic_extra__: dict[str, float]


class DriveTable(ArmFileModel):
    """[joints.drive]."""

    gear: float = 1.0
    motor_inertia: float = 0.0
    reducer_inertia: float = 0.0
    torque_constant: float | None = None
    motor_constant: float | None = None
    back_emf_ratio: float = 1.0
    resistance: float | None = None
    friction: FrictionTable | None = None


class ErrorCurveTable(ArmFileModel):
    """[joints.error_curve]: coefficients a_1 ... and b_1 ... of a joint's periodic error [rad]."""

    cosine: tuple[float, ...]
    sine: tuple[float, ...]
    visited: tuple[tuple[float, float], ...] = ()


class MimicTable(ArmFileModel):
    """[joints.mimic]: the joint that a joint is coupled to."""

    joint: str
    multiplier: float = 1.0
    offset: Angle = 0.0


class JointTable(ArmFileModel):
    """[[joints]]."""

    name: str
    kind: arms.Kind = "revolute"
    a: float = 0.0
    alpha: Angle = 0.0
    d: float = 0.0
    theta: Angle = 0.0
    screw: tuple[float, float, float, float, float, float] | None = None
    offset: Angle = 0.0
    direction: Literal[1, -1] = 1
    compliance: float = 0.0
    error_curve: ErrorCurveTable | None = None
    limits: LimitsTable = LimitsTable()
    link: LinkTable = LinkTable()
    drive: DriveTable | None = None
    mimic: MimicTable | None = None

    def value(self) -> arms.Joint:
        """Return the joint."""
        fields: dict[str, Any] = {key: getattr(self, key) for key in self.model_fields_set}
        curve = self.error_curve
        fields["error_curve"] = None if curve is None else ErrorCurve(**curve.model_dump())
        fields["limits"] = arms.Limits(**self.limits.model_dump())
        inertia = self.link.inertia
        fields["link"] = arms.Link(
            **self.link.model_dump(exclude={"inertia"}),
            inertia=None if inertia is None else tuple(inertia.model_dump().values()),
        )
        fields["drive"] = None if self.drive is None else _drive(self.drive)
        fields["mimic"] = None if self.mimic is None else arms.Mimic(**self.mimic.model_dump())
        return arms.Joint(**fields)


def _drive(table: DriveTable) -> arms.Drive:
    friction = table.friction
    if friction is None:
        return arms.Drive(**table.model_dump())
    parameters = tuple(sorted((friction.model_extra or {}).items()))
    built = arms.Friction(friction.model, parameters, friction.side)
    return arms.Drive(**table.model_dump(exclude={"friction"}), friction=built)


class ArmTable(ArmFileModel):
    """The whole file."""

    name: str
    title: str = ""
    convention: arms.Convention
    gravity: Vector3 = (0.0, 0.0, -9.81)
    sources: dict[str, str] = {}
    base: PoseTable = PoseTable()
    tool: PoseTable = PoseTable()
    home: PoseTable = PoseTable()
    joints: list[JointTable]
    link_names: list[str] = []
    shapes: list[ShapeTable] = []

    @model_validator(mode="after")
    def _screws_where_expected(self) -> ArmTable:
        for number, joint in enumerate(self.joints, 1):
            if (joint.screw is not None) != (self.convention == "screws"):
                raise ValueError(
                    f"joint {number} ({joint.name}): 'screw' belongs to convention 'screws' and "
                    f"a, alpha, d, theta to the DH conventions; this file says {self.convention!r}"
                )
        return self

    def value(self) -> arms.Arm:
        """Return the arm without its shapes, whose files depend on where the arm file is."""
        return arms.Arm(
            name=self.name,
            title=self.title,
            convention=self.convention,
            joints=tuple(joint.value() for joint in self.joints),
            base=self.base.value("[base]"),
            tool=self.tool.value("[tool]"),
            home=self.home.value("[home]"),
            gravity=self.gravity,
            sources=tuple(self.sources.items()),
            link_names=tuple(self.link_names),
        )
