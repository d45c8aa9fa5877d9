"""Several moves in a row, of the joints and of the tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.motion.blending import BlendedRun, JointRun, Leg, ToolRun
from armtwin.robots.ur_controller.motion.joint_moves import Move, Reference
from armtwin.spatial import Array


class PathMove(Move):
    """Legs of any kind: joint runs and tool runs, at rest where one kind follows the other.

    Args:
        tcp: the centre point.
        legs: the legs, at least one.
        top: speeds that no joint may exceed (dof,) [rad/s].
        progress: called with the leg's number, from 0, whenever another one begins.
    """

    def __init__(
        self,
        tcp: Tcp,
        legs: Sequence[Leg],
        top: Array,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.tcp, self.top, self.progress = tcp, top, progress
        self.groups: list[list[Leg]] = []
        for leg in legs:
            if self.groups and self.groups[-1][-1].straight == leg.straight:
                self.groups[-1].append(leg)
            else:
                self.groups.append([leg])
        self._run: BlendedRun | None = None
        self._passed, self._told = 0, -1

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Go on with the present run, or with the next one."""
        if self._run is None:
            self._run = self._next(reference)
        finished = self._run.step(reference, dt, scale)
        leg = self._passed + self._run.leg
        if self.progress is not None and leg != self._told:
            self._told = leg
            self.progress(leg)
        if finished:
            self._passed += len(self.groups.pop(0))
            self._run = None
        return not self.groups

    def _next(self, reference: Reference) -> BlendedRun:
        legs = self.groups[0]
        if not legs[0].straight:
            return JointRun(self.tcp, reference.q, legs, self.top)
        start = self.tcp.state(reference.q, reference.qd).T
        return ToolRun(self.tcp, start, legs)
