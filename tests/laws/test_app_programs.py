"""Programs of taught positions: files, exports and the runner, on a simulated arm."""

import asyncio
import json

import numpy as np
import pytest
from waiting import until

import armtwin
from armtwin.errors import ArmTwinError, InputError, OutputExistsError, ProgramError
from armtwin.motion.motion_file import read_points
from armtwin.motion.programs.program import Position, TaughtProgram, position, read_program
from armtwin.motion.programs.program_checks import hints
from armtwin.motion.programs.program_export import motion, motion_csv, points_csv, urscript
from armtwin.motion.programs.program_folder import ProgramFolder, file_name
from armtwin.robots.programs.program_runner import ProgramRunner
from armtwin.robots.simulated_arm import SimulatedArm

ARM = armtwin.load("ur10e")
START = np.array([0.0, -1.5, 1.5, -1.5, -1.5, 0.0])


def program(count=3, speed=1.0, dwell=0.0, arm="ur10e"):
    """Return a program of points close together, so that a run is short."""
    rows = tuple(
        Position(name=f"p{k}", q=tuple(START + 0.05 * k), speed=speed, dwell=dwell)
        for k in range(count)
    )
    return TaughtProgram(name="three", arm=arm, positions=rows)


def test_program_survives_its_file(tmp_path):
    """The same program comes back when it is saved and loaded, also with names of any script."""
    folder = ProgramFolder(tmp_path)
    given = program().with_positions((position(name="Öl <b>上</b>", q=tuple(START)),))
    assert folder.load(folder.save(given)) == given
    assert [kept.file for kept in folder.kept()] == ["three"]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..", "/etc", "a/b", "C:\\x", ".hidden", "nul", "a\0b", "con"]
)
def test_names_stay_in_the_folder(name, tmp_path):
    """The file lies in the folder, or the name is refused, when a name tries to leave it."""
    folder = ProgramFolder(tmp_path / "inside")
    try:
        stem = folder.save(program().model_copy(update={"name": name}))
    except ProgramError:
        stem = None
    found = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert found == ([] if stem is None else [tmp_path / "inside" / f"{stem}.json"])
    with pytest.raises(ProgramError):
        folder.load(f"{name}/..")


def test_long_and_empty_names():
    """A name is cut or refused when no file could have it."""
    assert len(file_name("x" * 500)) == 60
    with pytest.raises(ProgramError, match="letters"):
        file_name("../..")


def test_saving_twice_asks(tmp_path):
    """A program is overwritten only when that is allowed."""
    folder = ProgramFolder(tmp_path)
    folder.save(program())
    with pytest.raises(OutputExistsError):
        folder.save(program(2))
    folder.save(program(2), overwrite=True)
    assert len(folder.load("three").positions) == 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no program"),
        (program().to_bytes()[:100], "whole"),
        (b"[" * 100_000, "no program"),
        (b'{"a": 1}', "format"),
        (b"\x89PNG\r\n", "no program"),
        (b" " * 2_000_000, "at most"),
        (json.dumps({**program().model_dump(), "version": 2}).encode(), "version"),
        (program().to_bytes().replace(b'"speed": 1.0', b'"speed": 7'), "less than or equal to 1"),
        (program().to_bytes().replace(b"-1.5", b"NaN"), "finite"),
        (program().to_bytes().replace(b'"dwell"', b'"run"'), "run"),
        (program().to_bytes().replace(b'"joint"', b'"spline"'), "motion: Input should be 'joint'"),
    ],
)
def test_files_of_others_are_refused(data, said):
    """An error says what is wrong when a file is cut, foreign or of impossible values."""
    with pytest.raises(ProgramError, match=said):
        read_program(data)


def test_program_of_another_arm_is_refused():
    """A program does not run when it was taught to another arm or has other joints."""
    with pytest.raises(ProgramError, match="taught to 'ur3e'"):
        program(arm="ur3e").points(ARM)
    short = program().with_positions((position(name="p", q=(0.0,)),))
    with pytest.raises(ProgramError, match="has 1 joints"):
        short.points(ARM)


def test_impossible_positions_are_refused():
    """A position cannot be made when speed, rest or joints are impossible."""
    for wrong in (
        {"speed": 0}, {"speed": 1.5}, {"dwell": -1}, {"q": (float("nan"),)}, {"motion": "arc"},
    ):  # fmt: skip
        with pytest.raises(InputError):
            position(**{"name": "p", "q": (0.0,), **wrong})
    with pytest.raises(InputError, match="printable"):
        position(name="\u200b\n", q=(0.0,))


def test_order_changes():
    """The positions are the same in another order when one is moved."""
    names = [p.name for p in program().moved(2, 0).positions]
    assert names == ["p2", "p0", "p1"]
    with pytest.raises(ProgramError):
        program().moved(0, 3)


def test_exports_hold_the_positions(tmp_path):
    """Points, motion and script have every position, two its name, when a program is exported."""
    given = program(3, speed=0.5, dwell=0.2)
    (tmp_path / "points.csv").write_bytes(points_csv(given, ARM))
    points = given.points(ARM)
    np.testing.assert_allclose(read_points(tmp_path / "points.csv", ARM), points, atol=1e-8)
    (tmp_path / "motion.csv").write_bytes(motion_csv(given, ARM))
    played = armtwin.read_recording(tmp_path / "motion.csv", "ur10e")
    for q in points:
        assert np.abs(played.group("q") - q).max(axis=1).min() < 1e-9
    text = urscript(given, ARM)
    assert text.startswith("def taught_three():\n  # p0\n  movej([0.000000, -1.500000")
    for name in ("p0", "p1", "p2"):
        assert f"# {name}\n" in text and f"# {name}\n" in points_csv(given, ARM).decode()
    assert text.count("movej(") == 3 and text.count("sleep(0.2)") == 3


