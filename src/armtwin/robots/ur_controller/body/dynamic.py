"""A body with mass: MuJoCo moves the arm under the torques of a computed-torque controller."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.control.controller import ComputedTorque
from armtwin.dynamics.rigid_body import gravity, inverse_dynamics, mass_matrix
from armtwin.equations.control import control_law as control_law_equations
from armtwin.model.arm import Arm
from armtwin.model.drive import effort_limits
from armtwin.model.payload import with_payload
from armtwin.robots.ur_controller.body.kinematic import RobotBody, SensorNoise
from armtwin.robots.ur_controller.body.rotors import with_rotors
from armtwin.robots.ur_controller.motion.joint_moves import Reference, TorqueCommand
from armtwin.simulation.plant import Plant
from armtwin.simulation.pushes import Post, Push
from armtwin.simulation.sensors import Sensors
from armtwin.spatial import Array

PHYSICS_STEP = 5e-4
"""Longest physics step [s]: four in a cycle of 2 ms. Larger: contacts and friction less exact;
smaller: more time per cycle, which has to keep up with the clock."""
STIFFNESS, PERSISTENCE = 2500.0, 3e4
"""Of the position error [1/s2], and of its integral [1/s3], which overcomes dry friction."""
MAX_PERSISTENCE = 300.0
"""Largest acceleration of the integral term [rad/s2]."""
NEAR, FADING = 1e-4, 0.2
"""So near to where it shall stand [rad] the integral fades in this time [s]: else dry friction
would let a standing joint creep to and fro for ever."""


class DynamicBody(RobotBody):
    """An arm with inertia, friction, motor torque limits and obstacles.

    Light links without rotors in the arm file get usual ones (``with_rotors``).

    Args:
        arm: the arm, with masses.
        q: where it starts (dof,) [rad].
        dt: length of a control cycle [s].
        posts: obstacles.
        sensors: errors of its sensors.
        seed: of the noise.
    """

    has_forces = True

    def __init__(
        self,
        arm: Arm,
        q: Array,
        dt: float,
        *,
        posts: Sequence[Post] = (),
        sensors: Sensors | None = None,
        seed: int = 0,
    ) -> None:
        arm = with_rotors(arm, q)
        super().__init__(arm, q)
        self._posts, self._steps = tuple(posts), max(1, round(dt / PHYSICS_STEP))
        self._step = dt / self._steps
        self.plant = Plant(arm, self._step, self._posts)
        self.plant.reset(q, np.zeros(arm.dof))
        self._controller = ComputedTorque(arm, STIFFNESS)
        self._compliant = ComputedTorque(arm, STIFFNESS, friction=0.0)
        self._compensation = kernel(arm, control_law_equations.friction_compensation)
        self._noise = SensorNoise(arm, sensors, seed)
        self._integral = np.zeros(arm.dof)
        self._effort = effort_limits(arm)
        self._worker = ThreadPoolExecutor(1, "payload")
        self._coming: Future[Plant] | None = None
        self._pushed: tuple[bytes, list[tuple[Push, float]]] = (b"", [])

    def step(self, reference: Reference, push: Array, dt: float) -> None:
        """Let the motors act for a cycle.

        Args:
            reference: what the joints shall do in this cycle.
            push: external torques at the joints (dof,) [Nm].
            dt: length of the cycle [s].
        """
        if self._coming is not None and self._coming.done():
            self._swap(self._coming.result())
        command, reference.command = reference.command, None
        if command is None:
            command_torque = self._position_torque(reference, dt)
        else:
            command_torque = self._commanded_torque(reference, command)
        self.tau = np.clip(command_torque, -self._effort, self._effort)
        self.plant.advance(self.tau, self._pushes(push), self._steps)
        self.external = self.plant.external.copy()
        self.q, self.qd = self._noise.add(self.plant.q.copy(), self.plant.qd.copy())
        self.load = self._load()

    def _position_torque(self, reference: Reference, dt: float) -> Array:
        """Return the torques of stiff position control with integral action."""
        error = reference.q - self.q
        more = self._integral + PERSISTENCE * dt * error
        there = (reference.qd == 0.0) & (np.abs(error) < NEAR)
        more = np.where(there, self._integral * (1 - dt / FADING), more)
        self._integral = np.clip(more, -MAX_PERSISTENCE, MAX_PERSISTENCE)
        qdd = reference.qdd + self._integral
        command_torque, a = self._controller.terms(self.q, self.qd, reference.q, reference.qd, qdd)
        carried = self._payload.torque(self.q, self.qd, a)
        return command_torque if carried is None else command_torque + carried

    def _commanded_torque(self, reference: Reference, command: TorqueCommand) -> Array:
        """Return the torques of a command, with the friction compensation that it requests.

        Position control that follows takes over the torques of a command that tracks.
        """
        q, still = self.q, np.zeros_like(self.q)
        if command.tracks:
            r = reference
            links, a = self._compliant.terms(q, self.qd, r.q, r.qd, r.qdd)
            carried = self._payload.torque(q, self.qd, a)
            M = mass_matrix(self.arm, q, ignore_limits=True)
            self._integral = np.asarray(np.linalg.solve(M, command.torque))
        else:
            links, self._integral = gravity(self.arm, q, ignore_limits=True), still
            carried = self._payload.torque(q, still, still)
        load = links + command.torque + (0.0 if carried is None else carried)
        inputs = (self.qd, load, command.viscous, command.coulomb)
        return load + (self._compensation.fast(*inputs) or self._compensation(*inputs))[0]

    def _load(self) -> Array:
        """Return what the links took: ``M qdd + C qd + g - tau_ext``, payload included."""
        q, qd, qdd = self.plant.q, self.plant.qd, self.plant.data.qacc.copy()
        links = inverse_dynamics(self.arm, q.copy(), qd.copy(), qdd, ignore_limits=True)
        carried = self._payload.torque(q.copy(), qd.copy(), qdd)
        return links - self.external if carried is None else links + carried - self.external

    def _pushes(self, push: Array) -> list[tuple[Push, float]]:
        key = push.tobytes()
        if key != self._pushed[0]:
            acting = [
                (Push(joint=k + 1, torque=float(torque), duration=1.0), 1.0)
                for k, torque in enumerate(push)
                if torque
            ]
            self._pushed = (key, acting)
        return self._pushed[1]

    def carry(self, mass: float, com: Array, inertia: Array | None = None) -> None:
        """Carry a load; the new plant is made beside the running one, then takes over.

        Args:
            mass: [kg].
            com: its centre of gravity in the flange frame (3,) [m].
            inertia: xx, yy, zz, xy, xz, yz about that centre [kg m2]; None: a point mass.
        """
        super().carry(mass, com, inertia)
        loaded = with_payload(self.arm, mass, com=com, inertia=inertia) if mass else self.arm
        self._coming = self._worker.submit(Plant, loaded, self._step, self._posts)

    def _swap(self, plant: Plant) -> None:
        plant.reset(self.plant.q.copy(), self.plant.qd.copy())
        self.plant, self._coming = plant, None
        plant.model.opt.gravity[:] = self._payload.gravity

    def tilt(self, gravity: Array) -> None:
        """Stand on a tilted base."""
        super().tilt(gravity)
        self.plant.model.opt.gravity[:] = gravity
