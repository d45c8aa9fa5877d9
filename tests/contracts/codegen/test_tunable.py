"""Equations whose arm has numbers as inputs equal those of the arm with these numbers."""

import numpy as np
import pytest

import armtwin as at
from armtwin.codegen.functions import arm_functions
from armtwin.compile.program import Program
from armtwin.compile.targets import numpy as numpy_target
from armtwin.equations import tunable

RNG = np.random.default_rng(2)


def run(program: Program, inputs):
    """Return the outputs of a program in NumPy."""
    rows = len(inputs[0])
    outputs = [np.empty((rows, port.size)) for port in program.outputs]
    numpy_target.batch_function(program)([np.ascontiguousarray(x) for x in inputs], outputs)
    return outputs


def of_module(arm, name, groups, values, *states):
    """Return the first output of a function with some parameters set."""
    made = arm_functions(arm, [name], groups)
    function = made.functions[name]
    names = [p["name"] for p in made.numbers]
    p = np.array([float(n["value"]) for n in made.numbers])
    for key, value in values.items():
        p[names.index(key)] = value
    c = run(function.constants, [p[None]])[0]
    return run(function.program, [*states, np.repeat(c, len(states[0]), 0)])[0]


@pytest.mark.parametrize(
    "arm", [at.convert("ur10e", "screws"), at.load("panda"), at.load("ur5e-energy")]
)
def test_payload_is_where_with_payload_puts_it(arm, monkeypatch):
    """Torques equal those of the loaded arm when a payload is set, in every convention."""
    monkeypatch.setenv("ARMTWIN_TARGET", "numpy")
    q, qd, qdd = RNG.uniform(-1, 1, (3, 4, arm.dof))
    q = np.clip(q, arm.lower, arm.upper)
    values = {"payload_mass": 1.7, "payload_x": 0.02, "payload_y": -0.01, "payload_z": 0.08}
    values |= {"payload_Ixx": 0.01, "payload_Iyy": 0.02, "payload_Izz": 0.015}
    found = of_module(arm, "inverse_dynamics", ["payload"], values, q, qd, qdd)
    moments = (0.01, 0.02, 0.015, 0, 0, 0)
    loaded = at.with_payload(arm, 1.7, com=(0.02, -0.01, 0.08), inertia=moments)
    expected = at.inverse_dynamics(loaded, q, qd, qdd)
    np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


def test_groups_follow_from_the_arm():
    """Geometry needs DH rows and a payload masses when the possible groups are asked for."""
    assert tunable.possible_groups(at.load("ur10e")) == tunable.GROUPS
    screws = at.convert("ur10e", "screws")
    assert set(tunable.GROUPS) - set(tunable.possible_groups(screws)) == {"geometry"}
    lacking = set(tunable.GROUPS) - set(tunable.possible_groups(at.load("desktop5")))
    assert lacking == {"masses", "payload"}


def test_tool_and_base_are_parameters():
    """The pose equals that of the arm with the other frames when tool and base are set."""
    arm = at.load("ur10e")
    q = RNG.uniform(-1, 1, (3, 6))
    values = {"tool_x": 0.1, "tool_yaw": 0.3, "base_z": 0.5}
    found = of_module(arm, "fk", ["tool", "base"], values, q)
    turn = np.eye(4)
    turn[:2, :2] = [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]]
    turn[0, 3] = 0.1
    expected = at.fk(arm, q) @ turn
    expected[:, 2, 3] += 0.5
    np.testing.assert_allclose(found.reshape(-1, 4, 4), expected, atol=1e-13)
