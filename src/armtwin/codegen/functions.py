"""The functions of an arm that are exported as C and as WebAssembly, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import limits_of, program_for
from armtwin.compile.program import Program
from armtwin.compile.split import hoist
from armtwin.compile.wasm.module import ModuleFunction
from armtwin.equations import tunable
from armtwin.equations.control import observer
from armtwin.equations.drives import drive
from armtwin.equations.dynamics import plant, plant_step, rigid_body
from armtwin.equations.equation import Build
from armtwin.equations.kinematics import pose_error, posture, tool_pose
from armtwin.errors import InputError, MissingDataError
from armtwin.kinematics.inverse.structure.forms import exact_form
from armtwin.kinematics.joint_limits import Bounds
from armtwin.model.arm import Arm
from armtwin.spatial import Array


@dataclass(frozen=True)
class FunctionKind:
    """An equation under its exported name, with a one-line summary."""

    summary: str
    equation: Build | None


IK = "ik"
FUNCTIONS = {
    "fk": FunctionKind("pose of the tool", tool_pose.tool_pose),
    "link_poses": FunctionKind("poses of all links, one below the other", tool_pose.link_poses),
    "coordinates": FunctionKind("tool as position, angles, quaternion", tool_pose.coordinates),
    "jacobian": FunctionKind("geometric Jacobian of the tool", tool_pose.jacobian),
    "pose_error": FunctionKind(
        "error from the tool to a goal, and its Jacobian", pose_error.error_and_jacobian
    ),
    "posture": FunctionKind("sides of shoulder, elbow and wrist", posture.posture),
    "ik": FunctionKind("all branches of the closed form", None),
    "inverse_dynamics": FunctionKind(
        "torques of a motion, without friction", rigid_body.inverse_dynamics
    ),
    "forward_dynamics": FunctionKind(
        "accelerations under torques, without friction", rigid_body.forward_dynamics
    ),
    "plant": FunctionKind(
        "accelerations under motor and external torques, with friction", plant.pushed_plant
    ),
    "plant_step": FunctionKind(
        "one step of the arm under motor and external torques, with friction",
        plant_step.plant_step,
    ),
    "mass_matrix": FunctionKind("mass matrix", rigid_body.mass_matrix),
    "coriolis": FunctionKind("Coriolis matrix", rigid_body.coriolis),
    "gravity": FunctionKind("gravity torques", rigid_body.gravity),
    "energies": FunctionKind("kinetic and potential energy", rigid_body.energies),
    "friction": FunctionKind("friction torques at the joints", drive.friction),
    "current": FunctionKind("motor currents", drive.current),
    "power": FunctionKind("electrical power of each motor", drive.power),
    "observer_step": FunctionKind("one sample of the momentum observer", observer.momentum_step),
}
"""Functions that can be exported."""


@dataclass(frozen=True, eq=False)
class ArmFunctions:
    """Functions of one arm, and the numbers of the arm that are their parameters.

    Attributes:
        arm: the arm.
        functions: the functions by name.
        numbers: name, unit, value, meaning and group of every parameter.
        left_out: functions that the arm cannot have, with the reason.
    """

    arm: Arm
    functions: dict[str, ModuleFunction]
    numbers: tuple[dict[str, str | float], ...]
    left_out: dict[str, str]


def arm_functions(
    arm: Arm, names: Sequence[str], groups: Sequence[str] = (), *, leave_out: bool = False
) -> ArmFunctions:
    """Return functions of an arm.

    Args:
        arm: the arm.
        names: which functions.
        groups: groups of the arm's numbers that become parameters (``tunable.GROUPS``).
        leave_out: leave out functions that the arm cannot have, instead of raising.

    Raises:
        InputError: an unknown name or group, or a closed form that the arm does not have.
        MissingDataError: the arm lacks numbers that a named function needs.
    """
    _check_names(arm, names, groups)
    known = tunable.numbers(arm, tuple(groups))
    functions: dict[str, ModuleFunction] = {}
    left_out: dict[str, str] = {}
    for name in names:
        try:
            functions[name] = _function(arm, name, known)
        except (InputError, MissingDataError) as error:
            if not leave_out:
                raise
            left_out[name] = str(error)
    return ArmFunctions(arm, functions, _described(known), left_out)


def _described(known: tunable.Numbers) -> tuple[dict[str, str | float], ...]:
    """Return the parameters as plain data."""
    return tuple(
        {"name": p.name, "unit": p.unit, "value": p.value, "meaning": p.meaning, "group": group}
        for p, group in zip(known.parameters, known.groups, strict=True)
    )


def check_lists(equations: Sequence[str] | None, groups: Sequence[str]) -> None:
    """Raise InputError where a list of names is a text, repeats a name, or is empty."""
    for what, given in (("equations", equations), ("parameters", groups)):
        if isinstance(given, str) or len(set(given or ())) != len(given or ()):
            raise InputError(f"{what} is {given!r}; give a list of different names")
    if equations is not None and not equations:
        raise InputError("equations is empty; name at least one, or give None for the usual ones")


def _check_names(arm: Arm, names: Sequence[str], groups: Sequence[str]) -> None:
    for name in names:
        if name not in FUNCTIONS:
            listed = "; ".join(f"{key}: {kind.summary}" for key, kind in FUNCTIONS.items())
            raise InputError(f"no equation {name!r}; there are {listed}")
    for group in groups:
        if group not in tunable.GROUPS:
            raise InputError(f"no parameters {group!r}; there are {', '.join(tunable.GROUPS)}")
        if group not in tunable.possible_groups(arm):
            raise InputError(
                f"arm {arm.name!r} has no parameters {group!r}: geometry needs DH rows, masses and "
                "payload need the links' masses, payload DH rows too; it has "
                f"{', '.join(tunable.possible_groups(arm))}"
            )


def _function(arm: Arm, name: str, known: tunable.Numbers) -> ModuleFunction:
    equation = FUNCTIONS[name].equation
    if equation is None:
        return _inverse(arm)
    _check_data(arm, name)
    if not known.parameters:
        program = program_for(arm, equation)
        return ModuleFunction(name, program, limits_of(arm, program))
    program = Program.from_listing(tunable.tunable(known, equation).listing())
    values = np.array([p.value for p in known.parameters])
    if not parameters_read(program):
        program = _without(program, tunable.INPUT)
        return ModuleFunction(name, program, limits_of(arm, program))
    split = hoist(program, tunable.INPUT)
    bounds = limits_of(arm, split.rest)
    return ModuleFunction(name, split.rest, bounds, {}, split.ahead, values)


def _check_data(arm: Arm, name: str) -> None:
    """Raise MissingDataError where a function needs masses that the arm lacks."""
    if FUNCTIONS[name].equation in NEEDS_MASSES:
        arm.require_masses()


NEEDS_MASSES = {
    rigid_body.inverse_dynamics, rigid_body.forward_dynamics, plant.pushed_plant,
    plant_step.plant_step, rigid_body.mass_matrix, rigid_body.coriolis, rigid_body.gravity,
    rigid_body.energies, observer.momentum_step,
}  # fmt: skip


def parameters_read(program: Program) -> list[int]:
    """Return the positions of the parameters that a program reads."""
    names = [port.name for port in program.inputs]
    if tunable.INPUT not in names:
        return []
    port = names.index(tunable.INPUT)
    return sorted(step[2] for step in program.steps if step[0] == "input" and step[1] == port)


def _without(program: Program, name: str) -> Program:
    """Return a program without its last input, which it does not read."""
    inputs = tuple(port for port in program.inputs if port.name != name)
    return Program(program.name, inputs, program.outputs, program.steps, program.results)


def _inverse(arm: Arm) -> ModuleFunction:
    """Return the closed form of an arm; its numbers and limits are shared inputs."""
    form = exact_form(arm)
    if form is None:
        raise InputError(
            f"arm {arm.name!r} has no exact closed form; solve it with pose_error by descent, "
            "as armtwin.ik does"
        )
    bounds = Bounds.of(arm)
    shared: dict[str, Array] = {
        "form": form.numbers, "lower": bounds.lower, "upper": bounds.upper,
    }  # fmt: skip
    program = program_for(None, form.equation)
    return ModuleFunction(IK, program, limits_of(None, program), shared)
