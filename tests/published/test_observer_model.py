"""The momentum-observer document's formulas, written out by hand, against our dynamics.

Document: T. V. M. Hieu, Momentum observer for collision detection of UR10e 6DOF Robot (2026). Its
equations stand here as printed, with its slips corrected where the text says so, over arrays of
states ``q[..., 6]``. Nothing of armtwin is used on this side.
"""

import numpy as np
import pytest

import armtwin as at

STATES = 1000
TOLERANCE = 1e-10

# Table 2
D1, A2, A3, D4, D5, D6 = 0.181, -0.6127, -0.5716, 0.1639, 0.1157, 0.0922
# Table 3: masses and centres of mass
MASS = np.array([7.37, 13.05, 3.99, 2.10, 1.98, 0.62])
COM = np.array(
    [[0.021, 0, 0.027], [0.38, 0, 0.158], [0.24, 0, 0.068], [0, 0.007, 0.018], [0, 0.007, 0.018],
     [0, 0, -0.026]]
)  # fmt: skip
# Table 4: lengths and radii
LENGTH = np.array([0.181, 0.613, 0.572, 0.174, 0.120, 0.117])
RADIUS = np.array([0.075, 0.054, 0.049, 0.045, 0.045, 0.045])
G0 = np.array([0, 0, -9.81])


def stacked(rows):
    """Return nested lists of arrays and numbers as matrices [..., row, column]."""
    shape = np.broadcast_shapes(*[np.shape(x) for row in rows for x in row])
    return np.stack([np.stack([np.broadcast_to(x, shape) for x in row], -1) for row in rows], -2)


