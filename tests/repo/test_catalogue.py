"""Every number of the catalogue has a source."""

import pytest
from catalogue_arms import REPRESENTATIVE, kinds

from armtwin import arm_names, load

HAS = {
    "geometry": lambda arm: True,
    "limits": lambda arm: any(vars(j.limits) != vars(type(j.limits)()) for j in arm.joints),
    "masses": lambda arm: any(j.link.mass is not None for j in arm.joints),
    "inertias": lambda arm: any(j.link.inertia is not None for j in arm.joints),
    "drives": lambda arm: any(j.drive is not None for j in arm.joints),
    "radii": lambda arm: any(j.link.radius is not None for j in arm.joints),
}


@pytest.mark.parametrize("name", arm_names())
def test_every_kind_of_number_has_a_source(name):
    """An arm names a source for exactly the kinds of numbers it has when it is loaded."""
    arm = load(name)
    sources = dict(arm.sources)
    assert set(sources) == {kind for kind, has in HAS.items() if has(arm)}
    assert all(len(source) > 20 for source in sources.values())


@pytest.mark.parametrize("name", arm_names())
def test_name_is_the_file_name(name):
    """An arm's name is its file's when it is loaded by that."""
    assert load(name).name == name


def test_representative_arms_are_of_every_kind():
    """Every kind of arm is among the representative ones when the catalogue has it."""
    there = set.union(*(kinds(load(name)) for name in arm_names()))
    assert set.union(*(kinds(load(name)) for name in REPRESENTATIVE)) == there
