"""An arm's functions as one WebAssembly module, with a manifest that describes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from armtwin.codegen import descent
from armtwin.codegen.functions import (
    FUNCTIONS,
    IK,
    ArmFunctions,
    arm_functions,
    check_lists,
    parameters_read,
)
from armtwin.codegen.ports import port_text
from armtwin.compile.native import cache
from armtwin.compile.program import Port
from armtwin.compile.wasm.module import CONSTANTS, ModuleFunction, wasm_bytes
from armtwin.equations import tunable
from armtwin.kinematics.inverse import closed_form
from armtwin.kinematics.inverse.numeric.least_squares import scale
from armtwin.kinematics.inverse.solutions import SINGULAR
from armtwin.kinematics.inverse.structure.forms import exact_form
from armtwin.kinematics.joint_limits import Bounds
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.progress import OnProgress, report_step

VERSION = 1
"""Version of the manifest."""
USUAL = (
    "fk", "link_poses", "jacobian", "pose_error", "ik", "inverse_dynamics", "plant", "gravity",
    "friction", "current", "power",
)  # fmt: skip
"""Functions of a module where none are named; those that the arm cannot have are left out."""


@dataclass(frozen=True)
class WasmModule:
    """A WebAssembly module of one arm.

    Attributes:
        arm: name of the arm.
        data: the module; it imports nothing and exports ``memory`` and its functions.
        manifest: functions, their inputs and outputs in order, and parameters, as JSON text.
    """

    arm: str
    data: bytes
    manifest: str

    def to_dict(self) -> dict[str, Any]:
        """Return the manifest as plain data."""
        described: dict[str, Any] = json.loads(self.manifest)
        return described


def wasm_module(
    arm: ArmLike,
    equations: Sequence[str] | None = None,
    *,
    parameters: Sequence[str] | None = None,
    on_progress: OnProgress | None = None,
) -> WasmModule:
    """Return an arm's functions as one WebAssembly module, from the cache if possible.

    Args:
        arm: the arm, its catalogue name or its file.
        equations: names such as ``fk`` or ``plant``; None for the usual ones that the arm can have.
        parameters: groups of the arm's numbers that the module takes as inputs: ``geometry``,
            ``offsets``, ``base``, ``tool``, ``gravity``, ``masses``, ``drives``, ``payload``; None
            for all that the arm can have, ``()`` for none, which runs up to twice as fast.
        on_progress: called before each step; raise from it to cancel.

    Raises:
        InputError: an unknown name, or a function that the arm cannot have.
        MissingDataError: ziglang or wasmtime is not installed, or the arm lacks numbers.
        CompileError: the compiler fails, or its code computes other numbers than NumPy.
    """
    given = as_arm(arm)
    groups = tunable.possible_groups(given) if parameters is None else tuple(parameters)
    check_lists(equations, groups)
    key = _key(given, equations, groups)
    manifest, data = cache.read_text(f"{key}.json"), cache.read_blob(f"{key}.wasm")
    if manifest is None or data is None:
        report_step(on_progress, "deriving the equations", 0.0)
        made = _functions(given, equations, groups)
        report_step(on_progress, "compiling to WebAssembly", 0.2)
        data = wasm_bytes(list(made.functions.values()), _loops(made))
        manifest = json.dumps(_manifest(made), allow_nan=False)
        cache.write_blob(f"{key}.wasm", data)
        cache.write_text(f"{key}.json", manifest)
    return WasmModule(given.name, data, manifest)


def _key(arm: Arm, equations: Sequence[str] | None, groups: Sequence[str]) -> str:
    """Return the name of a module's files in the cache."""
    names = "usual" if equations is None else " ".join(equations)
    labels = json.dumps([arm.name, arm.title, [joint.name for joint in arm.driven]])
    sources = cache.source_digest(), cache.package_digest("codegen", "compile")
    digest = cache.digest(*sources, arm.fingerprint, labels, names, " ".join(groups))
    return f"wasm-{digest}"


