"""Random arms through every target of the compiler, against Pinocchio or a law."""

import pytest
from benchmarks.drawn_arms import CONVENTIONS, draw_arm
from benchmarks.random_arms import (
    LANES,
    LAWS,
    arm_equations,
    check_arm,
    check_whole,
    derive,
    law_flaws,
)

from armtwin.compile.native import toolchain
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.equations.kinematics import tool_pose as tool_pose_equations

ARMS, GROUP = 220, 10
WHOLE = (41, 46, 19)
"""Arms of six joints. On the first two, gcc 12.2 drops a constant of the Coriolis matrix in 8
lanes where constants are not hidden from its optimiser (``opaque`` in vector_math.h)."""
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


@needs_compiler
@pytest.mark.parametrize("seed", WHOLE)
def test_targets_agree_on_whole_coriolis_matrices(seed):
    """Eight lanes agree with NumPy and Pinocchio when no joint is cut from a long equation."""
    assert draw_arm(seed).dof == 6
    assert check_whole(seed, rigid_body_equations.coriolis, 8) == []


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
    """Each equation that takes an arm is compiled once for every number of lanes, or more."""
    assert len(LANES) * len(arm_equations()) <= ARMS
    assert set(LAWS) < set(arm_equations())


@needs_compiler
def test_wrong_code_is_noticed(monkeypatch):
    """The arm is reported when a constant of its compiled code is replaced."""
    equations = arm_equations()
    first = equations.index(tool_pose_equations.jacobian)
    rounds = len(LANES) * len(equations)  # of four lanes, as the first one
    seeds = range(first, first + 3 * rounds, rounds)
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
