r"""Comparison of compiled code with the NumPy target on random states, before it is used.

The tolerance follows from rounding. The program runs once as NumPy rounds it, and a few times
with every product and every function's value multiplied by :math:`1 + \delta`, :math:`|\delta| \le`
``NOISE`` (Monte Carlo arithmetic). Their scatter shows how sensitive each output is to rounding:
little for a Jacobian, much for accelerations near a singular mass matrix, without bound for an
angle at its branch cut. Compiled code may differ by ``FACTOR`` times as much.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.compile.native.random_states import STATES, Bounds, random_inputs, turn_goals
from armtwin.compile.program import Program
from armtwin.compile.targets import numpy as numpy_target
from armtwin.spatial import Array

COPIES = 3
"""Runs with noise. More would estimate the scatter better and lengthen every check."""
NOISE = 16 * 2.0**-53
"""Largest relative error of one operation: compiled functions are within 1e-15 of their value."""
FACTOR = 16.0
"""Allowance for estimating the scatter from few copies."""

ROUNDED = {
    "mul", "sq", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh", "exp",
}  # fmt: skip
"""Operations that two targets may round differently: products, which a compiler may fuse with a
sum, and functions. Sums, quotients and roots are rounded equally everywhere (IEEE 754)."""
Run = Callable[[list[Array]], list[Array]]


@dataclass(frozen=True)
class Expectation:
    """Outputs of the NumPy target for some states, and their tolerance from rounding.

    Attributes:
        inputs: one array (states, size) per input.
        values: one array (states, size) per output.
        bounds: like ``values``, the largest difference that rounding explains; infinity where
            rounding decides between a number and none.
    """

    inputs: list[Array]
    values: list[Array]
    bounds: list[Array]


def expectation(
    program: Program, bounds: Bounds, seed: int = 0, given: Mapping[str, Array] | None = None
) -> Expectation:
    """Return the expected outputs for random states.

    Args:
        program: the program.
        bounds: lower and upper limits of the first input; infinite where there are none.
        seed: seed of the random states and of the noise.
        given: inputs that are not random, by name: (size,), or (STATES, size).
    """
    rng = np.random.default_rng(seed)
    given = given or {}
    inputs = random_inputs(program, bounds, rng)
    for number, port in enumerate(program.inputs):
        if port.name in given:
            inputs[number] = np.broadcast_to(given[port.name], (STATES, port.size)).copy()
    if "goal" not in given:
        _turn_goals(program, inputs, rng)
    outputs = _with_noise(program, inputs, rng)
    exact = [y[0] for y in outputs]
    return Expectation(inputs, exact, [_bound(y) for y in outputs])


def _turn_goals(program: Program, inputs: list[Array], rng: np.random.Generator) -> None:
    """Bring goals near the tool in special states, where a program returns their ``error``.

    The rotation vector to the identity as the goal shows the tool's rotation.
    """
    names = [port.name for port in program.inputs]
    if "goal" in names and program.outputs[0].name == "error" and program.outputs[0].size == 6:
        place = names.index("goal")
        identity = np.tile(np.eye(4).ravel(), (STATES, 1))
        error = numpy_outputs(program, [*inputs[:place], identity, *inputs[place + 1 :]])[0]
        turn_goals(inputs[place], error[:, 3:], rng)


def difference(program: Program, expected: Expectation, run: Run) -> str | None:
    """Return a message if outputs of compiled code differ beyond rounding, or None.

    NaN agrees with NaN, an infinity with itself.

    Args:
        program: the program, for the names of its outputs.
        expected: random inputs, the NumPy target's outputs and the bounds of their rounding.
        run: the compiled code, as a function from inputs to outputs.
    """
    found = run(expected.inputs)
    for port, ours, value, bound in zip(
        program.outputs, found, expected.values, expected.bounds, strict=True
    ):
        with np.errstate(invalid="ignore"):
            apart = np.abs(ours - value)
            same = (apart <= bound) | (ours == value) | (np.isnan(ours) & np.isnan(value))
        wrong = ~(same | np.isinf(bound))
        if wrong.any():
            state, entry = np.unravel_index(int(wrong.argmax()), wrong.shape)
            return (
                f"{program.name}: {port.name}[{entry}] is {ours[state, entry]:.17g} where NumPy "
                f"gives {value[state, entry]:.17g}, with {wrong.sum()} of {wrong.size} such entries"
            )
    return None


def numpy_outputs(program: Program, inputs: list[Array]) -> list[Array]:
    """Return the outputs (states, size) by NumPy's functions, for any number of states.

    Unlike ``targets.numpy``, no code is generated: faster for one call.
    """
    values = _values(program, [list(x.T) for x in inputs], len(inputs[0]), None)
    return [np.array([values[k] for k in port]).T.copy() for port in program.results]


def _with_noise(program: Program, inputs: list[Array], rng: np.random.Generator) -> list[Array]:
    """Return the outputs (1 + COPIES, states, size); the first copy has no noise."""
    width = (1 + COPIES) * STATES
    factors = 1.0 + NOISE * rng.uniform(-1, 1, (61, width))
    factors[:, :STATES] = 1.0
    columns = [list(np.tile(x.T, (1, 1 + COPIES))) for x in inputs]
    values = _values(program, columns, width, itertools.cycle(list(factors)))
    shape = (-1, 1 + COPIES, STATES)
    outputs = [np.array([values[k] for k in port]).reshape(shape) for port in program.results]
    return [np.moveaxis(y, 0, -1) for y in outputs]


def _values(
    program: Program, columns: list[list[Array]], width: int, noise: Iterator[Array] | None
) -> list[Array]:
    """Return the values (width,) of all steps of a program.

    Args:
        program: the program.
        columns: per input and entry, its numbers (width,).
        width: how many states are computed.
        noise: factors for rounded results, one array (width,) after the other; None for none.
    """
    values = list(np.empty((len(program.steps), width)))
    with np.errstate(all="ignore"):
        for k, (operation, *operands) in enumerate(program.steps):
            if operation == "const":
                values[k][:] = operands[0]
            elif operation == "input":
                values[k] = columns[operands[0]][operands[1]]
            else:
                FUNCTIONS[operation](*[values[j] for j in operands], out=values[k])
                if noise is not None and operation in ROUNDED:
                    np.multiply(values[k], next(noise), values[k])
    return values


def _bound(copies: Array) -> Array:
    """Return the largest difference that rounding explains, from copies (1 + COPIES, states, size).

    At least what is typical of the entry over the states, and a few last places of the output's
    largest entry in the same state or in the median state, and ``NOISE`` itself: where terms of
    the size of an arm (metres, radians) cancel to zero, a fused product leaves a rounding error.
    """
    exact = copies[0]
    with np.errstate(invalid="ignore"):
        apart = np.abs(copies[1:] - exact)
    same = (copies[1:] == exact) | (np.isnan(copies[1:]) & np.isnan(exact))
    apart = np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart)).max(axis=0)
    size = np.where(np.isfinite(exact), np.abs(exact), 0.0).max(axis=-1, keepdims=True, initial=0.0)
    size = np.maximum(size, np.median(size, axis=0))
    scatter = FACTOR * np.maximum(np.maximum(apart, np.median(apart, axis=0)), NOISE * size)
    return np.maximum(scatter, NOISE)


def _take_where(condition: Array, value: Array, out: Array) -> None:
    out[:] = np.where(condition != 0, value, 0.0)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, ufunc) for name, ufunc in numpy_target.UFUNCS.items()},
    "twice": lambda a, out: np.add(a, a, out),
    "inv": lambda a, out: np.divide(1.0, a, out),
    "if_else_zero": _take_where,
}
