"""Triangles and colours of meshes, through trimesh."""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import ArmFileError, ArmTwinError
from armtwin.extras import require
from armtwin.model.formats.meshes.content_checks import (
    MAX_BYTES,
    MAX_TRIANGLES,
    check_content,
    collada_unit,
)
from armtwin.model.formats.meshes.locate import TEXTURES
from armtwin.model.geometry import Colour, Mesh
from armtwin.spatial import Array

COMPANIONS = (".mtl", *TEXTURES)
"""Endings of files that a mesh file may refer to."""
MAX_PIXELS = 50_000_000
"""Of a texture, of which the mean colour is taken: 200 MB with four channels."""
Faces = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles of one colour.

    Attributes:
        vertices: corners (n, 3) [m].
        faces: corner indices of every triangle (m, 3).
        colour: of the material in the mesh file, the mean of its texture; None where it has none.
    """

    vertices: Array
    faces: Faces
    colour: Colour | None = None


def mesh_parts(mesh: Mesh) -> tuple[MeshPart, ...]:
    """Return the triangles of a mesh in metres, one part for each colour.

    Raises:
        ArmFileError: a missing, broken or oversized file.
        MissingDataError: trimesh is not installed.
    """
    if mesh.file is not None:
        state = _state(mesh.file)
        parts = _parts_of_file(mesh.file, *state)
    elif mesh.data is not None:
        parts = _parts_of_data(mesh.data, mesh.ending, mesh.name)
    else:
        raise ArmFileError(f"mesh {mesh.name}: the file is missing")
    if mesh.scale == (1.0, 1.0, 1.0):
        return parts
    factors = np.array(mesh.scale)
    turned = bool(np.prod(factors) < 0)
    return tuple(
        MeshPart(p.vertices * factors, p.faces[:, ::-1] if turned else p.faces, p.colour)
        for p in parts
    )


def mesh_bytes(mesh: Mesh) -> bytes:
    """Return the content of a mesh's file, or its data.

    Raises:
        ArmFileError: a missing or oversized file.
    """
    if mesh.data is not None:
        return mesh.data
    if mesh.file is None:
        raise ArmFileError(f"mesh {mesh.name}: the file is missing")
    _state(mesh.file)
    return mesh.file.read_bytes()


def companions(file: Path) -> dict[str, Path]:
    """Return the textures and materials that a mesh file names, from its folder or ../textures."""
    if file.suffix.lower() not in (".obj", ".dae"):
        return {}
    _state(file)
    text, found = file.read_bytes(), dict[str, Path]()
    for folder in (file.parent, file.parent.parent / "textures"):
        near = [path for path in sorted(folder.glob("*")) if path.suffix.lower() in COMPANIONS]
        for path in sorted(near, key=lambda path: path.suffix.lower() != ".mtl"):
            if path.name.encode() in text and path.is_file():
                found.setdefault(path.name, path)
                text += path.read_bytes() if path.suffix.lower() == ".mtl" else b""
    return found


def _state(file: Path) -> tuple[int, int]:
    """Return size and time of a file; raise ArmFileError where it is missing or too large."""
    try:
        found = file.stat()
    except OSError as error:
        raise ArmFileError(f"mesh {file}: cannot be read: {error.strerror}") from error
    if found.st_size > MAX_BYTES:
        raise ArmFileError(
            f"mesh {file}: {found.st_size} bytes; at most {MAX_BYTES // 10**6} MB are read"
        )
    return found.st_size, found.st_mtime_ns


@functools.lru_cache(maxsize=64)
def _parts_of_file(file: Path, size: int, time: int) -> tuple[MeshPart, ...]:
    """Return the parts of a file; size and time make a changed file a new one.

    Args:
        file: the mesh file.
        size: [bytes].
        time: of its last change [ns].
    """
    return _parsed(file.read_bytes(), file.suffix.lower(), str(file), companions(file))


@functools.lru_cache(maxsize=64)
def _parts_of_data(data: bytes, ending: str, name: str) -> tuple[MeshPart, ...]:
    return _parsed(data, ending, name, {})


class _SiblingFiles(Mapping[str, bytes]):
    """Gives trimesh the textures and materials beside a mesh file, and nothing else."""

    def __init__(self, files: dict[str, Path]) -> None:
        self._files = files

    def __getitem__(self, name: str) -> bytes:
        file = self._files[PurePosixPath(name.replace("\\", "/")).name]
        _state(file)
        return file.read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def _parsed(data: bytes, ending: str, name: str, files: dict[str, Path]) -> tuple[MeshPart, ...]:
    check_content(data, ending, name)
    require("reading meshes", "trimesh", *(["collada"] if ending == ".dae" else []))
    import trimesh

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scene = trimesh.load_scene(
                io.BytesIO(data), file_type=ending[1:], resolver=_SiblingFiles(files), process=False
            )
            unit = collada_unit(data, name) if ending == ".dae" else 1.0
            found = [_part(scene, node, unit) for node in scene.graph.nodes_geometry]
    except ArmTwinError:
        raise
    except Exception as error:  # noqa: BLE001 a broken file raises anything
        reason = f"{type(error).__name__}: {error}"[:200]
        raise ArmFileError(f"mesh {name}: cannot be read: {reason}") from error
    parts = _by_colour([part for part in found if part is not None])
    if not parts:
        raise ArmFileError(f"mesh {name}: has no triangles")
    if sum(len(part.faces) for part in parts) > MAX_TRIANGLES:
        raise ArmFileError(f"mesh {name}: more than {MAX_TRIANGLES} triangles; simplify it")
    return parts


def _part(scene: Any, node: str, unit: float) -> MeshPart | None:
    """Return the triangles of a node of a trimesh scene.

    Args:
        scene: the scene.
        node: name of the node.
        unit: length of the file's unit [m].
    """
    T, geometry = scene.graph[node]
    mesh = scene.geometry[geometry]
    faces = np.asarray(getattr(mesh, "faces", ()), np.int64).reshape(-1, 3)
    if not len(faces):
        return None
    vertices = np.asarray(mesh.vertices, float) @ T[:3, :3].T + T[:3, 3]
    if not np.isfinite(vertices).all():
        raise ArmFileError(f"mesh {geometry}: has vertices that are not finite")
    turned = np.linalg.det(T[:3, :3]) < 0
    return MeshPart(unit * vertices, faces[:, ::-1] if turned else faces, _colour(mesh.visual))


def _colour(visual: Any) -> Colour | None:
    """Return the colour of a mesh's material, its texture's or its vertices' mean."""
    if visual is None or not getattr(visual, "defined", False):
        return None
    if visual.kind != "texture":
        values = np.asarray(visual.face_colors, float).reshape(-1, 4).mean(axis=0) / 255
        return _colour_of(values)
    material = visual.material
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    factor = getattr(material, "baseColorFactor", None)
    base = material.main_color if factor is None or image is None else factor
    values = np.asarray(base, float) / 255
    if image is not None:
        mean = _mean_of(image)
        values = mean if factor is None else np.append(mean[:3] * values[:3], values[3])
    return _colour_of(values)


