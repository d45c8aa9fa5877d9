"""Derives the programs of the catalogue's arms: ``python requirements/build_programs.py``.

The instruction list of every equation for every arm of the catalogue goes into one archive within
the package, under its name in the program cache; also those that validation, calibration,
identification and maps need of an arm's bare geometry. Users of these arms then need no CasADi.
Programs that an older archive has under the same name are kept: the name holds a hash of what they
are derived from. A clone works without the archive; the build of the wheel writes it.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import multiprocessing
import os
import pkgutil
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from armtwin.calibration.fit.pose_model import EQUATION, GeometryModel  # noqa: E402
from armtwin.compile.kernel import equation_name, program_file  # noqa: E402
from armtwin.compile.program import Program  # noqa: E402
from armtwin.compile.shipped import ARCHIVE, refusal  # noqa: E402
from armtwin.equations.dynamics import sensitivity  # noqa: E402
from armtwin.equations.kinematics import calibration_model, tool_pose  # noqa: E402
from armtwin.errors import ArmTwinError  # noqa: E402
from armtwin.files import replacing  # noqa: E402
from armtwin.identification.parameters.prior import geometry_only  # noqa: E402
from armtwin.model.arm import IDENTITY, Arm  # noqa: E402
from armtwin.model.catalogue.catalogue import arm_names, load  # noqa: E402

DATE = (1980, 1, 1, 0, 0, 0)
"""The same in every archive, so that equal sources give equal wheels."""


def main() -> int:
    """Write the archive; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--arms", nargs="*", help="of the catalogue; all if left out")
    parser.add_argument("--out", type=Path, default=ARCHIVE, help="the archive to write")
    options = parser.parse_args()
    build(options.arms, options.out)
    return 0


def build(arms: list[str] | None = None, out: Path = ARCHIVE) -> None:
    """Derive the programs of some arms, or all, and write them into an archive."""
    began = time.monotonic()
    old = _kept(out)
    wanted = [None, *(arm_names() if arms is None else arms)]
    found: dict[str, str] = {}
    spawn = multiprocessing.get_context("spawn")  # the caller may have threads, which no fork keeps
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(wanted)), spawn) as pool:
        for programs in pool.map(derive, wanted, [frozenset(old)] * len(wanted)):
            found |= {name: old[name] if text is None else text for name, text in programs.items()}
    if found == old:
        return
    with replacing(out) as path, zipfile.ZipFile(path, "w") as archive:
        for name, text in sorted(found.items()):
            entry = zipfile.ZipInfo(name, DATE)
            archive.writestr(entry, text, zipfile.ZIP_DEFLATED, 9)
    took, size = time.monotonic() - began, out.stat().st_size / 1e6
    facts = f"{len(found)} programs of {len(wanted) - 1} arms, {size:.1f} MB, in {took:.0f} s"
    sys.stderr.write(f"== {facts}\n")


def derive(arm_name: str | None, old: frozenset[str]) -> dict[str, str | None]:
    """Return the programs of an arm, or those that depend on none, as texts by file name.

    Args:
        arm_name: of the catalogue, or None.
        old: names of programs that need not be derived; their text is None.
    """
    found: dict[str, str | None] = {}
    for arm, equation in _wanted(None if arm_name is None else load(arm_name)):
        name = program_file(arm, equation)
        if name in old:
            found[name] = None
            continue
        try:
            given = () if arm is None else (arm,)
            found[name] = Program.from_listing(equation(*given).listing()).to_json()
        except ArmTwinError as error:  # for example an arm without masses or drives
            found[name] = refusal(error)
    return found


def _wanted(arm: Arm | None) -> Iterator[tuple[Arm | None, Callable[..., Any]]]:
    """Yield the equations of an arm, and of its bare geometry; without one, those of any arm."""
    for equation in equations(takes_arm=arm is not None).values():
        yield arm, equation
    if arm is None:
        return
    yield arm.with_(base=IDENTITY, tool=IDENTITY), tool_pose.tool_pose
    yield geometry_only(arm), sensitivity.regressor
    if arm.convention != "screws":
        yield GeometryModel(arm).skeleton, EQUATION
        yield GeometryModel(arm).skeleton, calibration_model.pose_by_parameters


def equations(*, takes_arm: bool) -> dict[str, Callable[..., Any]]:
    """Return the equations that take an arm alone, or nothing, by name."""
    import armtwin.equations

    found = {}
    for module in pkgutil.walk_packages(armtwin.equations.__path__, "armtwin.equations."):
        loaded = importlib.import_module(module.name)
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            own = function.__module__ == loaded.__name__ and not name.startswith("_")
            if not own or function.__annotations__.get("return") != "Equation":
                continue
            if list(inspect.signature(function).parameters) == (["arm"] if takes_arm else []):
                found[equation_name(function)] = function
    return found


def _kept(path: Path) -> dict[str, str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name).decode() for name in archive.namelist()}
    except (OSError, zipfile.BadZipFile):
        return {}


if __name__ == "__main__":
    sys.exit(main())
