"""The simulated arm of the app keeps its limits; the lease has one holder at a time."""

import asyncio

import numpy as np
import pytest
from waiting import ManualClock

import armtwin as at
from armtwin.app.control.hub import Watcher
from armtwin.app.control.lease import EXPIRY, Lease, LeaseClient
from armtwin.app.control.session import LET_GO, Session
from armtwin.errors import InputError, JointLimitError, NotPermittedError
from armtwin.motion.programs.pose_warnings import closeness, hints
from armtwin.robots.jog import Jog, moved
from armtwin.robots.motion_generator import RateLimits
from armtwin.robots.robot import FOLLOW_TIMEOUT
from armtwin.robots.simulated_arm import SimulatedArm, start_position

ANNE, BERT, CARL = (LeaseClient(name * 8, name) for name in "abc")
DT = 0.002


def sampled(robot, clock, seconds):
    """Return times and positions (n, dof) of a robot while its clock goes on."""
    times = clock.now + DT * np.arange(round(seconds / DT) + 1)
    track = []
    for clock.now in times:
        track.append(robot.state().q)
    return times, np.array(track)


def assert_within(limits, track, share=1.0):
    """Check speed, acceleration and jerk by differences, which average them over DT."""
    speed = np.diff(track, axis=0) / DT
    assert (np.abs(speed) <= share * limits.speed * (1 + 1e-9)).all()
    assert (np.abs(np.diff(speed, axis=0)) / DT <= limits.acceleration * (1 + 1e-6)).all()
    assert (np.abs(np.diff(speed, n=2, axis=0)) / DT**2 <= limits.jerk * (1 + 1e-3)).all()


@pytest.mark.parametrize("name", ["ur5e", "desktop5", "ur3e-screws"])
@pytest.mark.parametrize("share", [0.1, 1.0])
def test_move_keeps_its_limits_and_does_not_overshoot(name, share):
    """Speed, acceleration and jerk are within limits and no target is passed when an arm moves."""
    arm, clock = at.load(name), ManualClock()
    robot = SimulatedArm(arm, clock=clock)
    start = robot.state().q
    low, high = np.maximum(arm.lower, -3), np.minimum(arm.upper, 3)
    target = low + np.linspace(0.1, 0.9, arm.dof) * (high - low)
    asyncio.run(robot.move(target, share))
    _, track = sampled(robot, clock, 5.0 / share)
    assert_within(RateLimits.of(arm), track, share)
    between = np.minimum(start, target) - 1e-9, np.maximum(start, target) + 1e-9
    assert ((track >= between[0]) & (track <= between[1])).all()
    np.testing.assert_array_equal(track[-1], target)
    assert not robot.state().moving


def test_arm_that_follows_stays_within_all_limits():
    """Speed, acceleration, jerk and joint limits hold when targets jump about while it moves."""
    arm, clock = at.load("desktop5"), ManualClock()
    robot, chance = SimulatedArm(arm, clock=clock), np.random.default_rng(4)
    parts = []
    for _ in range(60):
        target = np.where(chance.random(arm.dof) < 0.5, arm.lower, arm.upper)
        target = np.where(chance.random(arm.dof) < 0.5, target, robot.state().q)
        asyncio.run(robot.follow(target, 1.0))
        parts.append(sampled(robot, clock, DT * chance.integers(5, 60))[1][:-1])
    track = np.concatenate(parts)
    assert_within(RateLimits.of(arm), track)
    assert (track >= arm.lower).all() and (track <= arm.upper).all()


