"""A model ready to be exported: numbered variables around the equations of a block."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

from armtwin.units import rate_unit

if TYPE_CHECKING:
    from armtwin.equations.block import Block, Quantity
    from armtwin.model.arm import Arm

Causality = Literal["independent", "input", "output", "local", "parameter"]


@dataclass(frozen=True)
class Variable:
    """A variable; ``reference`` is its value reference, and the index of its first number.

    ``state`` is, for the derivative of a state, that state's reference. An array has the start
    values ``starts`` of its entries.
    """

    reference: int
    quantity: Quantity
    causality: Causality
    variability: str
    initial: str | None
    state: int | None = None
    starts: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """The variable's name."""
        return self.quantity.name

    @property
    def has_start(self) -> bool:
        """Whether the variable takes a start value."""
        return self.initial == "exact" or self.causality == "input"


@dataclass(frozen=True)
class FmuModel:
    """An arm's model with its variables in the order of their references.

    Attributes:
        name: which model, such as ``fk``.
        identifier: its name as part of file and function names.
        arm: the arm that start values come from.
        block: the equations.
        variables: time, inputs, outputs, states, derivatives, parameters.
        dependencies: for every output variable and derivative, the references that it depends on.
        arrays: whether vectors are listed as arrays (FMI 3) in place of scalars.
        about: what the model does, where it is a user's own.
    """

    name: str
    identifier: str
    arm: Arm
    block: Block
    variables: tuple[Variable, ...]
    dependencies: dict[int, tuple[int, ...]]
    arrays: bool = False
    about: str = ""

    @property
    def listed(self) -> tuple[Variable, ...]:
        """The variables as the description lists them: scalars, or arrays of them."""
        if not self.arrays:
            return self.variables
        groups = groupby(self.variables, key=lambda v: (v.quantity.array, v.causality))
        return tuple(v for _, group in groups for v in _merged(list(group)))

    @property
    def sizes(self) -> list[int]:
        """How many numbers the variable at each reference has; 0 for further array entries."""
        found = [0] * len(self.variables)
        for variable in self.listed:
            found[variable.reference] = max(1, len(variable.starts))
        return found

    @property
    def title(self) -> str:
        """One-line description of the model."""
        return f"{self.name} of {self.arm.title or self.arm.name}"

    @property
    def has_model_exchange(self) -> bool:
        """Whether the model has a model-exchange interface beside co-simulation."""
        return not self.block.is_sampled

    def with_causality(self, causality: Causality) -> list[Variable]:
        """Return the listed variables of one causality."""
        return [v for v in self.listed if v.causality == causality]


def _merged(variables: list[Variable]) -> list[Variable]:
    """Return consecutive scalars of one vector as an array, or as they are where units differ."""
    first = variables[0]
    if not first.quantity.array or len({v.quantity.unit for v in variables}) > 1:
        return variables
    shared: dict[str, Any] = {
        name: getattr(first.quantity, name)
        if len({getattr(v.quantity, name) for v in variables}) == 1
        else None
        for name in ("least", "most")
    }
    name = first.quantity.array if first.state is None else f"der({first.quantity.array})"
    meaning = f"{first.name} to {variables[-1].name}; {first.name}: {first.quantity.meaning}"
    quantity = dataclasses.replace(first.quantity, name=name, meaning=meaning, **shared)
    starts = tuple(v.quantity.start for v in variables)
    return [dataclasses.replace(first, quantity=quantity, starts=starts)]


def as_model(arm: Arm, block: Block, about: str = "") -> FmuModel:
    """Return the model of a block: its quantities numbered in the order that the C code keeps.

    Args:
        arm: the arm.
        block: the equations.
        about: what the model does, where it is a user's own.
    """
    variables = _variables(block)
    identifier = re.sub(r"\W", "_", f"{arm.name}_{block.name}", flags=re.ASCII)
    if identifier[0].isdigit():
        identifier = f"arm_{identifier}"
    needs = _dependencies(block, variables)
    return FmuModel(block.name, identifier, arm, block, tuple(variables), needs, about=about)


def _variables(block: Block) -> list[Variable]:
    from armtwin.equations.block import Quantity

    found: list[Variable] = []

    def add(
        quantity: Quantity, causality: Causality, variability: str, initial: str | None
    ) -> None:
        found.append(Variable(len(found), quantity, causality, variability, initial))

    add(Quantity("time", "s"), "independent", "continuous", None)
    for quantity in block.inputs.quantities:
        add(quantity, "input", "continuous" if quantity.kind == "real" else "discrete", None)
    for quantity in block.outputs.quantities:
        smooth = quantity.kind == "real" and not block.is_sampled
        initial = "exact" if block.is_sampled else "calculated"
        add(quantity, "output", "continuous" if smooth else "discrete", initial)
    first_state = len(found)
    for quantity in block.states.quantities:
        add(quantity, "output", "continuous", "exact")
    for k, quantity in enumerate(block.states.quantities):
        found.append(_derivative(len(found), quantity, first_state + k))
    for quantity in block.parameters.quantities:
        add(quantity, "parameter", "tunable" if quantity.tunable else "fixed", "exact")
    return found


def _derivative(reference: int, state: Quantity, of: int) -> Variable:
    from armtwin.equations.block import Quantity

    unit = rate_unit(state.unit)
    quantity = Quantity(f"der({state.name})", unit, 0.0, f"rate of {state.name}", array=state.array)
    return Variable(reference, quantity, "local", "continuous", "calculated", of)


def _dependencies(block: Block, variables: list[Variable]) -> dict[int, tuple[int, ...]]:
    """Return the dependencies of each output and derivative, by value reference."""
    n_u, n_y, n_x = (len(b.quantities) for b in (block.inputs, block.outputs, block.states))
    n_p = len(block.parameters.quantities)
    outputs, states, rates = 1 + n_u, 1 + n_u + n_y, 1 + n_u + n_y + n_x
    places = [
        0,
        *range(1, 1 + n_u),
        *range(states, states + n_x),
        *range(rates + n_x, rates + n_x + n_p),
    ]
    found: dict[int, tuple[int, ...]] = {}
    pattern = block.dependencies()
    for first, rows in ((outputs, pattern["outputs"]), (rates, pattern["rates"])):
        for k, row in enumerate(rows):
            found[first + k] = tuple(places[i] for i in row)
    for reference in range(states, states + n_x):
        found[reference] = (reference,)
    return found
