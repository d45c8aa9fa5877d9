"""``armtwin export``: write an arm as TOML, URDF, MJCF, C or WebAssembly."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from armtwin.cli.argument_groups import grouped
from armtwin.cli.options import ArmName, Force, Json
from armtwin.cli.output import say, say_json, say_page
from armtwin.cli.progress_display import reporter
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.model.arm import Arm, Convention
    from armtwin.report.result import Result

EXAMPLES = """
armtwin export ur10e --out ur10e.urdf
armtwin export ur10e --out ur10e.xml
armtwin export ur5 --out ur5.urdf --meshes
armtwin export desktop5 --out desktop5-mdh.toml --convention modified-dh
armtwin export ur10e --out ur10e_c/ --equations fk,inverse_dynamics,ik,observer_step
armtwin export ur10e --out ur10e_wasm/ --wasm
"""
ENDINGS = (".toml", ".urdf", ".xml")


@dataclass(frozen=True)
class FileArguments:
    """Files of the arm itself."""

    convention: Annotated[
        str | None,
        typer.Option(help="Convert first: standard-dh, modified-dh or screws."),
    ] = None
    meshes: Annotated[
        bool,
        typer.Option(
            "--meshes",
            help="Give a catalogue arm the meshes of an installed robot description.",
        ),
    ] = False

    def changed(self, arm: Arm) -> Arm:
        """Return the arm with the changes of the options."""
        import armtwin

        if self.convention is not None:
            arm = armtwin.convert(arm, cast("Convention", self.convention))
        return armtwin.with_meshes(arm) if self.meshes else arm


@dataclass(frozen=True)
class CodeArguments:
    """Code of the arm's equations: C or WebAssembly, into a folder."""

    equations: Annotated[
        str | None,
        typer.Option(
            help="Names with commas: fk, jacobian, ik, inverse_dynamics, plant, observer_step, ..."
        ),
    ] = None
    parameters: Annotated[
        str | None,
        typer.Option(help="Numbers that stay inputs, with commas: payload, drives, geometry, ..."),
    ] = None
    single: Annotated[bool, typer.Option("--float", help="C in float instead of double.")] = False
    wasm: Annotated[
        bool, typer.Option("--wasm", help="A WebAssembly module and its loader instead of C.")
    ] = False

    @property
    def given(self) -> bool:
        """Whether code is wanted for sure."""
        return self.equations is not None or self.wasm or self.single

    def export(self, arm: Arm, out: Path, *, force: bool) -> Result:
        """Write the folder.

        Args:
            arm: the arm.
            out: the folder.
            force: overwrite files of an earlier export.
        """
        import armtwin

        names, groups = _names(self.equations), _names(self.parameters)
        on_progress = reporter(out.name)
        if self.wasm and self.single:
            raise InputError("--float is an option of C; a WebAssembly module computes in double")
        if self.wasm:
            return armtwin.export_wasm(
                arm, out, equations=names, parameters=groups, force=force, on_progress=on_progress
            )
        return armtwin.export_c(
            arm, out, equations=names, parameters=groups or (), force=force,
            real="float" if self.single else "double", on_progress=on_progress,
        )  # fmt: skip


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@grouped
def command(
    arm: ArmName,
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="PATH", help="File ending in .toml, .urdf or .xml; a folder for code."
        ),
    ],
    file: FileArguments,
    code: CodeArguments,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write an arm to a file (TOML, URDF, MJCF by its extension), or its equations as code.

    Mesh files of the arm are copied into a folder beside it (ur5_urdf_meshes for ur5.urdf). With
    --equations, --float or --wasm, or a folder as --out, the arm's equations are written as C99
    with a C++ wrapper and CMake, or as a WebAssembly module.
    """
    import armtwin
    from armtwin.model.catalogue.catalogue import as_arm

    chosen = file.changed(as_arm(arm))
    if code.given or not out.suffix:
        if out.suffix in ENDINGS:
            raise InputError(
                f"{out} is a file; code goes into a folder, such as --out {out.stem}_c/"
            )
        done = code.export(chosen, out, force=force)
        say_json(done.to_dict()) if json else say_page(done.page())
        return
    armtwin.export(chosen, out, force=force)
    answer = {"arm": chosen.name, "convention": chosen.convention, "out": out}
    say_json(answer) if json else say(f"{chosen.name} ({chosen.convention}) written to {out}")
