"""Random arms through every target of the compiler, against Pinocchio or a law."""

import pytest
from benchmarks.drawn_arms import CONVENTIONS, draw_arm
from benchmarks.random_arms import LAWS, arm_equations, check_arm, derive, law_flaws

from armtwin.compile.native import toolchain
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.equations.kinematics import tool_pose as tool_pose_equations

ARMS, GROUP = 220, 10
needs_compiler = pytest.mark.skipif(
    toolchain.find_compiler() is None, reason="no C compiler: install gcc or clang, or ziglang"
)


@needs_compiler
@pytest.mark.parametrize("first", range(0, ARMS, GROUP))
def test_targets_agree_on_random_arms(first):
    """C, NumPy and Python agree with each other and with Pinocchio when arms are random."""
    seeds = range(first, first + GROUP)
    flaws = [flaw for seed in seeds for flaw in check_arm(seed, laws=1).flaws]
    assert not flaws, "\n".join(flaws)


def test_arms_are_of_every_kind():
    """All conventions, 3 to 8 joints, sliding joints and constant entries occur among the arms."""
    arms = [draw_arm(seed) for seed in range(ARMS)]
    assert {arm.convention for arm in arms} == set(CONVENTIONS)
    assert {arm.dof for arm in arms} == set(range(3, 9))
    assert {joint.kind for arm in arms for joint in arm.driven} == {"revolute", "prismatic"}
    program = derive(arms[7], rigid_body_equations.coriolis)
    constant = [program.steps[k][0] == "const" for k in program.results[0]]
    assert any(constant) and not all(constant)


def test_every_equation_is_drawn():
    """Each equation that takes an arm is compiled for at least three of the arms."""
    assert 3 * len(arm_equations()) <= ARMS
    assert set(LAWS) < set(arm_equations())


@needs_compiler
def test_wrong_code_is_noticed(monkeypatch):
    """The arm is reported when a constant of its compiled code is replaced."""
    equations = arm_equations()
    first = equations.index(tool_pose_equations.jacobian)
    seeds = range(first, first + 3 * len(equations), len(equations))
    compile_it = toolchain.shared_library
    monkeypatch.setattr(
        toolchain,
        "shared_library",
        lambda source, **given: compile_it(source.replace("opaque4(b0[0])", "b0[1]"), **given),
    )
    assert any("C, 4 lanes" in flaw for seed in seeds for flaw in check_arm(seed).flaws)


def test_wrong_equation_is_noticed(monkeypatch):
    """Pinocchio's answer differs when the equation is derived for another gravity."""
    arm = draw_arm(5)
    heavier = arm.with_(gravity=(0.0, 0.0, -9.9))
    monkeypatch.setattr("benchmarks.random_arms.derive", lambda _, name: derive(heavier, name))
    assert law_flaws(arm, [rigid_body_equations.gravity], 0)
