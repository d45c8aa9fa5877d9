"""Export of an arm's WebAssembly module as a folder: module, manifest, loader and its types."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armtwin.codegen.wasm import wasm_module
from armtwin.files import write_folder
from armtwin.model.catalogue.catalogue import ArmLike
from armtwin.progress import OnProgress, report_step
from armtwin.report.page import Page
from armtwin.report.result import Result

ASSETS = Path(__file__).parent / "assets"
LOADER = ("armtwin.js", "armtwin.d.ts")


@dataclass(frozen=True)
class WasmExport(Result):
    """An exported WebAssembly module.

    Attributes:
        path: the folder.
        arm: name of the arm.
        functions: names of the functions.
        parameters: how many numbers of the arm can be changed.
        size: of the module [bytes].
        gzipped: the same, compressed [bytes].
        files: names of the files.
    """

    path: Path
    arm: str
    functions: tuple[str, ...]
    parameters: int
    size: int
    gzipped: int
    files: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data; the folder is ``out``, sizes are in bytes."""
        return {
            "out": str(self.path), "arm": self.arm, "functions": list(self.functions),
            "parameters": self.parameters, "bytes": self.size, "gzipped": self.gzipped,
            "files": list(self.files),
        }  # fmt: skip

    def page(self) -> Page:
        """Return what was written as facts."""
        facts = (
            ("Folder", str(self.path)),
            ("Files", ", ".join(self.files)),
            ("Functions", ", ".join(self.functions)),
            ("Parameters", str(self.parameters)),
            ("Size", f"{self.size / 1000:.1f} kB, {self.gzipped / 1000:.1f} kB gzipped"),
        )
        return Page(title=f"WebAssembly of {self.arm}", facts=facts)


def export_wasm(
    arm: ArmLike,
    path: str | Path,
    *,
    equations: Sequence[str] | None = None,
    parameters: Sequence[str] | None = None,
    force: bool = False,
    on_progress: OnProgress | None = None,
) -> WasmExport:
    """Write an arm's WebAssembly module with its manifest, a JavaScript loader and its types.

    Args:
        arm: the arm, its catalogue name or its file.
        path: the folder; made if it does not exist.
        equations: as for ``wasm_module``.
        parameters: as for ``wasm_module``.
        force: overwrite files of an earlier export.
        on_progress: called before each step; raise from it to cancel, then nothing is written.

    Raises:
        InputError: an unknown name, or an equation that the arm cannot have.
        MissingDataError: ziglang or wasmtime is not installed, or the arm lacks numbers.
        OutputExistsError: a file exists and ``force`` is not set.
    """
    made = wasm_module(arm, equations, parameters=parameters, on_progress=on_progress)
    report_step(on_progress, "writing the files", 0.9)
    about = made.to_dict()
    files = {f"{made.arm}.wasm": made.data, f"{made.arm}.json": made.manifest.encode()}
    files |= {name: (ASSETS / name).read_bytes() for name in LOADER}
    folder = Path(path)
    write_folder(folder, files, force=force)
    return WasmExport(
        folder, made.arm, tuple(about["functions"]), len(about["parameters"]), len(made.data),
        len(gzip.compress(made.data, 9)), tuple(files),
    )  # fmt: skip
