"""Several moves in a row, of the joints and of the tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armtwin.robots.motion_generator import RateLimits
from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.motion.blending import BlendedRun, JointRun, Leg
from armtwin.robots.ur_controller.motion.joint_moves import Move, Reference
from armtwin.robots.ur_controller.motion.tool_blending import ToolRun


class PathMove(Move):
    """Legs of any kind: joint runs and tool runs, at rest where one kind follows the other.

    Args:
        tcp: the centre point.
        legs: the legs, at least one.
        limits: that no joint may exceed.
        progress: called with the leg's number, from 0, whenever another one begins.
    """

    def __init__(
        self,
        tcp: Tcp,
        legs: Sequence[Leg],
        limits: RateLimits,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.tcp, self.limits, self.progress = tcp, limits, progress
        self.groups: list[list[Leg]] = []
        self._run: BlendedRun | None = None
        self._passed, self._reported, self._count = 0, -1, 0
        for leg in legs:
            self.add(leg)

    @property
    def open(self) -> bool:
        """Whether the last leg under way ends in a blend, so that another one may follow."""
        return bool(self.groups) and self.groups[-1][-1].blend > 0

    def add(self, leg: Leg) -> int:
        """Append a leg, also while the move is under way; return its number, from 0."""
        last = self.groups[-1][-1] if self.groups else None
        if last and last.of_tool == leg.of_tool:
            self.groups[-1].append(leg)
            if self._run is not None and len(self.groups) == 1:
                self._run.add(leg)
        else:
            self.groups.append([leg])
        self._count += 1
        return self._count - 1

    def blends(self, number: int) -> bool:
        """Return whether a leg is inside the blend at its end, or finished."""
        if number < self._passed:
            return True
        inside = number - self._passed
        running = self._run is not None and inside < len(self.groups[0])
        return running and self._run is not None and self._run.blends(inside)

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Go on with the present run, or with the next one.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1.
        """
        if self._run is None:
            self._run = self._next(reference)
        finished = self._run.step(reference, dt, scale)
        leg = self._passed + self._run.leg
        if self.progress is not None and leg != self._reported:
            self._reported = leg
            self.progress(leg)
        if finished:
            self._passed += len(self.groups.pop(0))
            self._run = None
        return not self.groups

    def _next(self, reference: Reference) -> BlendedRun:
        run = ToolRun if self.groups[0][0].of_tool else JointRun
        return run(self.tcp, reference.q, self.groups[0], self.limits)
