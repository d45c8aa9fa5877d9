"""What every equation promises: declared ports, no hidden symbols, one program for one arm."""

import functools
import json
import re

import casadi as ca
import pytest
from all_equations import arguments, arm_for, equations
from moving_arms import moving_arm
from synthetic_arms import random_arm

import armtwin as at
from armtwin.compile.program import Program
from armtwin.equations.dynamics import rigid_body
from armtwin.equations.equation import MATRICES, VECTORS, Equation
from armtwin.equations.kinematics import tool_pose

EQUATIONS = equations()
SHORT = moving_arm("ur5e-energy").with_(joints=moving_arm("ur5e-energy").joints[:3])
WHOLE = ("held_plant", "posture")
"""Equations of six joints; the others are derived for three, in a tenth of the time."""
UNUSED = {
    "control.learned_observer.features": {"tau"},  # the same inputs as the observer's rate
    "dynamics.plant.held_loads": {"share"},  # without presliding nothing is held
    "dynamics.sensitivity.stribeck": {"load"},  # the same inputs for all friction laws
    "dynamics.sensitivity.viscous_coulomb": {"load"},
}
"""Inputs that an equation has for the sake of others with the same interface."""


def derive(name):
    """Return an equation, derived anew."""
    build = EQUATIONS[name]
    if not arguments(build):
        return build()
    return build(arm_for(name) if name.endswith(WHOLE) else SHORT)


derived = functools.cache(derive)


@functools.cache
def program_of(name):
    """Return the program of an equation."""
    return Program.from_listing(derived(name).listing())


def columns(expressions):
    """Return expressions as one column."""
    return ca.vertcat(*[ca.vec(ca.SX(x)) for x in expressions])


@pytest.mark.parametrize("name", EQUATIONS)
def test_outputs_use_declared_inputs_alone(name):
    """Outputs depend on the declared inputs and on no other symbol when an equation is built."""
    equation = derived(name)
    declared, used = (
        {symbol.element_hash() for symbol in ca.symvar(columns(ports.values()))}
        for ports in (equation.inputs, equation.outputs)
    )
    assert used and used <= declared


@pytest.mark.parametrize("name", EQUATIONS)
def test_inputs_are_used(name):
    """Every input changes an output when it is not there for the sake of a shared interface."""
    equation = derived(name)
    outputs = columns(equation.outputs.values())
    unused = {key for key, x in equation.inputs.items() if not ca.depends_on(outputs, x)}
    assert unused == UNUSED.get(name, set())


@pytest.mark.parametrize("name", EQUATIONS)
def test_ports_are_as_declared(name):
    """Names, order and sizes of the program are those of the expressions when it is listed."""
    equation, program = derived(name), program_of(name)
    assert [port.name for port in program.inputs] == list(equation.inputs)
    assert [port.name for port in program.outputs] == list(equation.outputs)
    assert [port.size for port in program.inputs] == [x.numel() for x in equation.inputs.values()]
    sizes = [ca.SX(x).numel() for x in equation.outputs.values()]
    assert [port.size for port in program.outputs] == sizes
    assert [len(part) for part in program.results] == sizes


@pytest.mark.parametrize("name", EQUATIONS)
def test_names_serve_as_identifiers(name):
    """Ports have different names that C takes, and inputs are plain vectors, in every equation."""
    equation = derived(name)
    ports = [*equation.inputs, *equation.outputs]
    assert len(set(ports)) == len(ports)
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", port) for port in [equation.name, *ports])
    for symbols in equation.inputs.values():
        assert symbols.is_valid_input() and symbols.is_column() and symbols.is_dense()


@pytest.mark.parametrize("name", EQUATIONS)
def test_program_is_the_same_when_derived_again(name):
    """The same instructions, to the last constant, when an equation is derived a second time."""
    again = Program.from_listing(derive(name).listing())
    assert again.to_json() == program_of(name).to_json()
    assert Program.from_json(again.to_json()) == again


def test_equal_arms_have_one_program():
    """Equal programs when an arm is loaded again, another one when one of its numbers differs."""

    def of(arm):
        return json.dumps(rigid_body.gravity(arm).listing())

    arm = at.load("ur10e")
    assert of(arm) == of(at.load("ur10e").with_(name="another name"))
    assert of(arm) != of(arm.with_(gravity=(0.0, 0.0, -9.82)))


def test_one_joint_keeps_vectors_and_matrices():
    """Outputs over the joints stay vectors and matrices when an arm has one joint."""
    arm = moving_arm("ur5e-energy")
    single = arm.with_(joints=arm.joints[:1])
    for build in (rigid_body.mass_matrix, rigid_body.coriolis, rigid_body.inverse_dynamics):
        for name, shape in build(single).listing()["outputs"]:
            assert shape == ([1, 1] if name in MATRICES else [1])
            assert name in MATRICES or name in VECTORS
    assert dict(tool_pose.jacobian(single).listing()["outputs"])["J"] == [6, 1]


@pytest.mark.parametrize("seed", [2, 5])
def test_joint_inputs_count_the_driven_joints(seed):
    """Joint vectors have one entry per driven joint when an arm has fixed rows and slides."""
    arm = random_arm(seed)
    assert len(arm.driven) == arm.dof
    for build in (tool_pose.tool_pose, rigid_body.inverse_dynamics):
        sizes = dict(build(arm).listing()["inputs"])
        assert {tuple(sizes[name]) for name in ("q", "qd", "qdd") if name in sizes} == {(arm.dof,)}
        assert sizes["q"] == [arm.dof]


def test_matrices_are_listed_row_by_row():
    """The entries of a matrix follow row by row when an equation is listed."""
    x = ca.SX.sym("x", 6)
    made = Equation("rows", {"x": x}, {"y": ca.horzcat(x[:3], x[3:])})
    program = Program.from_listing(made.listing())
    assert program.outputs[0].shape == (3, 2)
    picked = [program.steps[k] for k in program.results[0]]
    assert picked == [("input", 0, k) for k in (0, 3, 1, 4, 2, 5)]