def texture_colour(file: Path) -> Colour | None:
    """Return the mean colour of a texture file; None where it cannot be read."""
    from PIL import Image

    try:
        _state(file)
        with warnings.catch_warnings(), Image.open(file) as image:
            warnings.simplefilter("ignore")
            return _colour_of(_mean_of(image))
    except (OSError, ValueError, ArmTwinError):
        return None


def _mean_of(image: Any) -> Array:
    if image.width * image.height > MAX_PIXELS:
        raise ValueError(f"a texture of {image.width} x {image.height} pixels is too large")
    rgb = np.asarray(image.convert("RGB"), float).reshape(-1, 3).mean(axis=0) / 255
    return np.append(rgb, 1.0)


def _colour_of(values: Array) -> Colour:
    red, green, blue, opacity = np.clip(values, 0.0, 1.0).round(6).tolist()
    return red, green, blue, opacity


def _by_colour(parts: Sequence[MeshPart]) -> tuple[MeshPart, ...]:
    """Return the parts with those of one colour joined."""
    groups: dict[Colour | None, list[MeshPart]] = {}
    for part in parts:
        groups.setdefault(part.colour, []).append(part)
    return tuple(_joined(group, colour) for colour, group in groups.items())


def _joined(parts: list[MeshPart], colour: Colour | None) -> MeshPart:
    starts = np.cumsum([0, *[len(part.vertices) for part in parts]])
    faces = np.concatenate([part.faces + n for part, n in zip(parts, starts, strict=False)])
    vertices = np.concatenate([part.vertices for part in parts])
    for array in (vertices, faces):
        array.flags.writeable = False
    return MeshPart(vertices, faces, colour)
