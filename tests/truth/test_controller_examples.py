"""The example programs run on the virtual controller, with physics where they need forces."""

from pathlib import Path

import numpy as np
import pytest
from virtual_forces import Q, arm, controller_of, finish, floor, messages
from virtual_robots import needs_mujoco

from armtwin.robots.ur_controller.build import virtual_robot

FOLDER = Path(__file__).parents[2] / "examples" / "urscript"


def example(name, **changes):
    """Return an example program with some of its numbers changed."""
    source = (FOLDER / f"{name}.script").read_text(encoding="utf-8")
    for old, new in changes.items():
        before = f"{old} = "
        start = source.index(before) + len(before)
        end = min(source.index(sign, start) for sign in ("\n", ",", ")") if sign in source[start:])
        source = source[:start] + str(new) + source[end:]
    return source


def test_pick_and_place():
    """A part is moved to its place and back home when the gripper reports it."""
    controller = virtual_robot(arm("ur5e")).controller

    def gripper(controller):
        held = int(controller.registers.number("actual_digital_output_bits")) & 1
        controller.registers["actual_digital_input_bits"] = held

    run = finish(controller, example("pick_and_place", parts=1), 40.0, gripper)
    assert run.error is None
    assert run.variable("moved") == 1
    np.testing.assert_allclose(controller.body.q, run.variable("home").items, atol=1e-6)


def test_palletising():
    """Parts are put on their places when a row of two is filled."""
    controller = virtual_robot(arm("ur5e")).controller
    run = finish(controller, example("palletising", columns=2, rows=1, layers=1), 40.0)
    assert run.error is None
    places = [pose.items[:3] for pose in run.variable("placed").items]
    assert places == [pytest.approx((0.35 - 0.06 * k, -0.15, 0.05), abs=1e-5) for k in range(2)]


@needs_mujoco
def test_spiral_search():
    """The hole is found where it is when the floor gives way there."""
    controller = controller_of(posts=[floor(0.004, softness=0.02)])
    model = controller.body.plant.model
    block = model.geom("post_1").id
    height, found = float(model.geom_pos[block, 2]), []

    def hole(controller):
        x, y = controller.registers["actual_TCP_pose"][:2]
        if controller.motion.compliance is None:
            found[:] = [x, y]
        elif abs(np.hypot(x - found[0], y - found[1]) - 0.002) < 0.0003:
            model.geom_pos[block, 2] = height - 0.005

    run = finish(controller, example("spiral_search", max_radius=0.004, speed=0.02), 6.0, hole)
    assert run.error is None, messages(controller)
    assert run.variable("touched") is True
    assert run.variable("found") is True, messages(controller)
    assert 0.001 < run.variable("radius") < 0.003


@needs_mujoco
@pytest.mark.parametrize(("below", "result"), [(0.1, "inserted"), (0.004, "timeout")])
def test_insertion(below, result):
    """The peg is inserted where nothing is in its way, and time runs out on a closed floor."""
    controller = controller_of(posts=[floor(below)])
    start = controller.registers["actual_TCP_pose"].copy()
    run = finish(controller, example("insertion", depth=0.015, timeout=1.5), 6.0)
    assert run.error is None, messages(controller)
    assert run.variable("result") == result
    sunk = np.linalg.norm(controller.registers["actual_TCP_pose"][:3] - start[:3])
    assert sunk >= 0.015 if result == "inserted" else sunk < 0.012
    assert np.abs(controller.body.q - Q).max() < 0.2