class Document:
    """Frames and Jacobians of the document at states q[..., 6], which may be complex."""

    def __init__(self, q):
        """Take the sines and cosines that the formulas name."""
        self.q = q
        q1, q2, q3, q4, q5, q6 = np.moveaxis(q, -1, 0)
        self.c1, self.s1, self.c2, self.s2 = np.cos(q1), np.sin(q1), np.cos(q2), np.sin(q2)
        self.c23, self.s23 = np.cos(q2 + q3), np.sin(q2 + q3)
        self.c234, self.s234 = np.cos(q2 + q3 + q4), np.sin(q2 + q3 + q4)
        self.c5, self.s5, self.c6, self.s6 = np.cos(q5), np.sin(q5), np.cos(q6), np.sin(q6)

    def frames(self):
        """Return T01 ... T06: eqs. 2, 12, 22, 33, 46 and 52."""
        c1, s1, c2, s2, c23, s23 = self.c1, self.s1, self.c2, self.s2, self.c23, self.s23
        c234, s234, c5, s5, c6, s6 = self.c234, self.s234, self.c5, self.s5, self.c6, self.s6
        last = [0, 0, 0, 1]
        T1 = [[c1, -s1, 0, 0], [s1, c1, 0, 0], [0, 0, 1, D1], last]
        T2 = [[-c1 * s2, -c1 * c2, s1, 0], [-s1 * s2, -s1 * c2, -c1, 0], [c2, -s2, 0, D1], last]
        T3 = [
            [-c1 * s23, -c1 * c23, s1, -A2 * c1 * s2],
            [-s1 * s23, -s1 * c23, -c1, -A2 * s1 * s2],
            [c23, -s23, 0, D1 + A2 * c2],
            last,
        ]
        across, up = A2 * s2 + A3 * s23, D1 + A2 * c2 + A3 * c23
        T4 = [
            [c1 * c234, -c1 * s234, s1, D4 * s1 - c1 * across],
            [s1 * c234, -s1 * s234, -c1, -D4 * c1 - s1 * across],
            [s234, c234, 0, up],
            last,
        ]
        T5 = [
            [c1 * c234 * c5 - s1 * s5, -c1 * c234 * s5 - s1 * c5, -c1 * s234,
             D4 * s1 - c1 * (across + D5 * s234)],
            [s1 * c234 * c5 + c1 * s5, -s1 * c234 * s5 + c1 * c5, -s1 * s234,
             -D4 * c1 - s1 * (across + D5 * s234)],
            [s234 * c5, -s234 * s5, c234, up + D5 * c234],
            last,
        ]  # fmt: skip
        # eq. 51 drops d6; row 2 is (0, 0, -1, -d6) as eq. 1 gives it for alpha5 = pi/2
        T56 = [[c6, -s6, 0, 0], [0, 0, -1, -D6], [s6, c6, 0, 0], last]
        frames = [stacked(T) for T in (T1, T2, T3, T4, T5)]
        return [*frames, frames[-1] @ stacked(T56)]

    def linear_jacobians(self):
        """Return Jv1 ... Jv6: eqs. 7, 17, 29 and 42 as printed, 48 and 54 by differentiation."""
        return [self.jv1(), self.jv2(), self.jv3(), self.jv4(), self.jv(5), self.jv(6)]

    def jv1(self):
        """Return eq. 7."""
        x, y, _ = COM[0]
        c1, s1 = self.c1, self.s1
        return stacked([[-x * s1 - y * c1, *[0] * 5], [x * c1 - y * s1, *[0] * 5], [0] * 6])

    def jv2(self):
        """Return eq. 17."""
        x, y, z = COM[1]
        c1, s1, c2, s2 = self.c1, self.s1, self.c2, self.s2
        reach = x * c2 - y * s2
        return stacked(
            [
                [x * s1 * s2 + y * s1 * c2 + z * c1, -c1 * reach, 0, 0, 0, 0],
                [-x * c1 * s2 - y * c1 * c2 + z * s1, -s1 * reach, 0, 0, 0, 0],
                [0, -x * s2 - y * c2, 0, 0, 0, 0],
            ]
        )

    def jv3(self):
        """Return eq. 29 with eqs. 24 and 26-28."""
        x, y, z = COM[2]
        c1, s1, c23, s23 = self.c1, self.s1, self.c23, self.s23
        l_proj = x * s23 + y * c23 + A2 * self.s2
        h2, h3 = x * c23 - y * s23 + A2 * self.c2, x * c23 - y * s23
        return stacked(
            [
                [s1 * l_proj + z * c1, -c1 * h2, -c1 * h3, 0, 0, 0],
                [-c1 * l_proj + z * s1, -s1 * h2, -s1 * h3, 0, 0, 0],
                [0, -x * s23 - y * c23 - A2 * self.s2, -x * s23 - y * c23, 0, 0, 0],
            ]
        )

    def jv4(self):
        """Return eq. 42 with eqs. 35, 36 and 38-41."""
        x, y, z = COM[3]
        c1, s1, c23, s23 = self.c1, self.s1, self.c23, self.s23
        c234, s234 = self.c234, self.s234
        l_proj = -x * c234 + y * s234 + A2 * self.s2 + A3 * s23
        h_eff = x * s234 + y * c234 + A2 * self.c2 + A3 * c23
        h34, l34 = x * s234 + y * c234 + A3 * c23, -x * c234 + y * s234 + A3 * s23
        h4 = x * s234 + y * c234
        return stacked(
            [
                [s1 * l_proj + (z + D4) * c1, -c1 * h_eff, -c1 * h34, -c1 * h4, 0, 0],
                [-c1 * l_proj + (z + D4) * s1, -s1 * h_eff, -s1 * h34, -s1 * h4, 0, 0],
                [0, -l_proj, -l34, x * c234 - y * s234, 0, 0],
            ]
        )

    def jv(self, link):
        """Return eq. 48 (link 5) or 54 (link 6): the derivatives of eq. 47 or 53.

        A step along the imaginary axis differentiates without cancellation.
        """
        columns = []
        for joint in range(6):
            moved = Document(self.q + 1e-30j * np.eye(6)[joint])
            columns.append(moved.centre(link).imag / 1e-30)
        return np.stack(columns, -1)

    def centre(self, link):
        """Return the centre of mass of a link in base: eqs. 47 and 53."""
        return (self.frames()[link - 1] @ np.r_[COM[link - 1], 1])[..., :3]

    def angular_jacobians(self, *, as_printed=False):
        """Return Jw1 ... Jw6: eqs. 10, 20, 31, 44, 50 and 55.

        Row 2, column 5 of eqs. 50 and 55 is -s234 s1; printed is -c234 s1.
        """
        c1, s1, c5, s5, c234, s234 = self.c1, self.s1, self.c5, self.s5, self.c234, self.s234
        slip = c234 if as_printed else s234
        z1, z2 = [0, 0, 1], [s1, -c1, 0]
        z5 = [-s234 * c1, -slip * s1, c234]
        z6 = [c5 * s1 + c234 * c1 * s5, c234 * s1 * s5 - c1 * c5, s234 * s5]
        axes = [z1, z2, z2, z2, z5, z6]
        nothing = [0, 0, 0]
        return [
            np.swapaxes(stacked([axes[j] if j < link else nothing for j in range(6)]), -1, -2)
            for link in range(1, 7)
        ]

    def mass_matrix(self):
        """Return M, eq. 84."""
        M = 0
        parts = zip(self.frames(), self.linear_jacobians(), self.angular_jacobians(), strict=True)
        for k, (T, Jv, Jw) in enumerate(parts):
            R = T[..., :3, :3]
            about_base = R @ cylinder(k) @ np.swapaxes(R, -1, -2)
            M = M + MASS[k] * np.swapaxes(Jv, -1, -2) @ Jv
            M = M + np.swapaxes(Jw, -1, -2) @ about_base @ Jw
        return M

    def gravity(self):
        """Return G, eq. 83."""
        Jv = self.linear_jacobians()
        return -sum(np.einsum("...ij,i->...j", J, m * G0) for J, m in zip(Jv, MASS, strict=True))


