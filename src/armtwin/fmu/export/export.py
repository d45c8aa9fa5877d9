"""Export of an arm's model as an FMU; equal input gives equal bytes."""

from __future__ import annotations

import hashlib
import io
import logging
import uuid
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.fmu.build.compilers import compile_all, compile_host
from armtwin.fmu.build.platforms import WASM, PlatformTarget, host, split_platform, universal
from armtwin.fmu.export.c_text import TOKEN, generated
from armtwin.fmu.export.custom_model import custom_model
from armtwin.fmu.export.description import description, xml_bytes
from armtwin.fmu.export.fmu_page import documentation
from armtwin.fmu.export.model import FmuModel
from armtwin.fmu.export.models import build_model
from armtwin.fmu.export.speed import real_time_factor
from armtwin.fmu.export.terminals import terminals_and_icons
from armtwin.fmu.wasm.build import MANIFEST, compile_component, manifest, wasm_sources
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.formats.toml import write_toml
from armtwin.progress import OnProgress, report_step
from armtwin.report.page import Page
from armtwin.report.result import Result

if TYPE_CHECKING:
    from armtwin.equations.blocks.custom_block import CustomBlock

VERSIONS: dict[int | str, tuple[int, bool]] = {
    2: (2, False), "2": (2, False), 3: (3, False), "3": (3, False), "3-arrays": (3, True),
}  # fmt: skip
"""FMI versions to choose from, and whether vectors are arrays there."""
FAST = 20.0
"""Co-simulation slower than this many times real time is warned about."""
LOG = logging.getLogger("armtwin.fmu")
SOURCES = Path(__file__).parent / "sources"


