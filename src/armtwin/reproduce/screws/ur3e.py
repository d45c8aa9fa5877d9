"""The product of exponentials of the UR3e, and its DH model beside it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armtwin.kinematics.forward import fk
from armtwin.model.arm import IDENTITY, Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.reproduce.figure import DocumentResult, Figure, Reproduction, table
from armtwin.spatial import Array, from_parts

HOME = np.deg2rad([90.0, 0.0, 0.0, -90.0, 0.0, 0.0])
FIGURE_2 = np.deg2rad([59.59, -45.26, -27.50, 3.44, -13.18, -31.51])

MISREAD = "a photographed screen: digits are misread or missing in the text version"
SCREW_ERRATUM = "the appendix has the UR3e's own value"

NOTES = (
    "q = (90, 0, 0, -90, 0, 0) deg returns M with the joint offsets (-90, 0, 0, +90, 0, 0) deg",
    "Figs. 2 and 3 show the bug the text admits: angles turned into radians twice and no offsets; "
    "Fig. 2 also lacks the factor M",
)


def reproduce() -> Reproduction:
    """Return M, the results of Figs. 2 and 3, and the frames between the screw and DH models."""
    screws = load("ur3e-screws")
    exact, datasheet = _frames(screws, rounded(load("ur3e"))), _frames(screws, load("ur3e"))
    return Reproduction(
        name="screws",
        document="S. Ye, X. Tang, J. Wang, Lab 4 Report: Forward Kinematics for UR3e Robot "
        "(8 April 2024)",
        figures=(*_matrices(screws), *_screw_entries(screws)),
        results=(*_results(exact), *_misfit(datasheet)),
        notes=(*NOTES, *_frame_notes(exact)),
    )


def rounded(arm: Arm) -> Arm:
    """Return the arm with every length rounded to whole millimetres, as the lab has them."""
    joints = [dataclasses.replace(j, a=round(j.a, 3), d=round(j.d, 3)) for j in arm.joints]
    return arm.with_(joints=tuple(joints))


def without_offsets(arm: Arm) -> Arm:
    """Return the arm with every joint offset 0, as in the document's first, wrong program."""
    return arm.with_(joints=tuple(dataclasses.replace(j, offset=0.0) for j in arm.joints))


def _matrices(screws: Arm) -> Iterator[Figure]:
    wrong = without_offsets(screws)
    ours = {
        "appendix, M": fk(screws, HOME),
        "Fig. 2, T": fk(wrong.with_(home=IDENTITY), np.deg2rad(FIGURE_2)),
        "Fig. 3, T": fk(wrong, np.deg2rad(HOME)),
    }
    for entry in table("screws.csv"):
        row, column, printed = int(entry["row"]), int(entry["column"]), float(entry["printed"])
        value = float(ours[entry["place"]][row - 1, column - 1]) + 0.0
        allowed = max(1e-8 * abs(printed), 1e-12)
        erratum = MISREAD if entry["misread"] else ""
        yield Figure(
            entry["place"], f"row {row}, column {column}", printed, value, allowed, erratum
        )


def _screw_entries(screws: Arm) -> Iterator[Figure]:
    for joint, printed in ((5, -0.151), (6, 0.543)):
        screw = screws.joints[joint - 1].screw
        value = screw[5] if screw else np.nan
        name = f"row 6, column {joint}"
        yield Figure("Fig. 3, S", name, printed, value, 5e-4, SCREW_ERRATUM, basis="constant")


def _frames(screws: Arm, dh: Arm) -> ConstantFrames:
    q = np.random.default_rng(3).uniform(-np.pi, np.pi, (200, 6))
    return constant_frames(fk(screws, q), fk(dh, q))


def _results(found: ConstantFrames) -> Iterator[DocumentResult]:
    what = "screw model against the DH model rounded to mm"
    yield DocumentResult(f"{what}: largest distance", found.position_error, "m", 1e-12)
    yield DocumentResult(f"{what}: largest rotation entry", found.rotation_error, "", 1e-12)


def _misfit(found: ConstantFrames) -> Iterator[DocumentResult]:
    what = "screw model against the datasheet's DH model"
    yield DocumentResult(f"{what}: largest distance", found.position_error * 1e3, "mm")


def _frame_notes(found: ConstantFrames) -> Iterator[str]:
    yield (
        "the screw model is T = base . DH . tool with every DH length rounded to mm, "
        f"base = {_text(found.base)}, tool = {_text(found.tool)}"
    )
    yield (
        "so with the encoder offsets inside the model the base frames coincide (the turn of the "
        "document's world frame is the -90 deg of joint 1), and M's 0.293 holds a tool of 70 mm"
    )


def _text(T: Array) -> str:
    from armtwin.kinematics.forward import pose_coordinates

    where = pose_coordinates(T)
    xyz = ", ".join(f"{x:.3f}" for x in np.round(where.position * 1e3, 9) + 0.0)
    rpy = ", ".join(f"{x:.3f}" for x in np.round(np.rad2deg(where.rpy), 9) + 0.0)
    return f"xyz ({xyz}) mm, rpy ({rpy}) deg"


@dataclass(frozen=True)
class ConstantFrames:
    """``A_k = base . B_k . tool`` for every k, as nearly as two constant poses allow.

    Attributes:
        base: pose before (4, 4).
        tool: pose after (4, 4).
        position_error: largest distance left [m].
        rotation_error: largest entry left of the rotation difference.
    """

    base: Array
    tool: Array
    position_error: float
    rotation_error: float


def constant_frames(A: Array, B: Array) -> ConstantFrames:
    """Find the constant base and tool between poses ``A`` and ``B`` (n, 4, 4), n >= 3.

    Relative turns are the same turn seen from another base,
    ``log(A_k A_1^T) = R_base log(B_k B_1^T)``, which gives ``R_base`` (Kabsch); then
    ``R_tool = B_1^T R_base^T A_1``, and positions are linear in both shifts:

    .. math:: p_{A,k} - R_{base} p_{B,k} = R_{base} R_{B,k} p_{tool} + p_{base}
    """
    R_base = _turn(_relative_turns(A), _relative_turns(B))
    R_tool = B[0, :3, :3].T @ R_base.T @ A[0, :3, :3]
    turned = R_base @ B[:, :3, :3]
    columns = np.concatenate([turned, np.broadcast_to(np.eye(3), turned.shape)], axis=2)
    rest = A[:, :3, 3] - B[:, :3, 3] @ R_base.T
    shifts, *_ = np.linalg.lstsq(columns.reshape(-1, 6), rest.ravel(), rcond=None)
    base, tool = from_parts(R_base, shifts[3:]), from_parts(R_tool, shifts[:3])
    left = base @ B @ tool - A
    distances = np.linalg.norm(left[:, :3, 3], axis=1)
    return ConstantFrames(base, tool, float(distances.max()), float(np.abs(left[:, :3, :3]).max()))


def _relative_turns(T: Array) -> Array:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(T[1:, :3, :3] @ T[0, :3, :3].T).as_rotvec())


def _turn(a: Array, b: Array) -> Array:
    """Return the rotation R with ``a = R b`` in the least-squares sense, rows as vectors."""
    U, _, V = np.linalg.svd(a.T @ b)
    return np.asarray(U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V)
