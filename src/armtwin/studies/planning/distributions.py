"""Random values of parameters: ``{ uniform = [0.0, 2.0] }`` in a study file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from armtwin.errors import InputError

Draw = Callable[[np.random.Generator], Any]


def distribution(name: str, given: Mapping[str, Any]) -> Draw:
    """Return a function that draws a value.

    Args:
        name: the parameter, for messages.
        given: one of ``DISTRIBUTIONS`` with its numbers.

    Raises:
        InputError: no such distribution, or numbers that it cannot have.
    """
    if len(given) != 1 or next(iter(given)) not in DISTRIBUTIONS:
        known = "; ".join(f"{{ {kind} = {form} }}" for kind, (form, _) in DISTRIBUTIONS.items())
        raise InputError(f"[random] {name} = {dict(given)!r} is no distribution; there are {known}")
    kind, values = next(iter(given.items()))
    form, make = DISTRIBUTIONS[kind]
    try:
        return make(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"[random] {name}: {kind} = {values!r}; expected {form}") from error


def is_distribution(value: Any) -> bool:
    """Return whether a value of a study file is written as a distribution."""
    return isinstance(value, Mapping) and bool(value) and set(value) <= set(DISTRIBUTIONS)


def _uniform(values: Any) -> Draw:
    low, high = _ordered(values)
    return lambda random: float(random.uniform(low, high))


def _loguniform(values: Any) -> Draw:
    low, high = (math.log(value) for value in _ordered(values))
    return lambda random: math.exp(random.uniform(low, high))


def _normal(values: Any) -> Draw:
    mean, deviation = _numbers(values)
    if deviation < 0:
        raise ValueError
    return lambda random: float(random.normal(mean, deviation))


def _integers(values: Any) -> Draw:
    low, high = _ordered(values)
    if low != int(low) or high != int(high):
        raise ValueError
    return lambda random: int(random.integers(int(low), int(high), endpoint=True))


def _choice(values: Any) -> Draw:
    if not isinstance(values, list) or not values:
        raise ValueError
    return lambda random: values[int(random.integers(len(values)))]


def _ordered(values: Any) -> tuple[float, float]:
    low, high = _numbers(values)
    if low > high:
        raise ValueError
    return low, high


def _numbers(values: Any) -> tuple[float, float]:
    first, second = (float(value) for value in values)
    if not (math.isfinite(first) and math.isfinite(second)):
        raise ValueError
    return first, second


DISTRIBUTIONS: dict[str, tuple[str, Callable[[Any], Draw]]] = {
    "uniform": ("[low, high]", _uniform),
    "loguniform": ("[low, high], both positive", _loguniform),
    "normal": ("[mean, standard deviation]", _normal),
    "integers": ("[first, last], both included", _integers),
    "choice": ("[value, value, ...]", _choice),
}
"""Every distribution with the form of its numbers."""
