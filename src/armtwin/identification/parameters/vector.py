"""Layout of the parameter vector, and its prior.

In order: ten inertial parameters a row of the chain (``rigid_body.PARAMETERS``), rotor inertias at
the joints [kg m2], logarithms of the gains [A/Nm at the joint], friction at the joints and offsets
of the signals [A or Nm], the payload's ten parameters in the last link's frame, and gravity in
the base frame [m/s2].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from armtwin.equations.parameters import FRICTION_UNITS as FMI_FRICTION_UNITS
from armtwin.model.arm import Arm
from armtwin.model.drive import PARAMETERS, SPEEDS
from armtwin.spatial import Array

Indices = NDArray[np.intp]

INERTIAL = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
INERTIAL_UNITS = ("kg", *["kg m"] * 3, *["kg m2"] * 6)
FRICTION_UNITS = {name: unit.replace(".", "") for name, unit in FMI_FRICTION_UNITS.items()}


@dataclass(frozen=True)
class ParameterLayout:
    """Meaning of the entries of the parameter vector.

    Attributes:
        rows: number of rows of the chain.
        dof: number of driven joints.
        driven: the row of every driven joint.
        laws: friction law of every joint.
        smoothing: of the smooth sign of every joint's law, at the joint [rad/s].
    """

    rows: int
    dof: int
    driven: tuple[int, ...]
    laws: tuple[str, ...]
    smoothing: tuple[float, ...]

    @staticmethod
    def of(arm: Arm, laws: tuple[str, ...], smoothing: tuple[float, ...]) -> ParameterLayout:
        """Return the layout of an arm's vector.

        Args:
            arm: the arm.
            laws: friction law of every driven joint.
            smoothing: speed over which friction changes sign, per driven joint [rad/s | m/s].
        """
        driven = tuple(k for k, joint in enumerate(arm.joints) if joint.kind != "fixed")
        return ParameterLayout(len(arm.joints), arm.dof, driven, laws, smoothing)

    @cached_property
    def links(self) -> slice:
        """Inertial parameters of all rows."""
        return slice(0, 10 * self.rows)

    @cached_property
    def rotors(self) -> slice:
        """Rotor inertias."""
        return slice(self.links.stop, self.links.stop + self.dof)

    @cached_property
    def gains(self) -> slice:
        """Logarithms of the gains."""
        return slice(self.rotors.stop, self.rotors.stop + self.dof)

    @cached_property
    def friction(self) -> tuple[slice, ...]:
        """Friction parameters, joint by joint."""
        parts, start = [], self.gains.stop
        for law in self.laws:
            parts.append(slice(start, start + len(PARAMETERS[law])))
            start = parts[-1].stop
        return tuple(parts)

    def viscous(self, joint: int) -> int:
        """Index of a joint's viscous friction, the joint counted from 0."""
        return self.friction[joint].start + PARAMETERS[self.laws[joint]].index("viscous")

    @cached_property
    def offsets(self) -> slice:
        """Offsets of the motor signals."""
        return slice(self.friction[-1].stop, self.friction[-1].stop + self.dof)

    @cached_property
    def payload(self) -> slice:
        """The payload's inertial parameters."""
        return slice(self.offsets.stop, self.offsets.stop + 10)

    @cached_property
    def gravity(self) -> slice:
        """Gravity in the base frame."""
        return slice(self.payload.stop, self.payload.stop + 3)

    @property
    def size(self) -> int:
        """Number of entries."""
        return self.gravity.stop

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the entries; rows and joints count from 1."""
        links = [f"{name}{row + 1}" for row in range(self.rows) for name in INERTIAL]
        joints = range(1, self.dof + 1)
        friction = [f"{name}{j}" for j, law in zip(joints, self.laws, strict=True)
                    for name in PARAMETERS[law]]  # fmt: skip
        return (
            *links, *[f"J{j}" for j in joints], *[f"log_gain{j}" for j in joints], *friction,
            *[f"offset{j}" for j in joints], *[f"payload_{name}" for name in INERTIAL],
            "gx", "gy", "gz",
        )  # fmt: skip

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Units of the entries."""
        friction = [FRICTION_UNITS.get(name, "Nm") for law in self.laws for name in PARAMETERS[law]]
        return (
            *INERTIAL_UNITS * self.rows, *["kg m2"] * self.dof, *["1"] * self.dof, *friction,
            *["effort"] * self.dof, *INERTIAL_UNITS, *["m/s2"] * 3,
        )  # fmt: skip

    @cached_property
    def speeds(self) -> Indices:
        """Indices of the friction parameters that are speeds."""
        found = [
            part.start + k
            for part, law in zip(self.friction, self.laws, strict=True)
            for k, name in enumerate(PARAMETERS[law])
            if name in SPEEDS
        ]
        return np.array(found, dtype=np.intp)

    @cached_property
    def not_negative(self) -> Indices:
        """Indices of rotor inertias and friction, which are never negative."""
        first, last = self.friction[0].start, self.friction[-1].stop
        return np.concatenate([np.arange(self.size)[self.rotors], np.arange(first, last)])

    def links_and_payload(self) -> list[slice]:
        """Return the ten entries of every link and of the payload."""
        return [slice(10 * k, 10 * k + 10) for k in range(self.rows)] + [self.payload]

    def moving(self, joint: int) -> slice:
        """Return the inertial parameters of the rows that a joint moves."""
        return slice(10 * self.driven[joint], 10 * self.rows)

    def indices(self, groups: tuple[str, ...]) -> Indices:
        """Return the indices of some unknowns (``options.UNKNOWNS``)."""
        everything = np.arange(self.size)
        named = {
            "links": self.links,
            "rotors": self.rotors,
            "gains": self.gains,
            "offsets": self.offsets,
            "payload": self.payload,
            "mounting": self.gravity,
        }
        parts = [everything[named[group]] for group in groups if group in named]
        if "friction" in groups:
            friction = np.arange(self.friction[0].start, self.friction[-1].stop)
            parts.append(np.setdiff1d(friction, self.speeds))
        return np.sort(np.concatenate(parts)).astype(np.intp)


@dataclass(frozen=True)
class Prior:
    """Gaussian prior of the parameter vector.

    Attributes:
        mean: (size,).
        precision: (size, size).
        free: indices of the estimated entries.
        file: vector of the arm file, for the scale of its links (size,).
    """

    mean: Array
    precision: Array
    free: Indices
    file: Array
