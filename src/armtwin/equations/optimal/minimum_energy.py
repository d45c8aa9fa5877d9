r"""Minimum-energy motion through points as a nonlinear programme, solved by Ipopt.

Every leg between two points is a spline of its own over its time T. Control points c are unknown,

.. math:: \min_c \sum_{legs} T \sum_k w_k\, P(q_k, \dot q_k / T, \ddot q_k / T^2)
          \quad \text{with} \quad |D_1 c| \le T v, \; |D_2 c| \le T^2 a, \; |D_3 c| \le T^3 j

with the supply's power P (``drives/smooth_power.py``) at Gauss points. A motion starts and ends at
rest without acceleration; at points in between, speed and acceleration are continuous. Bounds on
control points hold at every time; torques and distances are bounded at the Gauss points.

The Hessian is assembled from that of the power at single points,
:math:`\sum_k w_k \Phi_k^T H_k \Phi_k`, which is many times faster than differentiating the whole.
It neglects the curvature of distances.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.equations.optimal.point_cost import leg_hessian, point_functions
from armtwin.equations.optimal.programme import ProgrammeBounds, ProgrammeSolution, Shape
from armtwin.equations.optimal.spline import Basis
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm
from armtwin.spatial import Array

HELD = 3
"""Control points fixed at an end, so that speed and acceleration are zero there."""
OPTIONS: dict[str, Any] = {
    "print_time": False,
    "ipopt.print_level": 0,
    "ipopt.sb": "yes",
    "ipopt.tol": 1e-4,
    "ipopt.acceptable_tol": 1e-3,
    "ipopt.acceptable_iter": 4,
    "ipopt.constr_viol_tol": 1e-7,
    "ipopt.acceptable_constr_viol_tol": 1e-6,
    "ipopt.max_iter": 300,
    "ipopt.mu_strategy": "adaptive",
}
WARM = {
    "ipopt.warm_start_init_point": "yes",
    "ipopt.mu_strategy": "monotone",
    "ipopt.mu_init": 1e-3,
}


class EnergyProblem:
    """A programme of one shape for one arm, derived once and solved for any points and times."""

    def __init__(self, arm: Arm, shape: Shape) -> None:
        """Derive the programme."""
        self.arm, self.shape, self.basis = arm, shape, Basis(shape.spans)
        held = [HELD, *[1] * (2 * (shape.legs - 1)), HELD]
        self.held = [(held[2 * k], held[2 * k + 1]) for k in range(shape.legs)]
        self.free = [self.basis.count - a - b for a, b in self.held]
        n, legs = arm.dof, shape.legs
        self._c: Any = ca.MX.sym("c", n * sum(self.free))
        counts = [legs, (legs + 1) * n, 1 + 7 * shape.obstacles]
        given = 3 * n * self.basis.quadrature[0].size if shape.given else 0
        self._p: Any = ca.MX.sym("p", sum(counts) + given)
        seconds, self._points, self._extra, self._given = ca.vertsplit(
            self._p, np.cumsum([0, *counts, given]).tolist()
        )
        self._seconds = ca.vertsplit(seconds)
        self._sides: list[tuple[str, int]] = []
        self._programme = self._derive()
        self._solvers: dict[bool, Any] = {}

    def _derive(self) -> dict[str, Any]:
        point, curvature = point_functions(self.arm, self.shape)
        x, w = self.basis.quadrature
        energy: Any = 0
        rows, legs = list[Any](), self._legs()
        weight: Any = ca.MX.sym("lam_f")
        for T, C in zip(self._seconds, legs, strict=True):
            X = self._states(C, T, x)
            extra = ca.repmat(self._extra, 1, x.size)
            values = point.map(x.size)(X, extra)
            energy = energy + T * ca.dot(values[0, :], ca.DM(w).T)
            rows += self._bounded(C, T, values)
        rows += self._joined(legs)
        g = ca.vertcat(*rows)
        lam: Any = ca.MX.sym("lam_g", g.shape[0])
        H = self._hessian(legs, curvature, weight, lam)
        names = ["x", "p", "lam_f", "lam_g"], ["triu_hess_gamma_x_x"]
        hessian = ca.Function("hess_lag", [self._c, self._p, weight, lam], [H], *names)
        return {"nlp": {"x": self._c, "p": self._p, "f": energy, "g": g}, "hessian": hessian}

    def _legs(self) -> list[Any]:
        """Return the control points of every leg, (dof, count)."""
        n, legs = self.arm.dof, self.shape.legs
        points = ca.reshape(self._points, n, legs + 1)
        parts = ca.vertsplit(self._c, np.cumsum([0, *[n * k for k in self.free]]).tolist())
        return [
            ca.horzcat(
                ca.repmat(points[:, k], 1, held[0]),
                ca.reshape(part, n, self.free[k]),
                ca.repmat(points[:, k + 1], 1, held[1]),
            )
            for k, (part, held) in enumerate(zip(parts, self.held, strict=True))
        ]

    def _states(self, C: Any, T: Any, x: Array) -> Any:
        B = [ca.sparsify(ca.DM(self.basis.values(x, order))).T for order in range(3)]
        states = ca.vertcat(C @ B[0], C @ B[1] / T, C @ B[2] / T**2)
        return states + ca.reshape(self._given, *states.shape) if self.shape.given else states

    def _bounded(self, C: Any, T: Any, values: Any) -> list[Any]:
        """Return a leg's bounded quantities, and record their bounds."""
        rows, leg = [], len([name for name, _ in self._sides if name == "speed"])
        names = ("speed", "acceleration", "jerk")[: 3 if self.shape.jerk else 2]
        for order, name in enumerate(names, 1):
            D = self.basis.controls(order)
            first, last = (max(held - order, 0) for held in self.held[leg])
            D = D[first : len(D) - last]
            rows.append(ca.vec(C @ ca.sparsify(ca.DM(D)).T / T**order))
            self._sides.append((name, len(D)))
        n = self.arm.dof
        if self.shape.torque:
            rows.append(ca.vec(values[1 : 1 + n, :]))
            self._sides.append(("torque", values.shape[1]))
        if self.shape.distances:
            rows.append(ca.vec(values[values.shape[0] - self.shape.distances :, :]))
            self._sides.append(("distance", values.shape[1]))
        return rows

    def _joined(self, legs: list[Any]) -> list[Any]:
        """Return the jumps of speed and acceleration between legs, which must vanish."""
        rows = []
        for k in range(len(legs) - 1):
            for order in (1, 2):
                D = ca.sparsify(ca.DM(self.basis.controls(order)))
                before = legs[k] @ D[-1, :].T / self._seconds[k] ** order
                rows.append(before - legs[k + 1] @ D[0, :].T / self._seconds[k + 1] ** order)
                self._sides.append(("jump", 1))
        return rows

    def _hessian(self, legs: list[Any], curvature: Any, weight: Any, lam: Any) -> Any:
        x, w = self.basis.quadrature
        n, blocks, at = self.arm.dof, [], self._torque_rows()
        for k, (T, C) in enumerate(zip(self._seconds, legs, strict=True)):
            multipliers = ca.DM.zeros(n, x.size)
            if self.shape.torque:
                multipliers = ca.reshape(lam[at[k] : at[k] + n * x.size], n, x.size)
            H = curvature.map(x.size)(self._states(C, T, x), ca.DM(w).T * T * weight, multipliers)
            inner = slice(self.held[k][0], self.held[k][0] + self.free[k])
            B = [self.basis.values(x, order)[:, inner] for order in range(3)]
            blocks.append(leg_hessian(H, B, T, n))
        return ca.diagcat(*blocks)

    def _torque_rows(self) -> list[int]:
        """Return where the torques of every leg start among the bounded quantities."""
        starts, row = [], 0
        for name, count in self._sides:
            if name == "torque":
                starts.append(row)
            row += count * (self.shape.distances if name == "distance" else self.arm.dof)
        return starts

    def _limits(self, bounds: ProgrammeBounds) -> tuple[Array, Array]:
        low, high, jump = list[Array](), list[Array](), np.zeros(self.arm.dof)
        for name, count in self._sides:
            if name == "distance":
                room = np.full(self.shape.distances * count, bounds.margin)
                low, high = [*low, room], [*high, np.full(room.shape, np.inf)]
                continue
            limit = np.tile(jump if name == "jump" else getattr(bounds, name), count)
            low, high = [*low, -limit], [*high, limit]
        return np.concatenate(low), np.concatenate(high)

    @property
    def rows(self) -> int:
        """Number of bounded quantities."""
        return int(self._programme["nlp"]["g"].shape[0])

    def solver(self, warm: bool) -> Any:
        """Return Ipopt for this programme, made on first use."""
        if warm not in self._solvers:
            options = OPTIONS | {"hess_lag": self._programme["hessian"]} | (WARM if warm else {})
            self._solvers[warm] = ca.nlpsol("optimal", "ipopt", self._programme["nlp"], options)
        return self._solvers[warm]

    def solve(
        self,
        points: Array,
        seconds: Array,
        bounds: ProgrammeBounds,
        guess: Array | ProgrammeSolution,
        obstacles: Array | None = None,
        given: Array | None = None,
    ) -> ProgrammeSolution:
        """Return the minimum near a guess.

        Args:
            points: joint vectors to go through (legs + 1, dof).
            seconds: time of every leg (legs,) [s].
            bounds: bounds of the programme.
            guess: control points (legs, count, dof), or the solution of a similar problem.
            obstacles: ``(start, end, radius)`` of every obstacle (k, 7) [m].
            given: states ``q, qd, qdd`` at the Gauss points (points, 3 dof), where the shape has
                some, which are added to those of the spline.
        """
        extra = [np.zeros(0) if x is None else np.ravel(x) for x in (obstacles, given)]
        p = np.concatenate([seconds, points.ravel(), [bounds.floor], *extra])
        low, high = self._limits(bounds)
        times = sum(self.free)
        inputs = {"p": p, "lbg": low, "ubg": high}
        inputs |= {"lbx": np.tile(bounds.lower, times), "ubx": np.tile(bounds.upper, times)}
        warm = isinstance(guess, ProgrammeSolution)
        if isinstance(guess, ProgrammeSolution):
            inputs |= {"x0": guess.free, "lam_x0": guess.multipliers[0]}
            inputs["lam_g0"] = guess.multipliers[1]
        else:
            inputs["x0"] = self._pick(guess)
        solver = self.solver(warm)
        return self._solution(solver(**inputs), solver.stats(), points)

    def _pick(self, controls: Array) -> Array:
        inner = [
            leg[a : len(leg) - b].ravel() for leg, (a, b) in zip(controls, self.held, strict=True)
        ]
        return np.concatenate(inner)

    def _solution(self, result: Any, stats: dict[str, Any], points: Array) -> ProgrammeSolution:
        n, free = self.arm.dof, np.array(result["x"]).ravel()
        parts = np.split(free, np.cumsum([n * k for k in self.free])[:-1])
        controls = [
            np.vstack([np.tile(points[k], (a, 1)), part.reshape(-1, n), [points[k + 1]] * b])
            for k, (part, (a, b)) in enumerate(zip(parts, self.held, strict=True))
        ]
        multipliers = np.array(result["lam_x"]).ravel(), np.array(result["lam_g"]).ravel()
        marginal = -np.array(result["lam_p"]).ravel()[: self.shape.legs]
        return ProgrammeSolution(
            np.array(controls),
            float(result["f"]),
            marginal,
            int(stats["iter_count"]),
            str(stats["return_status"]),
            free,
            multipliers,
        )
