"""Terminals (joint bus, reference, tool frame) and icon of an FMU."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ET
import zlib

import numpy as np

from armtwin.fmu.export.description import xml_bytes
from armtwin.fmu.export.model import FmuModel
from armtwin.model.arm import Arm
from armtwin.model.link import frames_at
from armtwin.spatial import Array

TERMINALS = {
    "joints": ("q", "qd", "qdd", "tau", "tau_ext", "r", "friction", "current", "power"),
    "reference": ("q_ref", "qd_ref", "qdd_ref"),
    "tool": (
        "position", "rpy", "quaternion", "velocity", "angular_velocity", "force", "moment",
    ),
}  # fmt: skip
"""Vectors of a block by the terminal that they belong to."""
SIDE = 96
"""Width and height of the icon [pixels]."""
INK = (31, 78, 121)


def terminals_and_icons(model: FmuModel, fmi: int) -> dict[str, bytes]:
    """Return the files of terminals and icon by path: ``model.png`` in FMI 2.

    FMI 3 has the folder ``terminalsAndIcons``. Members of a terminal are matched by name ("bus"),
    so that the joint buses of a plant and of a controller connect q to q and tau to tau.
    """
    icon = icon_png(model.arm)
    if fmi == 2:
        return {"model.png": icon}
    folder = "terminalsAndIcons"
    return {
        f"{folder}/terminalsAndIcons.xml": _description(model),
        f"{folder}/icon.png": icon,
    }


def _description(model: FmuModel) -> bytes:
    root = ET.Element("fmiTerminalsAndIcons", {"fmiVersion": "3.0"})
    drawn = ET.SubElement(root, "GraphicalRepresentation")
    corners = {"x1": "-100", "y1": "-100", "x2": "100", "y2": "100"}
    ET.SubElement(drawn, "CoordinateSystem", {**corners, "suggestedScalingFactorTo_mm": "0.1"})
    ET.SubElement(drawn, "Icon", corners)
    shown = [v for v in model.listed if v.causality in ("input", "output")]
    terminals = ET.Element("Terminals")
    for name, vectors in TERMINALS.items():
        members = [v for v in shown if v.quantity.array in vectors]
        if not members:
            continue
        given = {"name": name, "matchingRule": "bus"}
        terminal = ET.SubElement(terminals, "Terminal", given)
        for variable in members:
            names = {"variableName": variable.name, "memberName": variable.name}
            ET.SubElement(terminal, "TerminalMemberVariable", {**names, "variableKind": "signal"})
    if len(terminals):
        root.append(terminals)
    return xml_bytes(root)


def icon_png(arm: Arm) -> bytes:
    """Return a picture of the arm's links, seen from the side, as a PNG file."""
    q = np.clip(np.where(np.arange(arm.dof) % 2, -0.9, 0.6), arm.lower, arm.upper)
    frames = frames_at(arm, q)
    points = np.vstack([np.zeros(3), *(T[:3, 3] for T in frames.links)])
    x, z = np.hypot(points[:, 0], points[:, 1]), points[:, 2]
    low, size = np.array([x.min(), z.min()]), max(np.ptp(x), np.ptp(z), 1e-9)
    corners = 12 + (SIDE - 24) * (np.column_stack([x, z]) - low) / size
    corners[:, 1] = SIDE - corners[:, 1]
    grid = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1) + 0.5
    near = np.full((SIDE, SIDE), np.inf)
    for a, b in zip(corners, corners[1:], strict=False):
        near = np.minimum(near, _distance(grid, a, b) - 3.5)
    for a in corners:
        near = np.minimum(near, _distance(grid, a, a) - 5.5)
    return _png(np.clip(0.5 - near, 0, 1))


def _distance(grid: Array, a: Array, b: Array) -> Array:
    """Return the distance of points (n, m, 2) from the line between two points."""
    along = b - a
    share = np.clip((grid - a) @ along / max(along @ along, 1e-12), 0, 1)
    return np.asarray(np.linalg.norm(grid - a - share[..., None] * along, axis=-1))


def _png(alpha: Array) -> bytes:
    """Return a PNG file in one colour with this opacity (n, m) from 0 to 1."""
    pixels = np.empty((*alpha.shape, 4), np.uint8)
    pixels[..., :3], pixels[..., 3] = INK, np.rint(255 * alpha)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", alpha.shape[1], alpha.shape[0], 8, 6, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
