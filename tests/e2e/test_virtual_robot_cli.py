"""The verbs record, mirror, robot and replay, as people and other programs use them."""

import asyncio
import contextlib
import fcntl
import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import termios

import numpy as np
import pytest
from virtual_robots import free_host, needs_ur_rtde, running, wait_until, worker

import armtwin as at
from armtwin.cli.main import run
from armtwin.robots.ur_controller.fault_injection import Faults
from armtwin.robots.ur_controller.motion.commands import Commands

PAGE = 4096
"""Bytes of the smallest pipe."""
CLI = [sys.executable, "-m", "armtwin.cli"]


@pytest.fixture(scope="module")
def station():
    """A UR5e with drives."""
    with running("ur5e-energy") as made:
        yield made


@pytest.fixture(scope="module")
def host(station):
    """Its address."""
    return station.robots[0].host


def turn_by(controller, turn):
    """Let the arm turn its base, from within the robot's event loop."""
    Commands(controller).movej(controller.reference.q + [turn, 0, 0, 0, 0, 0], 2.0, 1.0)


def move(station, turn=0.3):
    """Let the arm turn its base."""
    station.call(turn_by, station.robots[0].controller, turn)


class TooShort(Exception):
    """A command ended before the robot had done what the test needs."""


def given_time(test):
    """Give a test's command ever more time while it ends too early on a busy machine."""

    @functools.wraps(test)
    def work(*arguments, **named):
        for times in (1, 4, 16, 64):
            with contextlib.suppress(TooShort):
                return test(*arguments, times=times, **named)
        pytest.fail("a command of 64 times the usual duration saw too little of the robot")

    return work


async def reader(robot):
    """Wait until a client reads samples."""
    while not any(session.started for session in robot.rtde.sessions):
        await asyncio.sleep(0.01)


async def cycles(robot, count):
    """Wait until a robot has made some control cycles."""
    end = robot.controller.cycles + count
    while robot.controller.cycles < end:
        await asyncio.sleep(0.01)


@contextlib.contextmanager
def once_read(station, harm, samples=100, after=150):
    """Harm a robot once a client that connects inside has been sent some samples.

    Args:
        station: the robot's.
        harm: awaited with the robot's faults.
        samples: number before the harm.
        after: control cycles that the client must see after it.

    Raises:
        TooShort: the client ended before.
    """
    robot = station.robots[0]

    async def wait_and_harm():
        await reader(robot)
        await cycles(robot, samples)
        await harm(Faults(robot))
        await cycles(robot, after)

    wait_until(lambda: not robot.rtde.sessions, what="the end of clients before")
    harming = asyncio.run_coroutine_threadsafe(wait_and_harm(), station._loop)
    yield robot.host
    if not harming.done():
        harming.cancel()
        raise TooShort
    harming.result()


def moving(station):
    """Let the arm turn its base once a client that connects inside has been sent some samples."""

    async def turn_base(faults):
        turn_by(station.robots[0].controller, 0.3)

    return once_read(station, turn_base, samples=5)


@contextlib.contextmanager
def swinging(station, turn=0.5, least=1100):
    """Let the arm's base swing while a client reads; afterwards the arm is at rest.

    Args:
        station: the robot's.
        turn: how far it swings [rad], which takes 1 s.
        least: control cycles that it must swing while the client reads.

    Raises:
        TooShort: the client ended before.
    """
    robot = station.robots[0]

    async def swing():
        await reader(robot)
        first = robot.controller.cycles
        for sign in itertools.cycle((1, -1)):
            turn_by(robot.controller, sign * turn)
            while not robot.controller.idle:
                await asyncio.sleep(0.01)
            if not robot.rtde.sessions:
                return robot.controller.cycles - first

    wait_until(lambda: not robot.rtde.sessions, what="the end of clients before")
    swung = asyncio.run_coroutine_threadsafe(swing(), station._loop)
    try:
        yield
        if swung.result(timeout=600) < least:
            raise TooShort
    finally:
        swung.cancel()  # where the client failed


@given_time
def test_record(station, host, tmp_path, capsys, times=1):
    """The file holds every sample under the names of recordings when a robot is recorded."""
    out = tmp_path / f"run{times}.parquet"
    capsys.readouterr()
    with moving(station):
        line = f"record {host} --seconds {0.8 * times} --out {out} --arm ur5e-energy --json"
        assert run(line.split()) == 0
    reported = json.loads(capsys.readouterr().out)
    recording = at.read_recording(out)
    assert reported["rows"] == len(recording) >= 20
    assert reported["missing_in_gaps"] == 0
    assert reported["missing"] == round(reported["outage"] / 0.002)  # of a busy machine
    assert recording.arm == "ur5e-energy"
    assert recording.origin == f"RTDE {host}"
    np.testing.assert_allclose(np.diff(recording.time), 0.002, atol=1e-9)
    assert recording.group("q")[-1, 0] > recording.group("q")[0, 0]
    arm = at.load("ur5e-energy")
    position = at.fk(arm, recording.group("q"))[:, :3, 3]
    np.testing.assert_allclose(recording.group("position"), position, atol=1e-9)
    assert not list(tmp_path.glob("*.rows"))


