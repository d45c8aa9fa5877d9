"""A taught program on the virtual UR controller, to its end and without one."""

import asyncio

import numpy as np
from waiting import until

import armtwin
from armtwin.motion.programs.program import Position, TaughtProgram
from armtwin.robots.programs.program_runner import ProgramRunner
from armtwin.robots.robot_process import start_virtual_robot
from armtwin.robots.ur.ur_robot import UrRobot

TRIES = 20
"""A busy machine can hold up a robot until it counts as lost, which ends its program."""


def program(q, steps, speed):
    """Return a program of positions that lie ``steps`` away from ``q`` in every joint."""
    rows = tuple(
        Position(name=f"p{k}", q=tuple(np.asarray(q) + step), speed=speed)
        for k, step in enumerate(steps)
    )
    return TaughtProgram(name="robot", arm="ur5e", positions=rows)


def test_robot_follows_a_program_and_its_loss_ends_it():
    """Every position is reached when the robot is there; the run ends when it vanishes mid-move."""

    async def act():
        robot = await start_virtual_robot(armtwin.load("ur5e"))
        body = UrRobot(robot.arm, robot.host, process=robot.end)
        await body.start()
        runner = ProgramRunner(lambda: body, lambda client: True)
        try:
            begin = body.state().q
            for _ in range(TRIES):
                await until(lambda: body.state().status == "ready")
                await runner.run(program(begin, (0.05, -0.05), 0.5), "me")
                await until(lambda: runner.progress.mode == "idle")
                if "lost" not in runner.progress.error:
                    break
            assert runner.progress.text == "finished", (runner.progress.error, body._feed.events)
            np.testing.assert_allclose(body.state().q, begin - 0.05, atol=2e-3)
            await runner.run(program(begin, (0.8,), 0.05), "me", loop=True)
            await until(lambda: body.state().moving)
            robot.process.kill()
            await until(lambda: runner.progress.mode == "idle")
            assert "disconnected" in runner.progress.error
        finally:
            await runner.close()
            await body.close()

    asyncio.run(act())
