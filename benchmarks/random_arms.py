"""Compile equations of random arms and compare every target with Pinocchio or with a law.

Each arm takes one equation, in turn, through the NumPy, the plain Python and the C target (one
state at a time, in batches of 4, 8 or 2 lanes in turn, and past the caches). Where Pinocchio or a
law knows the answer, the C target's is compared with it; three more equations with such an answer
are compared without compiling them. An equation of more than ``LONG`` steps is compiled for the
arm's first three joints, which takes 0.3 s instead of several seconds.

    python -m benchmarks.random_arms --arms 5000
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import importlib
import inspect
import os
import pkgutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np

import armtwin.equations
from armtwin.compile.kernel import equation_name, limits_of
from armtwin.compile.native import library as native
from armtwin.compile.native import self_check as proof
from armtwin.compile.native import toolchain
from armtwin.compile.program import Program
from armtwin.compile.targets import numpy as numpy_target
from armtwin.compile.targets import python as python_target
from armtwin.equations.dynamics import plant as plant_equations
from armtwin.equations.equation import Build
from armtwin.equations.kinematics import calibration_model as calibration_model_equations
from armtwin.equations.kinematics import posture as posture_equations
from armtwin.errors import ArmTwinError, CompileError
from armtwin.model.arm import Arm
from benchmarks.drawn_arms import draw_arm, with_presliding
from benchmarks.random_arm_laws import LAWS, Engine

LONG = 1000
MAX_FOR_EIGHT, MAX_WITH_AVX512 = 400, 1500
"""Steps and outputs up to which 8 lanes are compiled: gcc takes long without AVX-512."""
LANES = (4, 8, 2)
MAX_DIFFERENCE = 1e-9
"""Largest relative difference from Pinocchio or a law: its own rounding and the URDF's."""
OTHER_SEED = 1_000_000
NEED_DH = (
    calibration_model_equations.pose_and_parameters,
    calibration_model_equations.pose_by_parameters,
)
"""Equations that are defined for arms in a DH convention alone."""
NEED_BRANCHES = (posture_equations.posture,)
"""Equations for arms whose inverse branches have names; tests compare their targets on those."""


def arm_equations() -> list[Build]:
    """Return all equations that take an arm; those with a law come twice."""
    found = []
    for module in pkgutil.walk_packages(armtwin.equations.__path__, "armtwin.equations."):
        loaded = importlib.import_module(module.name)
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            own = function.__module__ == loaded.__name__ and not name.startswith("_")
            equation = function.__annotations__.get("return") == "Equation"
            if function in NEED_BRANCHES:
                continue
            if own and equation and list(inspect.signature(function).parameters) == ["arm"]:
                found.append(function)
    return [*found, *LAWS]


def derive(arm: Arm, equation: Build) -> Program:
    """Return the program of an equation, derived anew."""
    return Program.from_listing(equation(arm).listing())


@dataclass(frozen=True)
class Check:
    """What was compared for one arm, and what differed."""

    seed: int
    equation: Build
    lanes: int
    flaws: tuple[str, ...]