def test_stop_brakes_at_its_limit():
    """The arm rests within v/a + a/j when STOP comes at full speed, and not much sooner."""
    arm, clock = at.load("ur5e"), ManualClock()
    robot, limits = SimulatedArm(arm, clock=clock), RateLimits.of(arm)
    asyncio.run(robot.move(robot.state().q + 3.0, 1.0))
    clock.now = 0.5
    top = np.abs(robot.state().qd).max()
    joint = int(np.abs(robot.state().qd).argmax())
    asyncio.run(robot.stop())
    times, track = sampled(robot, clock, 0.5)
    assert_within(limits, track)
    needed = top / limits.acceleration[joint] + limits.acceleration[joint] / limits.jerk[joint]
    rests = times[np.abs(track - track[-1]).max(axis=1) < 1e-12][0] - 0.5
    assert needed - 2 * DT <= rests <= needed + 2 * DT
    assert not robot.state().moving


def test_targets_beyond_limits_are_refused():
    """A position beyond a limit or a speed beyond 1 is refused when the arm is told to move."""
    robot = SimulatedArm(at.load("desktop5"))
    with pytest.raises(JointLimitError):
        asyncio.run(robot.move(np.full(5, 3.0), 1.0))
    with pytest.raises(InputError, match="share"):
        asyncio.run(robot.follow(np.zeros(5), 1.5))


@pytest.mark.parametrize("name", at.arm_names())
def test_start_is_within_limits(name):
    """Every catalogue arm starts within its limits when it is simulated."""
    arm = at.load(name)
    start = start_position(arm)
    assert (arm.lower < start).all()
    assert (start < arm.upper).all()


def test_arm_rests_when_nobody_calls():
    """The arm comes to rest short of its target when it is not told to follow any more."""
    clock = ManualClock()
    robot = SimulatedArm(at.load("ur5e"), clock=clock)
    far = robot.state().q + 3.0
    asyncio.run(robot.follow(far, 1.0))
    clock.now = FOLLOW_TIMEOUT
    assert robot.state().moving
    clock.now = FOLLOW_TIMEOUT + 0.3
    rest = robot.state()
    assert not rest.moving
    assert np.abs(rest.q - far).max() > 0.5


def test_somebodys_stop_ends_a_pressed_button():
    """Following is refused until it pauses when the arm was stopped meanwhile."""
    clock = ManualClock()

    async def run():
        session = Session(SimulatedArm(at.load("ur5e"), clock=clock), clock=clock)
        session.lease.take(ANNE)
        q = session.robot.state().q + 0.1
        await session.follow(ANNE.id, q, 0.5)
        await session.stop()
        with pytest.raises(NotPermittedError, match="let go"):
            await session.follow(ANNE.id, q, 0.5)
        clock.now += 1.1 * LET_GO
        await session.follow(ANNE.id, q, 0.5)

    asyncio.run(run())


def test_a_stalled_page_has_not_let_go():
    """A press from before a stop never moves the arm again when its messages come late."""
    clock = ManualClock()

    async def run():
        session = Session(SimulatedArm(at.load("ur5e"), clock=clock), clock=clock)
        session.lease.take(ANNE)
        q = session.robot.state().q + 0.1
        await session.follow(ANNE.id, q, 0.5, press=7)
        await session.stop()
        for _ in range(3):
            clock.now += 1.1 * LET_GO
            session.lease.heartbeat(ANNE.id)
            with pytest.raises(NotPermittedError, match="let go"):
                await session.follow(ANNE.id, q, 0.5, press=7)
        await session.follow(ANNE.id, q, 0.5, press=8)
        assert session.robot.state().moving

    asyncio.run(run())


def test_one_holder_at_a_time():
    """A second client is refused and told who has control when the lease is held."""
    lease = Lease()
    lease.take(ANNE)
    with pytest.raises(NotPermittedError, match="a has control"):
        lease.take(BERT)
    with pytest.raises(NotPermittedError, match="a has"):
        lease.require(BERT.id)
    lease.require(ANNE.id)


def test_lease_runs_out_without_beats():
    """A lease expires after two seconds without heartbeats, and lasts when they are sent."""
    now = [0.0]
    lease = Lease(clock=lambda: now[0])
    lease.take(ANNE)
    for now[0] in np.arange(0.0, 5.0, 0.9 * EXPIRY):
        assert lease.heartbeat(ANNE.id)
    now[0] += 1.1 * EXPIRY
    assert lease.is_expired()
    with pytest.raises(NotPermittedError):
        lease.require(ANNE.id)
    lease.take(BERT)
    assert lease.holder == BERT


