"""An arm to a file in the format that the file's ending names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm


def export(arm: ArmLike, path: str | Path, *, force: bool = False) -> Path:
    """Write the arm as an arm file (.toml), URDF (.urdf) or MJCF (.xml) and return the path.

    Args:
        arm: the arm, its catalogue name or its file.
        path: where to; its ending chooses the format.
        force: overwrite an existing file.

    Raises:
        InputError: another ending, or a place that cannot be written.
        OutputExistsError: the file exists and ``force`` is not set.
    """
    path = Path(path)
    text = _writer(path)(as_arm(arm))
    write_output(path, text.encode("utf-8"), force=force)
    return path


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
