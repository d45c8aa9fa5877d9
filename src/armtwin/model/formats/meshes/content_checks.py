"""Limits on mesh files, checked before a library parses them.

A file may state sizes that it does not have, name the same part many times over, or refer to other
files. Each check raises ArmFileError and allocates no more than the file's own size.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any
from xml.parsers import expat

from armtwin.errors import ArmFileError

MAX_BYTES = 100_000_000
"""Size of one mesh file."""
MAX_TRIANGLES = 2_000_000
"""Triangles of one mesh."""
MAX_NODES = 10_000
"""Parts of one mesh, copies included."""
STL_HEAD, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL: 80 of text and a 32-bit count; 12 floats and 2 bytes a triangle."""
GLB_JSON, GLB_HEAD = 0x4E4F534A, 20
"""Type of the first chunk (JSON), and bytes before its content, as specified for glTF 2.0."""


def check_content(data: bytes, ending: str, name: str) -> None:
    """Raise ArmFileError for content that no reader should be given.

    Args:
        data: the whole file.
        ending: of its name, such as ``.stl``.
        name: the file in messages.
    """
    if len(data) > MAX_BYTES:
        raise _refused(name, f"{len(data)} bytes; at most {MAX_BYTES // 10**6} MB are read")
    checks = {".stl": _check_stl, ".obj": _check_obj, ".glb": _check_glb, ".dae": _check_dae}
    if ending not in checks:
        raise _refused(name, f"ending {ending!r}; the formats read are {', '.join(checks)}")
    checks[ending](data, name)


def _refused(name: str, reason: str) -> ArmFileError:
    return ArmFileError(f"mesh {name}: {reason}")


def _limit(count: int, name: str) -> None:
    if count > MAX_TRIANGLES:
        raise _refused(name, f"{count} triangles; at most {MAX_TRIANGLES} are read; simplify it")


def _check_stl(data: bytes, name: str) -> None:
    if len(data) >= STL_HEAD:
        (count,) = struct.unpack_from("<I", data, STL_HEAD - 4)
        if len(data) == STL_HEAD + STL_TRIANGLE * count:
            return _limit(count, name)
    if not data.lstrip()[:5].lower() == b"solid" or b"facet" not in data:
        raise _refused(name, "neither binary STL of the size that it states nor text STL; cut off?")
    return _limit(data.count(b"endfacet"), name)


def _check_obj(data: bytes, name: str) -> None:
    if b"\0" in data:
        raise _refused(name, "an OBJ file is text; this one has zero bytes")
    corners = sum(len(line.split()) - 1 for line in data.splitlines() if line.startswith(b"f "))
    _limit(corners // 3, name)


def _check_glb(data: bytes, name: str) -> None:
    if len(data) < GLB_HEAD or data[:4] != b"glTF":
        raise _refused(name, "no GLB file; it does not begin with glTF")
    version, length, size, kind = struct.unpack_from("<IIII", data, 4)
    if version != 2 or length > len(data) or kind != GLB_JSON or GLB_HEAD + size > len(data):
        raise _refused(name, "a GLB file of version 2 that holds what its header states is needed")
    try:
        tree = json.loads(data[GLB_HEAD : GLB_HEAD + size])
        _check_gltf(tree, name)
    except (ValueError, RecursionError, AttributeError, TypeError, KeyError, IndexError) as error:
        raise _refused(name, f"its JSON part cannot be read: {error}") from error


def _check_gltf(tree: Mapping[str, Any], name: str) -> None:
    if any("uri" in part for kind in ("buffers", "images") for part in tree.get(kind, ())):
        raise _refused(name, "refers to other files; a GLB file must hold all its data")
    values = [int(item["count"]) for item in tree.get("accessors", ())]
    if any(count < 0 or count > 3 * MAX_TRIANGLES for count in values):
        raise _refused(name, f"states {max(values)} values in one array; too many")
    if any("bufferView" not in item for item in tree.get("accessors", ())):
        raise _refused(name, "has arrays without data (sparse or compressed), which are not read")
    nodes = tree.get("nodes", [])
    children = [child for node in nodes for child in node.get("children", ())]
    if len(nodes) > MAX_NODES or len(children) != len(set(children)):
        raise _refused(name, f"its nodes are no tree of at most {MAX_NODES} nodes")
    meshes = tree.get("meshes", [])
    arrays = tree.get("accessors", [])
    drawn = [
        part for node in nodes if "mesh" in node for part in meshes[node["mesh"]]["primitives"]
    ]
    fields = [part.get("indices", part["attributes"].get("POSITION")) for part in drawn]
    _limit(sum(int(arrays[field]["count"]) for field in fields if field is not None) // 3, name)


class _Collada:
    """Counts the elements of a Collada file that can multiply."""

    def __init__(self) -> None:
        self.unit = 1.0
        self.stack: list[str] = []
        self.holds: dict[str, list[str]] = {}
        self.plain: dict[str, int] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take up an element."""
        tag = tag.rsplit(":", 1)[-1]
        if tag == "unit" and not self.stack:
            self.unit = float(attributes.get("meter", 1.0))
        if tag == "node":
            name = attributes.get("id") or f"\0{len(self.holds)}"
            if self.stack:
                self.holds[self.stack[-1]].append(name)
            self.stack.append(name)
            self.holds.setdefault(name, [])
            self.plain.setdefault(name, 0)
        elif tag == "instance_node" and self.stack:
            self.holds[self.stack[-1]].append(attributes.get("url", "").lstrip("#"))
        elif tag == "instance_geometry" and self.stack:
            self.plain[self.stack[-1]] += 1

    def end(self, tag: str) -> None:
        """Leave an element."""
        if tag.rsplit(":", 1)[-1] == "node":
            self.stack.pop()

    def count(self, name: str, known: dict[str, int], above: tuple[str, ...] = ()) -> int:
        """Return how many parts a node stands for; a node inside itself is a ValueError.

        Args:
            name: of the node.
            known: counts found so far.
            above: the nodes that it lies in.
        """
        if name in above or len(above) > 200:
            raise ValueError("a node lies within itself, or too deep")
        if name not in known:
            inside = [self.count(one, known, (*above, name)) for one in self.holds.get(name, ())]
            known[name] = self.plain.get(name, 0) + sum(inside)
        return known[name]


def _check_dae(data: bytes, name: str) -> None:
    found = _scan_collada(data, name)
    known: dict[str, int] = {}
    try:
        most = max((found.count(node, known) for node in found.holds), default=0)
    except ValueError as error:
        raise _refused(name, str(error)) from error
    if most > MAX_NODES:
        raise _refused(name, f"stands for {most} parts; at most {MAX_NODES} are read")


def _scan_collada(data: bytes, name: str) -> _Collada:
    found, parser = _Collada(), expat.ParserCreate()

    def refuse(*_: Any) -> None:
        raise _refused(name, "has a document type or entities, which are not read; remove them")

    parser.StartElementHandler = found.start
    parser.EndElementHandler = found.end
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, IndexError) as error:
        raise _refused(name, f"not valid Collada: {error}") from error
    return found


def collada_unit(data: bytes, name: str) -> float:
    """Return the length of a Collada file's unit [m]."""
    return _scan_collada(data, name).unit
