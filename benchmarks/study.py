"""Studies: small validations, cost of a task, scaling, and a fleet: ``python -m benchmarks.study``.

Recordings of a UR5e with planted noise are validated, ``--rows`` of them in all. The same rows are
run in this process without any study, then as studies of 1 and 2 processes; ``--cluster`` adds a
Ray cluster of three nodes on this machine. The table must have the same bytes every time, and the
figures must be the planted ones. ``--cost`` prints what a fleet costs, from figures measured here.
Exits with 1 when a claim is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import armtwin as at
from armtwin.studies.planning.study_plan import make_plan
from armtwin.studies.runs.rows import run_group
from armtwin.studies.workers.local import LocalWorkers
from armtwin.studies.workers.workers import RowGroup, Workers
from benchmarks.study_cost import print_cost

FILES, SAMPLES, STEP, NOISE = 100, 40, 0.01, 1e-4
ALONE = 50
"""Rows that are timed without a study."""
TASKS = 200
"""Empty groups whose cost is measured."""
NODES = 3


def write_recordings(folder: Path) -> None:
    """Write recordings of a UR5e whose positions have noise of a known size."""
    arm, t = at.load("ur5e"), STEP * np.arange(SAMPLES)
    for number in range(FILES):
        random = np.random.default_rng(number)
        rates, phases = random.uniform(1, 3, arm.dof), random.uniform(0, 6, arm.dof)
        q = 0.4 * np.sin(t[:, None] * rates + phases)
        position = at.tool_coordinates(arm, q).position
        position = position + NOISE * random.standard_normal(position.shape)
        run = at.Recording.of(t, {"q": q, "position": position}, arm=arm.name)
        run.save(folder / f"run{number:03d}.parquet")


def study_of(folder: Path, rows: int) -> dict[str, Any]:
    """Return a study with as many rows: every recording against several limits."""
    limits = [[f"position.rmse={k + 1}mm"] for k in range(-(-rows // FILES))]
    return {
        "name": "validations",
        "verb": "validate",
        "fixed": {"arm": "ur5e", "validate": {"efforts": False}},
        "sweep": {"validate": {"limits": limits}},
        "recordings": {"folder": str(folder)},
    }


def seconds_alone(source: dict[str, Any]) -> float:
    """Return the wall time of a row in this process [s], after the first ones."""
    orders = [row.order("validate") for row in make_plan(source).rows[: ALONE + 5]]
    run_group(orders[:5])
    begin = time.perf_counter()
    run_group(orders[5:])
    return (time.perf_counter() - begin) / (len(orders) - 5)


def empty(orders: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run nothing; what is left is the cost of a task."""
    return [{} for _ in orders]


def task_seconds(workers: Workers, source: dict[str, Any]) -> float:
    """Return the cost of a group of one row that does nothing [s], once the workers are up."""
    row = make_plan(source).rows[0]
    for _ in range(2 * workers.count):
        workers.submit(RowGroup((row,)))
    while workers.pending:
        workers.finished()
    begin = time.perf_counter()
    for _ in range(TASKS):
        workers.submit(RowGroup((row,)))
        while workers.pending >= 2 * workers.count:
            workers.finished()
    while workers.pending:
        workers.finished()
    seconds = (time.perf_counter() - begin) / TASKS
    workers.close()
    return seconds


def start_seconds(source: dict[str, Any], folder: Path) -> float:
    """Return the time from a call to the first row of a worker process [s]."""
    one = {**source, "recordings": {**source["recordings"], "pattern": "run000*"}}
    one["sweep"] = {"validate": {"limits": source["sweep"]["validate"]["limits"][:1]}}
    found, _ = run_study(one, folder, workers=1)
    return found.wall - sum(found.seconds)


def run_study(source: dict[str, Any], folder: Path, **how: Any) -> tuple[at.Study, bytes]:
    """Run a study and return it with the bytes of its table."""
    found = at.study(source, folder / "kept", **how)
    return found, found.save(folder / "table.parquet").read_bytes()


