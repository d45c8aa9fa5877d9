"""External forces: pushes at chosen times, fixed obstacles, and the contacts with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array, as_numbers


@dataclass(frozen=True, eq=False)
class Push:
    """A push, either a torque on a joint or a force at a point of a link.

    Attributes:
        joint: number of the pushed joint, from 1.
        torque: its torque [Nm], or force on a sliding joint [N]; with ``joint``.
        link: number of the pushed row of the chain, from 1.
        point: where, in that link's frame (3,) [m]; its origin if not given.
        force: in base axes (3,) [N]; with ``link``.
        start: time at which it begins [s].
        duration: how long it lasts [s].
    """

    joint: int | None = None
    torque: float | None = None
    link: int | None = None
    point: ArrayLike = (0.0, 0.0, 0.0)
    force: ArrayLike | None = None
    start: float = 0.0
    duration: float = 0.5

    def __post_init__(self) -> None:
        """Raise InputError for a push of neither kind, or with impossible times."""
        on_joint = self.joint is not None and self.torque is not None
        on_link = self.link is not None and self.force is not None
        if on_joint == on_link:
            raise InputError(
                "a push is joint=N with torque=T [Nm], or link=N with force=(x, y, z) [N] and "
                f"optionally point=(x, y, z) [m]; got {self}"
            )
        force = self.force if self.force is not None else (0.0,) * 3
        shapes = [as_numbers(self.point, "point").shape, as_numbers(force, "force").shape]
        if shapes != [(3,), (3,)]:
            raise InputError(f"force and point have three numbers each; got {self}")
        named = {"start": self.start, "duration": self.duration, "torque": self.torque or 0.0}
        numbers = [np.ravel(as_numbers(x, name)) for name, x in named.items()]
        good = np.isfinite(np.concatenate([*numbers, np.ravel(self.point), np.ravel(force)])).all()
        if not good or self.duration <= 0 or self.start < 0:
            raise InputError(f"a push has finite numbers, start >= 0 and duration > 0; got {self}")

    def check(self, arm: Arm) -> None:
        """Refuse a joint or link that the arm does not have."""
        number, most = (self.joint, arm.dof) if self.joint else (self.link, len(arm.joints))
        word = "joint" if self.joint is not None else "link"
        if number is None or not 1 <= number <= most:
            raise InputError(
                f"push on {word} {number}: arm {arm.name!r} has {word}s 1 to {most}; "
                f"choose one of them"
            )

    def share(self, start: float, end: float) -> float:
        """Return which part of the time from ``start`` to ``end`` the push lasts, 0 to 1."""
        overlap = min(end, self.start + self.duration) - max(start, self.start)
        return max(0.0, overlap) / (end - start)

    def __str__(self) -> str:
        """Return the push in words."""
        when = f"from {self.start:g} s for {self.duration:g} s"
        if self.joint is not None:
            return f"{self.torque} Nm on joint {self.joint} {when}"
        return f"{self.force} N on link {self.link} at {self.point} {when}"


@dataclass(frozen=True, eq=False)
class Post:
    """A round post or, with ``size``, a block, that stands still and may be padded.

    Attributes:
        position: middle in base (3,) [m].
        radius: of the post [m].
        height: of the post, along base z [m].
        size: edges of a block (3,) [m], instead of radius and height.
        softness: time in which a contact pushes back [s]: 0.005 for metal, 0.03 for thick foam.
    """

    position: ArrayLike
    radius: float = 0.05
    height: float = 0.5
    size: ArrayLike | None = None
    softness: float = 0.01

    def __post_init__(self) -> None:
        """Raise InputError for impossible shapes."""
        sizes = [self.radius, self.height] if self.size is None else list(np.ravel(self.size))
        numbers = as_numbers([*np.ravel(self.position), *sizes, self.softness], "a post")
        good = np.isfinite(numbers).all()
        shapes = np.shape(self.position) == (3,) and (self.size is None or len(sizes) == 3)
        if not (good and shapes) or min(sizes) <= 0 or self.softness <= 0:
            raise InputError(f"a post has a position of 3 numbers and positive sizes; got {self}")

    @property
    def half_sizes(self) -> Array:
        """Half lengths as MuJoCo takes them: radius and half height, or half edges."""
        if self.size is None:
            return np.array([self.radius, self.height / 2, 0.0])
        return np.asarray(self.size, float) / 2


class PlantContacts:
    r"""Read the forces of all contacts between the arm and fixed obstacles.

    .. math:: \tau_{ext} = J_c^T f_c

    with ``J_c`` and ``f_c`` the rows that contacts add, last of all, to MuJoCo's constraints.
    """

    def __init__(self, mujoco: Any, model: Any, data: Any) -> None:
        self._mujoco, self._model, self._data = mujoco, model, data
        self._wrench = np.zeros(6)
        self._fixed = np.asarray(model.geom_bodyid == 0)

    def read(self) -> tuple[Array, Array]:
        """Return joint torques (dof,) [Nm] and the sum of forces on the arm in base (3,) [N]."""
        data = self._data
        first, last = data.ne + data.nf + data.nl, data.nefc
        J = data.efc_J.reshape(last, -1)[first:]
        return data.efc_force[first:last] @ J, self._force()

    def _force(self) -> Array:
        """Return the sum of the contacts' forces on the arm; frames turn base into contact."""
        total, contacts = np.zeros(3), self._data.contact
        for number, (frame, geoms) in enumerate(zip(contacts.frame, contacts.geom, strict=True)):
            self._mujoco.mj_contactForce(self._model, self._data, number, self._wrench)
            on_second = self._wrench[:3] @ frame.reshape(3, 3)
            total += -on_second if self._fixed[geoms[1]] else on_second
        return total
