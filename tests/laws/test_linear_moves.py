"""Linear moves of taught programs: the line, refusals, the runner and exports."""

import asyncio
import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from paused_link import ARM as LED_ARM
from paused_link import Pause, PausedLink
from scipy.spatial.transform import Rotation
from virtual_forces import finish
from waiting import until

import armtwin as at
from armtwin.errors import NotPermittedError, PlanError, ProgramError
from armtwin.motion.programs.linear_moves import linear_move, rates
from armtwin.motion.programs.program import TaughtProgram, position, read_program
from armtwin.motion.programs.program_checks import hints, tool_path
from armtwin.motion.programs.program_export import motion, motion_csv, points_csv, urscript
from armtwin.recording.files import saved
from armtwin.robots.programs.program_runner import ProgramRunner
from armtwin.robots.simulated_arm import SimulatedArm
from armtwin.robots.ur.speed_control.followed_motion import FollowedMotion
from armtwin.robots.ur.speed_control.speed_commands import SpeedCommands
from armtwin.robots.ur_controller.build import START as LED_START
from armtwin.robots.ur_controller.build import virtual_robot

ARM = at.load("ur5e")
START = np.array([0.3, -1.4, 1.5, -1.6, -1.5, 0.2])
AROUND = {
    "ur5e": START,
    "xarm6": np.array([0.0, -0.3, -0.8, 0.0, 1.2, 0.0]),
    "panda": np.array([0.0, 0.2, 0.0, -1.5, 0.1, 1.7, 0.5]),
    "so101": np.array([0.0, 0.2, 0.0, -1.0, 0.1]),
}
STEP = np.array([0.4, 0.2, -0.3, 0.1, 0.2, -0.3])


def off_line(places):
    """Return distances (n,) [m] of places (n, 3) from the line between the first and the last."""
    way = places[-1] - places[0]
    out = places - places[0]
    return np.linalg.norm(out - np.outer(out @ way / (way @ way), way), axis=1)


def program(*positions, arm="ur5e", names="abcdef", **fields):
    """Return a program of positions, all but the first reached by linear moves."""
    rows = [
        position(name=name, q=tuple(map(float, q)), motion="linear" if k else "joint", **fields)
        for k, (name, q) in enumerate(zip(names, positions, strict=False))
    ]
    return TaughtProgram(name="lines", arm=arm, positions=tuple(rows))


@pytest.mark.parametrize(("name", "count"), [("ur5e", 6), ("xarm6", 3), ("panda", 1), ("so101", 2)])
def test_the_tool_stays_on_the_line(name, count):
    """Tool within 0.1 mm of the line, joints within share and limits when positions are random."""
    arm, rng = at.load(name), np.random.default_rng(3)
    for _ in range(count):
        start, end = AROUND[name] + rng.uniform(-0.4, 0.4, (2, arm.dof))
        made = linear_move(arm, start, end, share=0.5).motion(arm, 250)
        poses = at.fk(arm, made.q)
        assert off_line(poses[:, :3, 3]).max() < 1e-4
        np.testing.assert_allclose(made.q[[0, -1]], [start, end], atol=1e-6)
        speed, acceleration = rates(arm, 0.5)
        assert (np.abs(made.qd) <= speed * 1.001).all()
        assert (np.abs(made.qdd) <= acceleration * 1.01).all()
        np.testing.assert_allclose(np.gradient(made.q, made.time, axis=0), made.qd, atol=0.03)
        if arm.dof >= 6:
            require_even_turn(poses)


def require_even_turn(poses):
    """The orientation turns about one axis, in proportion to the way along the line."""
    turns = Rotation.from_matrix(poses[:, :3, :3] @ poses[0, :3, :3].T).as_rotvec()
    places = poses[:, :3, 3] - poses[0, :3, 3]
    share = places @ places[-1] / (places[-1] @ places[-1])
    np.testing.assert_allclose(turns, share[:, None] * turns[-1], atol=1e-7)


def turned(joint, angle, q=START):
    """Return joint positions with one of them (from 1) changed."""
    return np.array([value + angle * (k == joint - 1) for k, value in enumerate(q)])


def other_elbow():
    """Return joints of the pose at START + 0.1 with the elbow on the other side."""
    found = at.ik(ARM, at.fk(ARM, START + 0.1)).q
    return max(found, key=lambda q: abs(q[2] - START[2]))


