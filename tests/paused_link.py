"""A UR controller behind a network that pauses, in simulated time: no sockets and no waiting.

The controller's script reader, programs and moves are the virtual robot's own; only what a motion
does not need (torques, currents, registers) is left out.
"""

import heapq
import itertools
from dataclasses import dataclass

import numpy as np

import armtwin as at
from armtwin.robots.ur.speed_control.speed_commands import PERIOD
from armtwin.robots.ur_controller.body.kinematic import KinematicBody
from armtwin.robots.ur_controller.build import FAST, START
from armtwin.robots.ur_controller.controller import VirtualController
from armtwin.robots.ur_controller.script_programs import run_script

SAMPLING = 0.008
LATENCY = 0.002
ARM = at.load("ur5e")
TOP = np.array([joint.limits.speed for joint in ARM.driven])


class BareController(VirtualController):
    """Steps programs and the reference, nothing else."""

    def cycle(self):
        """Step one control cycle."""
        self.cycles += 1
        self.clock += self.dt
        self.programs.step()
        self._advance()


@dataclass(frozen=True)
class Pause:
    """Nothing arrives between ``begin`` and ``begin + length`` [s]; then everything at once.

    ``commands`` and ``samples`` say which directions are affected.
    """

    begin: float = 0.0
    length: float = 0.0
    commands: bool = True
    samples: bool = True

    def arrival(self, sent, affected):
        """Return when something sent at a time arrives."""
        arrival = sent + LATENCY
        inside = affected and self.begin <= arrival < self.begin + self.length
        return self.begin + self.length if inside else arrival


class PausedLink:
    """Runs a lead against a controller; ``wish(lead, now)`` is called before every period.

    Attributes:
        now: simulated time [s].
        path: joints after every control cycle.
    """

    def __init__(self, make_lead, wish, pause=None, start=START):
        self.now, self.path = 0.0, []
        self.pause = pause or Pause()
        self.controller = BareController(
            ARM, KinematicBody(ARM, np.array(start)), version=(5, 25, 0, 0), dt=FAST
        )
        self.lead, self.wish = make_lead(TOP, lambda: self.now), wish
        self._order, self._under_way = itertools.count(), []
        self._sample = (0.0, np.array(start), np.zeros(6))
        self._due = {"sample": 0.0, "step": 0.003}

    def run(self, seconds):
        """Let simulated time pass and return the joints of every cycle (n, 6)."""
        for _ in range(round(seconds / FAST)):
            self._deliver()
            self.controller.cycle()
            self.now += FAST
            reference = self.controller.reference
            self.path.append(reference.q)
            if self._is_due("sample", SAMPLING):
                content = (self.now, reference.q.copy(), reference.qd.copy())
                self._post(content, self.pause.samples)
            if self._is_due("step", PERIOD):
                self._step()
        return np.array(self.path)

    def _is_due(self, what, period):
        if self.now < self._due[what]:
            return False
        self._due[what] += period
        return True

    def _post(self, content, affected):
        arrival = self.pause.arrival(self.now, affected)
        heapq.heappush(self._under_way, (arrival, next(self._order), content))

    def _deliver(self):
        while self._under_way and self._under_way[0][0] <= self.now:
            content = heapq.heappop(self._under_way)[2]
            if isinstance(content, str):
                run_script(self.controller, content)
            else:
                self._sample = content

    def _step(self):
        self.wish(self.lead, self.now)
        stamp, q, qd = self._sample
        line = self.lead.step(q, qd, self.now - stamp)
        if line is not None:
            self._post(line, self.pause.commands)
