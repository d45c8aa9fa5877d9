"""Writing an arm to a file; the file's extension selects the format."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from armtwin.errors import InputError, ModelWarning
from armtwin.files import write_output
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.drive import MODEL, armature


def export(arm: ArmLike, path: str | Path, *, force: bool = False) -> Path:
    """Write the arm as an arm file (.toml), URDF (.urdf) or MJCF (.xml) and return the path.

    Args:
        arm: the arm, its catalogue name or its file.
        path: the file; its extension selects the format.
        force: overwrite an existing file.

    Warns:
        ModelWarning: numbers of the arm that the format has no place for.

    Raises:
        InputError: another extension, or a path that cannot be written.
        OutputExistsError: the file exists and ``force`` is not set.
    """
    path, arm = Path(path), as_arm(arm)
    text = _writer(path)(arm)
    write_output(path, text.encode("utf-8"), force=force)
    lost = not_held(arm, path.suffix.lower())
    if lost:
        message = f"{path}: the format has no place for {', '.join(lost)}; .toml keeps them"
        warnings.warn(message, ModelWarning, stacklevel=2)
    return path


def not_held(arm: Arm, ending: str) -> list[str]:
    """Return what an arm has and a file with this ending (".urdf", ".xml") cannot hold."""
    if ending == ".toml":
        return []
    joints = arm.driven
    drives = [joint.drive for joint in joints if joint.drive is not None]
    laws = {drive.friction.model for drive in drives if drive.friction is not None} - {MODEL}
    lost = {
        "acceleration limits": any(j.limits.acceleration is not None for j in joints),
        "joint error curves": any(joint.error_curve for joint in joints),
        "compliance": any(joint.compliance for joint in joints),
        "gear ratios": any(drive.gear != 1 for drive in drives),
        "motor constants": any(drive.torque_constant or drive.resistance for drive in drives),
        f"the friction {', '.join(sorted(laws))}": bool(laws),
    }
    if ending == ".urdf":
        lost["rotor inertias"] = any(armature(drive) for drive in drives)
        lost["gravity"] = arm.gravity != Arm.gravity
    else:
        lost["speed limits"] = any(joint.limits.speed is not None for joint in joints)
    return [name for name, there in lost.items() if there]


def _writer(path: Path) -> Callable[[Arm], str]:
    ending = path.suffix.lower()
    if ending == ".toml":
        from armtwin.model.formats.toml import write_toml

        return write_toml
    if ending == ".urdf":
        from armtwin.model.formats.urdf_writer import write_urdf

        return write_urdf
    if ending == ".xml":
        from armtwin.model.formats.mjcf_writer import write_mjcf

        return write_mjcf
    raise InputError(
        f"{path}: an arm is written to .toml (arm file), .urdf or .xml (MJCF), not {ending!r}"
    )
