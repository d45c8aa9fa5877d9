"""Arms whose numbers are symbols, and blocks: names, units, start values, and what is refused."""

import casadi as ca
import numpy as np
import pytest
from moving_arms import moving_arm
from presliding_arms import with_presliding

import armtwin as at
from armtwin.equations.blocks import motion_blocks, plant_block, torque_blocks
from armtwin.equations.dynamics import rigid_body
from armtwin.equations.kinematics import tool_pose
from armtwin.equations.parameters import GROUPS, symbolic
from armtwin.equations.tunable import INPUT, numbers, possible_groups, tunable
from armtwin.errors import InputError
from armtwin.units import base_units

FULL = moving_arm("ur5e-energy")
SHORT = FULL.with_(joints=FULL.joints[:2])
BLOCKS = {
    "fk": motion_blocks.fk,
    "inverse dynamics": torque_blocks.inverse_dynamics,
    "computed torque": torque_blocks.computed_torque,
    "momentum observer": torque_blocks.momentum_observer,
    "forward dynamics": plant_block.forward_dynamics,
}


def test_unknown_groups_are_refused():
    """The groups that exist and the one given are named when a group is unknown."""
    with pytest.raises(InputError, match=r"parameter groups are geometry, .* got groups \('mood',"):
        symbolic(SHORT, ("mood",))


@pytest.mark.parametrize("group", ["geometry", "payload"])
def test_screws_have_no_rows(group):
    """An error asks for a conversion when an arm of screws is to have DH numbers as symbols."""
    screws = at.convert(FULL, "screws")
    assert group not in possible_groups(screws)
    with pytest.raises(InputError, match=r"need a DH arm; .* 'screws'; convert the arm first"):
        symbolic(screws, (group,))


def test_unknown_masses_are_no_group():
    """Masses and payload are left out of the possible groups when links have no masses."""
    left_out = set(GROUPS) - set(possible_groups(at.load("ur10e-report")))
    assert left_out == {"masses", "payload"}


@pytest.mark.parametrize("group", GROUPS)
def test_parameters_belong_to_symbols(group):
    """One symbol per parameter, in order and with a name of its own, when a group is chosen."""
    groups = ("drives", group) if group == "presliding" else (group,)
    made = symbolic(with_presliding(0.002), groups)
    names = [parameter.name for parameter in made.parameters]
    assert [symbol.name() for symbol in ca.symvar(made.symbols)] == names
    assert len(set(names)) == len(names) == made.values.size
    for parameter in made.parameters:
        halves = parameter.unit == "N.m/W0.5"  # the motor constant's, which FMI cannot express
        assert halves or base_units(parameter.unit) is not None, parameter
        assert parameter.meaning
        assert parameter.least is None or parameter.value >= parameter.least


@pytest.mark.parametrize("build", [tool_pose.tool_pose, rigid_body.inverse_dynamics])
def test_values_give_the_arm_back(build):
    """The numeric arm's outputs result when a symbolic arm's symbols have their values."""
    known = numbers(SHORT, possible_groups(SHORT))
    made = tunable(known, build)
    values = [parameter.value for parameter in known.parameters]
    assert list(made.inputs)[-1] == INPUT
    assert len(known.groups) == len(known.parameters)
    state = [np.random.default_rng(k).uniform(-1, 1, 2) for k in range(len(made.inputs) - 1)]
    ours, expected = made.function()(*state, values), build(SHORT).function()(*state)
    np.testing.assert_allclose(np.array(ours), np.array(expected), rtol=1e-12, atol=1e-12)


def test_no_groups_leave_the_equation():
    """No further input is added when no number of the arm is to be tunable."""
    assert INPUT not in tunable(numbers(SHORT, ()), tool_pose.tool_pose).inputs


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_have_names_of_their_own(name):
    """No two quantities of a block share a name, and bounds hold start values, in every block."""
    block = BLOCKS[name](SHORT)
    sides = (block.inputs, block.outputs, block.states, block.parameters)
    quantities = [quantity for side in sides for quantity in side.quantities]
    names = [quantity.name for quantity in quantities]
    assert len(set(names)) == len(names)
    for quantity in quantities:
        assert quantity.least is None or quantity.start >= quantity.least, quantity
        assert quantity.most is None or quantity.start <= quantity.most, quantity


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_have_an_expression_per_quantity(name):
    """Symbols and quantities are as many, and equations need no other symbol, in every block."""
    block = BLOCKS[name](SHORT)
    for side in (block.inputs, block.outputs, block.states, block.parameters, block.memory):
        assert ca.SX(side.symbols).numel() == len(side.quantities)
    assert not any(equation.function().has_free() for equation in block.equations())
    dependencies = block.dependencies()
    assert len(dependencies["outputs"]) == len(block.outputs.quantities)
    assert len(dependencies["rates"]) == (0 if block.is_sampled else len(block.states.quantities))