def cylinder(k):
    """Return the inertia of link k + 1: eqs. 56-61; links 2 and 3 lie along x, the others along z.

    Eq. 58 repeats link 2's symbols; it means m3, r3, a3.
    """
    m, r, length = MASS[k], RADIUS[k], LENGTH[k]
    along, across = m * r**2 / 2, m * (3 * r**2 + length**2) / 12
    return np.diag([along, across, across] if k in (1, 2) else [across, across, along])


def mass_derivatives(q, samples=8):
    """Return dM/dq_i [..., i, k, j].

    M is a trigonometric polynomial of degree 2 in each angle, so its derivative follows exactly
    from equally spaced samples (the derivative of its interpolating polynomial).
    """
    shifts = 2 * np.pi * np.arange(samples) / samples
    with np.errstate(divide="ignore"):
        weights = -0.5 * (-1.0) ** np.arange(samples) / np.tan(np.arange(samples) * np.pi / samples)
    weights[0] = 0.0
    found = []
    for i in range(6):
        values = [Document(q + shift * np.eye(6)[i]).mass_matrix() for shift in shifts]
        found.append(sum(w * M for w, M in zip(weights, values, strict=True)))
    return np.stack(found, -3)


def coriolis(q, qd):
    """Return C, eq. 79 with the Christoffel symbols of eq. 78."""
    D = mass_derivatives(q)
    # c[i, k, j] = (dm_kj/dq_i + dm_ki/dq_j - dm_ij/dq_k) / 2
    c = (D + np.swapaxes(D, -3, -1) - np.swapaxes(D, -3, -2)) / 2
    return np.einsum("...ikj,...i->...kj", c, qd)


@pytest.fixture(scope="module")
def arm():
    """Return our model of the document's arm."""
    return at.load("ur10e-observer")


@pytest.fixture(scope="module")
def states():
    """Return 1,000 random states."""
    rng = np.random.default_rng(1)
    return rng.uniform(-np.pi, np.pi, (STATES, 6)), rng.uniform(-2, 2, (STATES, 6))


