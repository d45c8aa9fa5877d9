"""Kinematics beside Pinocchio and roboticstoolbox: ``python -m benchmarks.kinematics``.

All contenders get the same UR10e and the same random configurations, agree to 1e-9 before they
are timed, run on one core in one process and take turns. Exits with 1 when a claim is missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import armtwin
from armtwin.compile.kernel import program_for
from armtwin.compile.targets import numpy as numpy_target
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from benchmarks.peers import pinocchio_model, toolbox_robot
from benchmarks.timing import Claim, Contender, import_seconds, nanoseconds, use_one_thread

STATES = 29_051
OURS, NUMPY = "armtwin", "armtwin, NumPy target alone"
PIN, ETS, DH = "Pinocchio, Python loop", "roboticstoolbox, C ETS", "roboticstoolbox, DHRobot"
CLAIMS = (
    Claim("forward kinematics, batch", NUMPY, PIN, 10.0),
    Claim("forward kinematics, batch", NUMPY, ETS, 5.0),
)
IMPORT_LIMIT = 0.3


class Bench:
    """The arm, its peers and the configurations."""

    def __init__(self, states: int) -> None:
        """Prepare ``states`` random configurations of the UR10e."""
        self.arm = armtwin.load("ur10e")
        self.q = np.random.default_rng(0).uniform(-3, 3, (states, 6))
        program = program_for(self.arm, tool_pose_equations.tool_pose)
        self.numpy_function = numpy_target.batch_function(program)
        self.model, self.robot = pinocchio_model(self.arm), toolbox_robot(self.arm)
        self.data = self.model and self.model.createData()
        self.ets = self.robot and self.robot.ets()
        self.few = self.q[: max(1, states // 50)]

    def tasks(self) -> Iterator[tuple[str, list[Contender]]]:
        """Yield every task with its contenders."""
        yield "forward kinematics, batch", self.poses()
        yield "Jacobian, batch", self.jacobians()
        yield "forward kinematics, one call at a time", self.single_calls()
        yield "inverse kinematics, one pose at a time", self.inverses()

    def poses(self) -> list[Contender]:
        """Return the methods that compute all tool poses."""
        methods = [
            Contender(NUMPY, self.numpy_poses, len(self.q)),
            Contender(OURS, lambda: armtwin.fk(self.arm, self.q), len(self.q)),
        ]
        if self.model:
            methods.append(Contender(PIN, self.pinocchio_poses, len(self.q)))
        if self.robot:
            methods.append(Contender(ETS, lambda: self.ets.eval(self.q), len(self.q)))
            methods.append(Contender(DH, lambda: self.robot.fkine(self.few), len(self.few)))
        return methods

    def numpy_poses(self) -> np.ndarray:
        """Return all poses through the generated NumPy source, whatever compiler there is."""
        T = np.empty((len(self.q), 16))
        self.numpy_function([self.q], [T])
        return T.reshape(-1, 4, 4)

    def pinocchio_poses(self) -> np.ndarray:
        """Return all poses from a Python loop over Pinocchio."""
        import pinocchio as pin

        T, model, data = np.empty((len(self.q), 4, 4)), self.model, self.data
        tool = model.getFrameId("tool")
        for k, q in enumerate(self.q):
            pin.forwardKinematics(model, data, q)
            T[k] = pin.updateFramePlacement(model, data, tool).homogeneous
        return T

    def jacobians(self) -> list[Contender]:
        """Return the methods that compute all Jacobians in base axes."""
        methods = [Contender(OURS, lambda: armtwin.jacobian(self.arm, self.q), len(self.q))]
        if self.model:
            methods.append(Contender(PIN, self.pinocchio_jacobians, len(self.few)))
        if self.robot:
            call = lambda: np.array([self.ets.jacob0(q) for q in self.few])  # noqa: E731
            methods.append(Contender(ETS, call, len(self.few)))
        return methods

    def pinocchio_jacobians(self) -> np.ndarray:
        """Return Jacobians from a Python loop over Pinocchio."""
        import pinocchio as pin

        tool, frame = self.model.getFrameId("tool"), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return np.array(
            [pin.computeFrameJacobian(self.model, self.data, q, tool, frame) for q in self.few]
        )

    def single_calls(self) -> list[Contender]:
        """Return the methods that compute one pose per call."""
        methods = [
            Contender(OURS, lambda: [armtwin.fk(self.arm, q) for q in self.few], len(self.few))
        ]
        if self.robot:
            call = lambda: [self.ets.eval(q) for q in self.few]  # noqa: E731
            methods.append(Contender(ETS, call, len(self.few)))
        return methods

    def inverses(self) -> list[Contender]:
        """Return inverse kinematics: ours gives all solutions, the toolbox's ik_LM one of them."""
        T = armtwin.fk(self.arm, self.few)
        ours = "armtwin, all solutions"
        methods = [Contender(ours, lambda: [armtwin.ik(self.arm, t) for t in T], len(T))]
        if self.robot:
            name = "roboticstoolbox, ik_LM, one solution"
            methods.append(Contender(name, lambda: [self.ets.ik_LM(t) for t in T], len(T)))
        return methods

    def check(self) -> None:
        """Stop when any contender disagrees by more than 1e-9."""
        T, J = armtwin.fk(self.arm, self.q), armtwin.jacobian(self.arm, self.few)
        pairs: list[tuple[str, Any, Any]] = [(NUMPY, self.numpy_poses(), T)]
        if self.model:
            pairs += [(PIN, self.pinocchio_poses(), T), (PIN, self.pinocchio_jacobians(), J)]
        if self.robot:
            ets = np.array([self.ets.jacob0(q) for q in self.few])
            pairs += [(ETS, self.ets.eval(self.q), T), (ETS, ets, J)]
        for name, theirs, ours in pairs:
            gap = float(np.abs(theirs - ours).max())
            if not gap < 1e-9:
                sys.exit(f"{name} differs from armtwin by {gap:g}; nothing was timed")


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=STATES, help="configurations in a batch")
    parser.add_argument("--rounds", type=int, default=7, help="rounds; the best one counts")
    options = parser.parse_args()
    use_one_thread()
    bench = Bench(options.states)
    bench.check()
    for name, peer in (("pin", bench.model), ("roboticstoolbox-python", bench.robot)):
        if peer is None:
            print(f"{name} is not installed: pip install -r requirements/bench.txt")
    times = {task: nanoseconds(methods, options.rounds) for task, methods in bench.tasks()}
    for task, best in times.items():
        _show(task, best)
    return _judge(times)


def _show(task: str, best: dict[str, float]) -> None:
    print(f"\n{task} [ns per configuration]")
    first = next(iter(best.values()))
    for name, ns in best.items():
        print(f"  {name:40s} {ns:12.1f}   {ns / first:8.2f} x the first")


def _judge(times: dict[str, dict[str, float]]) -> int:
    print("\nclaims")
    missed = 0
    for claim in CLAIMS:
        best = times[claim.task]
        if claim.peer not in best:
            print(f"  not measured: {claim.ours} against {claim.peer}")
            continue
        ratio = best[claim.peer] / best[claim.ours]
        missed += ratio < claim.times
        verdict = "reached" if ratio >= claim.times else "MISSED"
        print(
            f"  {verdict}: {claim.task}: {claim.ours} is {ratio:.1f} x faster than {claim.peer} "
            f"(at least {claim.times:g})"
        )
    seconds = import_seconds("armtwin")
    missed += seconds > IMPORT_LIMIT
    print(f"  {'reached' if seconds <= IMPORT_LIMIT else 'MISSED'}: import armtwin takes ", end="")
    print(f"{seconds:.3f} s (at most {IMPORT_LIMIT} s)")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
