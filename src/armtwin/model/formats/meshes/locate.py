"""The file that a mesh reference of an arm file means.

References are paths relative to the arm file, absolute paths, ``file://`` and ``package://`` (also
``model://``) addresses. A package is looked for in ROS_PACKAGE_PATH, in AMENT_PREFIX_PATH, in the
folders above the arm file, and in installed Python packages that ship robot descriptions.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from armtwin.errors import ArmFileError

ENDINGS = (".stl", ".dae", ".obj", ".glb")
"""Endings of mesh files that are read."""
TEXTURES = (".png", ".jpg", ".jpeg", ".tga", ".bmp", ".tif", ".tiff")
ADDRESSES = ("package://", "model://")
DESCRIPTION_FOLDERS = {"rtbdata": "xacro", "robot_descriptions": ""}
"""Python packages with robot descriptions, and the folder of theirs that holds ROS packages."""


def locate(reference: str, arm_file: Path, *, confined: bool = False) -> Path | None:
    """Return the file of a reference, or None where it does not exist.

    Args:
        reference: as the arm file gives it.
        arm_file: the arm file.
        confined: accept only files in the arm file's folder and in installed packages. For arm
            files of unknown origin.

    Raises:
        ArmFileError: a reference of an arm file of unknown origin that leaves these folders.
    """
    for root, path in _candidates(reference.strip(), arm_file.absolute(), confined):
        try:
            inside = path.resolve().is_relative_to(root.resolve())
            there = path.is_file()
        except (OSError, RuntimeError, ValueError):  # a name too long, links in a circle
            continue
        if confined and not inside:
            raise ArmFileError(
                f"{arm_file.name}: mesh {reference[:200]!r} lies outside the folder of the arm "
                "file; put it beside the arm file"
            )
        if there:
            return path.resolve()
    return None


def _candidates(reference: str, arm_file: Path, confined: bool) -> Iterator[tuple[Path, Path]]:
    """Yield the files that a reference may mean, each with the folder that it belongs in.

    Args:
        reference: as the arm file gives it.
        arm_file: the arm file, an absolute path.
        confined: look for packages among installed ones only.
    """
    beside = arm_file.parent
    if "\0" in reference or not reference:
        return
    if reference.startswith(ADDRESSES):
        package, _, inside = unquote(reference.split("://", 1)[1]).partition("/")
        for root in package_folders(package, None if confined else arm_file):
            yield root, root / inside
    elif reference.startswith("file://"):
        yield beside, Path(unquote(reference.removeprefix("file://")))
    elif "://" not in reference:
        yield beside, beside / reference.replace("\\", "/")


def package_folders(package: str, arm_file: Path | None) -> Iterator[Path]:
    """Yield the folders that a ROS package of this name may be.

    Without an arm file only folders of installed Python packages are given.
    """
    if package in ("", ".", "..") or len(PurePosixPath(package).parts) != 1:
        return
    if arm_file is not None:
        yield from _ros_folders(package, arm_file)
    for root in description_roots():
        yield root / package


def _ros_folders(package: str, arm_file: Path) -> Iterator[Path]:
    for root in _paths("ROS_PACKAGE_PATH"):
        yield from (root, root / package) if root.name == package else (root / package,)
    for root in _paths("AMENT_PREFIX_PATH"):
        yield root / "share" / package
    for folder in arm_file.parents:
        if folder.name == package:
            yield folder
        yield folder / package
    yield from arm_file.parents  # a package under another name


def description_roots() -> list[Path]:
    """Return the folders of installed Python packages that hold robot descriptions."""
    found = [Path(entry) / "cmeel.prefix" / "share" for entry in sys.path if entry]
    for name, inside in DESCRIPTION_FOLDERS.items():
        spec = importlib.util.find_spec(name)
        found += [
            Path(place) / inside for place in (spec and spec.submodule_search_locations) or ()
        ]
    return [folder for folder in dict.fromkeys(found) if folder.is_dir()]


def _paths(variable: str) -> list[Path]:
    return [Path(entry) for entry in os.environ.get(variable, "").split(os.pathsep) if entry]
