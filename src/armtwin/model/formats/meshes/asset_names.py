"""Mesh and texture files that are written beside an arm file, and the names they get."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from armtwin.model.formats.meshes.read_mesh import companions, mesh_bytes
from armtwin.model.geometry import Mesh

UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
LONGEST = 80
"""Last characters of a name that are kept; file systems take 255 bytes for a whole name."""


class AssetNames:
    """Collects the files of a folder beside an arm file; different content has different names.

    Args:
        folder: name of the folder, as the arm file refers to it.

    Attributes:
        files: content by path relative to the folder that holds the arm file.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.files: dict[str, bytes] = {}
        self._known: dict[Mesh | Path, str] = {}

    def mesh(self, mesh: Mesh) -> str:
        """Return the reference to a mesh, which is copied with its textures and materials."""
        key = Mesh(mesh.name, mesh.file, mesh.data)
        if key not in self._known:
            near = {} if mesh.file is None else companions(mesh.file)
            group = {safe_name(mesh): mesh_bytes(mesh)}
            group |= {name: path.read_bytes() for name, path in near.items()}
            self._known[key] = self._add(group, safe_name(mesh))
        return self._known[key]

    def file(self, name: str, data: bytes) -> str:
        """Return the reference to new content."""
        return self._add({name: data}, name)

    def texture(self, path: Path) -> str:
        """Return the reference to a texture file, which is copied."""
        if path not in self._known:
            name = UNSAFE.sub("_", path.name)
            self._known[path] = self._add({name: path.read_bytes()}, name)
        return self._known[path]

    def _add(self, group: dict[str, bytes], main: str) -> str:
        """Add files that belong together under names where no other content is.

        A single file gets another name where needed; files that refer to each other keep their
        names, in a sub-folder.
        """
        number = 1
        while True:
            named = self._named(group, number)
            if all(self.files.get(name, group[old]) == group[old] for old, name in named.items()):
                self.files |= {name: group[old] for old, name in named.items()}
                return named[main]
            number += 1

    def _named(self, group: dict[str, bytes], number: int) -> dict[str, str]:
        """Return the paths of files at the ``number``-th attempt."""
        if number == 1:
            return {name: f"{self.folder}/{name}" for name in group}
        if len(group) > 1:
            return {name: f"{self.folder}/{number}/{name}" for name in group}
        return {
            name: f"{self.folder}/{PurePosixPath(name).stem}_{number}{PurePosixPath(name).suffix}"
            for name in group
        }


def safe_name(mesh: Mesh) -> str:
    """Return a mesh's file name without folders and odd characters."""
    given = mesh.name if mesh.file is None else mesh.file.name
    name = UNSAFE.sub("_", PurePosixPath(given.replace("\\", "/")).name).lstrip(".")
    return name[-LONGEST:] or f"mesh{mesh.ending}"