def test_record_chosen_fields_and_rate(host, tmp_path):
    """Only what was asked for is recorded when fields and rate are given."""
    out = tmp_path / "run.parquet"
    line = f"record {host} --seconds 0.4 --out {out} --fields actual_q,robot_mode --rate 125"
    assert run(line.split()) == 0
    recording = at.read_recording(out)
    assert set(recording.columns) == {*(f"q{k}" for k in range(1, 7)), "robot_mode", "arrival"}
    np.testing.assert_allclose(np.diff(recording.time), 0.008, atol=1e-9)


def test_existing_file_is_kept(host, tmp_path, capsys):
    """The recording is refused when its file exists, and made with --force."""
    out = tmp_path / "run.parquet"
    out.write_text("precious")
    assert run(f"record {host} --seconds 0.1 --out {out}".split()) == 2
    assert out.read_text() == "precious"
    assert run(f"record {host} --seconds 0.1 --out {out} --force".split()) == 0
    assert at.read_recording(out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--out run.csv", "parquet"),
        ("--out no/such/folder/run.parquet", "no such folder"),
        ("--out run.parquet --fields no_such_field", "no_such_field"),
        ("--out run.parquet --rate 5000", "500"),
    ],
)
def test_record_refuses(host, tmp_path, monkeypatch, capsys, arguments, words):
    """Exit code 2 and a reason come when a recording cannot be made."""
    monkeypatch.chdir(tmp_path)
    assert run(f"record {host} --seconds 0.1 {arguments}".split()) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_kill_9_keeps_what_came(station, host, tmp_path):
    """Every sample that came can be read when the recording process is killed."""
    out = tmp_path / "run.parquet"
    log = tmp_path / "run.parquet.rows"
    process = subprocess.Popen([*CLI, "record", host, "--out", str(out)])
    wait_until(lambda: log.exists() and log.stat().st_size > 200_000, what="a recording")
    process.kill()
    process.wait()
    assert not out.exists()
    recording = at.read_recording(log)
    assert len(recording) > 100
    np.testing.assert_allclose(np.diff(recording.time), 0.002, atol=1e-9)
    assert recording.has("q", "qd", "position")
    assert run(f"record {host} --seconds 0.1 --out {out}".split()) == 2
    with log.open("ab") as file:
        file.write(b"half a row")
    assert len(at.read_recording(log)) == len(recording)


@pytest.mark.parametrize("data", [b"", b"armtwin rows 1\n", b"armtwin rows 1\n{}\n", b"nonsense",
                                  b'armtwin rows 1\n{"fields": [["a", "O", []]], "metadata": {}}\n',
                                  b'armtwin rows 1\n{"fields": [], "metadata": {}}\n'])  # fmt: skip
def test_broken_logs(tmp_path, data):
    """A RecordingError says what is wrong when a log of rows is none."""
    path = tmp_path / "x.rows"
    path.write_bytes(data)
    with pytest.raises(at.ArmTwinError, match="x.rows"):
        at.read_recording(path)


def test_ctrl_c_ends_a_recording(host, tmp_path):
    """The file is complete when a person ends the recording."""
    out = tmp_path / "run.parquet"
    process = subprocess.Popen([*CLI, "record", host, "--out", str(out)], stdout=subprocess.PIPE)
    log = tmp_path / "run.parquet.rows"
    wait_until(lambda: log.exists() and log.stat().st_size > 100_000, what="a recording")
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=180)
    assert process.returncode == 0
    assert b"rows written" in said
    assert len(at.read_recording(out)) > 50


@given_time
def test_mirror_agrees(station, host, tmp_path, capsys, times=1):
    """The verdict is yes and the exit code 0 when the robot is as its model says."""
    out = tmp_path / f"run{times}.parquet"
    capsys.readouterr()
    line = f"mirror {host} --arm ur5e-energy --share 0.01 --json --record {out}"
    line += f" --seconds {0.8 * times}"
    with moving(station):
        code = run(line.split())
    reported = json.loads(capsys.readouterr().out)
    assert reported["checks"]["network"]["passed"]
    assert reported["checks"]["pose"]["passed"]
    assert reported["checks"]["torque"]["passed"]
    assert reported["checks"]["contact"]["passed"]
    assert code == 0
    assert 0 < reported["expected_energy"] < reported["energy"]
    assert max(reported["torque_rms"]) < 1.0  # friction below 0.01 rad/s, where none is expected
    assert (
        len(at.read_recording(out))
        == reported["network"]["received"] - reported["network"]["repeats"]
    )


