"""Loading arms by catalogue name or from a file."""

from __future__ import annotations

import difflib
import functools
from pathlib import Path

from armtwin.errors import ArmFileError, InputError, UnknownArmError
from armtwin.model.arm import Arm

ARMS = Path(__file__).parent / "arms"

ArmLike = Arm | str | Path
"""An arm, its catalogue name or its file; ``FILE#tip=LINK,base=LINK`` selects a chain of a file."""


def arm_names() -> list[str]:
    """Return the names of the catalogue's arms."""
    return sorted(path.stem for path in ARMS.glob("*.toml"))


def load(
    name: str | Path, *, tip: str | None = None, base: str | None = None, confined: bool = False
) -> Arm:
    """Return an arm by catalogue name or from a file (.toml, .urdf or MJCF .xml).

    Args:
        name: the catalogue name or the file; ``FILE#tip=LINK,base=LINK`` gives tip and base too.
        tip: the link (URDF), body or site (MJCF) that the chain ends in, where the file branches.
        base: the link, body or site that is the arm's base frame; by default the file's root.
        confined: for a file of unknown origin: accept only meshes beside the file and in installed
            packages.

    Raises:
        UnknownArmError: neither a catalogue name nor a file; the nearest names are listed.
        ArmFileError: the file cannot be read as an arm.
    """
    text, tip, base = _chain_of(str(name), tip, base)
    path = Path(text)
    if (tip is not None or base is not None) and path.suffix.lower() not in (".urdf", ".xml"):
        raise InputError(
            f"{text!r} is one chain, with no links to choose from; tip and base are for .urdf and "
            ".xml files"
        )
    if text in arm_names():
        return _catalogue_arm(text)
    if path.suffix.lower() in (".toml", ".urdf", ".xml"):
        return _read(path, tip, base, confined)
    if path.suffix.lower() == ".xacro":
        raise ArmFileError(f"{path}: turn it into URDF first: xacro {path.name} > arm.urdf")
    near = difflib.get_close_matches(text.lower(), arm_names(), n=3, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise UnknownArmError(
        f"no arm named {text!r}; {hint}the catalogue has {', '.join(arm_names())}; "
        "or give a file ending in .toml, .urdf or .xml"
    )


def _chain_of(name: str, tip: str | None, base: str | None) -> tuple[str, str | None, str | None]:
    """Return the file, the tip and the base of ``FILE#tip=LINK,base=LINK``.

    Args:
        name: what was given as the arm.
        tip: the tip that was given beside it.
        base: the base that was given beside it.

    Raises:
        InputError: another key, a key without a link, or one that is given twice.
    """
    file, mark, choice = name.rpartition("#")
    if not mark or Path(name).exists():
        return name, tip, base
    found = {"tip": tip, "base": base}
    for part in choice.split(","):
        key, _, link = part.partition("=")
        if key not in found or not link:
            raise InputError(
                f"{name!r}: {part!r} is neither tip=LINK nor base=LINK; write "
                f"{Path(file).name}#tip=LINK,base=LINK"
            )
        if found[key] is not None:
            raise InputError(f"{name!r}: {key} is given twice, as {found[key]!r} and {link!r}")
        found[key] = link
    return file, found["tip"], found["base"]


def as_arm(arm: ArmLike) -> Arm:
    """Return an arm as it is, or load it by catalogue name or file.

    An arm file is read anew at each call; call ``load`` once where many calls follow.

    Raises:
        InputError: neither an arm nor a name or path.
        UnknownArmError: no catalogue arm and no file of that name.
    """
    if isinstance(arm, Arm):
        return arm
    if isinstance(arm, (str, Path)):
        return load(arm)
    raise InputError(
        f"expected an Arm, a catalogue name or a file, got {type(arm).__name__} {arm!r:.80}; "
        "give for example 'ur10e' or armtwin.load('arm.toml')"
    )


@functools.cache
def _catalogue_arm(name: str) -> Arm:
    from armtwin.model.formats.toml import read_toml

    return read_toml(ARMS / f"{name}.toml")


def _read(path: Path, tip: str | None, base: str | None, confined: bool) -> Arm:
    if not path.is_file():
        raise UnknownArmError(f"no such arm file: {path}; give an existing file or an arm's name")
    if path.suffix.lower() == ".toml":
        from armtwin.model.formats.toml import read_toml

        return read_toml(path, confined=confined)
    if path.suffix.lower() == ".urdf":
        from armtwin.model.formats.urdf_reader import read_urdf

        return read_urdf(path, tip=tip, base=base, confined=confined)
    from armtwin.model.formats.mjcf_reader import read_mjcf

    return read_mjcf(path, tip=tip, base=base, confined=confined)