def _functions(arm: Arm, names: Sequence[str] | None, groups: Sequence[str]) -> ArmFunctions:
    if names is not None:
        return arm_functions(arm, names, groups)
    return arm_functions(arm, USUAL, groups, leave_out=True)


def _loops(made: ArmFunctions) -> str:
    error = made.functions.get("pose_error")
    if error is None:
        return ""
    return descent.descent_source(made.arm, with_constants=error.constants is not None)


def _manifest(made: ArmFunctions) -> dict[str, Any]:
    arm = made.arm
    functions = {name: _described(made, function) for name, function in made.functions.items()}
    if "pose_error" in functions:
        functions[descent.NAME] = _descent(made, functions["pose_error"])
    found: dict[str, Any] = {
        "format": "armtwin-wasm",
        "version": VERSION,
        "arm": {"name": arm.name, "title": arm.title or arm.name, "dof": arm.dof},
        "joints": [
            {"name": j.name, "kind": j.kind, "lower": j.limits.lower, "upper": j.limits.upper}
            for j in arm.driven
        ],
        "memory": "memory",
        "heap": "__heap_base",
        "parameters": list(made.numbers),
        "functions": functions,
        "left_out": made.left_out,
    }
    form = exact_form(arm)
    if IK in functions and form is not None:
        found["inverse"] = {
            "structure": form.structure, "redundancy": form.redundancy,
            "exact_margin": closed_form.EXACT_MARGIN, "border_margin": closed_form.BORDER_MARGIN,
            "singular": SINGULAR,
        }  # fmt: skip
    return found


def _described(made: ArmFunctions, function: ModuleFunction) -> dict[str, Any]:
    """Return a function's entry of the manifest."""
    branches = function.name == IK
    shared = {name: values.tolist() for name, values in function.shared.items()}
    inputs = [_port(made.arm, port) for port in function.program.inputs]
    for entry in inputs:
        entry["per_row"] = entry["name"] not in shared and entry["name"] != "c"
        if entry["name"] in shared:
            entry["value"] = shared[entry["name"]]
    constants = function.constants
    names = [str(number["name"]) for number in made.numbers]
    return {
        "summary": FUNCTIONS[function.name].summary,
        "export": function.name,
        "inputs": inputs,
        "outputs": [_port(made.arm, p, branches=branches) for p in function.program.outputs],
        "constants": function.name + CONSTANTS if constants else None,
        "parameters": [names[k] for k in parameters_read(constants)] if constants else [],
    }


def _port(arm: Arm, port: Port, *, branches: bool = False) -> dict[str, Any]:
    meaning, unit = port_text(arm, port.name, branches=branches and len(port.shape) == 2)
    shape, size = list(port.shape), port.size
    return {"name": port.name, "shape": shape, "size": size, "unit": unit, "meaning": meaning}


def _descent(made: ArmFunctions, error: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of ``ik_descent``, whose constants are those of ``pose_error``."""
    arm, limits = made.arm, Bounds.of(made.arm).narrow
    values = {
        "lower": limits.lower, "upper": limits.upper, "weights": scale(arm),
    }  # fmt: skip
    inputs = []
    for name in descent.INPUTS:
        size = {"goal": 16, "weights": 6}.get(name, arm.dof)
        entry = _port(arm, Port(name, (size,))) | {"per_row": name not in values}
        inputs.append(entry | ({"value": values[name].tolist()} if name in values else {}))
    inputs += [entry for entry in error["inputs"] if entry["name"] == "c"]
    return {
        "summary": "joint positions that reach a goal, by descent from a start",
        "export": descent.NAME,
        "inputs": inputs,
        "outputs": [_port(arm, Port("q", (arm.dof,))), _port(arm, Port("error", (6,)))],
        "constants": error["constants"],
        "parameters": error["parameters"],
    }
