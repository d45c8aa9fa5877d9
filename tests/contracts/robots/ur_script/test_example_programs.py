"""The example programs run against the fake controller."""

from pathlib import Path

import pytest

import armtwin as at
from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.program import ScriptProgram, State
from armtwin.robots.ur_controller.script.runtime.values import Pose

FOLDER = Path(__file__).parents[4] / "examples" / "urscript"
START = (0.0, -1.57, 1.57, -1.57, -1.57, 0.0)


class Cell(FakeHost):
    """An arm whose tool moves as speedl and force mode ask, by the simplest of rules.

    ``floor`` is the height where the tool touches [m]; ``hole`` is called with x and y from the
    first contact and says whether the tool falls in.
    """

    def __init__(self):
        super().__init__(at.load("ur5e"))
        self.floor, self.hole, self.sink = -1.0, lambda x, y: False, 0.0
        self.lowered, self.force = 0.0, None

    def start(self, motion):
        """Lower the tool with speedl."""
        if isinstance(motion, m.ToolSpeedCommand):
            self.lowered -= motion.velocity[2] * motion.seconds
        return super().start(motion)

    def do(self, command):
        """Note whether force mode is on."""
        super().do(command)
        if isinstance(command, c.ForceMode | c.EndForceMode):
            self.force = command if isinstance(command, c.ForceMode) else None

    def read(self, field):
        """Return fields with the tool lowered."""
        if field == "actual_TCP_pose":
            x, y, z, *turn = super().read(field)
            return (x, y, z - self.lowered - self.sink, *turn)
        return super().read(field)

    def contact_steps(self, direction):
        """Report a contact at the floor."""
        return 3 if self.read("actual_TCP_pose")[2] <= self.floor else 0

    def joint_history(self, steps):
        """Return the joints now."""
        return self.q


def played(name, host, cycles=60_000, each=None):
    """Return the run of an example after its end."""
    source = (FOLDER / f"{name}.script").read_text(encoding="utf-8")
    run = ScriptProgram.load(source).start(host, FakeSockets())
    for _ in range(cycles):
        if run.step() is not State.RUNNING:
            break
        host.advance()
        if each is not None:
            each(host)
    assert run.program.name == name
    return run


def test_every_example_is_tested():
    """Each example program has a test below."""
    assert {path.stem for path in FOLDER.glob("*.script")} == {
        "pick_and_place", "palletising", "spiral_search", "insertion",
    }  # fmt: skip


def gripper(host):
    """Report a held part while the gripper is closed."""
    host.fields["actual_digital_input_bits"] = host.fields["actual_digital_output_bits"] & 1


def test_pick_and_place():
    """Three parts are moved when the gripper holds them."""
    host = FakeHost(at.load("ur5e"))
    run = played("pick_and_place", host, each=gripper)
    assert run.state is State.FINISHED, run.error
    assert host.messages == [f"parts moved: {k}" for k in (1, 2, 3)]
    assert host.q == pytest.approx(START)
    loads = [d.mass for d in host.done if isinstance(d, c.SetPayload)]
    assert loads == [0.0, *[0.5, 0.0] * 3]


def test_pick_and_place_without_a_part():
    """The program halts with a popup when no part is held within a second."""
    host = FakeHost(at.load("ur5e"))
    run = played("pick_and_place", host)
    assert run.state is State.HALTED
    assert host.popups[0].kind == "error"


def test_palletising():
    """Twelve parts stand on their places, every second layer filled backwards."""
    host = FakeHost(at.load("ur5e"))
    run = played("palletising", host)
    assert run.state is State.FINISHED, run.error
    places = [pose.items[:3] for pose in run.variable("placed").items]
    assert len(set(places)) == 12
    assert places[0] == pytest.approx((0.35, -0.15, 0.05), abs=1e-6)
    assert places[11] == pytest.approx((0.35, -0.15, 0.09), abs=1e-6)
    assert host.messages == ["placed 12"]


def test_spiral_search():
    """The hole is found at its distance when the tool falls in."""
    host = Cell()
    host.floor = host.read("actual_TCP_pose")[2] - 0.01
    x0, y0 = host.read("actual_TCP_pose")[:2]

    def world(cell):
        x, y = cell.read("actual_TCP_pose")[:2]
        if cell.force is not None and (x - x0 - 0.002) ** 2 + (y - y0) ** 2 < 0.0007**2:
            cell.sink = 0.004

    run = played("spiral_search", host, each=world)
    assert run.state is State.FINISHED, run.error
    assert run.variable("found") is True
    assert 0.001 < run.variable("radius") < 0.003
    assert host.force is None


def test_spiral_search_without_a_surface():
    """The program halts when nothing is touched within the travel."""
    host = Cell()
    run = played("spiral_search", host)
    assert run.state is State.HALTED
    assert host.popups[0].kind == "warning"


@pytest.mark.parametrize(
    ("rate", "force", "result"),
    [(0.02, 10.0, "inserted"), (0.02, 50.0, "too much force"), (0.0, 10.0, "timeout")],
)
def test_insertion(rate, force, result):
    """The program ends with what happened first: depth, force limit or timeout."""
    host = Cell()

    def world(cell):
        if cell.force is not None:
            cell.sink += rate * cell.dt
            deep = cell.sink > 0.01
            cell.fields["actual_TCP_force"] = (0, 0, force if deep else 1.0, 0, 0, 0)

    run = played("insertion", host, each=world)
    assert run.state is State.FINISHED, run.error
    assert run.variable("result") == result
    assert host.fields["output_bit_registers0_to_31"] == (result == "inserted")
    assert Pose(host.read("tcp_offset")) == Pose((0.0,) * 6)
    assert run_cycles(run, host, 1) == 0
