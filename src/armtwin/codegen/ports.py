"""Meaning and unit of the inputs and outputs of exported functions, by name."""

from __future__ import annotations

from armtwin.model.arm import Arm
from armtwin.units import JOINT_UNITS

_JOINT = {
    "q": ("position", "joint positions"),
    "qd": ("speed", "joint speeds"),
    "qdd": ("acceleration", "joint accelerations"),
    "q_next": ("position", "joint positions after the step"),
    "qd_next": ("speed", "joint speeds after the step"),
    "tau": ("effort", "joint torques"),
    "tau_ext": ("effort", "external torques on the links, not subject to friction"),
    "g": ("effort", "gravity torques"),
    "friction": ("effort", "friction torques at the joints, positive with the speed"),
    "residual": ("effort", "external torque estimate"),
    "residual_last": ("effort", "external torque estimate of the sample before"),
    "u": ("effort", "known rate of the momentum"),
    "u_last": ("effort", "known rate of the momentum, of the sample before"),
    "lower": ("position", "lower joint limits"),
    "upper": ("position", "upper joint limits"),
    "seed": ("position", "joint positions that whole turns and free joints stay near"),
    "start": ("position", "joint positions that the search starts from"),
}
_OTHER = {
    "T": ("4x4 pose in base, row by row", "m, 1"),
    "goal": ("4x4 pose of the tool in base, row by row", "m, 1"),
    "J": ("Jacobian, linear rows first", "m, 1"),
    "M": ("mass matrix, row by row", "kg m2"),
    "C": ("Coriolis matrix, row by row", "Nm s/rad"),
    "p": ("momentum M qd", "Nm s"),
    "p_last": ("momentum of the sample before", "Nm s"),
    "gain": ("observer gains", "1/s"),
    "h": ("time since the sample before; 0 starts the observer", "s"),
    "step": ("length of the step", "s"),
    "kinetic": ("kinetic energy", "J"),
    "potential": ("potential energy", "J"),
    "current": ("motor currents", "A"),
    "power": ("electrical power of each motor", "W"),
    "position": ("position of the tool in base", "m"),
    "rpy": ("roll, pitch, yaw of the tool: Rz(yaw) Ry(pitch) Rx(roll)", "rad"),
    "quaternion": ("orientation of the tool: x, y, z, w", "1"),
    "error": ("pose error in the goal's axes: position, rotation vector", "m, rad"),
    "weights": ("weights of the error's entries; 0 where one does not count", "1"),
    "form": ("numbers of the arm's closed form", "1"),
    "redundancy": ("angle of the redundancy, and weight of the seed's own", "rad, 1"),
    "margins": ("distances from the border of the workspace; negative: out of reach", "m"),
    "sines": ("distances from singularities, as sines", "1"),
    "excess": ("largest distance of a joint beyond its limits; 0: within", "rad"),
    "distance": ("squared distance to the seed", "rad2"),
    "sides": ("sides of shoulder, elbow and wrist; 0 where singular", "1"),
    "offset": ("offset of the arm's plane from axis 1", "m"),
    "free": ("number of the joint that the pose leaves free, or 0", "1"),
    "flaw": ("deviation of the given pose from a rigid one", "1"),
    "parameter": ("value of the redundancy", "rad"),
    "parameters": ("numbers of the arm, in the order of the list of parameters", "see list"),
    "c": ("constants that follow from the parameters", "1"),
}


def port_text(arm: Arm, name: str, *, branches: bool = False) -> tuple[str, str]:
    """Return what an input or output means, and its unit.

    Args:
        arm: the arm, for the kinds of its joints.
        name: of the port.
        branches: one row per branch of inverse kinematics.
    """
    if name in _JOINT:
        quantity, meaning = _JOINT[name]
        units = JOINT_UNITS[quantity]
        kinds = {joint.kind for joint in arm.driven}
        used = [
            u for u, kind in zip(units, ("revolute", "prismatic"), strict=True) if kind in kinds
        ]
        meaning += ", one row per branch" if branches else ""
        return meaning, " | ".join(used)
    meaning, unit = _OTHER.get(name, ("", "1"))
    return meaning, unit
