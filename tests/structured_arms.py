"""Arms of the structures that inverse kinematics solves in closed form, real and random."""

import numpy as np
from benchmarks.real_arms import IIWA, IRB140, KR16, PANDA, PUMA, SEVEN, SIX

from armtwin.model.arm import Arm, Joint, Limits, as_matrix
from armtwin.spatial import pose

__all__ = ["IIWA", "IRB140", "KR16", "PANDA", "PUMA", "SEVEN", "SIX"]

HALF = np.pi / 2


WRIST_KINDS = ("2 and 3 parallel", "2 and 3 meet", "1 and 2 parallel", "1 and 2 meet")
SKEW = "skew"
"""Kind of a spherical wrist whose other axes neither meet nor are parallel."""
SEVEN_KINDS = ("spherical", "spherical, offset elbow", "offset wrist")


class _Draw:
    """Random numbers of an arm: lengths, slanted or right angles."""

    def __init__(self, seed, slanted):
        self.rng, self.slanted = np.random.default_rng(seed), slanted

    def length(self):
        return float(self.rng.uniform(0.1, 0.5) * self.rng.choice([-1, 1]))

    def angle(self, *, slanted=None):
        tilted = self.slanted if slanted is None else slanted
        size = self.rng.uniform(0.9, 2.2) if tilted else HALF
        return float(size * self.rng.choice([-1, 1]))

    def arm(self, name, rows):
        """Return the arm with random frames, offsets, directions and zero angles."""
        rng = self.rng
        joints = [
            Joint(
                f"joint_{number}", a=a, alpha=alpha, d=d,
                theta=float(rng.uniform(-3, 3)), offset=float(rng.uniform(-1, 1)),
                direction=int(rng.choice([-1, 1])), limits=Limits(-3.2, 3.2),
            )
            for number, (a, alpha, d) in enumerate(rows, 1)
        ]  # fmt: skip
        base, tool = (as_matrix(pose(*rng.uniform(-1, 1, (2, 3)))) for _ in range(2))
        return Arm(name, "standard-dh", tuple(joints), base=base, tool=tool)


def wrist_arm(seed, kind, *, slanted=False):
    """Return a random arm with a spherical wrist; slanted: no right angles at all."""
    draw = _Draw(seed, slanted)
    rows = [[draw.length(), draw.angle(slanted=True), draw.length()] for _ in range(3)]
    if kind != SKEW:
        rows[1 if kind.startswith("2") else 0][1 if "parallel" in kind else 0] = 0.0
    rows += [[0.0, draw.angle(), draw.length()], [0.0, draw.angle(), 0.0]]
    return draw.arm(f"{kind} {seed}", [*rows, [0.0, 0.0, draw.length()]])


def seven_arm(seed, kind, *, slanted=False):
    """Return a random arm of seven joints with a spherical shoulder."""
    draw = _Draw(seed, slanted)
    elbow = [0.0, 0.0] if kind == "spherical" else [draw.length(), draw.length()]
    tail = [draw.length(), 0.0] if kind == "offset wrist" else [0.0, 0.0]
    rows = [
        (0.0, draw.angle(), draw.length()), (0.0, draw.angle(), 0.0),
        (elbow[0], draw.angle(), draw.length()), (elbow[1], draw.angle(), 0.0),
        (0.0, draw.angle(), draw.length()), (tail[0], draw.angle(), tail[1]),
        (0.0, 0.0, draw.length()),
    ]  # fmt: skip
    return draw.arm(f"{kind} {seed}", rows)


def random_joints(arm, number, seed=0):
    """Return joint vectors (number, dof) within the limits and within a turn."""
    low, high = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    return np.random.default_rng(seed).uniform(low, high, (number, arm.dof))


def apart(q, p):
    """Return the largest difference of joint vectors, whole turns aside."""
    return np.abs((q - p + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)