def our_jacobian(arm, q, link):
    """Return our Jacobian (n, 6, 6) of a link's centre of mass."""
    shift = np.eye(4)
    shift[:3, 3] = COM[link - 1]
    part = arm.with_(joints=arm.joints[:link], tool=shift)
    return np.concatenate([at.jacobian(part, q[:, :link]), np.zeros((len(q), 6, 6 - link))], -1)


def assert_close(ours, documents):
    """Compare to 1e-10; a matrix that depends on no angle stands for every state."""
    documents = np.broadcast_to(documents, np.shape(ours))
    np.testing.assert_allclose(ours, documents, rtol=0, atol=TOLERANCE)


def test_frames(arm, states):
    """All six frames agree when eqs. 2, 12, 22, 33, 46 and 52 are evaluated."""
    documents = np.stack(Document(states[0]).frames(), 1)
    assert_close(at.link_poses(arm, states[0]), documents)


@pytest.mark.parametrize("link", range(1, 7))
def test_jacobians(arm, states, link):
    """Jv and Jw of every link's centre agree when eqs. 7 to 55 are evaluated."""
    q, _ = states
    J = our_jacobian(arm, q, link)
    assert_close(J[:, :3], Document(q).linear_jacobians()[link - 1])
    assert_close(J[:, 3:], Document(q).angular_jacobians()[link - 1])


def test_mass_matrix(arm, states):
    """M agrees when eq. 84 is evaluated with the cylinders of eqs. 56-61."""
    assert_close(at.mass_matrix(arm, states[0]), Document(states[0]).mass_matrix())


def test_gravity(arm, states):
    """G agrees when eq. 83 is evaluated."""
    assert_close(at.gravity(arm, states[0]), Document(states[0]).gravity())


def test_coriolis(arm, states):
    """C agrees in every entry when eqs. 78 and 79 are evaluated."""
    q, qd = states
    assert_close(at.coriolis(arm, q, qd), coriolis(q, qd))


def test_momentum_terms(arm, states):
    """Momentum and its rate agree when eqs. 106 and 107 are evaluated."""
    q, qd = (x[:200] for x in states)
    ours = at.momentum(arm, q, qd)
    assert_close(ours.p, np.einsum("nij,nj->ni", Document(q).mass_matrix(), qd))
    known = np.einsum("nji,nj->ni", coriolis(q, qd), qd) - Document(q).gravity()
    assert_close(ours.beta, known)


def test_torque(arm, states):
    """The torque agrees when eq. 87 is put together from the document's M, C and G."""
    q, qd = (x[:200] for x in states)
    qdd = np.random.default_rng(2).uniform(-5, 5, q.shape)
    M, C, G = Document(q).mass_matrix(), coriolis(q, qd), Document(q).gravity()
    tau = np.einsum("nij,nj->ni", M, qdd) + np.einsum("nij,nj->ni", C, qd) + G
    assert_close(at.inverse_dynamics(arm, q, qd, qdd), tau)


@pytest.mark.parametrize("link", [5, 6])
def test_printed_angular_jacobians_are_wrong(arm, states, link):
    """Jw5 and Jw6 are off by more than 1 when row 2, column 5 stays as printed."""
    J = our_jacobian(arm, states[0], link)[:, 3:]
    printed = Document(states[0]).angular_jacobians(as_printed=True)[link - 1]
    off = np.abs(J - printed).max(axis=0)
    assert off[1, 4] > 1
    off[1, 4] = 0
    assert off.max() < TOLERANCE


def test_printed_inertia_of_the_forearm_is_wrong(arm):
    """Link 3's inertia is four times too large when eq. 58 keeps link 2's symbols."""
    assert_close(arm.joints[2].link.inertia[2], cylinder(2)[2, 2])
    assert cylinder(1)[2, 2] > 3.5 * arm.joints[2].link.inertia[2]
