"""Signs of shoulder, elbow and wrist of an arm, which distinguish its inverse branches."""

from __future__ import annotations

from typing import Any

from armtwin.equations.chain import chain
from armtwin.equations.equation import Equation
from armtwin.equations.kinematics.link_angles import link_angles
from armtwin.equations.symbolic import ca
from armtwin.errors import InputError
from armtwin.model.arm import Arm

OFFSET = 1e-3
"""A shorter offset of the arm's plane from axis 1 gives the shoulder no side [m]."""
PARALLEL = 0.9
"""Axes with a larger cosine are parallel: a UR's axes 3 and 4."""


def posture(arm: Arm) -> Equation:
    r"""``sides`` (3) of shoulder, elbow and wrist, 0 where singular, and ``offset`` [m].

    Six joints, axes 2 and 3 parallel, with h the joint axes, w the wrist (where axes 5 and 6
    meet), e a point of axis 3, o one of axis 2, and m one of axis 4 where that is parallel to 3
    (UR), else w:

    .. math:: f = h_2 \times h_1, \; offset = (h_1 \times f) \cdot (w - p_1), \;
        side_1 = sgn(offset) \, f \cdot (w - p_1) / (|e - o| + |m - e|)

    so that ``side_1 > 0`` where the plane of the arm lies left of axis 1 as seen from there
    towards the wrist. Without an offset, the distance of axis 2 along f takes its place: the
    wrist is then on axis 2's side of axis 1. ``side_2`` is the sine of the elbow, positive where
    e is above the line from o to m; ``side_3`` the sine of joint 5 from where axes 4 and 6 are
    parallel. Seven joints: the sines of joints 2, 4 and 6.
    """
    if arm.dof not in (6, 7) or any(joint.kind != "revolute" for joint in arm.driven):
        raise InputError(
            f"arm {arm.name!r} has no named postures: these need six or seven revolute joints"
        )
    q = ca.SX.sym("q", arm.dof)
    links = chain(arm, link_angles(arm, q))
    h = [joint.direction * at.R[:, 2] for joint, at in links.axes]
    p = [at.p for _, at in links.axes]
    if arm.dof == 7:
        sides, offset = [_bend(h[k - 1 : k + 2], q[k]) for k in (1, 3, 5)], ca.SX(0)
    else:
        sides, offset = _arm_sides(h, p)
        sides.append(_bend(h[3:6], q[4]))
    return Equation("posture", {"q": q}, {"sides": ca.vertcat(*sides), "offset": offset})


def _arm_sides(h: list[Any], p: list[Any]) -> tuple[list[Any], Any]:
    """Return the sides of shoulder and elbow, and the offset of the arm's plane from axis 1."""
    up = h[0] * ca.if_else(h[0][2] < 0, -1, 1)
    forward = _unit(ca.cross(h[1], up))
    wrist = _nearest(p[4], h[4], p[5], h[5])
    end = ca.if_else(ca.fabs(ca.dot(h[2], h[3])) > PARALLEL, p[3], wrist)
    upper = _across(p[2] - p[1], h[1])
    whole = _across(end - p[1], h[1])
    lengths = ca.norm_2(upper), ca.norm_2(whole - upper)
    offset = ca.dot(ca.cross(up, forward), wrist - p[0])
    ahead = ca.dot(forward, p[1] - p[0])
    lever = ca.if_else(ca.fabs(offset) > OFFSET, offset, ca.if_else(ahead < -OFFSET, -1, 1))
    reach = ca.dot(forward, wrist - p[0]) / (lengths[0] + lengths[1])
    sine = ca.dot(h[1], ca.cross(whole, upper)) / (lengths[0] * lengths[1])
    above = ca.dot(up, ca.cross(h[1], whole))
    return [_signed(reach, lever), _signed(sine, above)], offset


def _signed(value: Any, by: Any) -> Any:
    return ca.if_else(by < 0, -value, value)


def _bend(axes: list[Any], angle: Any) -> Any:
    """Return the sine of a joint between two axes from where these are parallel.

    Its sign is that of ``sin(angle)`` where the axes are parallel at angle 0.
    """
    before, own, after = axes
    sine, cosine = ca.dot(own, ca.cross(before, after)), ca.dot(before, after)
    at_zero = cosine * ca.cos(angle) + sine * ca.sin(angle)
    return ca.if_else(at_zero < -0.5, -sine, sine)


def _nearest(p: Any, h: Any, other_p: Any, other_h: Any) -> Any:
    """Return the point of one line that is nearest to another, not parallel to it."""
    between, cosine = other_p - p, ca.dot(h, other_h)
    along = (ca.dot(between, h) - cosine * ca.dot(between, other_h)) / (1 - cosine**2)
    return p + along * h


def _across(v: Any, h: Any) -> Any:
    return v - ca.dot(v, h) * h


def _unit(v: Any) -> Any:
    return v / ca.norm_2(v)