def on_cluster(source: dict[str, Any], folder: Path) -> tuple[at.Study, bytes, float]:
    """Run the study on a Ray cluster of this machine; also return the cost of a task [s]."""
    from armtwin.studies.workers.cluster import ClusterWorkers
    from benchmarks.ray_clusters import cluster_of

    with cluster_of(NODES) as (cluster, _):
        task = task_seconds(ClusterWorkers("validate", cluster.address, empty), source)
        found, data = run_study(source, folder, cluster=cluster.address)
        return found, data, task


def check_planted(found: at.Study) -> bool:
    """Return whether every row succeeded and the mean square error is the planted one."""
    errors = found.numbers("position.rmse")
    assert errors is not None
    off = float(np.sqrt(np.mean(errors**2))) / (NOISE * np.sqrt(3)) - 1
    return found.passed and abs(off) < 0.05


def measured(rows: int, cluster: bool, folder: Path) -> dict[str, Any]:
    """Return all figures.

    Args:
        rows: of the study.
        cluster: whether Ray is measured, too.
        folder: an empty one.
    """
    runs = folder / "runs"
    runs.mkdir()
    write_recordings(runs)
    source = study_of(runs, rows)
    figures: dict[str, Any] = {"row_alone_s": seconds_alone(source)}
    figures["local_task_s"] = task_seconds(LocalWorkers("validate", 1, empty), source)
    figures["start_s"] = start_seconds(source, _new(folder, "first"))
    tables = []
    for count in (1, 2):
        begin = time.process_time()
        found, data = run_study(source, _new(folder, f"local{count}"), workers=count)
        tables.append(data)
        figures[f"rows_{count}"], figures[f"wall_{count}_s"] = found.table.num_rows, found.wall
        figures["own_cpu_s"] = time.process_time() - begin
        figures[f"work_{count}_s"] = sum(found.seconds)
        figures["planted_found"] = check_planted(found)
    if cluster:
        found, data, task = on_cluster(source, _new(folder, "cluster"))
        tables.append(data)
        figures |= {"wall_ray_s": found.wall, "ray_task_s": task}
    return figures | {"same_bytes": len(set(tables)) == 1}


def _new(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def print_figures(figures: dict[str, Any]) -> None:
    """Print the figures as a table."""
    rows, alone = figures["rows_1"], figures["row_alone_s"]
    lines: list[tuple[str, str]] = [
        ("validations", f"{rows}, {SAMPLES} samples each"),
        ("a row without a study", f"{1e3 * alone:.1f} ms"),
        ("a task that does nothing, local", f"{1e3 * figures['local_task_s']:.2f} ms"),
        ("1 process", f"{figures['wall_1_s']:.1f} s, {rows / figures['wall_1_s']:.1f} rows/s"),
        ("2 processes", f"{figures['wall_2_s']:.1f} s, {rows / figures['wall_2_s']:.1f} rows/s"),
        ("scaling from 1 to 2", f"{figures['wall_1_s'] / figures['wall_2_s']:.2f}"),
        ("start of a worker process", f"{figures['start_s']:.1f} s"),
        ("processor time of the study itself", f"{1e3 * figures['own_cpu_s'] / rows:.2f} ms a row"),
    ]  # fmt: skip
    if "ray_task_s" in figures:
        wall = figures["wall_ray_s"]
        lines += [
            ("a task that does nothing, Ray", f"{1e3 * figures['ray_task_s']:.2f} ms"),
            (f"Ray, {NODES} nodes of this machine", f"{wall:.1f} s, {rows / wall:.1f} rows/s"),
        ]
    lines += [(name, str(figures[name])) for name in ("planted_found", "same_bytes")]
    for name, text in lines:
        print(f"{name:36} {text}")


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--cluster", action="store_true", help="also on Ray, three nodes")
    parser.add_argument("--cost", action="store_true", help="only what a fleet costs")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if given.cost:
        print_cost(as_json=given.json)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(given.rows, given.cluster, Path(folder))
    if given.json:
        print(json.dumps(figures, indent=2))
    else:
        print_figures(figures)
    return 0 if figures["same_bytes"] and figures["planted_found"] else 1


if __name__ == "__main__":
    sys.exit(main())
