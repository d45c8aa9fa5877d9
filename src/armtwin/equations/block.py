r"""Blocks: equations of an arm with named scalar inputs, outputs, states and parameters.

.. math:: y = h(t, u, x, p), \qquad \dot x = f(t, u, x, p)

or, for a sampled block with memory m and time h since its last sample,

.. math:: (m_k, y_k) = s(h, u_k, m_{k-1}, p)

Blocks are exported as FMUs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from armtwin.equations.equation import Equation
from armtwin.equations.parameters import Parameter
from armtwin.equations.symbolic import ca

Kind = Literal["real", "integer", "boolean"]


@dataclass(frozen=True)
class Quantity:
    """A scalar of a block: name, unit ("1" for none), start value and meaning.

    ``kind`` is its type in the interface; inside, every quantity is a number. ``least`` and
    ``most`` bound its values. ``tunable`` parameters may change while the block runs. Consecutive
    quantities of the same ``array`` are the entries of one vector.
    """

    name: str
    unit: str
    start: float = 0.0
    meaning: str = ""
    kind: Kind = "real"
    least: float | None = None
    most: float | None = None
    tunable: bool = False
    array: str = ""


@dataclass(frozen=True)
class Bundle:
    """Quantities with the symbols that stand for them, in the same order."""

    symbols: Any
    quantities: tuple[Quantity, ...]

    @staticmethod
    def none() -> Bundle:
        """Return the empty bundle."""
        return Bundle(ca.SX(0, 1), ())

    def __add__(self, other: Bundle) -> Bundle:
        """Return the concatenation."""
        symbols = ca.vertcat(self.symbols, other.symbols)
        return Bundle(symbols, self.quantities + other.quantities)


@dataclass(frozen=True)
class Block:
    """The expressions of a block over its symbols.

    Attributes:
        name: the model's name.
        time: symbol of time [s].
        inputs, outputs, states, parameters: the interface; the symbols of outputs are their
            expressions.
        rates: expressions of the states' derivatives.
        memory: for a sampled block its symbols, next values and start values.
        since: for a sampled block the symbol of the time since the last sample.
        motion: for states q, qd and z of ``M(q) qdd = load(qd, z, dq) + rest(q, qd)`` the
            expressions ``mass``, ``rest``, ``load``, ``slope`` and ``stiffness`` (of each load by
            its joint's speed and displacement), the symbols ``dq`` of displacements since z, and
            ``elements``, z after them; for a solver that treats the loads implicitly.
        requirements: expressions of the parameters that must not be negative; their names say
            what is wrong where one is.
    """

    name: str
    time: Any
    inputs: Bundle
    outputs: Bundle
    parameters: Bundle
    states: Bundle = field(default_factory=Bundle.none)
    rates: Any = None
    memory: Bundle = field(default_factory=Bundle.none)
    next_memory: Any = None
    since: Any = None
    motion: dict[str, Any] = field(default_factory=dict)
    requirements: Bundle = field(default_factory=Bundle.none)

    @property
    def is_sampled(self) -> bool:
        """Whether outputs change at samples only."""
        return self.since is not None

    def equations(self) -> list[Equation]:
        """Return the block's equations: outputs, rates and their tangent, or the sample."""
        found = []
        if self.requirements.quantities:
            inputs = {"p": self.parameters.symbols}
            found.append(Equation("requirements", inputs, {"r": self.requirements.symbols}))
        if self.is_sampled:
            return [*found, self._sample()]
        if self.outputs.quantities:
            found.append(Equation("outputs", self._knowns(), {"y": self.outputs.symbols}))
        if self.states.quantities:
            found.append(Equation("rates", self._knowns(), {"dx": self.rates}))
        return [*found, *self._motion(), self._tangent()]

    def _motion(self) -> list[Equation]:
        """Return the parts of the equation of motion: mass, rest, loads, elements."""
        if not self.motion:
            return []
        m, knowns = self.motion, self._knowns()
        moved = knowns | {"dq": m["dq"]}
        loads = {name: m[name] for name in ("load", "slope", "stiffness")}
        found = [
            Equation("mass", knowns, {"mass": m["mass"]}),
            Equation("rest", knowns, {"rest": m["rest"]}),
            Equation("loads", moved, loads),
        ]
        if m["elements"].numel():
            found.append(Equation("elements", moved, {"z": m["elements"]}))
        return found

    def dependencies(self) -> dict[str, list[list[int]]]:
        """Return for every output and every rate which of (time, u, x, p) it depends on.

        Positions count through time, inputs, states and parameters. A sampled block's outputs
        depend on nothing at the same instant.
        """
        if self.is_sampled:
            return {"outputs": [[] for _ in self.outputs.quantities], "rates": []}
        knowns = ca.vertcat(*self._knowns().values())
        return {
            "outputs": _pattern(self.outputs.symbols, knowns),
            "rates": _pattern(self.rates, knowns) if self.states.quantities else [],
        }

    def _knowns(self) -> dict[str, Any]:
        groups = {"u": self.inputs, "x": self.states, "p": self.parameters}
        return {"t": self.time} | {name: group.symbols for name, group in groups.items()}

    def _sample(self) -> Equation:
        inputs = {
            "since": self.since,
            "u": self.inputs.symbols,
            "m": self.memory.symbols,
            "p": self.parameters.symbols,
        }
        outputs = {"m_next": self.next_memory, "y": self.outputs.symbols}
        return Equation("sample", inputs, outputs)

    def _tangent(self) -> Equation:
        """Directional derivatives of outputs, then rates, along a seed of u, x and p."""
        knowns = self._knowns()
        moved = ca.vertcat(*(knowns[name] for name in ("u", "x", "p")))
        seed = ca.SX.sym("seed", moved.numel())
        unknowns = ca.vertcat(self.outputs.symbols, _or_none(self.rates))
        along = ca.densify(ca.jtimes(unknowns, moved, seed))
        return Equation("tangent", knowns | {"seed": seed}, {"along": along})


def _or_none(x: Any) -> Any:
    return ca.SX(0, 1) if x is None else x


def _pattern(expressions: Any, symbols: Any) -> list[list[int]]:
    """Return for every expression the positions of the symbols that it depends on."""
    sparsity = ca.jacobian_sparsity(ca.densify(expressions), symbols).T
    starts, rows = sparsity.colind(), sparsity.row()
    return [list(rows[a:b]) for a, b in zip(starts, starts[1:], strict=False)]


def scalars(stem: str, units: list[str], **details: Any) -> Bundle:
    """Return ``stem1 ... stemn``, one per unit, as symbols."""
    starts = details.pop("starts", [0.0] * len(units))
    meaning = details.pop("meaning", "")
    quantities = tuple(
        Quantity(f"{stem}{i}", unit, float(start), meaning.format(i), array=stem, **details)
        for i, (unit, start) in enumerate(zip(units, starts, strict=True), 1)
    )
    return Bundle(ca.SX.sym(stem, len(units)), quantities)


def constants(symbols: Any, parameters: tuple[Parameter, ...]) -> Bundle:
    """Return an arm's symbolic numbers as parameters of a block."""
    quantities = [
        Quantity(
            p.name, p.unit, p.value + 0.0, p.meaning,
            least=p.least, tunable=p.tunable, array=p.array,
        )
        for p in parameters
    ]  # fmt: skip
    return Bundle(symbols, tuple(quantities))
