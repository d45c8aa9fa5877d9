"""The arm as a MuJoCo plant, built from its own parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from armtwin.compile.kernel import Kernel, kernel
from armtwin.dynamics.flexible_joints import Flexibility
from armtwin.dynamics.presliding import presliding_of
from armtwin.dynamics.rigid_body import gravity
from armtwin.equations.drives import drive as drive_equations
from armtwin.equations.drives import energy as energy_equations
from armtwin.errors import MissingDataError
from armtwin.model.appearance.appearance import collision_shapes
from armtwin.model.arm import Arm
from armtwin.model.drive import STANDING_SPEED
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.formats.mjcf_writer import write_mjcf
from armtwin.model.link import rows
from armtwin.simulation.flexible import flexible_mjcf
from armtwin.simulation.pushes import PlantContacts, Post, Push
from armtwin.simulation.rendering.scene import Scene, add_scene
from armtwin.spatial import Array

STICKING = 0.005
"""Time constant with which dry friction brings a slow joint to rest [s]."""


def load_mujoco() -> Any:
    """Return the MuJoCo module, or say how to get it."""
    try:
        import mujoco
    except ImportError as error:
        raise MissingDataError(
            "simulating needs mujoco, which is not installed; pip install 'armtwin[simulate]'"
        ) from error
    return mujoco


def build(
    arm: Arm,
    step: float,
    posts: Sequence[Post] = (),
    *,
    flexibility: Flexibility | None = None,
    hulls: bool = False,
) -> Any:
    """Return the MuJoCo model of an arm with masses, and of posts.

    Args:
        arm: the arm.
        step: length of a physics step [s].
        posts: the obstacles.
        flexibility: springs in the joints; None for rigid ones.
        hulls: let the posts collide with the convex hulls of the arm's collision shapes, not with
            capsules along its links.

    Raises:
        MissingDataError: masses, or requested collision shapes, are missing.
    """
    arm.require_masses()
    names = AssetNames("meshes")
    mjcf = write_mjcf(arm, shapes=collision_shapes(arm) if hulls else None, names=names)
    if flexibility is not None:
        mjcf = flexible_mjcf(arm, flexibility, mjcf)
    return compiled(mjcf, step, posts, assets=names.files)


def compiled(
    mjcf: str,
    step: float,
    posts: Sequence[Post] = (),
    *,
    scene: Scene | None = None,
    assets: Mapping[str, bytes] | None = None,
) -> Any:
    """Return the MuJoCo model of an arm's MJCF text, of posts and of what a picture shows.

    The arm's links collide with the posts and nothing else, not even each other.

    Args:
        mjcf: the arm as MJCF.
        step: length of a physics step [s].
        posts: the obstacles.
        scene: floor and marks; None outside pictures.
        assets: the mesh files that the MJCF text refers to.
    """
    mujoco = load_mujoco()
    spec = mujoco.MjSpec.from_string(mjcf, assets=dict(assets or {}))
    spec.option.timestep = step
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    for joint in spec.joints:
        joint.solref_friction = [max(STICKING, 4 * step), 1.0]
    if posts and not any(geom.contype for geom in spec.geoms):
        for geom in spec.geoms:
            geom.contype = 1
    _add_posts(mujoco, spec, posts, step)
    if scene is not None:
        add_scene(mujoco, spec, scene)
    return spec.compile()


def _add_posts(mujoco: Any, spec: Any, posts: Sequence[Post], step: float) -> None:
    for number, post in enumerate(posts, 1):
        kind = mujoco.mjtGeom.mjGEOM_CYLINDER if post.size is None else mujoco.mjtGeom.mjGEOM_BOX
        spec.worldbody.add_geom(
            name=f"post_{number}", type=kind, pos=np.asarray(post.position, float),
            size=post.half_sizes, contype=0, conaffinity=1, rgba=[0.85, 0.45, 0.15, 1.0],
            solref=[max(post.softness, 4 * step), 1.0],
        )  # fmt: skip


class Plant:
    """An arm that moves under torques.

    Args:
        arm: the arm as it is, with drives where they matter.
        step: length of a physics step [s].
        posts: the obstacles.
        integrator: one of ``integrators.LONGEST``.
        flexibility: springs in the joints; None for rigid ones.
        hulls: as in ``build``.

    Attributes:
        q: joint positions of the links (dof,), a view that follows the plant.
        qd: joint speeds of the links (dof,), likewise.
        motor_q: joint positions of the rotors (dof,), likewise; ``q`` itself in a rigid arm.
        motor_qd: joint speeds of the rotors (dof,), likewise.
        external: mean torque of pushes and contacts over the last ``advance`` (dof,) [Nm].
        force: mean contact force on the arm over the last ``advance``, in base (3,) [N].
    """

    def __init__(
        self,
        arm: Arm,
        step: float,
        posts: Sequence[Post] = (),
        *,
        integrator: str = "implicitfast",
        flexibility: Flexibility | None = None,
        hulls: bool = False,
    ) -> None:
        self.arm, self.mujoco, n = arm, load_mujoco(), arm.dof
        self.model = build(arm, step, posts, flexibility=flexibility, hulls=hulls)
        kinds = self.mujoco.mjtIntegrator
        self.model.opt.integrator = getattr(kinds, f"mjINT_{integrator.upper()}")
        self.data = self.mujoco.MjData(self.model)
        self.q, self.qd = self.data.qpos[:n], self.data.qvel[:n]
        self.motor_q, self.motor_qd = self.data.qpos[-n:], self.data.qvel[-n:]
        self._stiffness = None if flexibility is None else flexibility.of(arm)[0]
        self._torques = np.zeros(self.model.nv)
        self.external, self.force = self._torques[:n], np.zeros(3)
        self._contacts = PlantContacts(self.mujoco, self.model, self.data) if posts else None
        self._frames = [row.after for row in rows(arm)]
        self._laws, self._presliding = _friction_laws(arm), presliding_of(arm, step)
        if self._laws is not None:
            self.model.dof_damping[:] = 0.0

    def reset(self, q: Array, qd: Array) -> None:
        """Put the arm into a state: of the rotors where joints are flexible.

        The links then sag by their weight, as they do at rest.
        """
        self.mujoco.mj_resetData(self.model, self.data)
        if self._presliding is not None:
            self._presliding.reset()
        self.motor_q[:], self.motor_qd[:] = q, qd
        if self._stiffness is not None:
            weight = gravity(self.arm, q, ignore_limits=True)
            self.q[:], self.qd[:] = q - weight / self._stiffness, qd
        self.mujoco.mj_forward(self.model, self.data)

    def contacts(self) -> tuple[str, ...]:
        """Return the names of the posts in contact with the arm."""
        pairs = self.data.contact.geom[: self.data.ncon].ravel()
        names = {self.model.geom(int(geom)).name for geom in pairs}
        return tuple(sorted(name for name in names if name.startswith("post_")))

    def advance(self, tau: Array, pushes: Sequence[tuple[Push, float]], steps: int) -> None:
        """Advance some physics steps under motor torques (dof,) and shares of pushes.

        Args:
            tau: motor torques at the joints (dof,) [Nm | N].
            pushes: pushes that act now, each with the share of its strength, 0 to 1.
            steps: number of physics steps.
        """
        self.data.ctrl[:] = tau
        self._torques[:] = 0.0
        for push, share in pushes:
            self._add(push, share)
        self.data.qfrc_applied[:] = self._torques
        if self._laws is not None:
            self._set_friction(tau)
        if self._contacts is None and self._presliding is None:
            self.mujoco.mj_step(self.model, self.data, nstep=steps)
            return
        self.force[:], pushed = 0.0, self._torques.copy()
        for _ in range(steps):
            self._step(tau, pushed)
            if self._contacts is not None and self.data.ncon:
                torque, force = self._contacts.read()
                self.external += torque[: self.arm.dof] / steps
                self.force += force / steps

    def _step(self, tau: Array, pushed: Array) -> None:
        """Advance a physics step; elements of presliding act on its end."""
        if self._presliding is None:
            self.mujoco.mj_step(self.model, self.data)
            return
        before = self.motor_q.copy()
        held = self._presliding.begin(self.model, self.motor_qd.copy(), tau)
        self.data.qfrc_applied[:] = pushed
        self.data.qfrc_applied[-held.size :] -= held
        self.mujoco.mj_step(self.model, self.data)
        self._presliding.end(self.motor_q - before)

    def _add(self, push: Push, share: float) -> None:
        if push.joint is not None and push.torque is not None:
            self.external[push.joint - 1] += share * push.torque
            return
        body = number = push.link or 1  # MuJoCo numbers the world 0 and the links in order
        at_link = self._frames[number - 1] @ np.append(np.asarray(push.point, float), 1.0)
        R, p = self.data.xmat[body].reshape(3, 3), self.data.xpos[body]
        force = share * np.asarray(push.force, float)
        self.mujoco.mj_applyFT(
            self.model, self.data, force, np.zeros(3), p + R @ at_link[:3], body, self._torques
        )

    def _set_friction(self, tau: Array) -> None:
        """Set the level of dry friction to what the arm's law says at this speed and load.

        The load is what friction leaves of the motor's torque. A joint that stands is held by the
        law's own level; one that turns unloaded is braked by all of the motor's torque.
        """
        qd = self.motor_qd
        standing = np.abs(qd) < STANDING_SPEED
        speed = np.where(standing, STANDING_SPEED * np.where(qd < 0, -1.0, 1.0), qd)
        assert self._laws is not None
        load_law, friction_law = self._laws
        load = load_law(speed, tau)[0]
        level = np.where(standing, friction_law(speed, load)[0], tau - load)
        self.model.dof_frictionloss[-self.arm.dof :] = np.abs(level)


def _friction_laws(arm: Arm) -> tuple[Kernel, Kernel] | None:
    """Return load and friction laws of an arm; None where MuJoCo has them itself."""
    laws = [j.drive.friction for j in arm.driven if j.drive is not None and j.drive.friction]
    plain = all(law.model == "viscous-coulomb" for law in laws)
    if plain and not any("presliding" in dict(law.parameters) for law in laws):
        return None
    return kernel(arm, energy_equations.link_load), kernel(arm, drive_equations.friction)