@contextlib.contextmanager
def harmed(harm, seconds, after=150):
    """Yield the address of a robot that is harmed for a time once a client read some samples."""
    with (
        running("ur5e-energy") as station,
        once_read(station, functools.partial(harm, seconds=seconds), after=after) as host,
    ):
        yield host


async def restart(faults, seconds):
    """Switch the controller off for a time."""
    await faults.restart(seconds)


async def push_2(faults):
    """Push joint 2."""
    faults.push(2, 30.0, 0.3)


async def push_3(faults):
    """Push joint 3."""
    faults.push(3, 30.0, 0.3)


async def stall(faults, seconds):
    """Freeze the controller and its clock for a time."""
    faults.stall(seconds)


@pytest.mark.parametrize("harm", [restart, stall])
@given_time
def test_mirror_counts_outages_by_the_wall_clock(harm, capsys, times=1):
    """The network check fails with exit code 1 when the controller was away or stood still."""
    capsys.readouterr()
    with harmed(harm, 1.2 * times) as host:
        line = f"mirror {host} --arm ur5e-energy --seconds {2.5 * times} --json"
        assert run(line.split()) == 1
    reported = json.loads(capsys.readouterr().out)
    assert not reported["checks"]["network"]["passed"]
    assert reported["network"]["missing"] > 500
    assert reported["network"]["share"] < 0.7
    assert any("no samples for" in event for event in reported["events"])


@given_time
def test_record_counts_outages_by_the_wall_clock(tmp_path, capsys, times=1):
    """Share, missing samples and the file's notes say so when the controller stood still."""
    out = tmp_path / f"run{times}.parquet"
    capsys.readouterr()
    with harmed(stall, 1.2 * times) as host:
        assert run(f"record {host} --seconds {2.5 * times} --out {out} --json".split()) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["share"] < 0.7 and reported["missing"] > 400
    notes = " ".join(at.read_recording(out).notes)
    assert "s of outages" in notes and "by the wall clock are without samples" in notes


@given_time
def test_outage_until_the_end_counts(capsys, times=1):
    """The network check fails when the robot went away and did not come back."""
    capsys.readouterr()
    with harmed(stall, 60.0 * times, after=0) as host:
        line = f"mirror {host} --arm ur5e-energy --seconds {1.5 * times} --json"
        assert run(line.split()) == 1
    assert json.loads(capsys.readouterr().out)["network"]["outage"] > 0.3


@given_time
def test_mirror_feels_a_push(station, host, capsys, times=1):
    """Alarm, verdict and exit code say so when somebody pushes the robot."""
    capsys.readouterr()
    with once_read(station, push_3):
        line = f"mirror {host} --arm ur5e-energy --seconds {1.5 * times} --share 0.1"
        assert run(line.split()) == 1
    said = capsys.readouterr().out
    assert "at joint 3" in said
    assert "verdict: the twin does not agree with the robot" in said


@given_time
def test_mirror_learns_from_a_clean_run(station, host, tmp_path, capsys, times=1):
    """A push is detected and motion alone is not when the detector knows a clean run."""
    out = tmp_path / f"clean{times}.parquet"
    for turn in (0.4, -0.4):
        move(station, turn)
        wait_until(lambda: station.robots[0].controller.idle)
    with swinging(station):
        assert run(f"record {host} --seconds {2.5 * times} --out {out}".split()) == 0
    line = f"mirror {host} --arm ur5e-energy --seconds {1.5 * times} --clean {out} --json"
    capsys.readouterr()
    with swinging(station, least=600):
        run(line.split())
    reported = json.loads(capsys.readouterr().out)
    assert reported["checks"]["contact"]["passed"], reported
    with once_read(station, push_2):
        assert run(line.replace(" --json", "").split()) == 1
    assert "at joint 2" in capsys.readouterr().out


def test_mirror_of_another_arm(host, capsys):
    """The verdict is no when the model is of another arm."""
    assert run(f"mirror {host} --arm ur10e --seconds 0.3".split()) == 1
    assert "another arm" in capsys.readouterr().out


def test_nobody_there(capsys, tmp_path):
    """Exit code 2 and a hint come when no robot listens."""
    out = tmp_path / "x.parquet"
    assert run(f"record 127.99.99.97 --seconds 1 --out {out}".split()) == 2
    assert "armtwin robot" in capsys.readouterr().err
    assert run(["mirror", "127.99.99.97", "--seconds", "1"]) == 2