def test_lease_goes_to_the_first_who_asked():
    """The one who asked first has control when the holder gives it."""
    lease = Lease()
    lease.take(ANNE)
    for client in (CARL, BERT, CARL):
        lease.request(client)
    assert [client.name for client in lease.waiting] == ["c", "b"]
    lease.release(ANNE.id)
    assert lease.holder == CARL
    assert lease.waiting == (BERT,)


def test_singular_and_limit_positions_are_reported():
    """A word is said near a limit and near a singularity, and none elsewhere, when asked."""
    arm = at.load("ur5e")
    bent = np.array([0.0, -1.5, 1.5, -1.5, -1.5, 0.0])
    assert hints(arm, bent) == []
    assert closeness(arm, np.array([0.0, -1.5, 0.0, -1.5, -1.5, 0.0])) < 1e-12
    straight = hints(arm, np.array([arm.upper[0], -1.5, 0.0, -1.5, -1.5, 0.0]))
    assert [(hint.kind, hint.joint) for hint in straight] == [("limit", 1), ("singular", None)]


@pytest.mark.parametrize("frame", ["base", "tool"])
@pytest.mark.parametrize("axis", range(6))
def test_jog_moves_the_tool_along_one_axis(axis, frame):
    """The tool moves by the step and nothing else when it is jogged."""
    session = Session(SimulatedArm(at.load("ur5e")))
    arm, q = session.robot.arm, session.robot.state().q
    reached = at.fk(
        arm, asyncio.run(Jog(lambda: session.robot, session.clock).step(axis, -1, 1.0, frame))
    )
    size = 0.02 * (0.25 if axis < 3 else 0.8)
    np.testing.assert_allclose(reached, moved(at.fk(arm, q), axis, -size, frame), atol=1e-9)
    change = at.pose_coordinates(np.linalg.inv(at.fk(arm, q)) @ reached)
    assert np.linalg.norm(change.position) == pytest.approx(size if axis < 3 else 0.0, abs=1e-9)
    turn = 2 * np.arccos(min(change.quaternion[3], 1.0))
    assert turn == pytest.approx(0.0 if axis < 3 else size, abs=1e-7)


def test_move_is_straight_in_joint_space():
    """All joints have gone the same part of their path at any time when an arm starts at rest."""
    clock = ManualClock()
    robot = SimulatedArm(at.load("ur10e"), clock=clock)
    start = robot.state().q
    path = np.array([1.0, 0.3, -0.7, 0.2, 0.1, -2.0])
    asyncio.run(robot.move(start + path, 0.5))
    parts = (sampled(robot, clock, 3.0)[1] - start) / path
    assert np.ptp(parts, axis=1).max() < 1e-9
    np.testing.assert_allclose(parts[-1], 1.0, rtol=0, atol=1e-9)
    assert 0.2 < parts[:, 0].mean() < 0.95


def test_slow_watcher_gets_the_newest_state_only():
    """Nothing piles up, and the newest state comes next, when a client takes its time."""

    class Slow:
        def __init__(self):
            self.got, self.may = [], asyncio.Event()

        async def send_text(self, data):
            self.got.append(data)
            await self.may.wait()

    async def run():
        socket = Slow()
        watcher = Watcher(socket, lambda: "hello")
        pump = asyncio.create_task(watcher.pump())
        for number in range(1000):
            watcher.show(str(number))
            watcher.send(f"note {number}")
            await asyncio.sleep(0)
        socket.may.set()
        async with asyncio.timeout(60):
            while socket.got[-1] != "999":
                await asyncio.sleep(0)
        pump.cancel()
        return socket.got

    got = asyncio.run(run())
    assert len(got) < 60
    assert got[-1] == "999"
