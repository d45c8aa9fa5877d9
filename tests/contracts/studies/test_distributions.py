"""Random parameters of a study: values within their distribution, refusals of others."""

import numpy as np
import pytest

from armtwin.errors import InputError
from armtwin.studies.planning.distributions import distribution, is_distribution

DRAWS = 4000


def drawn(**given):
    """Return many values of a distribution."""
    draw, random = distribution("x", given), np.random.default_rng(1)
    return [draw(random) for _ in range(DRAWS)]


def test_uniform_and_loguniform_fill_their_range():
    """Values, or their logarithms, are spread evenly between the bounds when many are drawn."""
    for values, low, high in (
        (np.array(drawn(uniform=[2.0, 6.0])), 2.0, 6.0),
        (np.log(drawn(loguniform=[0.01, 100.0])), np.log(0.01), np.log(100.0)),
    ):
        assert low <= values.min() and values.max() <= high
        counts, _ = np.histogram(values, 10, (low, high))
        assert np.abs(counts - DRAWS / 10).max() < 5 * np.sqrt(DRAWS / 10)


def test_normal_has_its_moments():
    """Mean and deviation are the given ones within four standard errors when many are drawn."""
    values = np.array(drawn(normal=[3.0, 0.5]))
    assert abs(values.mean() - 3.0) < 4 * 0.5 / np.sqrt(DRAWS)
    assert abs(values.std() - 0.5) < 4 * 0.5 / np.sqrt(2 * DRAWS)


def test_integers_and_choices_take_every_value():
    """First and last number, and every choice, occur when many are drawn."""
    assert set(drawn(integers=[-1, 2])) == {-1, 0, 1, 2}
    assert set(drawn(choice=["a", 2, True])) == {"a", 2, True}


@pytest.mark.parametrize(
    "given",
    [
        {"uniform": [2, 1]},
        {"uniform": [0, float("inf")]},
        {"uniform": [1]},
        {"loguniform": [0, 1]},
        {"normal": [0, -1]},
        {"normal": "wide"},
        {"integers": [0.5, 2]},
        {"choice": []},
        {"choice": 3},
    ],
)
def test_wrong_numbers_are_refused(given):
    """Parameter, distribution and the expected form are named when the numbers do not fit."""
    with pytest.raises(
        InputError, match=rf"\[random\] mass: {next(iter(given))} = .*; expected \["
    ):
        distribution("mass", given)


def test_unknown_distribution_lists_the_known():
    """The distributions that exist are listed when another one, or two at once, are given."""
    for given in ({"gamma": [1, 2]}, {"uniform": [0, 1], "normal": [0, 1]}):
        with pytest.raises(
            InputError, match=r"no distribution; there are \{ uniform = \[low, high\] \}"
        ):
            distribution("mass", given)


def test_values_are_distinguished_from_distributions():
    """A table of other keys, an empty one and a plain value are no distributions."""
    assert is_distribution({"normal": [0, 1]})
    assert not any(map(is_distribution, ({}, {"from": "rows.csv"}, [0, 1], 2.0)))