def check_arm(seed: int, laws: int = 3) -> Check:
    """Return what came out for the arm of a seed, an empty ``flaws`` where all targets agree.

    ``laws`` is the number of further equations that are compared without compiling them.
    """
    names = arm_equations()
    equation, lanes = names[seed % len(names)], LANES[seed // len(names) % len(LANES)]
    flaws = []
    try:
        arm, program = _for_equation(seed, equation)
        size = len(program.steps) + sum(port.size for port in program.outputs)
        lanes = lanes if lanes < 8 or size <= most_for_eight() else 4
        flaws += compiled_flaws(arm, equation, program, lanes, seed)
        known = list(LAWS)
        chosen = [known[(seed + 4 * k) % len(known)] for k in range(laws)]
        flaws += law_flaws(draw_arm(seed), chosen, seed)
    except (ArmTwinError, np.linalg.LinAlgError) as error:
        flaws.append(f"{equation_name(equation)}: {type(error).__name__}: {error}")
    return Check(seed, equation, lanes, tuple(f"arm {seed}: {flaw}" for flaw in flaws))


def most_for_eight() -> int:
    """Return up to how many steps and outputs 8 lanes are compiled on this processor."""
    return MAX_WITH_AVX512 if "avx512f" in toolchain.processor().split() else MAX_FOR_EIGHT


def check_whole(seed: int, equation: Build, lanes: int) -> list[str]:
    """Return what differs between the targets of an equation of a whole arm, however long.

    Args:
        seed: of the arm and of the states.
        equation: the equation.
        lanes: how many lanes the C code's batches have.
    """
    arm = draw_arm(seed)
    return compiled_flaws(arm, equation, derive(arm, equation), lanes, seed)


def _for_equation(seed: int, equation: Build) -> tuple[Arm, Program]:
    """Return the arm of a seed, cut to three joints where the equation would be long, and program.

    It stays whole where three joints leave nothing to compute: no two capsules that could meet. An
    arm that has no such two is replaced by that of another seed.
    """
    arm = draw_arm(seed)
    if equation in NEED_DH and arm.convention == "screws":
        arm = draw_arm(seed, convention="standard-dh")
    if equation is plant_equations.held_plant:
        arm = with_presliding(arm)
    try:
        program = derive(arm, equation)
    except CompileError:
        return _for_equation(seed + OTHER_SEED, equation)
    if len(program.steps) <= LONG:
        return arm, program
    cut = arm.with_(joints=arm.joints[:3])
    try:
        return cut, derive(cut, equation)
    except CompileError:
        return arm, program


def compiled_flaws(arm: Arm, equation: Build, program: Program, lanes: int, seed: int) -> list[str]:
    """Return how the targets of a program differ from NumPy, and C from a law.

    Args:
        arm: the arm.
        equation: the equation.
        program: its program for the arm.
        lanes: how many lanes the C code's batches have.
        seed: seed of the random states.
    """
    bounds = limits_of(arm, program)
    expected = proof.expectation(program, bounds, seed)
    found = native.Native(program, bounds, native.Variant(lanes))
    runs = {
        "NumPy": functools.partial(by_numpy, program),
        "Python": functools.partial(by_python, program),
        f"C, {lanes} lanes": functools.partial(found.by_batch, program),
        "C, one state": functools.partial(found.by_state, program),
        "C, streaming": functools.partial(found.by_stream, program),
    }
    flaws = []
    for target, run in runs.items():
        flaw = proof.difference(program, expected, run)
        if flaw is not None:
            flaws.append(f"{target}: {flaw}")
    if equation in LAWS:
        flaws += _off(arm, equation, expected.inputs, found.by_batch(program, expected.inputs))
    return flaws


def law_flaws(arm: Arm, equations: list[Build], seed: int) -> list[str]:
    """Return how NumPy's values of equations differ from Pinocchio or a law."""
    flaws = []
    for equation in equations:
        program = derive(arm, equation)
        expected = proof.expectation(program, limits_of(arm, program), seed)
        flaws += _off(arm, equation, expected.inputs, expected.values)
    return flaws


def _off(
    arm: Arm, equation: Build, inputs: list[np.ndarray], outputs: list[np.ndarray]
) -> list[str]:
    off = LAWS[equation](Engine(arm), inputs, outputs)
    return (
        []
        if off <= MAX_DIFFERENCE
        else [f"{equation_name(equation)}: {off:.1e} from Pinocchio or the law"]
    )


def by_numpy(program: Program, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Return the outputs of the NumPy target."""
    outputs = [np.empty((len(inputs[0]), port.size)) for port in program.outputs]
    numpy_target.batch_function(program)(inputs, outputs)
    return outputs


def by_python(program: Program, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Return the outputs of the plain Python target."""
    run = python_target.single_function(program)
    rows = [run(*np.concatenate(row).tolist()) for row in zip(*inputs, strict=True)]
    cuts = np.cumsum([port.size for port in program.outputs])[:-1]
    return np.split(np.array(rows), cuts, axis=1)


def main(arguments: list[str] | None = None) -> int:
    """Check arms, print what differs and a summary; return 1 where anything does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first arm")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args(arguments)
    if toolchain.find_compiler() is None:
        print("no C compiler: install gcc or clang, or `pip install ziglang`")
        return 2
    start, wrong, seen = time.perf_counter(), 0, Counter[tuple[str, int]]()
    seeds = range(options.first, options.first + options.arms)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ARMTWIN_CACHE"] = folder
        with concurrent.futures.ProcessPoolExecutor(options.processes) as pool:
            for number, check in enumerate(pool.map(check_arm, seeds), 1):
                seen[check.equation, check.lanes] += 1
                wrong += bool(check.flaws)
                for flaw in check.flaws:
                    print(flaw, flush=True)
                if number % 100 == 0:
                    print(f"{number} arms, {wrong} wrong", flush=True)
    seconds = time.perf_counter() - start
    print(
        f"{options.arms} arms, {len(seen)} pairs of equation and lanes, "
        f"{wrong} arms with a difference, {seconds:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
