"""Simulation of an SSP archive by independent co-simulation masters."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import FmuError, InputError
from armtwin.extras import message
from armtwin.fmu.export.system import System
from armtwin.fmu.run.signals import Signals, read_signals
from armtwin.report.numbers import counted, with_unit
from armtwin.report.page import Page
from armtwin.report.result import Result

SETTLED = 0.5
"""From this time [s] on the loop is judged: masters begin with all signals at zero or at rest."""


@dataclass(frozen=True, eq=False)
class SystemRun:
    """Result of a master: columns ``element.variable`` over time, its name and version."""

    signals: Signals
    master: str


def simulate_system(
    path: str | Path, *, master: str = "fmpy", stop: float = 4.0, step: float = 1e-3
) -> SystemRun:
    """Simulate an SSP archive of ours with its parameter set.

    Args:
        path: the archive.
        master: ``fmpy`` or ``ecos``. Both exchange values between all FMUs after each step.
        stop: end time [s].
        step: communication step [s].

    Raises:
        InputError: another master, or one that is not installed.
        FmuError: the master fails.
    """
    if master not in MASTERS:
        raise InputError(f"no master {master!r}; there are {' and '.join(MASTERS)}")
    if not Path(path).is_file():
        raise FmuError(f"{path}: no such file")
    return MASTERS[master](Path(path), stop, step)


@dataclass(frozen=True, eq=False)
class SystemCheck(Result):
    """Result of a closed loop in a master, from ``SETTLED`` on.

    Attributes:
        system: the loop.
        master: name and version of the master.
        steps: number of its steps.
        deviation: largest distance of the tool from its circle [m].
        residuals: the observer's external torque estimates at the end (dof,) [Nm].
        alarm: whether the observer raised its alarm.
    """

    system: System
    master: str
    steps: int
    deviation: float
    residuals: tuple[float, ...]
    alarm: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data, with those of the system."""
        return {
            **self.system.to_dict(), "master": self.master, "steps": self.steps,
            "deviation_mm": self.deviation * 1e3, "residuals": list(self.residuals),
            "alarm": self.alarm,
        }  # fmt: skip

    def page(self) -> Page:
        """Return the system's page with the figures of the run."""
        page = self.system.page()
        residuals = ", ".join(f"{r:.2f}" for r in self.residuals)
        facts = (
            ("Simulated by", f"{self.master}, {counted(self.steps, 'step')}"),
            (
                f"Largest distance from the circle after {SETTLED:g} s",
                with_unit(self.deviation, "m"),
            ),
            ("Observer", f"alarm {'on' if self.alarm else 'off'}, at the end {residuals} Nm"),
        )
        return replace(page, facts=(*page.facts, *facts))


def check_system(system: System, *, master: str = "fmpy") -> SystemCheck:
    """Simulate a closed loop for one turn and compare the tool with its circle.

    Args:
        system: the loop, as ``export_system`` returns it.
        master: ``fmpy`` or ``ecos``.

    Raises:
        InputError: another master, or one that is not installed.
        FmuError: the master fails.
    """
    stop = system.duration + SETTLED
    run = simulate_system(system.path, master=master, stop=stop, step=system.step)
    columns, time = run.signals.columns, run.signals.time
    late = time >= SETTLED
    tool = np.column_stack([columns[f"tool.{axis}"] for axis in "xyz"])
    residuals = [columns[f"observer.r{i}"][late][-1] for i in range(1, system.arm.dof + 1)]
    return SystemCheck(
        system=system,
        master=run.master,
        steps=int(time.size),
        deviation=float(system.circle.deviation(tool)[late].max()),
        residuals=tuple(map(float, residuals)),
        alarm=bool(columns["observer.alarm"][late].any()),
    )


def _fmpy(path: Path, stop: float, step: float) -> SystemRun:
    try:
        import fmpy
        from fmpy.ssp.simulation import simulate_ssp
        from fmpy.ssp.ssd import read_ssv
    except ImportError as error:
        raise InputError(message("running a system in FMPy", ["fmpy"])) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = read_ssv(str(path), "resources/parameters.ssv")
            result = simulate_ssp(str(path), stop_time=stop, step_size=step, parameter_set=values)
    except Exception as error:  # noqa: BLE001 - FMPy raises bare exceptions
        raise FmuError(f"{path}: FMPy: {error}") from error
    time = np.asarray(result["time"], np.float64) + step
    names = [name for name in result.dtype.names if name != "time"]
    columns = {name: np.asarray(result[name], np.float64) for name in names}
    return SystemRun(Signals(time, columns), f"FMPy {fmpy.__version__}")


def _ecos(path: Path, stop: float, step: float) -> SystemRun:
    try:
        from importlib.metadata import version

        _preload_tbb()
        from ecospy import EcosSimulation
        from ecospy.lib import EcosLib
    except (ImportError, OSError) as error:
        raise InputError(f"ecos is not usable: pip install ecospy tbb ({error})") from error
    with tempfile.TemporaryDirectory(prefix="armtwin-ssp-") as place:
        file = Path(place, "result.csv")
        EcosLib.set_log_level("warn")
        try:
            with EcosSimulation(step_size=step, ssp_path=str(path)) as simulation:
                simulation.add_csv_writer(str(file))
                simulation.init(parameter_set="parameters")
                simulation.step_until(stop)
                simulation.terminate()
        except Exception as error:  # noqa: BLE001 - ecos raises bare exceptions
            raise FmuError(f"{path}: ecos: {error}") from error
        signals = read_signals(file)
    columns = {name.split("[")[0].strip(): x for name, x in signals.columns.items()}
    columns = {name.replace("::", "."): x for name, x in columns.items()}
    return SystemRun(Signals(signals.time, columns), f"ecos {version('ecospy')}")


def _preload_tbb() -> None:
    """Load the threading library that ecos needs from where its package puts it."""
    for file in sorted(Path(sys.prefix, "lib").glob("libtbb.so.*")):
        with contextlib.suppress(OSError):
            ctypes.CDLL(str(file), ctypes.RTLD_GLOBAL)
            return


MASTERS: dict[str, Callable[[Path, float, float], SystemRun]] = {"fmpy": _fmpy, "ecos": _ecos}
