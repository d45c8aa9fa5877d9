"""Speed of plants as FMUs, for ``python -m benchmarks.fmu --all``.

Every catalogue arm with masses, the UR5e with presliding friction, and the likeliest arm of every
URDF file of ``example-robot-data`` and ``rtb-data`` is exported as ``forward-dynamics`` and run in
co-simulation at 2 ms for 0.4 s, under torques that change at random every 2 ms and under torques
that reverse every 0.1 s. Both exceed friction. CPU time of the thread counts, best of twelve: other
programs on the same core slow down single runs by half.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import warnings
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np

import armtwin
from armtwin.compile.kernel import kernel
from armtwin.equations.drives.drive import friction_parts
from armtwin.errors import ArmFileError, ArmTwinError
from armtwin.fmu.check.trial import STEP, columns
from armtwin.fmu.export.export import FAST, export_fmu
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Arm

PACKAGES = ("example-robot-data", "rtb-data")
ROWS, ROUNDS, REVERSAL = 201, 12, 50
PRESLIDING = "ur5e-energy with presliding"
OPTIONS = RunFmuOptions(mode="cs", align=False, defaults=True)


@dataclasses.dataclass(frozen=True)
class PlantSpeed:
    """Times real time of a plant under random and under reversing torques."""

    name: str
    joints: int
    random: float
    reversing: float

    @property
    def least(self) -> float:
        """The slower of both."""
        return min(self.random, self.reversing)


def all_plants(folder: Path, wanted: str = "") -> list[str]:
    """Measure every plant, print the table, slowest first, and return what was missed."""
    found, left = list[PlantSpeed](), dict[str, str]()
    for name, arm in arms():
        if wanted and not re.search(wanted, name):
            continue
        print(f"\r{len(found)} measured; {name:60}", end="", file=sys.stderr, flush=True)
        if isinstance(arm, str):
            left[name] = arm
            continue
        try:
            found.append(measured(name, arm, folder))
            print(f" {found[-1].random:.0f} {found[-1].reversing:.0f}", file=sys.stderr)
        except ArmTwinError as error:
            left[name] = str(error).split("; ")[0][:90]
    print(file=sys.stderr)
    print("| plant | joints | random torques | reversing torques |\n|---|---|---|---|")
    for one in sorted(found, key=lambda one: one.least):
        print(f"| {one.name} | {one.joints} | {one.random:.0f} | {one.reversing:.0f} |")
    print(f"\n{len(found)} plants; times real time, co-simulation at 2 ms, CPU time of one thread")
    print(f"not measured: {len(left)}")
    for name, why in left.items():
        print(f"  {name}: {why}")
    return [
        f"{one.name}: {one.least:.1f} times real time, claimed {FAST:g}"
        for one in found
        if one.least < FAST
    ]


def measured(name: str, arm: Arm, folder: Path) -> PlantSpeed:
    """Export a plant and return its speed."""
    file = folder / "plant.fmu"
    export_fmu(arm, file, model="forward-dynamics", force=True)
    speeds = []
    for inputs in torques(arm):
        runs = [run_fmu(file, inputs, options=OPTIONS).facts.cpu_seconds for _ in range(ROUNDS)]
        speeds.append(float(inputs.time[-1] / min(runs)))
    return PlantSpeed(name, arm.dof, *speeds)


def torques(arm: Arm) -> tuple[Signals, Signals]:
    """Return random and reversing torques around those that hold the arm at zero."""
    rng, still, n = np.random.default_rng(0), np.zeros(arm.dof), arm.dof
    hold = armtwin.gravity(arm, still, ignore_limits=True)
    inertia = np.diag(armtwin.mass_matrix(arm, still, ignore_limits=True))
    friction = sum(kernel(arm, friction_parts)(np.full(n, 0.3), still))
    size = 1.5 * friction + 5.0 * inertia
    time = STEP * np.arange(ROWS)
    random = rng.uniform(-1, 1, (ROWS, n))
    square = np.where((np.arange(ROWS) // REVERSAL) % 2, -1.0, 1.0)[:, None] * np.ones(n)
    return tuple(Signals(time, columns(tau=hold + size * waves)) for waves in (random, square))


def arms() -> Iterator[tuple[str, Arm | str]]:
    """Yield names with arms, or with the reason why there is none."""
    for name in armtwin.arm_names():
        yield name, armtwin.load(name)
    yield PRESLIDING, with_presliding(armtwin.load("ur5e-energy"))
    for package in PACKAGES:
        try:
            files = metadata.distribution(package).files or ()
        except metadata.PackageNotFoundError:
            yield package, "not installed"
            continue
        for file in sorted({file for file in files if file.name.endswith(".urdf")}, key=str):
            yield file.name, _urdf(Path(str(file.locate())))


def with_presliding(arm: Arm, distance: float = 2e-3) -> Arm:
    """Return an arm with drives whose joints slide fully after a displacement [rad]."""
    joints = []
    for joint in arm.joints:
        drive = joint.drive
        if drive is None or drive.friction is None:
            raise ValueError(f"{joint.name} has no friction")
        numbers = (*drive.friction.parameters, ("presliding", distance * drive.gear))
        friction = dataclasses.replace(drive.friction, parameters=numbers)
        joints.append(
            dataclasses.replace(joint, drive=dataclasses.replace(drive, friction=friction))
        )
    return arm.with_(joints=tuple(joints))


def _urdf(path: Path) -> Arm | str:
    """Return the likeliest arm of a file, or why it has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return armtwin.load(path)
        except ArmFileError as error:
            tips = re.search(r"likeliest first: (\S+) \(", str(error))
            if tips is None:
                return str(error).split(": ", 1)[-1][:90]
        try:
            return armtwin.load(path, tip=tips[1])
        except ArmTwinError as error:
            return str(error)[:90]