@dataclass(frozen=True)
class FmuExport(Result):
    """An exported FMU.

    Attributes:
        path: the file.
        arm: name of the arm.
        model: name of the model, such as ``fk``.
        identifier: the FMU's model identifier.
        fmi: FMI version.
        platforms: platforms that it has binaries for.
        size: of the file [bytes].
        real_time: how many times faster than real time its co-simulation ran here, for a model
            with states; None for others.
    """

    path: Path
    arm: str
    model: str
    identifier: str
    fmi: int
    platforms: tuple[str, ...]
    size: int
    real_time: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data; the file is ``out``, its size ``bytes``."""
        return {
            "out": str(self.path), "arm": self.arm, "model": self.model,
            "identifier": self.identifier, "fmi": self.fmi, "platforms": list(self.platforms),
            "bytes": self.size, "real_time": self.real_time,
        }  # fmt: skip

    def page(self) -> Page:
        """Return the written file as facts."""
        facts: tuple[tuple[str, str], ...] = (
            ("File", self.path.name),
            ("FMI version", str(self.fmi)),
            ("Platforms", ", ".join(self.platforms)),
            ("Size", f"{self.size / 1000:.1f} kB"),
        )
        if self.real_time is not None:
            speed = f"{self.real_time:.0f} times real time here, in steps of 2 ms"
            slow = f"; below {FAST:.0f}: raise solver_step, smoothing or tolerance"
            facts += (("Co-simulation", speed + (slow if self.real_time < FAST else "")),)
        return Page(title=f"FMU of {self.arm}: {self.model}", facts=facts)


def export_fmu(
    arm: ArmLike,
    path: str | Path,
    *,
    model: str | CustomBlock | type[CustomBlock] = "fk",
    fmi: int | str = 2,
    platform: str = "host",
    force: bool = False,
    on_progress: OnProgress | None = None,
) -> FmuExport:
    """Write an arm's model as an FMU.

    Args:
        arm: the arm, its catalogue name or its file; its numbers become start values of the FMU's
            parameters.
        path: the file, ending in ``.fmu``.
        model: ``fk``, ``ik``, ``inverse-dynamics``, ``forward-dynamics``, ``computed-torque`` or
            ``momentum-observer``; or a controller or observer as a subclass of ``CustomBlock``.
        fmi: version 2 or 3, with scalars q1, q2, ...; or ``3-arrays``, with q as one array.
        platform: ``host`` (any C compiler) or ``all`` (Linux x86_64 and aarch64, Windows, macOS
            x86_64 and arm64; needs ziglang); ``wasm``, ``host,wasm`` or ``all,wasm`` for a
            WebAssembly component alone or beside them (FMI 3; needs ziglang and wasmtime).
        force: overwrite an existing file.
        on_progress: called before each step; raise from it to cancel, then no file is written.

    Raises:
        InputError: an unknown option, or a model that the arm cannot have.
        MissingDataError: the arm lacks masses that the model needs.
        OutputExistsError: the file exists and ``force`` is not set.
        CompileError: no compiler, or one that fails.
    """
    place = Path(path)
    version, arrays = _checked(place, fmi, platform)
    if place.exists() and not force:
        write_output(place, b"", force=False)
    given = as_arm(arm)
    report_step(on_progress, "deriving the equations", 0.0)
    built = build_model(given, model) if isinstance(model, str) else custom_model(given, model)
    made = replace(built, arrays=arrays)
    everywhere = "compiling for every platform" if "all" in platform else "compiling"
    report_step(on_progress, everywhere, 0.3)
    data, platforms = fmu_bytes(made, fmi=version, platform=platform)
    report_step(on_progress, "writing the file", 0.9)
    write_output(place, data, force=force)
    speed = real_time_factor(made, data) if made.block.motion else None
    if speed is not None and speed < FAST:
        LOG.warning("%s: co-simulation runs %.1f times faster than real time here", place, speed)
    return FmuExport(
        place, given.name, made.name, made.identifier, version, platforms, len(data), speed
    )


def _checked(path: Path, fmi: int | str, platform: str) -> tuple[int, bool]:
    """Return FMI version and whether vectors are arrays, after checking the options."""
    if path.suffix != ".fmu":
        raise InputError(f"{path}: an FMU's name ends in .fmu")
    if fmi not in VERSIONS:
        raise InputError(f"FMI version {fmi!r}; give 2, 3 or '3-arrays'")
    split_platform(platform, VERSIONS[fmi][0])
    return VERSIONS[fmi]


def fmu_bytes(model: FmuModel, *, fmi: int, platform: str) -> tuple[bytes, tuple[str, ...]]:
    """Return an FMU as bytes, and the platforms that it has binaries for.

    Args:
        model: the model.
        fmi: FMI version, 2 or 3.
        platform: ``host``, ``all``, ``wasm``, ``host,wasm`` or ``all,wasm``.
    """
    native, with_wasm = split_platform(platform, fmi)
    texts = sources(model, fmi)
    token = _token(description(model, "", fmi=fmi), texts)
    texts["model.h"] = texts["model.h"].replace(TOKEN, token)
    level = "-O2" if model.block.motion else "-Os"
    what = (texts, f"fmi{fmi}.c", model.identifier, level)
    libraries = {host(): compile_host(*what)} if native == "host" else {}
    if native == "all":
        libraries = compile_all(*what)
    entries = {"modelDescription.xml": description(model, token, fmi=fmi)}
    entries |= _binaries(libraries, model.identifier, fmi)
    if with_wasm:
        texts |= wasm_sources()
        entries |= _component(texts, level, model)
    entries |= terminals_and_icons(model, fmi)
    entries["documentation/index.html"] = documentation(model).encode()
    entries["resources/arm.toml"] = write_toml(model.arm.with_(shapes=())).encode()
    entries["resources/model.txt"] = f"{model.name}\n".encode()
    entries |= {f"sources/{name}": text.encode() for name, text in texts.items()}
    if fmi == 3:
        entries["sources/buildDescription.xml"] = _build_description(model)
    names = tuple(target.name for target in libraries)
    return archive(entries), (*names, WASM) if with_wasm else names


def sources(model: FmuModel, fmi: int) -> dict[str, str]:
    """Return the C files of a model by name; ``fmi2.c`` or ``fmi3.c`` is the one to compile."""
    names: tuple[str, ...] = (
        "platform.h", "instance.h", "instance.c", "solver.c", "state.c",
        f"fmi{fmi}.h", f"fmi{fmi}.c",
    )  # fmt: skip
    names += ("friction.c",) if model.block.motion else ()
    fixed = {name: (SOURCES / name).read_text(encoding="utf-8") for name in names}
    return fixed | generated(model)


def _token(description: bytes, sources: dict[str, str]) -> str:
    """Return the identity of a model: it changes with any number, equation or line of C."""
    state = hashlib.sha256(description)
    for name, text in sorted(sources.items()):
        state.update(f"{name}\n{text}".encode())
    return f"{{{uuid.UUID(bytes=state.digest()[:16])}}}"


def _binaries(
    libraries: dict[PlatformTarget, bytes], identifier: str, fmi: int
) -> dict[str, bytes]:
    """Return the libraries by path; FMI 2 has one folder for both macOS architectures."""
    grouped: dict[str, list[bytes]] = {}
    for target, data in libraries.items():
        path = f"binaries/{target.folder(fmi)}/{identifier}{target.ending}"
        grouped.setdefault(path, []).append(data)
    return {
        path: parts[0] if len(parts) == 1 else universal(parts) for path, parts in grouped.items()
    }


def _component(texts: dict[str, str], level: str, model: FmuModel) -> dict[str, bytes]:
    """Return the WebAssembly component and the manifest of its layered standard, by path."""
    data = compile_component(texts, level, has_model_exchange=model.has_model_exchange)
    return {f"binaries/{WASM}/{model.identifier}.wasm": data, MANIFEST: manifest()}


def _build_description(model: FmuModel) -> bytes:
    root = ET.Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    build = ET.SubElement(root, "BuildConfiguration", {"modelIdentifier": model.identifier})
    files = ET.SubElement(
        build, "SourceFileSet", {"language": "C11", "compilerOptions": "-O2 -fno-math-errno"}
    )
    ET.SubElement(files, "SourceFile", {"name": "fmi3.c"})
    return xml_bytes(root)


def archive(entries: dict[str, bytes]) -> bytes:
    """Return a zip file whose bytes depend on names and contents alone."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, data in entries.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if name.startswith("binaries/") else 0o100644) << 16
            file.writestr(entry, data)
    return buffer.getvalue()