def served(arguments, host):
    """Start a robot in a process of its own; return the process once its ports listen."""
    process = subprocess.Popen(
        [*CLI, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )

    def listens():
        try:
            for port in (30002, 30004):
                socket.create_connection((host, port), 1).close()
        except OSError:
            return False
        return True

    wait_until(listens, what="a robot")
    return process


def test_robot_verb(tmp_path, capsys):
    """The robot moves, stops and leaves with code 0 when it is started and told to end."""
    host = free_host()
    process = served(["robot", "ur5e", "--host", host, "--wander"], host)
    out = tmp_path / "run.parquet"
    assert run(f"record {host} --seconds 0.5 --out {out}".split()) == 0
    q = at.read_recording(out).group("q")
    assert np.ptp(q, axis=0).max() > 0.01
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=180)
    assert process.returncode == 0
    assert "RTDE 30004" in said


def unread(pipe):
    """Return how many bytes wait in a pipe."""
    count = fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))
    return int.from_bytes(count, sys.byteorder)


def test_robot_runs_on_when_nobody_reads_its_output(tmp_path):
    """Samples keep coming and Ctrl-C ends the robot when its output is a pipe that is full."""
    host = free_host()
    text = "x" * 500  # eight of them fill the pipe
    program = f'def talk():\n  while True:\n    textmsg("{text}")\n    sync()\n  end\nend\n'
    with served(["robot", "ur5e", "--host", host], host) as process:
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, PAGE)
        with socket.create_connection((host, 30002), 180) as sock:
            sock.sendall(program.encode())
            wait_until(lambda: unread(process.stdout) > 0, what="a pipe in use")
            out = tmp_path / "run.parquet"
            code = run(f"record {host} --seconds 1 --out {out}".split())
        process.send_signal(signal.SIGINT)
        assert process.wait(180) == 0
    assert code == 0


def test_fast_robot_loses_nothing(tmp_path):
    """Every sample is recorded when the robot runs as fast as the machine can."""
    with running(realtime=False) as station:
        out, host = tmp_path / "run.parquet", station.robots[0].host
        assert run(f"record {host} --seconds 0.5 --out {out}".split()) == 0
    np.testing.assert_allclose(np.diff(at.read_recording(out).time), 0.002, atol=1e-9)


@pytest.mark.parametrize("host", ["0.0.0.0", "8.8.8.8"])
def test_robot_stays_on_this_machine(host, capsys):
    """Exit code 2 comes when a robot would listen where other machines can reach it."""
    assert run(["robot", "ur5e", "--host", host, "--seconds", "0.1"]) == 2
    assert "--expose" in capsys.readouterr().err


def test_address_in_use(station, host, capsys):
    """Exit code 2 and a hint come when another robot has the address."""
    assert run(["robot", "ur5e", "--host", host, "--seconds", "0.1"]) == 2
    assert "another robot" in capsys.readouterr().err


@needs_ur_rtde
def test_replay_as_robot(station, host, tmp_path):
    """ur_rtde reads the recorded joints when a recording is served as a robot."""
    out, address = tmp_path / "run.parquet", free_host()
    move(station, -0.2)
    assert run(f"record {host} --seconds 0.5 --out {out} --arm ur5e-energy".split()) == 0
    recording = at.read_recording(out)
    process = served(["replay", str(out), "--as-robot", "--host", address, "--loop"], address)
    try:
        with worker(address) as ur:
            ur("import rtde_receive\nr = patient(rtde_receive.RTDEReceiveInterface, HOST)")
            rows = ur("[r.getActualQ() + r.getActualTCPPose()[:3] for k in range(20) "
                      "if not time.sleep(0.01)]")  # fmt: skip
        known = {tuple(np.round(q, 9)) for q in recording.group("q").tolist()}
        assert all(tuple(np.round(row[:6], 9)) in known for row in rows)
        assert run(f"mirror {address} --arm ur5e-energy --seconds 0.3 --json".split()) in (0, 1)
    finally:
        process.kill()
        process.communicate()


def test_replay_refuses(tmp_path, capsys):
    """Exit code 2 and a reason come when a recording cannot be a robot."""
    path = tmp_path / "x.csv"
    path.write_text("time,q1,q2\n0,1,2\n0.1,1,2\n")
    assert run(["replay", str(path)]) == 2
    assert "--as-robot" in capsys.readouterr().err
    assert run(["replay", str(path), "--as-robot"]) == 2
    assert "--arm" in capsys.readouterr().err
    assert run(["replay", str(path), "--as-robot", "--arm", "ur5e"]) == 2
    assert "q6" in capsys.readouterr().err