REFUSED = {
    "no inverse solution": (
        START + 0.02,
        turned(1, np.pi),
        "leaves the workspace: .* cannot reach",
    ),
    "singularity": (turned(5, 1.2), turned(5, 1.8), "passes a singularity"),
    "branch": (START + 0.02, other_elbow(), "different branches"),
    "whole turn": (START + 0.02, turned(6, 2 * np.pi - 0.5), "whole turn"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_nothing_moves_when_a_line_cannot_be_followed(case):
    """Run, exports and hints name both positions and the reason, and the arm stands still."""
    start, end, said = REFUSED[case]
    given = program(START, start, end)
    with pytest.raises(PlanError, match=said):
        linear_move(ARM, start, end)
    for refuse in (lambda: motion(given, ARM), lambda: urscript(given, ARM)):
        with pytest.raises(ProgramError, match="linear move from “b” to “c”: "):
            refuse()
    assert hints(given, ARM)[0].startswith("linear move from “b” to “c”: ")

    async def act(robot, runner):
        with pytest.raises(ProgramError, match="“b” to “c”"):
            await runner.run(given, "me")
        assert robot.calls == [] and runner.progress.mode == "idle"

    asyncio.run(on_arm(act))


def test_a_line_beyond_a_joint_limit_is_refused():
    """The joint and its limit are named when only the middle of a line is beyond it."""
    joints = list(ARM.joints)
    elbow = replace(joints[2], limits=replace(joints[2].limits, upper=START[2] + 0.05))
    narrow = ARM.with_(joints=(*joints[:2], elbow, *joints[3:]))
    linear_move(ARM, START, turned(1, 1.2))
    with pytest.raises(PlanError, match=r"position of joint 3 .* its limit is -?\d"):
        linear_move(narrow, START, turned(1, 1.2))


class Watched(SimulatedArm):
    """A simulated arm that counts how it is moved."""

    follows = True

    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.calls = []

    @property
    def can_move_along(self):
        """Whether lines can be followed."""
        return self.follows

    async def move(self, q, speed):
        """Count a joint motion."""
        self.calls.append("joint")
        await super().move(q, speed)

    async def move_along(self, motion):
        """Count a line."""
        self.calls.append("line")
        await super().move_along(motion)


async def on_arm(act):
    """Run a coroutine function with a watched arm at the start and a runner on it."""
    robot = Watched(ARM, START)
    await robot.start()
    runner = ProgramRunner(lambda: robot, lambda client: True)
    try:
        await act(robot, runner)
    finally:
        await runner.close()
        await robot.close()


def test_a_run_mixes_joint_motions_and_lines():
    """The first move is a joint motion, later ones lines, and a paused line goes on as a line."""
    given = program(START + 0.02, START + 0.05, START + 0.02 * STEP, speed=1.0)

    async def act(robot, runner):
        await runner.run(given, "me")
        await until(lambda: runner.progress.mode == "idle")
        assert runner.progress.text == "finished", runner.progress.error
        assert robot.calls == ["joint", "line", "line"]
        np.testing.assert_allclose(robot.state().q, given.positions[2].q, atol=1e-6)
        await runner.go(given, "me", 1)
        await until(lambda: runner.progress.arrived)
        slow = given.positions[2].model_copy(update={"speed": 0.02})
        await runner.step(given.with_positions((*given.positions[:2], slow)), "me")
        await until(lambda: robot.state().moving)
        await runner.pause()
        await runner.resume("me")
        await until(lambda: runner.progress.text == "finished")
        assert robot.calls[3:] == ["joint", "line", "line"]
        np.testing.assert_allclose(robot.state().q, given.positions[2].q, atol=1e-6)

    asyncio.run(on_arm(act))


def test_the_simulated_arm_is_on_the_line_at_any_time():
    """The tool is within 0.1 mm of the line when the state is read between the samples."""
    now, made = [0.0], linear_move(ARM, START, START + STEP, 1.0).motion(ARM, 100)
    robot = SimulatedArm(ARM, START, clock=lambda: now[0])
    asyncio.run(robot.move_along(made))
    seen = []
    for now[0] in np.linspace(0, made.duration, 77):
        seen.append(robot.state().q)
    assert off_line(at.fk(ARM, np.array(seen))[:, :3, 3]).max() < 1e-4
    np.testing.assert_allclose(seen[-1], START + STEP, atol=1e-6)


def test_a_stop_while_lines_are_computed_is_obeyed():
    """The run does not begin when the arm is stopped while its lines are computed."""

    async def act(robot, runner):
        starting = asyncio.create_task(runner.run(program(START, START + STEP), "me"))
        await asyncio.sleep(0)
        await runner.stop()
        with pytest.raises(ProgramError, match="stopped before"):
            await starting
        assert robot.calls == []

    asyncio.run(on_arm(act))


def test_robots_that_take_positions_only_refuse_lines():
    """The reason is given and nothing moves when a robot cannot follow a line."""

    async def act(robot, runner):
        robot.follows = False
        with pytest.raises(NotPermittedError, match="one joint position at a time"):
            await runner.run(program(START, START + STEP), "me")
        assert robot.calls == []

    asyncio.run(on_arm(act))


def led(pause=None):
    """Return the joints (n, 6) of a UR controller that is led along a line, and the line's end."""
    end = np.array(LED_START) + STEP
    made = linear_move(LED_ARM, LED_START, end, 0.5).motion(LED_ARM, 100)
    waiting = [FollowedMotion(made)]

    def wish(lead, now):
        if waiting:
            path = waiting.pop()
            lead.move_along(path.goal, path.speeds)

    return PausedLink(SpeedCommands, wish, pause).run(6.0), end


@pytest.mark.parametrize(
    ("pause", "near"), [(None, 5e-4), (Pause(0.6, 0.4), 5e-3)], ids=["steady", "paused"]
)
def test_a_ur_controller_is_led_along_the_line(pause, near):
    """The tool stays near the line and ends at its end, also when the network pauses."""
    path, end = led(pause)
    np.testing.assert_allclose(path[-1], end, atol=3e-4)
    places = np.vstack([at.fk(LED_ARM, path)[:, :3, 3], at.fk(LED_ARM, end)[None, :3, 3]])
    assert off_line(places).max() < near


def test_a_controller_that_lags_is_led_to_the_end():
    """The motion ends, and speeds still lead to its end, when the arm lags behind all the time."""
    path = FollowedMotion(linear_move(LED_ARM, LED_START, LED_START + STEP).motion(LED_ARM, 100))
    q = np.array(LED_START)
    for _ in range(400):
        q = q + 0.02 * 0.8 * path.speeds(q)[0]
    np.testing.assert_allclose(q, path.goal, atol=2e-3)
    for _ in range(400):
        speeds, _ = path.speeds(path.goal - 0.03)
    assert (speeds > 0).all()


def test_the_virtual_robot_runs_the_export_on_the_line():
    """Each position is reached, on a line and in the motion's time, when the script is run."""
    given = program(START, START + STEP, START, speed=0.5)
    text, timed = urscript(given, ARM), motion(given, ARM)
    assert text.count("movel([") == 2 and text.count("movej([") == 1
    assert "tool centre point p[0, 0, 0, 0, 0, 0]" in text
    controller = virtual_robot(ARM, start=START).controller
    seen = []
    run = finish(controller, text, 20.0, lambda made: seen.append(made.reference.q.copy()))
    assert run.error is None
    q = np.array(seen)
    turn = int(np.abs(q - START - STEP).max(axis=1).argmin())
    np.testing.assert_allclose(q[[turn, -1]], [START + STEP, START], atol=2e-6)
    moving = np.abs(np.diff(q, axis=0)).max(axis=1) > 1e-9
    assert off_line(at.fk(ARM, q[: turn + 1])[:, :3, 3]).max() < 1e-4
    assert moving.sum() * controller.dt == pytest.approx(timed.duration, rel=0.03)


@pytest.mark.parametrize("arrow", [True, False])
def test_names_survive_in_the_motion(arrow, tmp_path, monkeypatch):
    """Rows name the position they approach, and the file reads back, whatever the names are."""
    if not arrow:
        monkeypatch.setattr(saved, "installed", lambda name: False)
    names = ["1", "true", 'a,"b";\tc']
    given = program(START, START + 0.1, START + STEP, names=names, dwell=0.1)
    data = motion_csv(given, ARM)
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    kept = [position.name for position in given.positions]
    wanted = [f"{k}: {name}" for k, name in enumerate(kept, 1)]
    assert list(dict.fromkeys(row["approaching"] for row in rows)) == wanted
    monkeypatch.undo()
    (tmp_path / "motion.csv").write_bytes(data)
    read = at.read_recording(tmp_path / "motion.csv", "ur5e")
    made = motion(given, ARM)
    np.testing.assert_allclose(read.q, made.q, atol=1e-12)
    np.testing.assert_allclose(read.group("qdd"), made.qdd, atol=1e-12)
    assert any("approaching" in note for note in read.notes)
    assert (
        off_line(at.fk(ARM, made.q[[r["approaching"][0] == "3" for r in rows]])[:, :3, 3]).max()
        < 1e-4
    )
    for name in kept:
        assert f"# {name}\n" in points_csv(given, ARM).decode()
        assert f"# {name}\n" in urscript(given, ARM)


def test_old_files_are_joint_motions():
    """Positions are reached by joint motions when their file does not say how."""
    given = program(START, START + 0.1)
    old = (
        given.to_bytes()
        .replace(b',\n   "motion": "linear"', b"")
        .replace(b',\n   "motion": "joint"', b"")
    )
    assert b"motion" not in old
    assert [row.motion for row in read_program(old).positions] == ["joint", "joint"]
    assert read_program(given.to_bytes()) == given


def test_the_shown_path_is_the_one_that_is_run():
    """The shown path is straight for a linear move, curved for a joint motion, and ends there."""
    given = program(START, START + STEP)
    curved = given.with_positions(
        tuple(p.model_copy(update={"motion": "joint"}) for p in given.positions)
    )
    ends = at.fk(ARM, np.array([START, START + STEP]))[:, :3, 3]
    for shown, is_straight in ((given, True), (curved, False)):
        path = tool_path(shown, ARM, 1)
        np.testing.assert_allclose(path[[0, -1]], ends, atol=1e-6)
        assert (off_line(path).max() < 1e-4) == is_straight
    assert tool_path(given, ARM, 0).shape == (0, 3)
    with pytest.raises(ProgramError, match="no position 3"):
        tool_path(given, ARM, 2)
