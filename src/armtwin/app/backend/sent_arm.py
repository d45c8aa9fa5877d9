"""Arm files that clients send: TOML, URDF, or a ZIP archive of a URDF with its meshes.

They are read in the worker process, which has limits of time and memory.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import tempfile
import uuid
import warnings
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import quoteattr, unescape

from armtwin.app.api.geometry import shapes_file
from armtwin.app.control.session import Session
from armtwin.app.jobs.uploads import PREFIX
from armtwin.app.server.plain_text import without_folders
from armtwin.errors import ArmFileError, InputError, ModelWarning
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.model.formats.meshes.locate import ENDINGS
from armtwin.model.formats.tree.tips import joints_to, likely_tips, tips
from armtwin.model.formats.urdf_reader import urdf_tree
from armtwin.recording.files.archive import entries

FOLDER = "shared folder"
"""Part of a session: the folder in which the work process keeps what clients send."""
MAX_UNPACKED = 300_000_000
"""Size of the URDF and the meshes of an archive together [bytes]."""
MAX_URDF = 20_000_000
"""Size of a URDF in an archive [bytes]."""
MAX_TIPS = 30
"""Tips of a branching URDF that are offered, likeliest first; each one is loaded to test it."""
MESH = re.compile(r"""(<mesh\b[^<>]*?\bfilename\s*=\s*)("[^"]*"|'[^']*')""")


def sent_file(session: Session, key: str) -> Path:
    """Return an uploaded arm file by its id of 32 hexadecimal digits.

    Raises:
        InputError: no such file, or no arm file.
    """
    folder = Path(session.parts.get(FOLDER) or tempfile.gettempdir())
    found = [path for path in folder.glob(f"{PREFIX}*/{key}/*") if path.name != "sent"]
    if not found:
        raise InputError(f"no uploaded file {key!r}; send the file (again) first")
    if found[0].suffix not in (".toml", ".urdf", ".zip"):
        raise InputError(f"{found[0].name} was sent as a recording; send an arm file")
    return found[0]


def links_of(path: Path, base: str | None) -> dict[str, Any]:
    """Return name, possible bases, the base and the likeliest tips of a URDF or an archive.

    Raises:
        ArmFileError: no URDF, or none of its chains is an arm.
        InputError: a TOML file, or an archive that is refused.
    """
    if path.suffix == ".toml":
        raise InputError(f"{path.name} is one chain; its base and tip cannot be chosen")
    with tempfile.TemporaryDirectory(prefix="armtwin-links-") as place, _quiet():
        tree = urdf_tree(_readable(path, Path(place), meshes=False), confined=True)
        chosen = base or tree.root
        tree.place(chosen)
        ends = [end for end in tips(tree) if joints_to(tree, end, chosen)]
        if not ends:
            raise ArmFileError(f"{path.name}: no joint moves a link beyond {chosen!r}")
        found = likely_tips(tree, ends, chosen, MAX_TIPS)
        carrying = [name for name in tree.bodies if name not in tips(tree)]
    return {
        "name": tree.name,
        "bases": carrying,
        "base": chosen,
        "tips": [{"name": name, "joints": count} for name, count in found.items()],
    }


def read_sent_arm(
    path: Path, folder: Path, *, tip: str | None, base: str | None
) -> tuple[Arm, list[str]]:
    """Return the arm of a file that was sent, checked by reading its meshes, and its warnings.

    Args:
        path: the file.
        folder: where the files of an archive go, which the arm refers to.
        tip: last link of a URDF's chain.
        base: first link of it.

    Raises:
        ArmFileError: the file or the chosen chain is no good; a mesh that is not is noted only.
        InputError: an archive that is refused.
    """
    place = folder / uuid.uuid4().hex
    place.mkdir()
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ModelWarning)
            arm = load(_readable(path, place), tip=tip, base=base, confined=True)
            shapes_file(arm)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    notes = [str(one.message) for one in said if issubclass(one.category, ModelWarning)]
    return arm, [without_folders(note) for note in notes]


def _quiet() -> warnings.catch_warnings[None]:
    """Return a context in which nothing warns; warnings belong to the arm that is chosen."""
    return warnings.catch_warnings(action="ignore")


def _readable(path: Path, folder: Path, *, meshes: bool = True) -> Path:
    """Return a file that ``load`` reads: the file itself, or the URDF of an archive, unpacked.

    Args:
        path: the file that was sent.
        folder: where the files of an archive go.
        meshes: unpack the meshes too.
    """
    if path.suffix != ".zip":
        return path
    files = [entry for entry in entries(path) if not entry.is_dir()]
    wanted = {_inside(entry.filename): entry for entry in files if _is_read(entry.filename)}
    models = [name for name in wanted if name.lower().endswith(".urdf")]
    if len(models) != 1:
        listed = ", ".join(models[:5]) or "none"
        raise InputError(f"{path.name} has {len(models)} URDF files ({listed}); send one with one")
    size = sum(entry.file_size for entry in wanted.values())
    if size > MAX_UNPACKED or wanted[models[0]].file_size > MAX_URDF:
        raise InputError(
            f"unpacked, {path.name} has {size:,} bytes; URDF and meshes may have "
            f"{MAX_UNPACKED:,}, the URDF {MAX_URDF:,}: simplify the meshes"
        )
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read(wanted.pop(models[0])).decode("utf-8-sig")
            for name, entry in wanted.items() if meshes else ():
                _unpack(archive, entry, folder / name)
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{path.name} is damaged or encrypted: {error}") from error
    except UnicodeDecodeError as error:
        raise ArmFileError(f"{models[0]} is no text in UTF-8") from error
    made = folder / f"{path.stem}.urdf"
    made.write_text(_with_own_meshes(text, models[0], list(wanted)), encoding="utf-8")
    return made


def _is_read(name: str) -> bool:
    return name.lower().endswith((".urdf", *ENDINGS)) and not name.startswith("__MACOSX/")


def _inside(name: str) -> str:
    """Return an entry's path; raise InputError where it leaves the archive's folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in name or "\0" in name:
        raise InputError(f"the archive's entry {name[:80]!r} leaves its folder; pack it again")
    return str(path)


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as packed, place.open("xb") as file:
        shutil.copyfileobj(packed, file, 1 << 20)  # no more than the size that was checked


def _with_own_meshes(text: str, model: str, names: list[str]) -> str:
    """Return a URDF whose meshes are given by their paths in the archive.

    Args:
        text: the URDF.
        model: its own path in the archive.
        names: paths of the meshes in the archive.
    """

    def replaced(match: re.Match[str]) -> str:
        given = unescape(match[2][1:-1], {"&quot;": '"', "&apos;": "'"})
        found = _mesh_path(given.strip(), posixpath.dirname(model), names)
        return match[1] + (match[2] if found is None else quoteattr(found))

    return MESH.sub(replaced, text)


def _mesh_path(reference: str, beside: str, names: list[str]) -> str | None:
    """Return the path in the archive of the mesh that a reference means, or None."""
    scheme, mark, rest = reference.partition("://")
    if mark:
        whole = unquote(rest).lstrip("/")
        wanted = [whole, whole.partition("/")[2]] if scheme in ("package", "model") else [whole]
    else:
        wanted = [posixpath.normpath(posixpath.join(beside, reference.replace("\\", "/")))]
    for path in filter(None, wanted):
        for name in names:
            if name == path or name.endswith(f"/{path}"):
                return name
    return None
