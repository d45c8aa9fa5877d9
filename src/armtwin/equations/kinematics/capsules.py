r"""An arm as capsules (segments with a radius), and the distances between them.

Link i's capsules are given in its joint frame: along the joint's axis by d, then to the next joint.
If the centre of mass is further from that line than the link's radius, the capsules pass through
it, as in arms whose links run side by side. The distance between two capsules is that of their
segments less both radii; segments :math:`p + s\,u` and :math:`o + t\,v` are closest at

.. math:: s = [(b f - c e) / (a e - b^2)]_0^1, \quad t = [(b s + f) / e]_0^1, \quad
          s = [(b t - c) / a]_0^1

with :math:`a = u u, b = u v, c = u r, e = v v, f = v r, r = p - o` and :math:`[\,]_0^1` a clip.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.equations.chain import Frame, chain, frame, segments, tail
from armtwin.equations.equation import Equation
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm
from armtwin.model.convert import with_dh_rows
from armtwin.spatial import Array

SHORTEST = 1e-3
"""Shorter segments have no capsule [m]."""
ROUNDING = 1e-10
"""Keeps the distance differentiable where segments are parallel or touch [m2]."""
SHARE = 0.04
"""Radius of a link without one, as a fraction of the chain's length."""


@dataclass(frozen=True)
class LinkCapsule:
    """A capsule of the row-th link: its ends in the joint frame [m], and its radius [m]."""

    row: int
    body: int
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float


def link_capsules(arm: Arm) -> tuple[LinkCapsule, ...]:
    """Return the arm's capsules; ``body`` counts the driven joints up to the link."""
    arm = with_dh_rows(arm)  # screws define no frames where links meet
    parts, found, body = segments(arm), list[LinkCapsule](), 0
    lines = [_line(arm, parts, row) for row in range(len(parts))]
    length = sum(float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum()) for line in lines)
    for row, line in enumerate(lines):
        joint = parts[row].joint
        body += joint.kind != "fixed"
        radius = joint.link.radius or SHARE * length
        points = _past_centre(line, _centre(parts[row]), radius)
        for start, end in zip(points[:-1], points[1:], strict=True):
            if np.linalg.norm(end - start) > SHORTEST:
                found.append(LinkCapsule(row, body, _triple(start), _triple(end), radius))
    return tuple(found)


def _line(arm: Arm, parts: list[Any], row: int) -> Array:
    """Return the points (3, 3) that a link joins, in its joint frame."""
    here = parts[row]
    last = row + 1 == len(parts)
    onward = here.after @ (tail(arm) if last else parts[row + 1].before)
    rise = 0.0 if here.joint.kind == "prismatic" else here.joint.d
    return np.array([[0.0, 0.0, -rise], [0.0, 0.0, 0.0], _numbers(onward.p)])


def _centre(part: Any) -> Array | None:
    com = part.joint.link.com
    return None if com is None else _numbers(part.after.p + part.after.R @ ca.SX(list(com)))


def _past_centre(line: Array, centre: Array | None, radius: float) -> Array:
    base, start, end = line
    along, length = end - start, float(np.linalg.norm(end - start))
    if centre is None or length <= SHORTEST:
        return line
    u = along / length
    aside = (centre - start) - ((centre - start) @ u) * u
    if np.linalg.norm(aside) <= radius:
        return line
    return np.array([base, start, start + aside, end + aside, end])


def _numbers(p: Any) -> Array:
    return np.array(ca.DM(ca.densify(p))).ravel()


def _triple(p: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in p)
    return x, y, z


def pairs(arm: Arm) -> tuple[tuple[int, int], ...]:
    """Return the pairs of capsules that may collide: those of links that are not adjacent."""
    found = link_capsules(arm)
    return tuple(
        (i, j)
        for i, first in enumerate(found)
        for j, second in enumerate(found)
        if second.body - first.body > 1
    )


def capsule_ends(arm: Arm, q: Any) -> list[tuple[Any, Any, float]]:
    """Return the ends of every capsule in base, each (3, 1), and its radius."""
    frames = chain(with_dh_rows(arm), q).joint_frames
    found = link_capsules(arm)
    return [(_at(frames[c.row], c.start), _at(frames[c.row], c.end), c.radius) for c in found]


def _at(where: Frame, point: tuple[float, float, float]) -> Any:
    return where.p + where.R @ ca.SX(list(point))


def segment_distance(p: Any, p_end: Any, o: Any, o_end: Any) -> Any:
    """Return the distance between two segments [m].

    Args:
        p: start of the first segment (3,) [m].
        p_end: its end (3,) [m].
        o: start of the second segment (3,) [m], in the same frame.
        o_end: its end (3,) [m].
    """
    u, v, r = p_end - p, o_end - o, p - o
    a, b, c = ca.dot(u, u) + ROUNDING, ca.dot(u, v), ca.dot(u, r)
    e, f = ca.dot(v, v) + ROUNDING, ca.dot(v, r)
    s = _clip((b * f - c * e) / (a * e - b * b + ROUNDING))
    t = _clip((b * s + f) / e)
    s = _clip((b * t - c) / a)
    gap = r + s * u - t * v
    return ca.sqrt(ca.dot(gap, gap) + ROUNDING)


def _clip(x: Any) -> Any:
    return ca.fmin(ca.fmax(x, 0), 1)


def self_distances(arm: Arm) -> Equation:
    """Distances [m] between the arm's own capsules, in the order of ``pairs``."""
    q = ca.SX.sym("q", arm.dof)
    at = capsule_ends(arm, q)
    values = [segment_distance(*at[i][:2], *at[j][:2]) - at[i][2] - at[j][2] for i, j in pairs(arm)]
    return Equation("self_distances", {"q": q}, {"clearance": ca.vertcat(ca.SX(0, 1), *values)})


def heights(arm: Arm) -> Equation:
    """Heights [m] of every capsule's lower side above the plane that the arm is mounted on."""
    q, base = ca.SX.sym("q", arm.dof), frame(arm.base)
    up, values = base.R[:, 2], []
    for start, end, radius in capsule_ends(arm, q):
        lowest = ca.fmin(ca.dot(up, start - base.p), ca.dot(up, end - base.p))
        values.append(lowest - radius)
    return Equation("heights", {"q": q}, {"clearance": ca.vertcat(*values)})


def obstacle_distances(arm: Arm) -> Equation:
    """Distances [m] of every capsule from one obstacle: ``(start, end, radius)`` in base (7,)."""
    q, obstacle = ca.SX.sym("q", arm.dof), ca.SX.sym("obstacle", 7)
    values = [
        segment_distance(start, end, obstacle[:3], obstacle[3:6]) - radius - obstacle[6]
        for start, end, radius in capsule_ends(arm, q)
    ]
    outputs = {"clearance": ca.vertcat(*values)}
    return Equation("obstacle_distances", {"q": q, "obstacle": obstacle}, outputs)
