"""Faults that can be injected into a virtual robot, to test its clients."""

from __future__ import annotations

import asyncio
import time

from armtwin.robots.ur_controller.controller import BOOTED
from armtwin.robots.ur_controller.virtual_robot import VirtualRobot


class Faults:
    """Faults of one robot; every method is called in the loop's thread."""

    def __init__(self, robot: VirtualRobot) -> None:
        self._robot = robot

    def stall(self, seconds: float) -> None:
        """Freeze the controller; nothing moves and nothing is sent."""
        self._robot.frozen_until = time.monotonic() + seconds

    def lose(self, samples: int) -> None:
        """Keep the next samples from being sent."""
        self._robot.muted += samples

    def drop(self) -> None:
        """Cut every connection."""
        self._robot.drop_clients()

    def inject(self, data: bytes) -> None:
        """Send bytes of one's own between the samples."""
        for session in self._robot.rtde.sessions:
            session.write(data)

    def cut_packet(self) -> None:
        """Send the first half of a sample, then cut the connections."""
        for session in list(self._robot.rtde.sessions):
            session.write(session.sample()[: len(session.sample()) // 2])
            session.finish()

    def short_packet(self) -> None:
        """Send samples that are whole packets but lack their last bytes."""
        for session in self._robot.rtde.sessions:
            sample = session.sample()[:-9]
            session.write(len(sample).to_bytes(2, "big") + sample[2:])

    def jump_clock(self, seconds: float) -> None:
        """Set the controller's clock ahead or back."""
        self._robot.controller.clock += seconds

    async def restart(self, seconds: float) -> None:
        """Switch the controller off for some time; its clock and its program restart."""
        await self._robot.close()
        self._robot.controller.stop_program()
        self._robot.controller.clock = BOOTED
        await asyncio.sleep(seconds)
        await self._robot.open()

    def push(self, joint: int, torque: float, seconds: float) -> None:
        """Push a joint, numbered from 1, with a torque [Nm].

        Args:
            joint: its number, from 1.
            torque: [Nm].
            seconds: duration [s].
        """
        self._robot.controller.external_push.push(joint, torque, seconds)
