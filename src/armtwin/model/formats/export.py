"""Writing an arm to a file; the file's extension selects the format."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from armtwin.errors import InputError, ModelWarning
from armtwin.files import write_output_with_folder
from armtwin.model.appearance.generated import generated_shapes
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.drive import MODEL, armature
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.geometry import CapsuleSolid, Ellipsoid, Mesh


def export(arm: ArmLike, path: str | Path, *, force: bool = False) -> Path:
    """Write the arm as an arm file (.toml), URDF (.urdf) or MJCF (.xml) and return the path.

    Mesh files are copied into a folder beside the file (``ur5_urdf_meshes`` for ``ur5.urdf``), and
    the file refers to them there. MJCF takes STL: other meshes are converted, one file for each
    colour. An arm without shapes gets solids along its geometry in URDF and MJCF.

    Args:
        arm: the arm, its catalogue name or its file.
        path: the file; its extension selects the format.
        force: overwrite an existing file and its folder of meshes.

    Warns:
        ModelWarning: what the arm has and the format has no place for; meshes that are missing or
            cannot be read.

    Raises:
        InputError: another extension, or a path that cannot be written.
        OutputExistsError: the file exists and ``force`` is not set.
    """
    path, arm = Path(path), as_arm(arm)
    names = AssetNames(f"{path.stem}_{path.suffix[1:].lower()}_meshes")
    text = _writer(path)(arm, names)
    write_output_with_folder(path, text.encode("utf-8"), names.files, force=force)
    lost = unsupported_content(arm, path.suffix.lower())
    if lost:
        message = f"{path}: the format has no place for {', '.join(lost)}; .toml keeps them"
        warnings.warn(message, ModelWarning, stacklevel=2)
    return path


def unsupported_content(arm: Arm, ending: str) -> list[str]:
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
    solids = [shape.solid for shape in arm.shapes]
    meshes = {s.ending for s in solids if isinstance(s, Mesh) and not s.missing} - {".stl"}
    if ending == ".urdf":
        lost["rotor inertias"] = any(armature(drive) for drive in drives)
        lost["gravity"] = arm.gravity != Arm.gravity
        lost["ellipsoids"] = any(isinstance(solid, Ellipsoid) for solid in solids)
        lost["capsules as one solid"] = any(isinstance(solid, CapsuleSolid) for solid in solids)
    else:
        lost[f"meshes of the kind {', '.join(sorted(meshes))}, which become STL"] = bool(meshes)
        surfaces = [shape.material for shape in arm.shapes if shape.material is not None]
        lost["textures, which become their mean colour"] = any(s.texture for s in surfaces)
        ends = (arm.link_names[0], arm.link_names[-1]) if arm.link_names else ("world", "tool")
        lost["names of the base and the tool"] = ends != ("world", "tool")
        lost["speed limits"] = any(joint.limits.speed is not None for joint in joints)
    return [name for name, there in lost.items() if there]


def _writer(path: Path) -> Callable[[Arm, AssetNames], str]:
    ending = path.suffix.lower()
    if ending == ".toml":
        from armtwin.model.formats.toml import write_toml

        return write_toml
    if ending == ".urdf":
        from armtwin.model.formats.urdf_writer import write_urdf

        return write_urdf
    if ending == ".xml":
        return _mjcf
    raise InputError(
        f"{path}: an arm is written to .toml (arm file), .urdf or .xml (MJCF), not {ending!r}"
    )


def _mjcf(arm: Arm, names: AssetNames) -> str:
    from armtwin.model.formats.mjcf_writer import write_mjcf

    return write_mjcf(arm, shapes=arm.shapes or generated_shapes(arm), names=names)