def test_slower_moves_take_longer():
    """The motion lasts longer when the speed of one move is halved."""
    fast, slow = (motion(program(3, speed=s), ARM).duration for s in (1.0, 0.5))
    assert slow > 1.3 * fast


def test_hints_tell_of_the_floor():
    """A path is reported when it leads through the plane the arm stands on, and no other is."""
    low = START.copy()
    low[1] = 0.4
    down = position(name="low", q=tuple(low))
    assert hints(program(3), ARM) == []
    said = hints(program(1).with_positions((*program(1).positions, down)), ARM)
    assert len(said) == 1
    assert said[0].startswith("From “p0” to “low”:") and "floor collide" in said[0]
    far = program(1).with_positions((position(name="far", q=(9.0, *START[1:])),))
    assert "limits" in hints(far, ARM)[0]


async def on_arm(act, allowed=lambda client: True):
    """Run a coroutine function with a simulated arm and a runner on it."""
    robot = SimulatedArm(ARM, START - 0.1)
    await robot.start()
    runner = ProgramRunner(lambda: robot, allowed)
    try:
        await act(robot, runner)
    finally:
        await runner.close()
        await robot.close()


def test_run_reaches_every_position_in_order():
    """The arm is at each position in turn when the program runs to its end."""
    seen = []

    async def act(robot, runner):
        await runner.run(program(), "me")
        await until(lambda: seen.append(runner.progress.index) or runner.progress.mode == "idle")
        assert runner.progress.text == "finished" and not runner.progress.error
        np.testing.assert_allclose(robot.state().q, START + 0.1, atol=1e-6)

    asyncio.run(on_arm(act))
    assert list(dict.fromkeys(seen)) == [0, 1, 2]


def test_pause_step_resume_loop_stop():
    """The arm stands, takes one move, goes on and around when it is commanded so."""

    async def act(robot, runner):
        given = program(3, speed=0.2)
        await runner.step(given, "me")
        await until(lambda: runner.progress.mode == "paused")
        np.testing.assert_allclose(robot.state().q, START, atol=1e-6)
        await runner.step(given, "me")
        await runner.pause()
        assert runner.progress.mode == "paused" and runner.progress.index == 1
        await until(lambda: not robot.state().moving)
        assert np.abs(robot.state().q - START - 0.05).max() > 1e-3
        await runner.resume("me")
        await until(lambda: runner.progress.text == "finished")
        await runner.run(program(2), "me", loop=True)
        await until(lambda: runner.progress.round >= 2)
        await runner.stop()
        assert runner.progress.mode == "idle"
        await until(lambda: not robot.state().moving)

    asyncio.run(on_arm(act))


def test_nothing_moves_when_one_position_is_beyond_the_limits():
    """The whole program is refused when its last position is beyond a joint's limit."""

    async def act(robot, runner):
        given = program()
        far = position(name="far", q=(9.0, *START[1:]))
        before = robot.state().q
        with pytest.raises(ProgramError, match=r"position 4 \(far\)"):
            await runner.run(given.with_positions((*given.positions, far)), "me")
        assert not robot.state().moving
        assert runner.progress.mode == "idle"
        np.testing.assert_array_equal(robot.state().q, before)

    asyncio.run(on_arm(act))


def test_run_ends_when_control_is_lost():
    """The arm rests and the reason is reported when the lease goes mid-move."""
    holder = {"me"}

    async def act(robot, runner):
        await runner.run(program(2, speed=0.02), "me")
        await until(lambda: robot.state().moving)
        holder.clear()
        await until(lambda: runner.progress.mode == "idle")
        assert "control" in runner.progress.error
        await until(lambda: not robot.state().moving)
        assert np.abs(robot.state().q - START).max() > 1e-3

    asyncio.run(on_arm(act, lambda client: client in holder))


class Vanishing(SimulatedArm):
    """An arm whose cable is pulled while it moves."""

    gone = False

    async def move(self, q, speed):
        """Refuse like a broken connection, once gone."""
        if self.gone:
            raise ConnectionResetError("cable pulled")
        await super().move(q, speed)


def test_run_ends_when_the_arm_vanishes():
    """The run ends with its reason when the connection breaks between two moves."""

    async def act():
        robot = Vanishing(ARM, START - 0.1)
        await robot.start()
        runner = ProgramRunner(lambda: robot, lambda client: True)
        await runner.run(program(2), "me")
        robot.gone = True
        await until(lambda: runner.progress.mode == "idle")
        assert "disconnected" in runner.progress.error
        await runner.close()
        await robot.close()

    asyncio.run(act())


def test_every_refusal_is_one_of_ours():
    """An ArmTwinError is raised when a run is asked of nothing."""

    async def act(robot, runner):
        for call in (
            runner.run(TaughtProgram(name="x", arm="ur10e"), "me"),
            runner.run(program(), "me", start=7),
            runner.resume("me"),
        ):
            with pytest.raises(ArmTwinError):
                await call

    asyncio.run(on_arm(act))
